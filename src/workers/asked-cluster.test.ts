import { describe, expect, it } from '@jest/globals';
import { askedCluster } from './asked-cluster.js';

const of = (text: string): string | undefined => askedCluster(Buffer.from(text));

describe('askedCluster', () => {
  it('reads the request line of REST', () => {
    expect(of('GET /api/v1/clusters/prod-eu/nodes?limit=1 HTTP/1.1\r\nhost: a\r\n\r\n')).toBe('prod-eu');
    expect(of('POST /placement/api/v1/clusters/a.b/placements HTTP/1.1\r\n')).toBe('a.b');
    expect(of('GET /api/v1/clusters/a%2Db HTTP/1.1\r\n')).toBe('a-b');
    expect(of('GET /api/v1/clusters/%zz/nodes HTTP/1.1\r\n')).toBe('%zz');
  });

  it('reads what GraphQL asks, in its variables or its text', () => {
    const query = (body: string): string => `POST /graphql HTTP/1.1\r\ncontent-type: application/json\r\n\r\n${body}`;
    expect(of(query('{"query":"{ cluster(name: \\"shop\\") { name } }"}'))).toBe('shop');
    expect(of(query('{"query":"mutation { place(input: {cluster: \\"shop\\"}) { id } }"}'))).toBe('shop');
    const named = '{"query":"query ($it: String!) { cluster(name: $it) { name } }","variables":{"it":"shop"}}';
    expect(of(query(named))).toBe('shop');
    expect(of(query(named.replace('"it":', '"other":')))).toBeUndefined();
    expect(of(query('{"query":"{ clusters { edges { node { name } } } }"}'))).toBeUndefined();
  });

  it('is nothing else', () => {
    expect(of('GET /api/v1/clusters HTTP/1.1\r\n')).toBeUndefined();
    expect(of('GET /api/v1/taints?q=/api/v1/clusters/x HTTP/1.1\r\n')).toBeUndefined();
    expect(of('POST /api/v1/taints HTTP/1.1\r\n\r\n{"cluster":"x"}')).toBeUndefined();
    expect(of('')).toBeUndefined();
  });
});
