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

/** A state and the scenario that it was created with; null for a stored state. */
export interface AppliedScenario {
  readonly state: ClusterState;
  readonly scenario: ScenarioBasis | null;
  /** Pods that admission rejected when they were admitted again. */
  readonly refused?: readonly RefusedPod[];
  /** Pods that the scenario changed. */
  readonly touched?: readonly PodName[];
}

/**
 * The caller of a scenario, who needs the permission `evaluate` for it, whichever operation the scenario is part of.
 */
export interface ScenarioAsker {
  readonly cluster: string;
  readonly context: Pick<RequestContext, 'caller' | 'access' | 'withheld'>;
}

/** Maximum number of cached scenario states, for further pages and requests. */
const MAX_KEPT = 16;
/** Maximum number of objects that all cached states may own. */
const MAX_TOUCHED = 40_000;
/** Maximum duration of the changes of a scenario, in milliseconds. */
const BUDGET = 10_000;

type Known = Map<string, Entry>;

interface Entry {
  readonly hash: string;
  /** A weak reference, so that the cache keeps no state in memory. */
  readonly of: WeakRef<Known>;
  readonly applying: Promise<AppliedScenario>;
  /** Number of objects that it owns; known once it is created. */
  touched: number;
}

/**
 * Creates the states of scenarios. They are not stored: the most recently used ones are cached, as long as the state
 * that they were created from exists. Concurrent requests share the computation.
 */
export class ScenarioStates {
  private readonly byState = new WeakMap<ClusterState, Known>();
  /** In the order of their use. */
  private readonly entries = new Set<Entry>();

  constructor(private readonly digests: DerivedStateCache) {}

  /**
   * Returns the state for a request: with the scenario applied, or the stored one without a scenario.
   * @throws {ServiceError} `forbidden` without the permission `evaluate`; `invalid-scenario` with every error and its
   *   place in the scenario; `budget-exceeded`
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
      // The most recent one is in use.
      if (this.entries.size <= 1 || (this.entries.size <= MAX_KEPT && touched <= MAX_TOUCHED)) return;
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
