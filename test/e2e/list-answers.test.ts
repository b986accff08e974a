import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 't', name: 'q' },
    spec: { hard: { pods: '2', 'requests.cpu': '1' } },
    status: { hard: { pods: '2', 'requests.cpu': '1' }, used: { pods: '3', 'requests.cpu': '0' } },
  };
  await store(service, 'small', [...SMALL_CLUSTER, quota]);
});
afterAll(() => service.close());

const get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
  service.request('GET', `/api/v1/${path}`, undefined, headers);
const nextOf = (answer: Answer): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];

describe('a page of a list', () => {
  it.each([
    'clusters/small/nodes?limit=2&labelSelector=pool%20notin%20(x)',
    'clusters/small/pods?continue=&limit=3',
    'clusters/small/findings?view=findings&limit=1',
    'well-known-taints?limit=40',
  ])('links to the next page until the last: %s', async (path) => {
    let answer = await get(path.replace('continue=&', ''));
    const total = answer.at('items') as unknown[];
    const expected = total.length + Number(answer.at('remainingItemCount'));
    for (let next = nextOf(answer); next !== undefined; next = nextOf(answer)) {
      answer = await service.request('GET', next);
      expect(answer.status).toBe(200);
      total.push(...(answer.at('items') as unknown[]));
    }
    expect(answer.at('continue')).toBeNull();
    expect(total).toHaveLength(expected);
  });

  it('links below the path under which callers reach the service', async () => {
    const behind = await startTestService({ PUBLIC_URL: 'https://cluster.example/placement' });
    await store(behind, 'small', SMALL_CLUSTER);
    const answer = await behind.request('GET', '/placement/api/v1/clusters/small/nodes?limit=4', undefined, {
      host: 'localhost',
    });
    expect(nextOf(answer)).toMatch(/^\/placement\/api\/v1\/clusters\/small\/nodes\?limit=4&continue=[\w-]+$/);
    await behind.close();
  });

  it('has the number of items on request', async () => {
    expect((await get('clusters/small/nodes?limit=2&totalCount=true')).at('totalCount')).toBe(5);
    expect((await get('clusters/small/nodes?limit=2&taint=gpu&totalCount=true')).at('totalCount')).toBe(3);
    expect((await get('clusters/small/nodes?limit=2')).json).not.toHaveProperty('totalCount');
    expect((await get('taints?totalCount=true')).at('totalCount')).toBe(1);
    const connection = await service.graphql('{ cluster(name: "small") { nodes(first: 2) { totalCount } } }');
    expect(connection.at('data.cluster.nodes.totalCount')).toBe(5);
    const refused = await get('clusters/small/nodes?totalCount=yes');
    expect(refused).toMatchObject({ status: 400, json: { errors: [{ field: 'totalCount' }] } });
  });
});

