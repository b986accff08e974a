import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { OwnerReference } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { stepLivePods, wantedPods } from './workload-replicas.js';

const GATES = DEFAULT_GATES;

const ownedBy = (kind: string, name: string): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  controller: true,
});

function pod(
  name: string,
  owner: OwnerReference,
  rest: { readonly phase?: string; readonly deleted?: string } = {},
): Pod {
  const { phase = 'Running', deleted } = rest;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'team',
      ownerReferences: [owner],
      ...(deleted !== undefined && { deletionTimestamp: deleted }),
    },
    spec: { containers: [{ name: 'c' }] },
    status: { phase },
  };
}

describe('stepLivePods', () => {
  it("yields the workload's own pods that have not ended and are not being deleted", () => {
    const db = ownedBy('StatefulSet', 'db');
    const state = ClusterState.build(
      [
        pod('db-0', db),
        pod('db-1', db, { phase: 'Pending' }),
        pod('db-2', db, { deleted: '2026-01-01T00:00:00Z' }),
        pod('db-3', db, { phase: 'Failed' }),
        pod('web-0', ownedBy('StatefulSet', 'web')),
        pod('other-0', ownedBy('DaemonSet', 'db')),
      ],
      ['Pod'],
    );
    const steps = stepLivePods(state, { kind: 'StatefulSet', namespace: 'team', name: 'db' }, [0, 1, 2, 3, 4, 5]);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value.map((index) => state.pods.name(index)).sort()).toEqual(['db-0', 'db-1']);
  });
});

describe('wantedPods', () => {
  const node = (name: string, taints: readonly { key: string; effect: string }[] = []): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { taints },
  });
  const state = ClusterState.build([node('a'), node('b', [{ key: 'x', effect: 'NoSchedule' }])], ['Node']);
  const template = { spec: { containers: [{ name: 'c' }] } };
  const wanted = (kind: string, spec: object): number =>
    wantedPods({ apiVersion: 'v1', kind, metadata: { name: 'w' }, spec } as unknown as Workload, state, GATES).count;

  it.each<[string, string, object, number]>([
    ['one by default', 'Deployment', {}, 1],
    ['none, if set to zero', 'Deployment', { replicas: 0 }, 0],
    ['the parallel ones of a Job', 'Job', { parallelism: 3 }, 3],
    ['no more than complete it', 'Job', { parallelism: 3, completions: 2 }, 2],
    ['none of a Job that is suspended', 'Job', { parallelism: 3, suspend: true }, 0],
    ['those of one Job of a CronJob', 'CronJob', { jobTemplate: { spec: { parallelism: 4 } } }, 4],
    ['one on each node that a DaemonSet runs on', 'DaemonSet', { template }, 1],
  ])('%s', (_, kind, spec, count) => {
    expect(wanted(kind, spec)).toBe(count);
  });
});
