import type { FactoryProvider } from '@nestjs/common';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { DecisionAnswerers, type DecisionAnswerer } from '../app/decisions/decision-answerer.js';
import { DecisionOutcome } from '../app/decisions/decision-outcome.js';
import { DecisionRecorder } from '../app/decisions/decision-recorder.js';
import { DecisionRetentionLimit } from '../app/decisions/decision-retention-setting.js';
import { DeclareDecisionRetention } from '../app/decisions/declare-decision-retention.js';
import { FindTurn } from '../app/decisions/find-turn.js';
import { GetDecision } from '../app/decisions/get-decision.js';
import { ListDecisions } from '../app/decisions/list-decisions.js';
import { ReplayDecision } from '../app/decisions/replay-decision.js';
import { EvaluatePlacement } from '../app/placements/evaluate-placement.js';
import { PlacementAnswerer } from '../app/placements/placement-decision.js';
import { ReadState } from '../app/reads/read-state.js';
import { ResolveRevision } from '../app/reads/resolve-revision.js';
import { ChangeSetting } from '../app/settings/change-setting.js';
import { DiffRevisions } from '../app/snapshots/diff-revisions.js';
import { ScenarioStates } from '../app/states/scenario-states.js';
import { StoredStates } from '../app/states/stored-states.js';
import { ClusterHistory } from '../storage/cluster-history.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { DecisionStore } from '../storage/decisions/decision-store.js';
import { ObjectHistory } from '../storage/decisions/object-history.js';
import { ObjectReader } from '../storage/object-reader.js';
import { RevisionStore } from '../storage/revision-store.js';
import { made } from './made.js';

/** The answerers for replays. */
function allOf(...answerers: readonly (abstract new (...given: never[]) => DecisionAnswerer)[]): FactoryProvider {
  return {
    provide: DecisionAnswerers,
    inject: [...answerers],
    useFactory: (...all: DecisionAnswerer[]) => new DecisionAnswerers(all),
  };
}

export const DECISIONS = [
  made(DecisionRecorder, DecisionStore),
  made(PlacementAnswerer, EvaluatePlacement),
  // A question that is recorded gets its answerer here.
  allOf(PlacementAnswerer),
  made(ListDecisions, DecisionStore, ClusterStore),
  made(DecisionOutcome, ResolveRevision, RevisionStore, StoredStates, ClusterHistory, ObjectHistory),
  made(GetDecision, DecisionStore, DecisionOutcome),
  made(FindTurn, GetCluster, RevisionStore, ClusterHistory, StoredStates, ScenarioStates, ObjectReader),
  made(
    ReplayDecision,
    ...([
      DecisionStore,
      DecisionAnswerers,
      ResolveRevision,
      RevisionStore,
      ReadState,
      DiffRevisions,
      FindTurn,
    ] as const),
  ),
  made(DeclareDecisionRetention, ReadState, ChangeSetting, DecisionRetentionLimit),
];
