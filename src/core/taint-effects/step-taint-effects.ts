import type { ClusterState } from '../cluster/cluster-state.js';
import { NodeSituations } from '../cluster/node-situations.js';
import type { Workload } from '../cluster/pod-table.js';
import { FirstFew, type Listed } from '../collections/first-few.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { stepBudgetWarnings } from './budget-warnings.js';
import { stepClosedZones } from './closed-zones.js';
import { stepControlPlaneWarnings } from './control-plane-warnings.js';
import { DaemonSetWarnings } from './daemon-set-warnings.js';
import { stepEditedNodes, type EditedNodes } from './edited-nodes.js';
import { stepEvictions } from './evictions.js';
import { stepFeasibility, type NamedShape, type ShapeOutcome, type SomeNodes } from './feasibility.js';
import { PoolWarnings } from './pool-warnings.js';
import type { FeasibilityEffects, TaintEffects, WorkloadFeasibility } from './taint-effects.js';
import { stepTaintKeyWarnings } from './taint-key-warnings.js';
import { enumerated, Warnings } from './warnings.js';
import { stepWorkloadShapes, TEMPLATE_KINDS, type WorkloadShape, type WorkloadShapes } from './workload-shapes.js';

export interface TaintEffectsOptions {
  readonly gates: TolerationGates;
  /** Time of the change, RFC 3339. */
  readonly now: Timestamp;
  /** Maximum number of listed pods; the counts cover all. 1000 by default. */
  readonly mostListed?: number;
  /** Maximum number of listed workloads; the number of pods by default. */
  readonly mostWorkloads?: number;
  /** The result of `stepWorkloadShapes` for either state; computed by default. */
  readonly shapes?: WorkloadShapes;
}

const MAX_LISTED = 1000;

/**
 * The effects of a change of taints, cordons and labels: the pods that NoExecute taints evict, the workloads that lose
 * or gain nodes, and warnings. The states differ only in the named nodes: `after` is `before` with those edited.
 *
 * Runs in short steps, so that the caller can run other work in between; yields nothing. All results are bounded.
 */
export function* stepTaintEffects(
  before: ClusterState,
  after: ClusterState,
  names: readonly string[],
  options: TaintEffectsOptions,
): Generator<undefined, TaintEffects> {
  const { gates, now, mostListed = MAX_LISTED, mostWorkloads = mostListed } = options;
  const warnings = new Warnings();
  const edited = yield* stepEditedNodes(before, after, names);
  const evictions = yield* stepEvictions(after, edited, { gates, now, mostListed });
  yield* stepBudgetWarnings(after, evictions.byLabels, warnings);

  const shapes = options.shapes ?? (yield* stepWorkloadShapes(after));
  const workloads = new WorkloadList(edited, mostWorkloads, warnings);
  if (edited.nodes.length > 0) {
    const situations = new NodeSituations();
    const pools = new PoolWarnings();
    yield* pools.stepPools(edited, situations);
    const question = { before, after, edited, situations, shapes, gates };
    const daemonSets = new DaemonSetWarnings(question, warnings);
    yield* stepFeasibility(question, {
      admitted: (columns) => {
        pools.open(columns, shapes.tolerancesOf);
      },
      changed: (alike, outcome) => {
        workloads.add(alike, outcome);
      },
      named: (named) => {
        workloads.warn(named);
        daemonSets.visit(named);
      },
    });
    pools.report(warnings);
  }
  yield* stepClosedZones(before, after, edited, warnings);
  yield* stepControlPlaneWarnings(before, after, edited, warnings);
  yield* stepTaintKeyWarnings(after, edited, warnings);
  return {
    evictions: evictions.effects,
    workloads: workloads.effects(),
    warnings: warnings.listed(),
    notConsidered: notConsidered(after, shapes),
  };
}

interface Entry {
  readonly shape: WorkloadShape;
  readonly outcome: ShapeOutcome;
}

/** The workloads that lose or gain nodes. */
class WorkloadList {
  private readonly counts = { lost: 0, gained: 0, becameInfeasible: 0, becameFeasible: 0 };
  private readonly few: FirstFew<Entry>;

