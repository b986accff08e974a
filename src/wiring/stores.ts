import { AdmissionRecordStore } from '../storage/admission-record-store.js';
import { CaptureTimes } from '../storage/capture-times.js';
import { ClusterHistory } from '../storage/cluster-history.js';
import { ConnectionStore } from '../storage/connection-store.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { Database } from '../storage/database.js';
import { AgreementStore } from '../storage/agreement-store.js';
import { DecisionRetention } from '../storage/decisions/decision-retention.js';
import { DecisionStore } from '../storage/decisions/decision-store.js';
import { ObjectHistory } from '../storage/decisions/object-history.js';
import { DeltaWriter } from '../storage/delta-writer.js';
import { DigestStore } from '../storage/digest-store.js';
import { DigestTurns } from '../storage/digest-turns.js';
import { ExpectationStore } from '../storage/expectation-store.js';
import { NotificationOutbox } from '../storage/notification-outbox.js';
import { FleetStore } from '../storage/fleet-store.js';
import { FollowLeases } from '../storage/follow-leases.js';
import { FollowStore } from '../storage/follow-store.js';
import { NotificationRuleStore } from '../storage/notification-rule-store.js';
import { ObjectReader } from '../storage/object-reader.js';
import { Retention } from '../storage/retention.js';
import { RevisionStore } from '../storage/revision-store.js';
import { SettingsStore } from '../storage/settings-store.js';
import { SnapshotWriter } from '../storage/snapshot-writer.js';
import { StateImageStore } from '../storage/state-image-store.js';
import { StreamTicketStore } from '../storage/stream-ticket-store.js';
import { ApplicationStore } from '../storage/taint-trail/application-store.js';
import { AskedChangeStore } from '../storage/taint-trail/asked-change-store.js';
import { AuditEventStore } from '../storage/taint-trail/audit-event-store.js';
import { ContestedChanges } from '../storage/taint-trail/contested-changes.js';
import { RecordedChanges } from '../storage/taint-trail/recorded-changes.js';
import { SupersededRecords } from '../storage/taint-trail/superseded-records.js';
import { TaintChangeStore } from '../storage/taint-trail/taint-change-store.js';
import { NoOpAnswerStore } from '../storage/taint-trail/no-op-answer-store.js';
import { TrailCatalogue } from '../storage/taint-trail/trail-catalogue.js';
import { TrailReader } from '../storage/taint-trail/trail-reader.js';
import { TolerationHistory } from '../storage/toleration-history.js';
import { TurnRetention } from '../storage/turn-retention.js';
import { made } from './made.js';

export const STORES = [
  made(ClusterStore, Database),
  made(RevisionStore, Database),
  made(ClusterHistory, Database),
  made(ObjectReader, Database),
  made(TolerationHistory, Database),
  made(SnapshotWriter, Database),
  made(DeltaWriter, Database),
  made(FollowStore, Database),
  made(FleetStore, Database),
  made(DigestStore, Database),
  made(DigestTurns, Database),
  made(StateImageStore, Database),
  made(FollowLeases, Database),
  made(SettingsStore, Database),
  made(ExpectationStore, Database),
  made(AgreementStore, Database),
  made(StreamTicketStore, Database),
  made(AdmissionRecordStore, Database),
  made(DecisionStore, Database),
  made(DecisionRetention, Database),
  made(TurnRetention, Database),
  made(ConnectionStore, Database),
  made(NotificationRuleStore, Database),
  made(NotificationOutbox, Database),
  made(ObjectHistory, Database),
  made(Retention, Database),
  made(CaptureTimes, Database),
  made(AuditEventStore, Database),
  made(TaintChangeStore, Database),
  made(ApplicationStore, Database),
  made(AskedChangeStore, Database),
  made(NoOpAnswerStore, Database),
  made(TrailReader, Database),
  made(TrailCatalogue, Database),
  made(ContestedChanges, Database, TrailReader),
  made(SupersededRecords, Database),
  made(RecordedChanges, Database),
];
