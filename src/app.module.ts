import {
  Module,
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  type ValueProvider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import { AccessGuard } from './api/access/access-guard.js';
import { CONTROLLERS } from './api/rest/controllers.js';
import { OPENAPI_DOCUMENT, type OpenApiSource } from './api/docs/docs.controller.js';
import { EnvelopePipe } from './api/envelope/envelope-pipe.js';
import { QueryGuard } from './api/envelope/query-guard.js';
import { graphqlOptions } from './api/graphql/graphql-options.js';
import { RESOLVERS } from './api/graphql/resolvers.js';
import { ProblemFilter } from './api/errors/problem-filter.js';
import { DeclareSchedulerConfiguration } from './app/schedulers/declare-scheduler-configuration.js';
import { ReadSchedulerConfiguration } from './app/schedulers/read-scheduler-configuration.js';
import { ReviewSchedulerConfiguration } from './app/schedulers/review-scheduler-configuration.js';
import { DeclareAdmissionConfiguration } from './app/admission/declare-admission-configuration.js';
import { ReadAdmissionConfiguration } from './app/admission/read-admission-configuration.js';
import { TryAdmission } from './app/admission/try-admission.js';
import { AcrossClusters } from './app/across-clusters.js';
import { Clock } from './app/clock.js';
import { DeleteCluster } from './app/clusters/delete-cluster.js';
import { GetCluster } from './app/clusters/get-cluster.js';
import { ListClusters } from './app/clusters/list-clusters.js';
import { PutCluster } from './app/clusters/put-cluster.js';
import { EvictionMemory } from './app/evictions/eviction-memory.js';
import { ScheduleEvictions } from './app/evictions/schedule-evictions.js';
import { ScheduleReader } from './app/evictions/schedule-reader.js';
import { ListDisruptionBudgets } from './app/disruptions/list-disruption-budgets.js';
import { PlanDrain } from './app/disruptions/plan-drain.js';
import { RankEvictions } from './app/disruptions/rank-evictions.js';
import { ReadDisruptionKinds } from './app/disruptions/read-disruption-kinds.js';
import { FindManifestFindings } from './app/findings/find-manifest-findings.js';
import { ListFindings } from './app/findings/list-findings.js';
import { ListFindingsOfClusters } from './app/findings/list-findings-of-clusters.js';
import { GetNode } from './app/nodes/get-node.js';
import { ListNodes } from './app/nodes/list-nodes.js';
import { ReadNodeMatrix } from './app/overview/read-node-matrix.js';
import { ReadOverview } from './app/overview/read-overview.js';
import { CreateStreamTicket } from './app/live/create-stream-ticket.js';
import { StreamTickets } from './app/live/stream-tickets.js';
import { FollowCluster } from './app/live/follow-cluster.js';
import { LiveStreams } from './app/live/live-streams.js';
import { StoredSchedules } from './app/live/stored-schedules.js';
import { EvaluatePlacement } from './app/placements/evaluate-placement.js';
import { PlacePod } from './app/placements/place-pod.js';
import { PlacePodAcrossClusters } from './app/placements/place-pod-across-clusters.js';
import { PlacePods } from './app/placements/place-pods.js';
import { EvaluatedPlacements } from './app/placements/evaluated-placement.js';
import { ExplainPreemption } from './app/preemption/explain-preemption.js';
import { GetPod } from './app/pods/get-pod.js';
import { ListPodsAllowed } from './app/pods/list-pods-allowed.js';
import { ListPods } from './app/pods/list-pods.js';
import { ListTolerationSets } from './app/pods/list-toleration-sets.js';
import { GetQuota } from './app/quotas/get-quota.js';
import { ListQuotaCapacity } from './app/quotas/list-quota-capacity.js';
import { ListQuotas } from './app/quotas/list-quotas.js';
import { ExplainPodResources } from './app/resources/explain-pod-resources.js';
import { ListAllocations } from './app/resources/list-allocations.js';
import { ReadNodeAllocation } from './app/resources/read-node-allocation.js';
import { ReadOverheadCosts } from './app/resources/read-overhead-costs.js';
import { WriteStateMetrics } from './app/resources/write-state-metrics.js';
import { DeletePool } from './app/pools/delete-pool.js';
import { GetPool } from './app/pools/get-pool.js';
import { ListPools } from './app/pools/list-pools.js';
import { PlanPool } from './app/pools/plan-pool.js';
import { PutPool } from './app/pools/put-pool.js';
import { ComparePlacements } from './app/scheduling/compare-placements.js';
import { FindCapacity } from './app/scheduling/find-capacity.js';
import { RunQueue } from './app/scheduling/run-queue.js';
import { ReviewQuotas } from './app/quotas/review-quotas.js';
import { Readiness } from './app/readiness.js';
import { HeadCache } from './app/reads/head-cache.js';
import { ReadState } from './app/reads/read-state.js';
import { ResolveRevision } from './app/reads/resolve-revision.js';
import { StoredHeads } from './app/reads/stored-heads.js';
import { ServiceMetrics } from './app/service-metrics.js';
import { ChangeSetting } from './app/settings/change-setting.js';
import { ApplyRetention } from './app/snapshots/apply-retention.js';
import { DiffRevisions } from './app/snapshots/diff-revisions.js';
import { GetRevision } from './app/snapshots/get-revision.js';
import { ListRevisions } from './app/snapshots/list-revisions.js';
import { CorrectCaptureTimes } from './app/snapshots/correct-capture-times.js';
import { RemovalLimit } from './app/snapshots/removal-limit.js';
import { TakeSnapshot } from './app/snapshots/take-snapshot.js';
import { ClusterStates } from './app/states/cluster-states.js';
import { CompareScenario } from './app/scenarios/compare-scenario.js';
import { ScenarioStates } from './app/states/scenario-states.js';
import { StoredStates } from './app/states/stored-states.js';
import { DerivedStateCache } from './app/states/derived-state-cache.js';
import { ChangeTaints } from './app/taint-changes/change-taints.js';
import { CommitChange } from './app/taint-changes/commit-change.js';
import { ExpireTaintChanges } from './app/taint-changes/expire-taint-changes.js';
import { GetTaintChange } from './app/taint-changes/get-taint-change.js';
import { IdempotentReplies } from './app/taint-changes/idempotent-replies.js';
import { ListTaintChanges } from './app/taint-changes/list-taint-changes.js';
import { MakeChange } from './app/taint-changes/make-change.js';
import { PlanChange } from './app/taint-changes/plan-change.js';
import { PlanNodes } from './app/taint-changes/plan-nodes.js';
import { PresentTaintChange } from './app/taint-changes/present-taint-change.js';
import { RevertTaintChange } from './app/taint-changes/revert-taint-change.js';
import { HeadForUpdate } from './app/taint-changes/head-for-update.js';
import { ListTaintSets } from './app/taints/list-taint-sets.js';
import { ReadTaintCatalogue } from './app/taints/read-taint-catalogue.js';
import { TakeTaintInventories } from './app/taints/take-taint-inventories.js';
import { TakeTaintInventory } from './app/taints/take-taint-inventory.js';
import { CheckpointSigner } from './app/taint-trail/checkpoint-signer.js';
import { EffectsOfRecord } from './app/taint-trail/effects-of-record.js';
import { ExportTrail } from './app/taint-trail/export-trail.js';
import { FindFights } from './app/taint-trail/find-fights.js';
import { GetRecord } from './app/taint-trail/get-record.js';
import { ListRecordsAcross } from './app/taint-trail/list-records-across.js';
import { ListRecords } from './app/taint-trail/list-records.js';
import { ListTrails } from './app/taint-trail/list-trails.js';
import { ReadNodeHistory } from './app/taint-trail/read-node-history.js';
import { ReadTrailHead } from './app/taint-trail/read-trail-head.js';
import { SelectTrail } from './app/taint-trail/select-trail.js';
import { TakeAuditEvents } from './app/taint-trail/take-audit-events.js';
import { VerifyTrail } from './app/taint-trail/verify-trail.js';
import { AdmissionRecordWriter } from './app/webhooks/admission-record-writer.js';
import { ConfigureWebhooks } from './app/webhooks/configure-webhooks.js';
import { ListAdmissionRecords } from './app/webhooks/list-admission-records.js';
import { ReviewAdmission } from './app/webhooks/review-admission.js';
import { TrustedCertificates } from './app/webhooks/trusted-certificates.js';
import type { Foundations } from './foundations.js';
import { running } from './running.js';
import { AdmissionRecordStore } from './storage/admission-record-store.js';
import { ClusterHistory } from './storage/cluster-history.js';
import { ClusterStore } from './storage/cluster-store.js';
import { Database } from './storage/database.js';
import { HeadListener } from './storage/head-listener.js';
import { ObjectReader } from './storage/object-reader.js';
import { Retention } from './storage/retention.js';
import { RevisionStore } from './storage/revision-store.js';
import { SettingsStore } from './storage/settings-store.js';
import { StreamTicketStore } from './storage/stream-ticket-store.js';
import { CaptureTimes } from './storage/capture-times.js';
import { SnapshotWriter } from './storage/snapshot-writer.js';
import { AuditEventStore } from './storage/taint-trail/audit-event-store.js';
import { ContestedChanges } from './storage/taint-trail/contested-changes.js';
import { RecordedChanges } from './storage/taint-trail/recorded-changes.js';
import { SupersededRecords } from './storage/taint-trail/superseded-records.js';
import { TaintChangeStore } from './storage/taint-trail/taint-change-store.js';
import { TrailCatalogue } from './storage/taint-trail/trail-catalogue.js';
import { TrailReader } from './storage/taint-trail/trail-reader.js';
import { PodPlacements } from './storage/pod-placements.js';
import { PlacedHistory, RankPlacedPod } from './app/pods/rank-placed-pod.js';
import { TolerationHistory } from './storage/toleration-history.js';
import { VERSION } from './version.js';

type Class<Arguments extends unknown[], Instance> = new (...given: Arguments) => Instance;
/** The injection tokens for a constructor's arguments, in order: a class for each. */
type Tokens<Arguments extends unknown[]> = {
  [Index in keyof Arguments]: abstract new (...given: never[]) => Arguments[Index];
};

/** Registers a class that is independent of Nest, with the tokens of its constructor's arguments. */
function made<Arguments extends unknown[], Instance>(
  type: Class<Arguments, Instance>,
  ...tokens: Tokens<Arguments>
): FactoryProvider {
  return { provide: type, inject: tokens as InjectionToken[], useFactory: (...given: Arguments) => new type(...given) };
}

function given(provide: InjectionToken, useValue: unknown): ValueProvider {
  return { provide, useValue };
}

const STORES = [
  made(ClusterStore, Database),
  made(RevisionStore, Database),
  made(ClusterHistory, Database),
  made(ObjectReader, Database),
  made(TolerationHistory, Database),
  made(SnapshotWriter, Database),
  made(SettingsStore, Database),
  made(StreamTicketStore, Database),
  made(AdmissionRecordStore, Database),
  made(Retention, Database),
  made(CaptureTimes, Database),
  made(AuditEventStore, Database),
  made(TaintChangeStore, Database),
  made(TrailReader, Database),
  made(TrailCatalogue, Database),
  made(ContestedChanges, Database, TrailReader),
  made(SupersededRecords, Database),
  made(RecordedChanges, Database),
];

/** The sources that use cases read from: heads and states, cached and kept up to date. */
const READS = [
  made(StoredHeads, ClusterStore, RevisionStore),
  made(HeadCache, StoredHeads, HeadListener),
  made(ResolveRevision, HeadCache, RevisionStore),
  made(ScenarioStates, DerivedStateCache),
  made(StoredStates, ClusterStates, TaintChangeStore),
  made(ReadState, ResolveRevision, StoredStates, ScenarioStates),
  made(DerivedStateCache),
];

/** All use cases, one line each. */
const USE_CASES = [
  made(ReadOverview, ReadState, DerivedStateCache),
  made(ReadNodeMatrix, ReadState, DerivedStateCache),
  made(StreamTickets, StreamTicketStore),
  made(CreateStreamTicket, StreamTickets),
  made(PutCluster, ClusterStore, HeadCache),
  made(GetCluster, ClusterStore),
  made(ListClusters, ClusterStore),
  made(DeleteCluster, ClusterStore, HeadCache),
  made(TakeSnapshot, SnapshotWriter, HeadCache, ServiceMetrics, RemovalLimit),
  made(ListRevisions, GetCluster, RevisionStore),
  made(GetRevision, ResolveRevision, RevisionStore),
  made(DiffRevisions, ResolveRevision, StoredStates, ScenarioStates),
  made(ApplyRetention, GetCluster, Retention),
  made(CorrectCaptureTimes, GetCluster, CaptureTimes, HeadCache),
  made(EvaluatedPlacements),
  made(EvaluatePlacement, ReadState, EvaluatedPlacements, ServiceMetrics),
  made(PlacePod, EvaluatePlacement),
  made(PlacePods, ReadState, EvaluatePlacement),
  made(PlacePodAcrossClusters, AcrossClusters, EvaluatePlacement),
  made(AcrossClusters, ClusterStore),
  made(TakeTaintInventories, AcrossClusters, TakeTaintInventory),
  made(ListNodes, ReadState),
  made(GetNode, ReadState),
  made(ListPods, ReadState),
  made(GetPod, ReadState),
  made(PodPlacements, Database),
  made(PlacedHistory, GetCluster, DiffRevisions, PodPlacements),
  made(RankPlacedPod, ReadState, EvaluatePlacement, PlacedHistory),
  made(ListTaintSets, ReadState),
  made(ListTolerationSets, ReadState, DerivedStateCache),
  made(TakeTaintInventory, ReadState, DerivedStateCache),
  made(ListPodsAllowed, ReadState, DerivedStateCache),
  made(PlanDrain, ReadState, DerivedStateCache),
  made(ListDisruptionBudgets, ReadState, DerivedStateCache),
  made(RankEvictions, ReadState),
  made(ListQuotas, ReadState, DerivedStateCache),
  made(GetQuota, ReadState, DerivedStateCache),
  made(ReviewQuotas, ReadState, DerivedStateCache),
  made(ListQuotaCapacity, ReadState, DerivedStateCache),
  made(RunQueue, ReadState),
  made(FindCapacity, ReadState),
  made(ComparePlacements, ReadState),
  made(CompareScenario, ReadState, ScenarioStates, DerivedStateCache),
  made(ReadDisruptionKinds),
  made(ExplainPreemption, ReadState),
  made(ExplainPodResources, ReadState),
  made(ReadNodeAllocation, ReadState),
  made(ListAllocations, ReadState, DerivedStateCache),
  made(ReadOverheadCosts, ReadState, DerivedStateCache),
  made(WriteStateMetrics, ReadState),
  made(ReadSchedulerConfiguration, ReadState),
  made(DeclareSchedulerConfiguration, ChangeSetting),
  made(ReviewSchedulerConfiguration, ReadState),
  made(ReadAdmissionConfiguration, ReadState),
  made(DeclareAdmissionConfiguration, HeadForUpdate, SettingsStore, ReadState),
  made(TryAdmission, ReadState),
  made(ListFindings, ReadState, DerivedStateCache),
  made(ListFindingsOfClusters, AcrossClusters, ListFindings),
  made(FindManifestFindings, ReadState),
  made(ReadTaintCatalogue),
  made(EvictionMemory, TrailReader, TolerationHistory),
  made(ScheduleReader, ReadState, EvictionMemory),
  made(ScheduleEvictions, ScheduleReader),
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
  made(VerifyTrail, SelectTrail, TrailReader, SupersededRecords, RecordedChanges),
  made(ReadTrailHead, SelectTrail, CheckpointSigner),
  made(HeadForUpdate, ResolveRevision, ClusterStates, HeadCache, ClusterStore),
  made(IdempotentReplies, TaintChangeStore, ClusterStore),
  made(PlanNodes, DerivedStateCache),
  made(PlanChange, PlanNodes, TaintChangeStore),
  made(CommitChange, HeadForUpdate, TaintChangeStore),
  made(MakeChange, HeadForUpdate, IdempotentReplies, PlanChange, CommitChange),
  made(PresentTaintChange, TaintChangeStore, ResolveRevision),
  made(ChangeTaints, IdempotentReplies, MakeChange, PresentTaintChange),
  made(RevertTaintChange, IdempotentReplies, MakeChange, PresentTaintChange),
  made(GetTaintChange, ResolveRevision, TaintChangeStore, PresentTaintChange),
  made(ListTaintChanges, GetCluster, TaintChangeStore),
  made(ChangeSetting, HeadForUpdate, SettingsStore),
  made(ListPools, ReadState),
  made(GetPool, ReadState),
  made(PutPool, ChangeSetting),
  made(DeletePool, ChangeSetting),
  made(PlanPool, ReadState, PlanNodes),
  made(AdmissionRecordWriter, AdmissionRecordStore),
  made(ReviewAdmission, ResolveRevision, StoredStates, AdmissionRecordWriter, ServiceMetrics),
  made(ListAdmissionRecords, AdmissionRecordStore, ClusterStore),
  made(ConfigureWebhooks, ReadState, TrustedCertificates),
  made(ExpireTaintChanges, MakeChange, TaintChangeStore),
  made(StoredSchedules, RevisionStore, StoredStates, EvictionMemory),
  made(FollowCluster, GetCluster, ClusterHistory, LiveStreams, RevisionStore),
];

/** The composition root: the only place that connects the parts of the service. */
@Module({})
export class AppModule {
  static on(foundations: Foundations): DynamicModule {
    const { config, log, clock, metrics, database, allowedMethods, signingKey, certificates } = foundations;
    // The module and the document builder are loaded when the document is first requested.
    const openApi: OpenApiSource = async () => {
      const { buildOpenApi } = await import('./api/docs/build-openapi.js');
      return buildOpenApi(CONTROLLERS, VERSION, config.web.publicUrl);
    };
    return {
      module: AppModule,
      imports: [GraphQLModule.forRoot<MercuriusDriverConfig>(graphqlOptions(log, config.live.heartbeatMs))],
      controllers: CONTROLLERS,
      providers: [
        given(Clock, clock),
        given(RemovalLimit, new RemovalLimit(config.snapshotMaxRemovalPercent)),
        given(ServiceMetrics, metrics),
        given(Database, database),
        given(TrustedCertificates, certificates),
        given(CheckpointSigner, new CheckpointSigner(signingKey)),
        given(Readiness, new Readiness([{ name: 'database', check: () => database.ping() }])),
        given(OPENAPI_DOCUMENT, openApi),
        given(APP_FILTER, new ProblemFilter(log, allowedMethods)),
        given(APP_GUARD, new AccessGuard()),
        given(APP_GUARD, new QueryGuard()),
        given(APP_PIPE, new EnvelopePipe()),
        ...STORES,
        ...READS,
        ...running(foundations),
        ...USE_CASES,
        ...RESOLVERS,
      ],
    };
  }
}
