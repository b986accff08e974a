import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, node, pod as storedPod, send } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
const C = '/api/v1/clusters/c';

const small = (name: string): object =>
  node(name, { status: { allocatable: { cpu: '2', memory: '4Gi', pods: '10' } } });
const running = (name: string, on: string, priority: number, startTime: string, app: string): object => {
  const spec = { priority, containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] };
  const { metadata, ...rest } = storedPod(`d/${name}`, on, spec) as { metadata: object };
  return { ...rest, metadata: { ...metadata, labels: { app } }, status: { phase: 'Running', startTime } };
};
const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'db', namespace: 'd' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
};
const asking = (cpu: string, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'urgent', namespace: 'd' },
  spec: { priority: 100, containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...spec },
});

beforeAll(async () => {
  service = await startTestService();
  await send(
    service,
    `${C}/snapshots?createCluster=true`,
    list([
      small('n1'),
      small('n2'),
      small('n3'),
      running('a1', 'n1', 10, '2030-01-01T00:00:00Z', 'db'),
      running('a2', 'n1', 10, '2030-01-01T00:00:00Z', 'web'),
      running('b1', 'n2', 50, '2030-01-01T00:00:00Z', 'web'),
      running('b2', 'n2', 5, '2030-01-01T01:00:00Z', 'web'),
      running('c1', 'n3', 200, '2030-01-01T00:00:00Z', 'web'),
      running('c2', 'n3', 200, '2030-01-01T00:00:00Z', 'web'),
      budget,
    ]),
  );
});
afterAll(() => service.close());

const preemption = (body: object) => service.request('POST', `${C}/preemptions`, { admission: 'skip', ...body });

describe('preemption', () => {
  it('names the node, the victims and what decides, and spares pods of a higher priority', async () => {
    const { status, json } = await preemption({ pod: asking('1') });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      outcome: 'nominated',
      nominatedNodeName: 'n2',
      victims: [{ namespace: 'd', name: 'b2', priority: 5 }],
      message: '0/3 nodes are available: 3 Insufficient cpu.',
      decidedBy: 'a lower maximum priority of the victims',
      potentialNodes: 3,
      candidateCount: 2,
      tied: ['n2'],
      clearsNomination: null,
    });
    // Of n1 the pod that no budget protects goes.
    const { candidates } = json as { candidates: { node: string; victims: { name: string }[] }[] };
    expect(candidates.map(({ node: on, victims }) => [on, victims.map(({ name }) => name)])).toEqual([
      ['n2', ['b2']],
      ['n1', ['a2']],
    ]);
  });

  it('prefers a node without protected victims, even of higher priority', async () => {
    const { json } = await preemption({ pod: asking('2') });
    expect(json).toMatchObject({
      outcome: 'nominated',
      nominatedNodeName: 'n2',
      decidedBy: 'fewer victims protected by a PodDisruptionBudget',
      candidates: [
        { node: 'n2', pdbViolations: 0, highestPriority: 50, earliestStart: '2030-01-01T00:00:00.000Z' },
        { node: 'n1', pdbViolations: 1, highestPriority: 10 },
      ],
    });
  });

  it.each([
    [
      'a pod that is too large for every node',
      asking('3'),
      '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
      true,
    ],
    [
      'a pod that nobody is less important than',
      asking('1', { priority: 1 }),
      '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
      true,
    ],
    [
      'a pod that must not preempt',
      asking('1', { preemptionPolicy: 'Never' }),
      '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
      false,
    ],
  ])('has the complete message of %s', async (_, pod, message, clearsNomination) => {
    const { json } = await preemption({ pod });
    expect(json).toMatchObject({ outcome: 'unschedulable', message, clearsNomination, nominatedNodeName: null });
  });

  it('is not tried for a pod that fits, and takes a scenario', async () => {
    const { json } = await preemption({
      pod: asking('1'),
      scenario: { changes: [{ removePods: { pods: ['d/b1'] } }] },
    });
    expect(json).toMatchObject({
      outcome: 'notTried',
      message: null,
      why: 'The pod fits on 1 nodes, so no pod has to be preempted.',
    });
  });

  it('is the same over GraphQL', async () => {
    const { json: rest } = await preemption({ pod: asking('2') });
    const query = `query ($pod: KubernetesObject!) { cluster(name: "c") { preemption(input: { pod: $pod, admission: skip }) {
      outcome why message nominatedNodeName tied decidedBy clearsNomination potentialNodes candidateCount assumptions
      priority preemptionPolicy namespace name source victims { namespace name priority }
      candidates { node pdbViolations highestPriority prioritySum earliestStart victims { namespace name priority } } } } }`;
    const { json } = await service.graphql(query, { pod: asking('2') });
    const { data } = json as { data: { cluster: { preemption: object } } };
    expect(rest).toMatchObject(data.cluster.preemption);
  });

  it.each([
    ['nothing', {}, ['']],
    [
      'two pods, and a count that is none',
      { pod: asking('1'), podRef: { name: 'a1' }, mostCandidates: 0 },
      ['/mostCandidates', '/podRef'],
    ],
    [
      'a manifest with faults beside a member that is unknown',
      {
        pod: {
          kind: 'Pod',
          apiVersion: 'v1',
          spec: { tolerations: [{ key: 'a', operator: 'Likes' }], containers: [{ name: 'c', image: 'i' }] },
        },
        most: 1,
      },
      ['/most', '/pod/spec/tolerations/0/operator'],
    ],
  ])('refuses %s with all errors', async (_, question, pointers) => {
    const { status, json } = await service.request('POST', `${C}/preemptions`, question);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    const { errors } = json as { errors: { pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(pointers);
  });
});
