import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import { evaluatePlacement } from '../../../src/core/placement/evaluate-placement.js';
import { preempt as preemptFor } from '../../../src/core/preemption/preempt.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';
import { tolerationGates } from './toleration-gates.js';

/** After every time in the vectors: a pod without a start time counts as started then. */
const NOW = Date.parse('2030-01-01T00:00:00Z');

/** What the post-filter step makes of a pod that fits nowhere. */
export const preempt: Op = {
  answer: (input) => {
    const state = clusterOf(input);
    const pod = podInVector(input);
    const { pods, nodes } = state;
    const placement = evaluatePlacement(state, { pod, gates: tolerationGates(input) });
    const preemption = preemptFor(placement, { now: NOW });
    const names = (victims: readonly number[]): string[] => victims.map((victim) => pods.name(victim)).sort();
    const tried = {
      potentialNodes: preemption.potentialNodes.map((node) => nodes.name(node)),
      candidates: preemption.candidates.map(({ node, victims, pdbViolations }) => ({
        node: nodes.name(node),
        victims: names(victims),
        numPDBViolations: pdbViolations,
      })),
    };
    switch (preemption.outcome) {
      case 'nominated': {
        const { node, victims } = preemption.chosen;
        return { code: 'Success', ...tried, nominatedNode: nodes.name(node), victims: names(victims) };
      }
      case 'unschedulable': {
        const { message, clearsNomination } = preemption;
        return { code: 'Unschedulable', message, clearsNomination, ...tried, nominatedNode: '', victims: [] };
      }
      default:
        return { ...preemption };
    }
  },
};

function clusterOf(input: JsonObject): ClusterState {
  const objects = (name: string, kind: KubernetesObject['kind']): readonly KubernetesObject[] =>
    ((input[name] ?? []) as unknown as readonly Omit<KubernetesObject, 'kind'>[]).map((object) => ({
      ...object,
      kind,
    }));
  const all = [...objects('nodes', 'Node'), ...objects('pods', 'Pod'), ...objects('pdbs', 'PodDisruptionBudget')];
  const namespaces = new Set([podInVector(input).metadata.namespace, ...all.map(({ metadata }) => metadata.namespace)]);
  const present = [...namespaces].flatMap((name): KubernetesObject[] =>
    name === undefined ? [] : [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }],
  );
  return ClusterState.build([...all, ...present], ['Node', 'Pod', 'PodDisruptionBudget', 'Namespace', 'DeviceClass']);
}
