import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';

const asking = (cpu: string, more: object = {}): object => ({
  containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
  ...more,
});
const inPhase = (one: object, phase: string, more: object = {}): object => {
  const { metadata } = one as { metadata: object };
  return { ...one, metadata: { ...metadata, ...more }, status: { phase } };
};
const ago = (seconds: number): string => `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`;

const quota = (key: string, hard: object, used: object | null, spec: object = {}): object => {
  const [namespace, name] = key.split('/');
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace, name },
    spec: { hard, ...spec },
    ...(used === null ? {} : { status: { hard, used } }),
  };
};

const CLUSTER = [
  node('a'),
  inPhase(pod('team/web-0', 'a', asking('600m')), 'Running'),
  inPhase(pod('team/web-1', 'a', asking('300m')), 'Running'),
  inPhase(pod('team/done', 'a', asking('50m')), 'Succeeded'),
  inPhase(pod('team/late', 'a', asking('10m')), 'Running', {
    deletionTimestamp: ago(100),
    deletionGracePeriodSeconds: 30,
  }),
  inPhase(pod('team/going', 'a', asking('5m')), 'Running', {
    deletionTimestamp: ago(0),
    deletionGracePeriodSeconds: 3600,
  }),
  inPhase(pod('team/vip', 'a', asking('1', { priorityClassName: 'high' })), 'Running'),
  inPhase(pod('other/x', 'a', asking('1')), 'Running'),
  quota(
    'team/all',
    { 'requests.cpu': '2', pods: '10', 'count/pods': '6', services: '3' },
    {
      'requests.cpu': '1955m',
      pods: '4',
      'count/pods': '6',
      services: '1',
    },
  ),
  quota('team/high', { 'requests.cpu': '1', pods: '2' }, null, {
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
  }),
  quota(
    'team-b/volumes',
    { persistentvolumeclaims: '1' },
    { persistentvolumeclaims: '0' },
    {
      scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }] },
    },
  ),
  quota('other/lowered', { 'requests.cpu': '500m' }, { 'requests.cpu': '1' }),
  quota('other/shut', { 'limits.cpu': '0' }, { 'limits.cpu': '0' }),
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await store(service, 'shop', CLUSTER);
});
afterAll(() => service.close());

const get = (path: string) => service.request('GET', `${AT}/${path}`);