describe('fields', () => {
  it('selects members of each item of a list, and leaves the rest of the response', async () => {
    const answer = await get('clusters/small/nodes?fields=name,taints.key,labels.kubernetes.io/hostname&limit=2');
    expect(answer.at('items')).toEqual([
      { name: 'a', labels: { 'kubernetes.io/hostname': 'a' }, taints: [] },
      { name: 'b', labels: {}, taints: [{ key: 'gpu' }] },
    ]);
    expect(answer.at('basis.revision')).toBe(1);
    expect(answer.at('continue')).not.toBeNull();
  });

  it('selects members of a response about one object, and of one to a POST', async () => {
    expect((await get('clusters/small?fields=name')).json).toEqual({ name: 'small' });
    expect((await get('clusters/small/nodes/b?fields=node.taints.text,basis.revision')).json).toEqual({
      basis: { revision: 1 },
      node: { taints: [{ text: 'gpu=a100:NoSchedule' }] },
    });
    const drain = await service.request('POST', '/api/v1/clusters/small/nodes/search?fields=name', {
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    });
    expect(drain.at('items')).toEqual([{ name: 'b' }, { name: 'c' }, { name: 'e' }]);
  });

  it('refuses unknown names, all of them and together with other errors of the query', async () => {
    const refused = await get('clusters/small/nodes?fields=name,nme,taints.colour,name.first,&limit=0&colour=red');
    expect(refused.status).toBe(400);
    const errors = refused.at('errors') as { field: string; code: string; message: string }[];
    expect(errors.map(({ field, code }) => `${field} ${code}`).sort()).toEqual([
      'colour unknown-parameter',
      'fields unknown-field',
      'fields unknown-field',
      'fields unknown-field',
      'fields unknown-field',
      'limit min',
    ]);
    const named = errors.filter(({ field }) => field === 'fields').map(({ message }) => message.split(' is not ')[0]);
    expect(named).toEqual(['"nme"', '"taints.colour"', '"name.first"', '""']);
    expect(errors.find(({ message }) => message.startsWith('"taints.colour"'))?.message).toMatch(
      /known members below taints are effect, key, text, timeAdded, value, wellKnown$/,
    );
  });

  it('does not apply to writes', async () => {
    const refused = await service.request('PUT', '/api/v1/clusters/small?fields=name', {});
    expect(refused).toMatchObject({ status: 400, json: { errors: [{ field: 'fields', code: 'unknown-parameter' }] } });
  });
});

describe('a list as CSV', () => {
  const lines = (answer: Answer): string[] => answer.text.split('\r\n').slice(0, -1);

  it('has a header and a row for each item, by Accept and by format', async () => {
    const answer = await get('clusters/small/nodes?format=csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="nodes-small.csv"');
    expect(answer.headers.get('vary')).toMatch(/accept/i);
    const [header, ...rows] = lines(answer);
    expect(header).toBe(
      'name,createdAt,labels,taints,unschedulable,conditions,allocatable,requested,podCount,kubeletVersion,operatingSystem,architecture,version',
    );
    expect(rows).toHaveLength(5);
    expect(rows[2]).toMatch(/^c,.*gpu=t4:NoSchedule; slow:PreferNoSchedule,false,/);
    const byAccept = await get('clusters/small/nodes', { accept: 'text/csv' });
    expect(byAccept.text).toBe(answer.text);
  });

  it('has the columns that fields selects', async () => {
    const pods = await get('clusters/small/pods?format=csv&fields=namespace,name,workload.kind,tolerations');
    expect(lines(pods)).toEqual([
      'namespace,name,workload.kind,tolerations',
      's,three,Pod,gpu=a100 NoExecute',
      's,two,Pod,',
      't,db-0,StatefulSet,gpu=a100 NoSchedule',
      't,db-1,StatefulSet,gpu=a100 NoSchedule',
      't,db-2,StatefulSet,',
      't-x,one,Pod,"every key Exists, every effect"',
      'z,done,Pod,gpu=a100 NoSchedule',
    ]);
  });

  it('has a row for each resource of a quota', async () => {
    const quotas = await get(
      'clusters/small/quotas?format=csv&fields=namespace,name,resources.resource,resources.hard,resources.reported,resources.standing',
    );
    expect(lines(quotas)).toEqual([
      'namespace,name,resources.resource,resources.hard,resources.reported,resources.standing',
      't,q,pods,2,3,over',
      't,q,requests.cpu,1,0,free',
    ]);
  });

  it('has a row for each finding', async () => {
    const path = 'clusters/small/findings';
    const findings = await get(`${path}?format=csv&fields=severity,code,subject.kind,subject.name,occurrences.count`);
    const [header, ...rows] = lines(findings);
    expect(header).toBe('code,severity,subject.kind,subject.name,occurrences.count');
    const listed = (await get(`${path}?view=findings&limit=1000`)).at('items') as { code: string; severity: string }[];
    expect(listed.length).toBeGreaterThan(0);
    expect(rows.map((row) => row.split(',').slice(0, 2))).toEqual(listed.map(({ code, severity }) => [code, severity]));
  });

  it('has all rows by default, and a page with a limit', async () => {
    const many = Array.from({ length: 2500 }, (_, index) => node(`n${String(index).padStart(4, '0')}`));
    await store(service, 'many', many);
    const whole = await get('clusters/many/nodes?format=csv&fields=name');
    expect(lines(whole)).toHaveLength(2501);
    expect(lines(whole).at(-1)).toBe('n2499');
    expect(nextOf(whole)).toBeUndefined();
    const page = await get('clusters/many/nodes?format=csv&fields=name&limit=1000');
    expect(lines(page)).toHaveLength(1001);
    const next = await service.request('GET', nextOf(page)!);
    expect(lines(next)[1]).toBe('n1000');
  });

  it('quotes as RFC 4180 requires, and contains no formula', async () => {
    const labelled = (name: string, labels: Record<string, string>): object => ({
      ...node(name),
      metadata: { name, labels },
    });
    const odd = pod('t/p', '', { schedulerName: '=cmd|x!A1', priorityClassName: 'say "hi", twice' });
    await store(service, 'odd', [labelled('n', { a: '1', b: '2' }), odd], '&invalid=keep');
    expect(lines(await get('clusters/odd/nodes?format=csv&fields=labels'))).toEqual(['labels', '"a=1,b=2"']);
    expect(lines(await get('clusters/odd/pods?format=csv&fields=priorityClass,schedulerName'))).toEqual([
      'priorityClass,schedulerName',
      `"say ""hi"", twice",'=cmd|x!A1`,
    ]);
  });

  it('is refused before anything is sent if the request is invalid', async () => {
    expect(await get('clusters/nowhere/nodes?format=csv')).toMatchObject({ status: 404 });
    expect(await get('clusters/small/nodes?format=csv&fields=nme')).toMatchObject({ status: 400 });
  });
});

