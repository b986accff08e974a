import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { finish } from '../../core/collections/finish.js';
import { EvaluatedPlacement } from './evaluated-placement.js';
import { placedSubject } from './placed-subject.js';
import { placingProfile } from './placing-profile.js';

const GATES = DEFAULT_GATES;

/** Evaluates a pod with this many labels to match. */
function evaluated(state: ClusterState, labels: number): EvaluatedPlacement {
  const nodeSelector = Object.fromEntries(Array.from({ length: labels }, (_, i) => [`label-${i}`, 'value']));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }] } };
  const read = placedSubject({ pod }, 'pod', state, GATES);
  // More labels than a manifest may have.
  const subject = { ...read, pod: { ...read.pod, spec: { ...read.pod.spec, nodeSelector } } };
  return finish(EvaluatedPlacement.stepOf(subject, placingProfile(state, subject.pod, undefined, GATES), undefined));
}

/** A cluster of pools of two nodes, each pool with a taint of its own. */
const cluster = (count: number): ClusterState =>
  ClusterState.build(
    Array.from({ length: count }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${String(i).padStart(3, '0')}`, labels: { pool: `p${i >> 1}` } },
      spec: { taints: [{ key: 'pool', value: `p${i >> 1}`, effect: 'NoSchedule' }] },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    })),
    ['Node', 'Pod'],
  );

describe('explanations of nodes', () => {
  it('share their lists if they differ only in the name', () => {
    const placement = evaluated(cluster(4), 1);
    const [first, second, third] = [placement.node(0), placement.node(1), placement.node(2)];
    expect([first.node, second.node]).toEqual(['n000', 'n001']);
    expect(second.reasons).toBe(first.reasons);
    expect(third.reasons).not.toEqual(first.reasons);
  });

  it('are recomputed if they have many parts', () => {
    const placement = evaluated(cluster(2), 20);
    const [first, second] = [placement.node(0), placement.node(1)];
    expect(first.reasons.length).toBeGreaterThan(16);
    expect(second.reasons).not.toBe(first.reasons);
    expect(second.reasons).toEqual(first.reasons);
  });

  it('are recomputed beyond the first 200 distinct ones', () => {
    const placement = evaluated(cluster(404), 1);
    for (let node = 0; node < 404; node += 2) placement.node(node);
    expect(placement.node(399).reasons).toBe(placement.node(398).reasons);
    expect(placement.node(401).reasons).not.toBe(placement.node(400).reasons);
  });
});
