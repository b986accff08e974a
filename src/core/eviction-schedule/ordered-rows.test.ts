import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { KnownMoment } from '../eviction/known-moment.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { stepOrderedRows } from './ordered-rows.js';
import { stepSchedule } from './step-schedule.js';

const maint: Taint = { key: 'maint', effect: 'NoExecute' };
/** When each node was tainted, by node name. */
const TAINTED: Readonly<Record<string, KnownMoment>> = {
  a: { earliest: 3000, latest: 9000 },
  b: { earliest: 1000, latest: 9000 },
  c: { earliest: 5000, latest: 6000 },
};
const PODS = ['d/z on a', 'e/m on a', 'd/b on a', 'd/one on b', 'd/last on b', 'd/first on c'];

const state = ClusterState.build(
  [
    ...Object.keys(TAINTED).map((name) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: { taints: [maint] },
    })),
    ...PODS.map((text) => {
      const [, namespace = '', name = '', nodeName] = /^(.*)\/(.*) on (.*)$/.exec(text)!;
      const seconds = name === 'last' ? 60 : 0;
      const tolerations = [{ key: 'maint', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }];
      return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace, name },
        spec: { containers: [], nodeName, tolerations },
      };
    }),
  ] as KubernetesObject[],
  ['Node', 'Pod'],
);
const schedule = finish(
  stepSchedule({
    state,
    gates: DEFAULT_GATES,
    seenAt: 0,
    timelineOf: (node) => [{ moment: TAINTED[state.nodes.name(node)]!, known: 'snapshots', taints: [maint] }],
    boundAt: () => ({ earliest: 0, latest: 0 }),
  }),
);
const told = (fits?: (pod: number) => boolean): readonly string[] =>
  Array.from(finish(stepOrderedRows(state, schedule, 0, { ...(fits && { fits }) })), (row) =>
    state.pods.key(schedule.pods[row]!),
  );

describe('stepOrderedRows', () => {
  it('orders pods by latest time, earliest time, node, namespace and name', () => {
    expect(told()).toEqual(['d/first', 'd/one', 'd/b', 'd/z', 'e/m', 'd/last']);
  });

  it('returns only the pods that match the filter', () => {
    expect(told((pod) => state.pods.namespace(pod) === 'e')).toEqual(['e/m']);
  });
});