describe('an Accept without a matching format', () => {
  it('is refused with the list of formats', async () => {
    const refused = await get('clusters/small/nodes', { accept: 'application/xml, text/html;q=0.9' });
    expect(refused).toMatchObject({ status: 406, json: { code: 'not-acceptable', status: 406 } });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.at('detail')).toContain('application/json, text/csv');
  });

  it('is overridden by format and by a wildcard', async () => {
    const xml = { accept: 'application/xml' };
    expect((await get('clusters/small/nodes?format=json', xml)).at('items')).toHaveLength(5);
    expect((await get('clusters/small/nodes?format=csv', xml)).text).toMatch(/^name,/);
    expect((await get('clusters/small/nodes', { accept: 'application/xml, */*;q=0.1' })).at('items')).toHaveLength(5);
  });
});

describe('callers who may not see taint values', () => {
  it('get masked values with fields and in CSV', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'list-answers-'));
    const file = join(folder, 'auth.json');
    const tokens = { root: newToken(), reader: newToken() };
    const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
    const bindings = [
      { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
      { subjects: ['token:reader'], clusters: ['*'], roles: ['read'], taintValues: false },
    ];
    await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
    const guarded = await startTestService({ AUTH_FILE: file });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const path = '/api/v1/clusters/small/snapshots?createCluster=true';
    expect((await send(guarded, path, list(SMALL_CLUSTER), as(tokens.root))).status).toBe(201);
    for (const query of ['fields=taints.value', 'fields=taints.text', 'format=csv', 'format=csv&fields=taints.value']) {
      const address = `/api/v1/clusters/small/nodes?${query}`;
      const open = await guarded.request('GET', address, undefined, as(tokens.root));
      const withheld = await guarded.request('GET', address, undefined, as(tokens.reader));
      expect({ query, status: withheld.status }).toEqual({ query, status: 200 });
      expect(open.text).toContain('a100');
      expect(withheld.text).not.toMatch(/a100|t4/);
    }
    await guarded.close();
    await rm(folder, { recursive: true, force: true });
  });
});
