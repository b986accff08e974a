import { GetCluster } from '../app/clusters/get-cluster.js';
import { ServiceMetrics } from '../app/service-metrics.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { StoredStates } from '../app/states/stored-states.js';
import { CheckpointSigner } from '../app/taint-trail/checkpoint-signer.js';
import { EffectsOfRecord } from '../app/taint-trail/effects-of-record.js';
import { ExportTrail } from '../app/taint-trail/export-trail.js';
import { FindFights } from '../app/taint-trail/find-fights.js';
import { GetRecord } from '../app/taint-trail/get-record.js';
import { ListRecordsAcross } from '../app/taint-trail/list-records-across.js';
import { ListRecords } from '../app/taint-trail/list-records.js';
import { ListTrails } from '../app/taint-trail/list-trails.js';
import { ReadNodeHistory } from '../app/taint-trail/read-node-history.js';
import { ReadTrailHead } from '../app/taint-trail/read-trail-head.js';
import { SelectTrail } from '../app/taint-trail/select-trail.js';
import { TakeAuditEvents } from '../app/taint-trail/take-audit-events.js';
import { VerifyTrail } from '../app/taint-trail/verify-trail.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { RevisionStore } from '../storage/revision-store.js';
import { AuditEventStore } from '../storage/taint-trail/audit-event-store.js';
import { ContestedChanges } from '../storage/taint-trail/contested-changes.js';
import { RecordedChanges } from '../storage/taint-trail/recorded-changes.js';
import { SupersededRecords } from '../storage/taint-trail/superseded-records.js';
import { TrailCatalogue } from '../storage/taint-trail/trail-catalogue.js';
import { TrailReader } from '../storage/taint-trail/trail-reader.js';
import { made } from './made.js';

export const TAINT_TRAIL = [
  made(TakeAuditEvents, GetCluster, AuditEventStore, ServiceMetrics),
  made(SelectTrail, ClusterStore, TrailCatalogue),
  made(ListTrails, TrailCatalogue),
  made(ListRecords, SelectTrail, TrailReader),
  made(ListRecordsAcross, ClusterStore, TrailCatalogue, TrailReader),
  made(EffectsOfRecord, TrailReader, RevisionStore, StoredStates, DerivedStateCache),
  made(GetRecord, SelectTrail, TrailReader, EffectsOfRecord),
  made(ReadNodeHistory, SelectTrail, TrailReader),
  made(FindFights, SelectTrail, ContestedChanges),
  made(ExportTrail, SelectTrail, TrailReader),
  made(VerifyTrail, SelectTrail, TrailReader, SupersededRecords, RecordedChanges, ServiceMetrics),
  made(ReadTrailHead, SelectTrail, CheckpointSigner),
];
