import type { ClusterState } from '../cluster/cluster-state.js';
import { compare } from '../json/compare.js';
import type { Quantity } from '../kubernetes/quantity.js';
import { quantityOf } from '../kubernetes/quantity-of.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evaluateNode } from '../placement/evaluate-placement.js';
import { knownUsage } from '../quota/quota-standing.js';
import type { QuotaUsages } from '../quota/step-quota-usage.js';
import type { PodName, RefusedPod } from '../scenario/scenario-draft.js';
import { without } from '../collections/without.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';

/**
 * - `podRefused`: admission refuses the pod when it is replaced;
 * - `podDoesNotFit`: a pod would no longer be placed on its node;
 * - `nodeOvercommitted`: the pods of a node request more than it has;
 * - `quotaOverflows`: the usage of a quota exceeds its limit.
 */
export type ImpactKind = 'podRefused' | 'podDoesNotFit' | 'nodeOvercommitted' | 'quotaOverflows';

export const IMPACT_KINDS = ['podRefused', 'podDoesNotFit', 'nodeOvercommitted', 'quotaOverflows'] as const;

/** A way in which a scenario makes a cluster worse. */
export interface Impact {
  readonly kind: ImpactKind;
  /** The namespace of the pod or the quota; empty for a node. */
  readonly namespace: string;
  /** The name of the pod, the quota or the node. */
  readonly name: string;
  /** The node of a pod; empty if it has none. */
  readonly node: string;
  /** The filter, the admission plugin, or the resource that is the reason. */
  readonly by: string;
  /** The requested or used amount; undefined if the impact has none. */
  readonly before?: Quantity;
  readonly after?: Quantity;
  readonly limit?: Quantity;
  readonly message: string;
}

/** A state before and after hypothetical changes. */
export interface ComparedStates {
  readonly before: ClusterState;
  readonly after: ClusterState;
  /** The pods that the changes affected. */
  readonly touched: readonly PodName[];
  readonly refused: readonly RefusedPod[];
  readonly usagesBefore: QuotaUsages;
  readonly usagesAfter: QuotaUsages;
  readonly gates: TolerationGates;
}

/** Rows processed between two yields. */
const FEW = 16;

/**
 * The impacts of hypothetical changes, in order of kind, namespace and name.
 *
 * For the pods that the changes touched, and for all pods on touched nodes, this checks whether each still fits on its node as
 * if it were placed there last: taints, node selector and affinity, and, for touched pods, the resources next to all other
 * pods. A generator, so that the caller can let other work run in between; it yields nothing.
 */
export function* stepScenarioImpacts(compared: ComparedStates): Generator<undefined, readonly Impact[]> {
  const refused = compared.refused.map(({ namespace, name, nodeName, refusal }): Impact => ({
    kind: 'podRefused',
    namespace,
    name,
    node: nodeName,
    by: refusal.by,
    message: refusal.message,
  }));
  const impacts = [
    ...refused,
    ...(yield* podImpacts(compared)),
    ...(yield* nodeImpacts(compared)),
    ...(yield* quotaImpacts(compared)),
  ];
  const place = ({ kind }: Impact): number => IMPACT_KINDS.indexOf(kind);
  return impacts.sort(
    (a, b) =>
      place(a) - place(b) || compare(a.namespace, b.namespace) || compare(a.name, b.name) || compare(a.by, b.by),
  );
}

function* podImpacts({ before, after, touched, gates }: ComparedStates): Generator<undefined, readonly Impact[]> {
  const impacts: Impact[] = [];
  const filters = new NodeFilters(before, after, gates);
  const seen = new Set<number>();
  let turn = 0;
  for (const { namespace, name } of touched) {
    if (++turn % FEW === 0) yield undefined;
    const pod = after.pods.indexOf(namespace, name);
    if (pod < 0 || !after.pods.active(pod) || after.pods.nodeIndex(pod) < 0) continue;
    seen.add(pod);
    impacts.push(...filters.impactsOf(pod), ...shortages(before, after, pod));
  }
  for (let node = 0; node < after.nodes.count; node++) {
    const was = before.nodes.indexOf(after.nodes.name(node));
    if (was >= 0 && before.nodes.node(was) === after.nodes.node(node)) continue;
    for (const pod of after.nodes.podsOf(node)) {
      if (++turn % FEW === 0) yield undefined;
      if (!seen.has(pod) && after.pods.active(pod)) impacts.push(...filters.impactsOf(pod));
    }
  }
  return impacts;
}

const FILTERS_OF_CHANGED_NODES = ['TaintToleration', 'NodeAffinity'];

/** The taints and node affinity that exclude pods from their nodes, but did not before. */
class NodeFilters {
  private readonly known = new Map<string, readonly (readonly [string, string])[]>();

  constructor(
    private readonly before: ClusterState,
    private readonly after: ClusterState,
    private readonly gates: TolerationGates,
  ) {}

  impactsOf(pod: number): readonly Impact[] {
    const { pods, nodes } = this.after;
    const namespace = pods.namespace(pod);
    const name = pods.name(pod);
    const now = this.refusals(this.after, pod, 'after');
    if (now.length === 0) return [];
    const was = this.before.pods.indexOf(namespace, name);
    const sameNode = was >= 0 && this.before.pods.nodeName(was) === pods.nodeName(pod);
    const former = new Set(sameNode ? this.refusals(this.before, was, 'before').map(([filter]) => filter) : []);
    return now
      .filter(([filter]) => !former.has(filter))
      .map(([by, message]) => ({
        kind: 'podDoesNotFit',
        namespace,
        name,
        node: nodes.name(pods.nodeIndex(pod)),
        by,
        message,
      }));
  }