describe('quotas', () => {
  it('are listed with their counted usage, their status, and the reason for a difference', async () => {
    const answer = await get('quotas?namespace=team');
    expect(answer.status).toBe(200);
    // The result depends on the time of the request.
    expect(answer.headers.get('etag')).toBeNull();
    expect(answer.json).toMatchObject({
      notLoaded: [],
      items: [
        {
          name: 'all',
          standing: 'full',
          pods: 6,
          scopes: [],
          resources: [
            { resource: 'count/pods', used: '6', percent: 100, standing: 'full', reason: 'none' },
            { resource: 'pods', hard: '10', used: '4', left: '6', percent: 40, standing: 'free' },
            {
              resource: 'requests.cpu',
              used: '1905m',
              reported: '1955m',
              left: '45m',
              difference: '50m',
              reason: 'finished',
              why: 'status.used still counts pods that have ended: 50m',
              finished: '50m',
              overdue: '10m',
              deleting: '5m',
              percent: 97.8,
              standing: 'atRisk',
            },
            {
              resource: 'services',
              used: null,
              reported: '1',
              left: '2',
              difference: null,
              reason: 'unknown',
              why: 'unknown: snapshots do not keep the objects that it counts',
              standing: 'free',
            },
          ],
        },
        {
          name: 'high',
          pods: 1,
          scopes: [
            {
              text: '{PriorityClass In [high]}',
              takesIn: 'pods',
              meaning: 'pods whose priorityClassName is one of high',
            },
          ],
          resources: [
            { resource: 'pods', enforced: null, reported: null, reason: 'unreported', standing: 'free' },
            { resource: 'requests.cpu', used: '1', left: '0', standing: 'full' },
          ],
        },
      ],
    });
  });

  it.each<[string, string, string[]]>([
    ['over', 'standing=over', ['other/lowered']],
    ['at risk or worse', 'standing=over&standing=full&standing=atRisk', ['other/lowered', 'team/all', 'team/high']],
    ['closed', 'standing=closed', ['other/shut']],
    ['unknown to nobody whose status tells', 'standing=unknown', []],
    ['free, by a threshold of their own', 'standing=free&threshold=100', ['team-b/volumes']],
  ])('are filtered that are %s', async (_, query, names) => {
    const items = (await get(`quotas?${query}`)).at('items') as { namespace: string; name: string }[];
    expect(items.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(names);
  });

  it('are paged, by namespace and name', async () => {
    const names: string[] = [];
    for (let next = ''; ;) {
      const page = await get(`quotas?limit=2${next}`);
      names.push(...(page.at('items') as { namespace: string; name: string }[]).map((one) => one.name));
      if (page.at('continue') === null) break;
      next = `&continue=${String(page.at('continue'))}`;
    }
    expect(names).toEqual(['lowered', 'shut', 'all', 'high', 'volumes']);
  });

  it('report unknown usage: claims by their VolumeAttributesClass', async () => {
    expect((await get('quotas/team-b/volumes')).at('quota')).toMatchObject({
      scopes: [{ scope: 'VolumeAttributesClass', takesIn: 'unknown' }],
      resources: [{ used: null, reason: 'unknown', reported: '0' }],
    });
  });

  it('can be read one by one, with each pod of the namespace and how it counts', async () => {
    const answer = await get('quotas/team/all');
    const pods = answer.at('items') as Record<string, unknown>[];
    expect(pods.map(({ name, counting }) => [name, counting])).toEqual([
      ['done', 'finished'],
      ['going', 'deleting'],
      ['late', 'overdue'],
      ['vip', 'counts'],
      ['web-0', 'counts'],
      ['web-1', 'counts'],
    ]);
    expect(pods[0]).toMatchObject({
      why: 'ended: only count/pods counts it',
      charged: { 'count/pods': '1' },
      released: { 'requests.cpu': '50m', pods: '1' },
    });
    expect(pods[1]!['countsUntil']).not.toBeNull();
    expect(pods[4]).toMatchObject({ charged: { 'requests.cpu': '600m', pods: '1', 'count/pods': '1' } });
    const outside = await get('quotas/team/high?counting=outside&limit=1');
    expect(outside.json).toMatchObject({
      items: [{ name: 'done', why: 'not in the scope {PriorityClass In [high]}', charged: {} }],
      remainingItemCount: 4,
    });
    const next = await get(`quotas/team/high?counting=outside&limit=1&continue=${String(outside.at('continue'))}`);
    expect(next.at('items.0.name')).toBe('going');
  });

  it('are not found if missing, and refuse unknown filters', async () => {
    expect(await get('quotas/team/__proto__')).toMatchObject({ status: 404, json: { code: 'object-not-found' } });
    expect((await get('quotas?namespace=nobody')).at('items')).toEqual([]);
    const bad = await get('quotas?standing=worse&threshold=0');
    expect(bad).toMatchObject({ status: 400, json: { code: 'invalid-request' } });
    expect((bad.at('errors') as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'standing',
      'threshold',
    ]);
  });

  it('are the same in GraphQL', async () => {
    const fields =
      'namespace name standing pods scopes { scope operator values text takesIn meaning } resources { resource hard enforced used reported left percent standing difference reason why finished overdue deleting beyondSpec }';
    const { json } = await service.graphql(`{ cluster(name: "shop") {
      quotas { totalCount notLoaded nodes { ${fields} } }
      quota(namespace: "team", name: "all", counting: [finished, overdue]) {
        quota { ${fields} } pods { totalCount nodes { name phase counting why countsUntil outside charged released beyondSpec } } }
    } }`);
    const rest = (await get('quotas')).at('items');
    const one = await get('quotas/team/all?counting=finished&counting=overdue');
    expect(json).toEqual({
      data: {
        cluster: {
          quotas: { totalCount: 5, notLoaded: [], nodes: rest },
          quota: { quota: one.at('quota'), pods: { totalCount: 2, nodes: one.at('items') } },
        },
      },
    });
  });

  it('take a scenario', async () => {
    const scenario = encodeURIComponent(JSON.stringify({ changes: [{ removePods: { pods: ['team/web-0'] } }] }));
    expect((await get(`quotas/team/all?scenario=${scenario}`)).at('quota.resources.2.used')).toBe('1305m');
  });
});
