import { describe, expect, it } from '@jest/globals';
import { nearPath } from './near-path.js';

const URLS = [
  '/',
  '/docs',
  '/openapi.json',
  '/graphql',
  '/healthz',
  '/api/v1/clusters',
  '/api/v1/clusters/:cluster',
  '/api/v1/clusters/:cluster/nodes',
  '/api/v1/clusters/:cluster/nodes/:node',
  '/api/v1/clusters/:cluster/pods',
  '/api/v1/clusters/:cluster/taint-changes',
];

describe('the path that was probably meant', () => {
  it.each([
    ['/clusters', '/api/v1/clusters'],
    ['/api/clusters', '/api/v1/clusters'],
    ['/v1/clusters', '/api/v1/clusters'],
    ['/api/v2/clusters/prod', '/api/v1/clusters/prod'],
    ['/api/v1/cluster', '/api/v1/clusters'],
    ['/api/v1/Clusters/', '/api/v1/clusters'],
    ['/api/v1/clusters/Prod/node', '/api/v1/clusters/Prod/nodes'],
    ['/clusters/prod/nodes/node-1', '/api/v1/clusters/prod/nodes/node-1'],
    ['/api/v1/clusters/prod/taint-change', '/api/v1/clusters/prod/taint-changes'],
    ['/openapi', '/openapi.json'],
    ['/health', '/healthz'],
    ['/docs/', '/docs'],
  ])('by %s is %s', (asked, meant) => {
    expect(nearPath(asked, URLS)).toBe(meant);
  });

  it.each(['/api/v1/nothing', '/favicon.ico', '/api/v1/clusters/prod/secrets', '/x', `/${'clusters/'.repeat(1000)}`])(
    'by %s is undefined',
    (asked) => {
      expect(nearPath(asked, URLS)).toBeUndefined();
    },
  );
});