  /** Pairs of filter and message. */
  private refusals(state: ClusterState, pod: number, which: string): readonly (readonly [string, string])[] {
    const { pods } = state;
    const node = pods.nodeIndex(pod);
    if (node < 0) return [];
    const key = `${which} ${pods.specId(pod)} ${node}`;
    let refusals = this.known.get(key);
    if (refusals === undefined) {
      const stored = pods.pod(pod);
      const question = {
        pod: { ...stored, spec: without(stored.spec, 'nodeName') as PodSpec },
        filterNames: FILTERS_OF_CHANGED_NODES,
        gates: this.gates,
      };
      refusals = evaluateNode(state, question, node).reasons.map(({ plugin, message }) => [plugin, message] as const);
      this.known.set(key, refusals);
    }
    return refusals;
  }
}

/** The resources of which a pod's node no longer has enough for it next to the other pods. */
function shortages(before: ClusterState, after: ClusterState, pod: number): readonly Impact[] {
  const { pods, nodes } = after;
  const node = pods.nodeIndex(pod);
  const namespace = pods.namespace(pod);
  const name = pods.name(pod);
  const { milliCPU, memory, ephemeralStorage, scalars } = pods.requests(pod);
  const asked = new Map([
    ['cpu', milliCPU],
    ['memory', memory],
    ['ephemeral-storage', ephemeralStorage],
    ...scalars,
    ['pods', 1n] as const,
  ]);
  const formerPod = before.pods.indexOf(namespace, name);
  const formerNode = before.nodes.indexOf(nodes.name(node));
  const wasThere = formerPod >= 0 && formerNode >= 0 && before.pods.nodeIndex(formerPod) === formerNode;
  return [...asked].flatMap(([resource, own]): Impact[] => {
    if (own <= 0n || !isShort(after, node, resource) || (wasThere && isShort(before, formerNode, resource))) return [];
    return [
      {
        kind: 'podDoesNotFit',
        namespace,
        name,
        node: nodes.name(node),
        by: 'NodeResourcesFit',
        after: quantityOf(resource, nodes.requested.at(resource, node)),
        limit: quantityOf(resource, nodes.allocatable.at(resource, node)),
        message: resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`,
      },
    ];
  });
}

const isShort = ({ nodes }: ClusterState, node: number, resource: string): boolean =>
  nodes.requested.at(resource, node) > nodes.allocatable.at(resource, node);

function* nodeImpacts({ before, after }: ComparedStates): Generator<undefined, readonly Impact[]> {
  const impacts: Impact[] = [];
  const { nodes } = after;
  for (let node = 0; node < nodes.count; node++) {
    if (node % FEW === 0) yield undefined;
    const name = nodes.name(node);
    const was = before.nodes.indexOf(name);
    for (const resource of nodes.requested.names) {
      const requested = nodes.requested.at(resource, node);
      const allocatable = nodes.allocatable.at(resource, node);
      if (requested <= allocatable) continue;
      const former = was < 0 ? 0 : before.nodes.requested.at(resource, was);
      // Ignores a node that was equally overcommitted before, with no more allocatable.
      if (was >= 0 && former >= requested && before.nodes.allocatable.at(resource, was) <= allocatable) continue;
      const [from, to] = [quantityOf(resource, former), quantityOf(resource, requested)];
      const limit = quantityOf(resource, allocatable);
      const message = `its pods request ${to.toString()} ${resource}, but it has only ${limit.toString()}; before, they requested ${from.toString()}`;
      impacts.push({
        kind: 'nodeOvercommitted',
        namespace: '',
        name,
        node: name,
        by: resource,
        before: from,
        after: to,
        limit,
        message,
      });
    }
  }
  return impacts;
}

function* quotaImpacts({ usagesBefore, usagesAfter }: ComparedStates): Generator<undefined, readonly Impact[]> {
  const former = new Map(
    usagesBefore.usages.map((usage) => [`${usage.quota.metadata.namespace ?? ''}/${usage.quota.metadata.name}`, usage]),
  );
  const impacts: Impact[] = [];
  for (const usage of usagesAfter.usages) {
    yield undefined;
    const { namespace = '', name } = usage.quota.metadata;
    const before = new Map(
      (former.get(`${namespace}/${name}`)?.resources() ?? []).map((one) => [
        one.resource,
        knownUsage(one, usagesBefore.state),
      ]),
    );
    for (const one of usage.resources()) {
      const { resource, hard } = one;
      const { used } = knownUsage(one, usagesAfter.state);
      if (used === undefined || used.cmp(hard) <= 0) continue;
      const was = before.get(resource);
      if (was?.used !== undefined && was.used.cmp(used) >= 0 && was.hard.cmp(hard) <= 0) continue;
      const message = `${used.toString()} ${resource} is used, but only ${hard.toString()} allowed; before, ${was?.used?.toString() ?? 'nothing'} was used`;
      const from = was?.used === undefined ? {} : { before: was.used };
      impacts.push({
        kind: 'quotaOverflows',
        namespace,
        name,
        node: '',
        by: resource,
        ...from,
        after: used,
        limit: hard,
        message,
      });
    }
  }
  return impacts;
}
