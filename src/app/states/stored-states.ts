import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import type { Revision } from '../../storage/revision.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import type { Intents } from '../reads/read-at.js';
import { ClusterStates, type StateKey } from './cluster-states.js';
import { runSteps } from './run-steps.js';
import { stateKeyOf } from './state-key.js';
import { type Asker, LOADING, TimeSlices } from './time-slices.js';

/** Loads the states of revisions, with or without unconfirmed changes of this service. */
export class StoredStates {
  private readonly without = new WeakMap<ClusterState, Promise<ClusterState>>();

  constructor(
    private readonly states: ClusterStates,
    private readonly changes: TaintChangeStore,
  ) {}

  /**
   * @param rules by default those of the revision
   * @throws {ServiceError} as `ClusterStates.get`
   */
  of(revision: Revision, intents: Intents = 'include', asker?: Asker, rules?: KubernetesRules): Promise<ClusterState> {
    const key = stateKeyOf(revision, rules);
    return intents === 'include' ? this.states.get(key, asker) : this.withoutIntents(revision, key, asker);
  }

  /**
   * The state of a revision as it was observed in the cluster, without unconfirmed changes. It is computed once, at the
   * cost of the changed nodes, and lives as long as the state that it is derived from.
   * @throws {ServiceError} as `ClusterStates.get`
   */
  private async withoutIntents(revision: Revision, key: StateKey, asker?: Asker): Promise<ClusterState> {
    const state = await this.states.get(key, asker);
    if (revision.unconfirmedNodes === 0) return state;
    let made = this.without.get(state);
    if (made === undefined) {
      made = this.made(state, revision);
      this.without.set(state, made);
      made.catch(() => this.without.delete(state));
    }
    return made;
  }

  private async made(state: ClusterState, { clusterId, number }: Revision): Promise<ClusterState> {
    const upserts = await this.changes.observedNodes(clusterId, number);
    return runSteps(state.stepApply({ upserts }), new TimeSlices(LOADING));
  }
}
