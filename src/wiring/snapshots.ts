import { GetCluster } from '../app/clusters/get-cluster.js';
import { HeadCache } from '../app/reads/head-cache.js';
import { ResolveRevision } from '../app/reads/resolve-revision.js';
import { ServiceMetrics } from '../app/service-metrics.js';
import { ApplyRetention } from '../app/snapshots/apply-retention.js';
import { CorrectCaptureTimes } from '../app/snapshots/correct-capture-times.js';
import { DiffRevisions } from '../app/snapshots/diff-revisions.js';
import { ExportObjects } from '../app/snapshots/export-objects.js';
import { GetRevision } from '../app/snapshots/get-revision.js';
import { ListRevisions } from '../app/snapshots/list-revisions.js';
import { ReadDeltas } from '../app/snapshots/read-deltas.js';
import { RemovalLimit } from '../app/snapshots/removal-limit.js';
import { TakeDelta } from '../app/snapshots/take-delta.js';
import { TakeSnapshot } from '../app/snapshots/take-snapshot.js';
import { ScenarioStates } from '../app/states/scenario-states.js';
import { StoredStates } from '../app/states/stored-states.js';
import { CaptureTimes } from '../storage/capture-times.js';
import { DeltaWriter } from '../storage/delta-writer.js';
import { FollowStore } from '../storage/follow-store.js';
import { Retention } from '../storage/retention.js';
import { SettingsStore } from '../storage/settings-store.js';
import { RevisionStore } from '../storage/revision-store.js';
import { SnapshotWriter } from '../storage/snapshot-writer.js';
import { made } from './made.js';

export const SNAPSHOTS = [
  made(TakeSnapshot, SnapshotWriter, HeadCache, ServiceMetrics, RemovalLimit),
  made(TakeDelta, DeltaWriter, HeadCache, ServiceMetrics, RemovalLimit, SettingsStore),
  made(ReadDeltas, GetCluster, FollowStore),
  made(ExportObjects, GetCluster, FollowStore),
  made(ListRevisions, GetCluster, RevisionStore),
  made(GetRevision, ResolveRevision, RevisionStore),
  made(DiffRevisions, ResolveRevision, StoredStates, ScenarioStates),
  made(ApplyRetention, GetCluster, Retention),
  made(CorrectCaptureTimes, GetCluster, CaptureTimes, HeadCache),
];
