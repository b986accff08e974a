import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { TestTrail } from '../support/trails.js';

const DRIVER = 'gpu.example.com';
const at = (minute: number): string => `2026-06-01T08:0${minute}:00.000000Z`;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let made = 0;
let trail: TestTrail;
beforeEach(() => {
  trail = new TestTrail(service, `c${++made}`);
});

interface Rule {
  readonly devices?: object | undefined;
  readonly value?: string;
  readonly version?: string;
  readonly metadata?: object;
}

const rule = ({
  devices = { driver: DRIVER, pool: 'a' },
  value = 'true',
  version = '1',
  metadata,
}: Rule = {}): object => ({
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'broken', uid: 'uid-of-broken', resourceVersion: version, ...metadata },
  spec: { deviceSelector: devices, taint: { key: 'example.com/broken', value, effect: 'NoExecute', timeAdded: at(1) } },
});

const TAINT = { key: 'example.com/broken', effect: 'NoExecute', timeAdded: at(1) };
const OF_RULE = '?deviceTaintRule=broken&order=oldest';

/** What the API server logs of a write of the rule. */
function write(verb: string, minute: number, user: string, object: object | undefined, previous?: string): object {
  const named = verb === 'create' ? '' : '/broken';
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: `${verb}-${minute}`,
    stage: 'ResponseComplete',
    requestURI: `/apis/resource.k8s.io/v1beta2/devicetaintrules${named}?fieldManager=kubectl-edit`,
    verb,
    user: { username: user, groups: ['system:authenticated'] },
    sourceIPs: ['192.0.2.10'],
    userAgent: 'kubectl/v1.36.2',
    objectRef: {
      resource: 'devicetaintrules',
      apiGroup: 'resource.k8s.io',
      apiVersion: 'v1beta2',
      ...(verb !== 'create' && { name: 'broken' }),
    },
    responseStatus: { metadata: {}, code: 200 },
    ...(object !== undefined && {
      requestObject: {
        ...object,
        metadata: { name: 'broken', ...(previous !== undefined && { resourceVersion: previous }) },
      },
      responseObject: object,
    }),
    requestReceivedTimestamp: at(minute),
    stageTimestamp: at(minute),
  };
}

async function logged(...events: readonly object[]): Promise<unknown> {
  const path = `/api/v1/clusters/${trail.cluster}/audit-events`;
  const answer = await service.request('POST', path, events.map((event) => JSON.stringify(event)).join('\n'));
  expect(answer.status).toBe(200);
  return answer.json;
}

