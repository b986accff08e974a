import type { ClusterState } from '../cluster/cluster-state.js';
import { DEFAULT_GATES, type TolerationGates } from '../kubernetes/toleration.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { NodeExplanation } from './node-explanation.js';
import { Placement, type PluginOutcome } from './placement.js';
import { SUCCESS, type FilterPlugin, type NodeFilter, type PlacementInput } from './plugin.js';
import { schedulingGate } from './plugins/scheduling-gates/scheduling-gates.js';
import { filtersNamed } from './profile.js';
import type { Reason } from './reason.js';

/** What is asked of the filters. */
export interface EvaluationQuestion {
  /** The pod as the API server would store it: defaulted, admitted. Not counted itself if it is stored and not on a node. */
  readonly pod: Pod;
  /** Names of the filters to ask; all of the profile's by default. */
  readonly filterNames?: readonly string[];
  /** The filters of the profile, in calling order; the default profile's by default. */
  readonly filters?: readonly FilterPlugin[];
  /** DEFAULT_GATES by default. */
  readonly gates?: TolerationGates;
  /** What keeps the whole pod from a certain answer, each with the status Unknown: a RuntimeClass that is not stored. */
  readonly unknowns?: readonly Reason[];
}

/**
 * Which nodes of the state can take the pod, by the scheduler's filters. Every filter is asked about every node,
 * also about those that an earlier one refused, so that all reasons are known.
 *
 * A pod that is on a node already counts there: to ask where else it could go, take it out of the state first.
 *
 * @throws UnknownFilterError for a filter that does not exist
 * @throws QuantityError for a pod with a request that is no quantity
 */
export function evaluatePlacement(state: ClusterState, question: EvaluationQuestion): Placement {
  return evaluate(state, question, ({ status, fill }, statuses) => {
    if (fill !== undefined) return fill(statuses);
    let any = false;
    for (let node = 0; node < statuses.length; node++) {
      const code = status(node);
      if (code === SUCCESS) continue;
      statuses[node] = code;
      any = true;
    }
    return any;
  });
}

/** The same for one node alone, at a fraction of the cost. */
export function evaluateNode(state: ClusterState, question: EvaluationQuestion, node: number): NodeExplanation {
  const placement = evaluate(state, question, ({ status }, statuses) => {
    const code = status(node);
    statuses[node] = code;
    return code !== SUCCESS;
  });
  return placement.explainNode(node);
}

/** `write` puts a filter's answers into a column of zeros, and says whether it wrote any. */
function evaluate(
  state: ClusterState,
  { pod, filterNames, filters: ofProfile, gates = DEFAULT_GATES, unknowns = [] }: EvaluationQuestion,
  write: (filter: NodeFilter, statuses: Uint8Array) => boolean,
): Placement {
  const filters = filtersNamed(filterNames, ofProfile);
  const input: PlacementInput = { state, pod, gates, filterNames, filters, nominated: nominatedBefore(state, pod) };
  const podReasons: Reason[] = [];
  const gate = filterNames === undefined ? schedulingGate(pod) : undefined;
  if (gate !== undefined) podReasons.push(gate);
  let names: ReadonlySet<string> | undefined;
  const naming: string[] = [];
  const answers = filters.map(({ name, preFilter }) => ({ name, preFilter: preFilter(input) }));
  const columns = new ByteColumns(
    answers.filter(({ preFilter }) => preFilter.outcome === 'Filter').length + 1,
    state.nodes.count,
  );
  const plugins = answers.map(({ name, preFilter }): PluginOutcome => {
    if (preFilter.outcome === 'Skip') return { name, preFilter };
    if (preFilter.outcome === 'Rejected') {
      podReasons.push(preFilter.reason);
      return { name, preFilter };
    }
    const { nodeNames, filter } = preFilter;
    if (nodeNames !== undefined) {
      const before = names;
      names = before === undefined ? nodeNames : new Set([...nodeNames].filter((node) => before.has(node)));
      naming.push(name);
    }
    const statuses = columns.next();
    const passesAll = !write(filter, statuses);
    return { name, preFilter, filter, statuses, passesAll };
  });
  podReasons.push(...unknowns);
  const preFilterNodes = names === undefined ? undefined : { names, plugins: naming.sort() };
  return new Placement(input, plugins, podReasons, preFilterNodes, columns.next());
}

/**
 * The nominated pods that count: those of the same or a higher priority, the pod itself apart.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/runtime/framework.go, `addGENominatedPods`.
 */
export function nominatedBefore({ pods }: ClusterState, { metadata, spec }: Pod): PlacementInput['nominated'] {
  const nominated = pods.nominated();
  if (nominated.length === 0) return nominated;
  const priority = spec.priority ?? 0;
  const itself = pods.indexOf(metadata.namespace ?? '', metadata.name);
  return nominated.filter(({ pod }) => pod !== itself && pods.priority(pod) >= priority);
}

/** Columns of bytes in one piece of memory: many small ones would cost the garbage collector more than they cost to fill. */
class ByteColumns {
  private readonly bytes: Uint8Array;
  private used = 0;

  constructor(
    columns: number,
    private readonly rows: number,
  ) {
    this.bytes = new Uint8Array(columns * rows);
  }

  next(): Uint8Array {
    const start = this.used;
    this.used += this.rows;
    return this.bytes.subarray(start, this.used);
  }
}
