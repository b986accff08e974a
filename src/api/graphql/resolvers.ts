import { graphqlResolvers } from '../contract/graphql-resolvers.js';
import { QUESTIONS } from '../questions.js';
import { AdmissionResolver } from './admission.resolver.js';
import { AuditEventsResolver } from './audit-events.resolver.js';
import { ClusterEventsResolver } from './cluster-events.resolver.js';
import { ClustersResolver } from './clusters.resolver.js';
import { EvictionSchedulesResolver } from './eviction-schedules.resolver.js';
import { DisruptionKindsResolver, DisruptionsResolver } from './disruptions.resolver.js';
import { FindingsResolver } from './findings.resolver.js';
import { InventoryResolver, NodeResolver, PodResolver } from './inventory.resolver.js';
import { NodePlacementsResolver, PlacementsResolver } from './placements.resolver.js';
import { PodRankingsResolver } from './pod-rankings.resolver.js';
import { QuotasResolver } from './quotas.resolver.js';
import { PreemptionsResolver } from './preemptions.resolver.js';
import { ResourcesResolver } from './resources.resolver.js';
import { ScenarioImpactsResolver } from './scenario-impacts.resolver.js';
import { SchedulerConfigurationResolver } from './scheduler-configuration.resolver.js';
import { SchedulingRunsResolver } from './scheduling-runs.resolver.js';
import { DifferenceResolver, SnapshotsResolver } from './snapshots.resolver.js';
import { ClusterTrailResolver, TaintTrailResolver } from './taint-trail.resolver.js';
import { AllTaintsResolver, TaintsResolver } from './taints.resolver.js';
import { WebhooksResolver } from './webhooks.resolver.js';

/** Every GraphQL resolver. */
export const RESOLVERS = [
  ...graphqlResolvers(QUESTIONS),
  ClustersResolver,
  SnapshotsResolver,
  DifferenceResolver,
  PlacementsResolver,
  PodRankingsResolver,
  NodePlacementsResolver,
  InventoryResolver,
  NodeResolver,
  PodResolver,
  WebhooksResolver,
  TaintsResolver,
  AllTaintsResolver,
  ClusterEventsResolver,
  EvictionSchedulesResolver,
  DisruptionsResolver,
  DisruptionKindsResolver,
  QuotasResolver,
  ScenarioImpactsResolver,
  SchedulingRunsResolver,
  PreemptionsResolver,
  ResourcesResolver,
  FindingsResolver,
  AdmissionResolver,
  SchedulerConfigurationResolver,
  AuditEventsResolver,
  TaintTrailResolver,
  ClusterTrailResolver,
];