describe('the trail of a DeviceTaintRule', () => {
  it('has what snapshots show: that it was there, other devices, another value, that it is gone', async () => {
    await trail.snapshot(at(2), [node('a'), rule()]);
    await trail.snapshot(at(3), [node('a'), rule({ devices: { driver: DRIVER, pool: 'a', device: 'gpu-1' } })]);
    await trail.snapshot(at(4), [
      node('a'),
      rule({ devices: { driver: DRIVER, pool: 'a', device: 'gpu-1' }, value: 'no' }),
    ]);
    await trail.snapshot(at(5), [node('a')], '&allowRemovals=true&kinds=Node,DeviceTaintRule');
    const records = await trail.records(OF_RULE);
    expect(records).toMatchObject([
      {
        kind: 'found',
        node: null,
        deviceTaintRule: 'broken',
        revision: 1,
        summary: 'found example.com/broken=true:NoExecute (driver gpu.example.com, pool a)',
        body: { state: { taints: [{ ...TAINT, value: 'true', devices: { driver: DRIVER, pool: 'a' } }] } },
      },
      {
        kind: 'change',
        revision: 2,
        when: { kind: 'interval', from: '2026-06-01T08:02:00.000Z', to: '2026-06-01T08:03:00.000Z' },
        by: null,
        basis: 'none',
        body: {
          difference: {
            changed: [
              {
                before: { devices: { driver: DRIVER, pool: 'a' } },
                after: { devices: { driver: DRIVER, pool: 'a', device: 'gpu-1' } },
              },
            ],
          },
        },
      },
      { kind: 'change', revision: 3, difference: { changed: [{ before: { value: 'true' }, after: { value: 'no' } }] } },
      {
        kind: 'change',
        revision: 4,
        summary:
          'the rule was deleted; removed example.com/broken=no:NoExecute (driver gpu.example.com, pool a, device gpu-1)',
        difference: { removed: [{ key: TAINT.key, value: 'no' }] },
      },
    ]);
    expect((await trail.get('verify')).json).toMatchObject({ holds: true });
  });

  it('names the user whom audit events name, whichever comes first, and verifies', async () => {
    await trail.snapshot(at(1), [node('a')], '&kinds=Node,DeviceTaintRule');
    await trail.snapshot(at(3), [node('a'), rule({ version: '10' })]);
    expect(await trail.records(OF_RULE)).toMatchObject([{ kind: 'change', by: null, channel: 'snapshot' }]);
    expect(await logged(write('create', 2, 'alice', rule({ version: '10' })))).toMatchObject({
      kept: 1,
      nodes: { count: 0 },
      unknownNodes: { count: 0 },
      deviceTaintRules: { count: 1, first: ['broken'] },
    });
    await logged(
      write('update', 4, 'bob', rule({ version: '11', devices: { driver: DRIVER } }), '10'),
      write('delete', 5, 'carol', undefined),
    );
    expect(await trail.records(OF_RULE)).toMatchObject([
      { by: { username: 'alice' }, basis: 'creation', certainty: 'certain', supersedes: [1] },
      { by: { username: 'bob' }, basis: 'unbrokenWrite', certainty: 'certain' },
      { by: { username: 'carol' }, basis: 'deletion', summary: expect.stringContaining('the rule was deleted') },
    ]);
    expect((await trail.get('records/2')).at('proves')).toEqual([
      'This request created the rule, and the response contains these taints.',
    ]);
    expect((await trail.get('verify')).json).toMatchObject({ holds: true });
  });

  it('names the last writer of the taint by managedFields', async () => {
    const managedFields = (manager: string, minute: number): object => ({
      managedFields: [
        {
          manager,
          operation: 'Update',
          time: at(minute).replace('.000000', ''),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:taint': { 'f:key': {} } } },
        },
      ],
    });
    await trail.snapshot(at(2), [node('a'), rule({ metadata: managedFields('kubectl-create', 1) })]);
    await trail.snapshot(at(4), [node('a'), rule({ value: 'no', metadata: managedFields('gpu-operator', 3) })]);
    expect(await trail.records(OF_RULE)).toMatchObject([
      { kind: 'found', body: { lastWriters: { taints: [{ manager: 'kubectl-create' }] } } },
      { kind: 'change', basis: 'fieldOwner', by: null, body: { lastWriters: [{ manager: 'gpu-operator' }] } },
    ]);
  });

  it('is apart from that of nodes, over REST and GraphQL', async () => {
    await trail.snapshot(at(2), [node('a', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }), rule()]);
    expect(await trail.records('?node=a')).toMatchObject([{ node: 'a', deviceTaintRule: null }]);
    const answer = await service.graphql(
      `query ($name: String!) { cluster(name: $name) { taintTrail {
         records(deviceTaintRule: "broken") { nodes { node deviceTaintRule summary } } } } }`,
      { name: trail.cluster },
    );
    expect(answer.json).toMatchObject({
      data: { cluster: { taintTrail: { records: { nodes: [{ node: null, deviceTaintRule: 'broken' }] } } } },
    });
    const both = await trail.get('records?node=a&deviceTaintRule=broken');
    expect([both.status, both.at('errors')]).toMatchObject([400, [{ field: 'deviceTaintRule' }]]);
  });
});
