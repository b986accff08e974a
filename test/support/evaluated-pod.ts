import { EvaluatedPlacement } from '../../src/app/placements/evaluated-placement.js';
import { placedSubject } from '../../src/app/placements/placed-subject.js';
import { placingProfile } from '../../src/app/placements/placing-profile.js';
import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { finish } from '../../src/core/collections/finish.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';

/** Evaluates a pod with a node selector of this many labels. */
export function evaluated(state: ClusterState, labels: number): EvaluatedPlacement {
  const nodeSelector = Object.fromEntries(Array.from({ length: labels }, (_, i) => [`label-${i}`, 'value']));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }] } };
  const read = placedSubject({ pod }, 'pod', state, DEFAULT_GATES);
  // More labels than a manifest may have.
  const subject = { ...read, pod: { ...read.pod, spec: { ...read.pod.spec, nodeSelector } } };
  const profile = placingProfile(state, subject.pod, undefined, DEFAULT_GATES);
  return finish(EvaluatedPlacement.stepOf(subject, profile, undefined));
}

/** A cluster of pools of two nodes, each pool with a taint of its own. */
export const clusterOfPools = (nodes: number): ClusterState =>
  ClusterState.build(
    Array.from({ length: nodes }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${String(i).padStart(3, '0')}`, labels: { pool: `p${i >> 1}` } },
      spec: { taints: [{ key: 'pool', value: `p${i >> 1}`, effect: 'NoSchedule' }] },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    })),
    ['Node', 'Pod'],
  );
