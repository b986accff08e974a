import { comparePodNames } from '../../core/cluster/compare-pod-names.js';
import { MOST_PODS_OF_NODE } from '../../contract/nodes/node-summary.js';
import type { readNodeSummary } from '../../contract/nodes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { Best } from '../../core/collections/best.js';
import { barringTaints } from '../../core/inventory/pods-allowed.js';
import { compare } from '../../core/json/compare.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { judgeTaints, type MatrixOutcome } from '../../core/taint-effects/node-matrix.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { taintResponse } from '../taints/taint-response.js';
import { nodeNotFound } from './get-node.js';
import { nodeResponse } from './node-response.js';

type Answer = AnswerTo<typeof readNodeSummary>;

/** Reads a node with its room and its pods. */
export class ReadNodeSummary {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found` */
  async run({ cluster, name, readAt }: RequestOf<typeof readNodeSummary>, context: RequestContext): Promise<Answer> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const index = state.nodes.indexOf(name);
    if (index < 0) throw nodeNotFound(name);
    const taints = barringTaints(state.nodes.node(index));
    const outcomes: MatrixOutcome[] = [];
    const known = new Map<number, number>();
    const outcomeOf = (pod: number): number => {
      const set = state.pods.tolerationSetId(pod);
      let place = known.get(set);
      if (place === undefined) {
        const made = judgeTaints(state.tolerationSets[set]!, taints, gatesOf(state.rules));
        place = outcomes.findIndex((outcome) => keyOf(outcome) === keyOf(made));
        if (place === -1) place = outcomes.push(made) - 1;
        known.set(set, place);
      }
      return place;
    };
    const all = state.nodes.podsOf(index);
    const { pods } = state;
    const listed = new Best<number>(MOST_PODS_OF_NODE, (a, b) => comparePodNames(pods, a, b));
    for (const pod of all) listed.add(pod);
    return {
      basis,
      node: nodeResponse(state, index),
      room: roomOf(state, index),
      pods: listed.sorted().map((pod) => podOf(state, pod, pods.active(pod) ? outcomeOf(pod) : null)),
      podTotal: all.length,
      taints: taints.map(taintResponse),
      outcomes: outcomes.map((outcome) => ({
        ...outcome,
        taints: outcome.taints.map((taint) => taints.indexOf(taint)),
      })),
    };
  }
}

const keyOf = ({ verdict, taints, tolerationSeconds, refusesNew }: MatrixOutcome): string =>
  JSON.stringify([verdict, taints, String(tolerationSeconds), refusesNew]);

/** cpu, memory and pods first. */
function roomOf({ nodes: { allocatable, requested } }: ClusterState, node: number): Answer['room'] {
  const first = ['cpu', 'memory', 'pods'];
  const others = new Set([...allocatable.names, ...requested.names].sort(compare));
  for (const name of first) others.delete(name);
  return [...first, ...others]
    .map((resource) => ({
      resource,
      allocatable: allocatable.at(resource, node),
      requested: requested.at(resource, node),
    }))
    .filter((one) => one.allocatable !== 0 || one.requested !== 0);
}

function podOf({ pods }: ClusterState, pod: number, outcome: number | null): Answer['pods'][number] {
  const { milliCPU, memory } = pods.requests(pod);
  const phase = pods.phase(pod);
  const started = pods.startedAt(pod);
  const { kind, namespace, name } = pods.workload(pod);
  return {
    namespace: pods.namespace(pod),
    name: pods.name(pod),
    phase: phase === '' ? null : phase,
    workload: { kind, namespace, name },
    startedAt: Number.isNaN(started) ? null : new Date(started),
    cpu: milliCPU,
    memory,
    outcome,
  };
}
