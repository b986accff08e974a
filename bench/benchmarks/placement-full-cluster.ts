import { EvaluatedPlacement } from '../../src/app/placements/evaluated-placement.js';
import { placedSubject, type PlacedSubject } from '../../src/app/placements/placed-subject.js';
import { placingProfile } from '../../src/app/placements/placing-profile.js';
import { admissionIn } from '../../src/core/admission/admission-in.js';
import { readmitManifest } from '../../src/core/admission/readmit-manifest.js';
import { allNodes } from '../../src/core/cluster/all-nodes.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { finish } from '../../src/core/collections/finish.js';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import { decodeQuantity } from '../../src/core/kubernetes/quantity.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import type { NodeFixes, Readmit } from '../../src/core/placement/fixes/fix.js';
import { stepFixesFor } from '../../src/core/placement/fixes/fixes-for.js';
import { PodTrials } from '../../src/core/placement/fixes/pod-trials.js';
import { BenchCluster } from '../bench-cluster.js';
import { size } from '../brief.js';
import { timed, type Benchmark } from '../measure.js';
import { newPodsLike } from './sample-pods.js';

const NODES = size(100, 20);
const PODS_A_NODE = 30;
const PODS = size(12, 3);
const LEFT_MILLI_CPU = 100;

/** What one pod that fits nowhere costs in a small cluster: the placement, and what would admit the pod to each of the nodes. */
export const placementFullCluster = ({ shape }: BenchCluster): Benchmark => ({
  name: 'placement-full-cluster',
  unit: 'ms',
  target: { absolute: 50, ratio: 1.25 },
  about:
    `a pod that fits on none of ${NODES} nodes, and the fixes of every node, the mean of ${PODS} pods that were never asked about; ` +
    'reference: the same, with every changed pod taken through admission and evaluated, and nothing of that shared',
  rounds: 5,
  prepare: () => {
    const state = full(new BenchCluster({ ...shape, nodes: NODES, pods: NODES * PODS_A_NODE }).state);
    const pods = newPodsLike(state, PODS).map(asSent);
    for (const pod of pods) {
      if (stringifyJson(answers(state, pod)) !== stringifyJson(plainAnswers(state, pod))) {
        throw new Error('placement-full-cluster: the two disagree');
      }
    }
    const each = (answered: (state: ClusterState, pod: Pod) => unknown) =>
      timed('ms', () => pods.forEach((pod) => answered(state, pod)), pods.length);
    return { subject: each(answers), reference: each(plainAnswers) };
  },
});

/** The same cluster, with more left on each node than on the one before, and less of everything than the pods ask for. */
function full(state: ClusterState): ClusterState {
  const { nodes } = state;
  const upserts = allNodes(state).map((index) => {
    const node = nodes.node(index);
    const cpu = `${BigInt(nodes.requested.at('cpu', index)) + BigInt(LEFT_MILLI_CPU + index)}m`;
    return { ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, cpu } } };
  });
  return state.apply({ upserts });
}

/** The manifest of a pod that asks for twice the CPU that is left on a node. */
function asSent({ apiVersion, kind, metadata: { name, namespace, labels }, spec }: Pod): Pod {
  const [first, ...others] = spec.containers;
  const cpu = `${2 * (LEFT_MILLI_CPU + NODES)}m`;
  const { requests, limits } = first?.resources ?? {};
  const limited = limits?.['cpu'] !== undefined && decodeQuantity(limits['cpu']).cmp(decodeQuantity(cpu)) < 0;
  const resources = {
    requests: { ...requests, cpu },
    ...(limits !== undefined && { limits: limited ? { ...limits, cpu } : limits }),
  };
  return {
    ...{ apiVersion, kind, metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }) } },
    spec: { ...spec, containers: [{ ...first!, resources }, ...others] },
  };
}

function subjectOf(state: ClusterState, pod: Pod): PlacedSubject {
  return placedSubject({ pod: JSON.parse(stringifyJson(pod)) as Record<string, never> }, 'pod', state, DEFAULT_GATES);
}

function answers(state: ClusterState, pod: Pod): readonly (NodeFixes | undefined)[] {
  const subject = subjectOf(state, pod);
  const profile = placingProfile(state, subject.pod, undefined, DEFAULT_GATES);
  const evaluated = finish(EvaluatedPlacement.stepOf(subject, profile, undefined));
  const { counts } = evaluated.placement;
  if (counts.infeasible !== state.nodes.count) throw new Error('placement-full-cluster: the pod fits');
  return allNodes(state).map((node) => finish(evaluated.stepFixesOf(node)));
}

function plainAnswers(state: ClusterState, pod: Pod): readonly NodeFixes[] {
  const subject = subjectOf(state, pod);
  const into = admissionIn(state, pod.metadata.namespace ?? 'default', { gates: DEFAULT_GATES });
  const readmit: Readmit = (change) => readmitManifest(pod, change, into, {});
  const placement = evaluatePlacement(state, { pod: subject.pod, gates: DEFAULT_GATES });
  return allNodes(state).map((node) => finish(stepFixesFor(placement, node, new PodTrials(placement, readmit))));
}