  constructor(
    private readonly edited: EditedNodes,
    private readonly mostListed: number,
    private readonly warnings: Warnings,
  ) {
    this.few = new FirstFew(
      mostListed,
      (a, b) =>
        Number(becameInfeasible(b.outcome)) - Number(becameInfeasible(a.outcome)) || a.shape.rank - b.shape.rank,
    );
  }

  /** @param shapes by rank */
  add(shapes: readonly WorkloadShape[], outcome: ShapeOutcome): void {
    const count = shapes.length;
    if (outcome.lost.count > 0) this.counts.lost += count;
    if (outcome.gained.count > 0) this.counts.gained += count;
    if (becameFeasible(outcome)) this.counts.becameFeasible += count;
    if (becameInfeasible(outcome)) this.counts.becameInfeasible += count;
    // With one outcome, they are in the order of the list: if one is not kept, those after it are not either.
    for (let place = 0; place < count; place++) {
      const entry = { shape: shapes[place]!, outcome };
      if (place === this.mostListed || !this.few.keeps(entry)) {
        this.few.addBeyond(count - place);
        return;
      }
      this.few.add(entry);
    }
  }

  warn({ shape, outcome }: NamedShape): void {
    if (outcome === undefined || !becameInfeasible(outcome)) return;
    this.warnings.add('last-feasible-node-lost', () => {
      const nodes = this.named(outcome.lost);
      return {
        message:
          `${nameOf(shape.workload)} loses the last ${nodes.total === 1 ? 'node' : 'nodes'} that taints, cordons and labels allow: ` +
          `${enumerated(nodes.items, nodes.total)}. Its pods that run on other nodes or are not evicted stay; a new pod would be pending.`,
        nodes,
        workload: shape.workload,
      };
    });
  }

  effects(): FeasibilityEffects {
    const entries = this.few.listed(({ shape, outcome }): WorkloadFeasibility => ({
      workload: shape.workload,
      pods: shape.pods,
      feasibleBefore: outcome.feasibleBefore,
      feasibleAfter: outcome.feasibleAfter,
      lost: this.named(outcome.lost),
      gained: this.named(outcome.gained),
      becameInfeasible: becameInfeasible(outcome),
      becameFeasible: becameFeasible(outcome),
    }));
    return { counts: this.counts, entries };
  }

  private named({ count, first }: SomeNodes): Listed<string> {
    return { total: count, items: first.map((index) => this.edited.nodes[index]!.name) };
  }
}

// If nodes were lost or gained, there were or are feasible ones.
const becameInfeasible = ({ feasibleAfter }: ShapeOutcome): boolean => feasibleAfter === 0;
const becameFeasible = ({ feasibleBefore }: ShapeOutcome): boolean => feasibleBefore === 0;
const nameOf = ({ kind, namespace, name }: Workload): string => `${kind} ${namespace}/${name}`;

function notConsidered(
  { loadedKinds }: ClusterState,
  { unknownRuntimeClass }: WorkloadShapes,
): TaintEffects['notConsidered'] {
  const lacking: [KeptKind, string][] = [
    ['Pod', 'it is not known which pods would be evicted, nor what the running pods require of nodes'],
    ['DaemonSet', 'it is not known which DaemonSets would leave the nodes; their pods are judged by their tolerations'],
    ['PodDisruptionBudget', 'it is not known which budgets select the pods that would be evicted'],
    ...TEMPLATE_KINDS.map((kind): [KeptKind, string] => [kind, 'those without running pods are not judged']),
  ];
  const absent = lacking.filter(([kind]) => !loadedKinds.has(kind)).map(([kind, why]) => ({ kind, why }));
  if (unknownRuntimeClass === 0) return absent;
  const number = unknownRuntimeClass === 1 ? '1 workload' : `${unknownRuntimeClass} workloads`;
  return [
    ...absent,
    {
      kind: 'RuntimeClass',
      why: `${number} without running pods name a RuntimeClass that is not stored: the tolerations and node selector that it adds are not known`,
    },
  ];
}
