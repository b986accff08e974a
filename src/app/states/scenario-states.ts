import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { PodName, RefusedPod } from '../../core/scenario/scenario-draft.js';
import { stepScenario } from '../../core/scenario/apply-scenario.js';
import { authorize } from '../authorize.js';
import { ServiceError } from '../errors/service-error.js';
import type { ScenarioBasis } from '../reads/basis.js';
import type { GivenScenario } from '../reads/given-scenario.js';
import type { RequestContext } from '../request-context.js';
import { runSteps } from './run-steps.js';
import type { DerivedStateCache } from './derived-state-cache.js';
import { TimeSlices } from './time-slices.js';

/** A state, and the scenario that made it of another; null for one as it is stored. */
export interface AppliedScenario {
  readonly state: ClusterState;
  readonly scenario: ScenarioBasis | null;
  /** Pods that admission did not let in again. */
  readonly refused?: readonly RefusedPod[];
  /** Pods that the scenario touched. */
  readonly touched?: readonly PodName[];
}

/** Whose scenario it is: what would be is told to those who may evaluate, whichever question brings the scenario. */
export interface ScenarioAsker {
  readonly cluster: string;
  readonly context: Pick<RequestContext, 'caller' | 'access' | 'withheld'>;
}

/** Scenario states that are kept for the next page, and for the next question. */
const MOST_KEPT = 16;
/** Objects that all of those that are kept may have of their own. */
const MOST_TOUCHED = 40_000;
/** How long the changes of one scenario may take, in milliseconds. */
const BUDGET = 10_000;

type Known = Map<string, Entry>;

interface Entry {
  readonly hash: string;
  /** Holds no state in memory that nobody else needs. */
  readonly of: WeakRef<Known>;
  readonly applying: Promise<AppliedScenario>;
  /** Objects that it has of its own; known once it is made. */
  touched: number;
}

/**
 * The states that scenarios make of others. Nothing of them is stored: the last few are remembered, least recently used
 * first out, and go along with the state that they were made of. Two who ask for one share its making.
 */
export class ScenarioStates {
  private readonly byState = new WeakMap<ClusterState, Known>();
  /** In the order of their use. */
  private readonly entries = new Set<Entry>();

  constructor(private readonly digests: DerivedStateCache) {}

  /**
   * The state that an answer rests on, where its question brings a scenario; the stored one where it brings none.
   * @throws {ServiceError} `forbidden` without the right `evaluate`; `invalid-scenario` with everything that is wrong, each with its place in the scenario;
   *   `budget-exceeded`
   */
  async apply(
    base: ClusterState,
    given: GivenScenario | undefined,
    { cluster, context }: ScenarioAsker,
  ): Promise<AppliedScenario> {
    if (given === undefined) return { state: base, scenario: null };
    authorize(context, 'evaluate', cluster);
    const known = this.byState.get(base) ?? new Map<string, Entry>();
    this.byState.set(base, known);
    const entry = known.get(given.hash) ?? this.begin(base, given, known);
    this.entries.delete(entry);
    this.entries.add(entry);
    return entry.applying;
  }

  private begin(base: ClusterState, given: GivenScenario, known: Known): Entry {
    const { hash } = given;
    const entry: Entry = { hash, of: new WeakRef(known), applying: applied(base, given), touched: 0 };
    known.set(hash, entry);
    entry.applying.then(
      ({ state, scenario }) => {
        if (scenario !== null && isOfNodesAlone(scenario)) this.digests.sharePods(base, state);
        for (const counts of scenario === null ? [] : [scenario.nodes, scenario.pods]) {
          entry.touched += counts.added + counts.removed + counts.changed;
        }
        this.makeRoom();
      },
      () => this.forget(entry),
    );
    return entry;
  }

  private makeRoom(): void {
    let touched = 0;
    for (const entry of this.entries) touched += entry.touched;
    for (const oldest of this.entries) {
      // The last one is in use.
      if (this.entries.size <= 1 || (this.entries.size <= MOST_KEPT && touched <= MOST_TOUCHED)) return;
      touched -= oldest.touched;
      this.forget(oldest);
    }
  }

  private forget(entry: Entry): void {
    this.entries.delete(entry);
    const known = entry.of.deref();
    if (known?.get(entry.hash) === entry) known.delete(entry.hash);
  }
}

function isOfNodesAlone({ nodes, pods }: ScenarioBasis): boolean {
  return [nodes.added, nodes.removed, pods.added, pods.removed, pods.changed].every((count) => count === 0);
}

async function applied(base: ClusterState, { scenario, hash }: GivenScenario): Promise<AppliedScenario> {
  const result = await runSteps(stepScenario(base, scenario), new TimeSlices({ budgetMs: BUDGET }));
  if (result.outcome === 'applied') {
    const { state, summary, refused, touched } = result;
    return { state, scenario: { changes: scenario.changes.length, hash, ...summary }, refused, touched };
  }
  const { faults } = result;
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const what = first === undefined ? '' : `: ${first.field}: ${first.message}${more}`;
  throw new ServiceError('invalid-scenario', `The scenario cannot be applied${what}`, { details: faults });
}
