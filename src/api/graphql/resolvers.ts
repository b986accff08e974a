import { graphqlResolvers } from '../contract/graphql-resolvers.js';
import { QUESTIONS } from '../questions.js';
import { AdmissionResolver } from './admission.resolver.js';
import { AuditEventsResolver } from './audit-events.resolver.js';
import { ClusterEventsResolver } from './cluster-events.resolver.js';
import { FindingsResolver } from './findings.resolver.js';
import { NodeResolver, PodResolver } from './inventory.resolver.js';
import { NodePlacementsResolver, PlacementGroupsResolver, PlacementsResolver } from './placements.resolver.js';
import { ID_RESOLVERS, NodesResolver } from './nodes.resolver.js';
import { ResourcesResolver } from './resources.resolver.js';
import { DifferenceResolver, SnapshotsResolver } from './snapshots.resolver.js';
import { TaintChangesResolver } from './taint-changes.resolver.js';
import { ClusterTrailResolver, TaintTrailResolver } from './taint-trail.resolver.js';
import { WebhooksResolver } from './webhooks.resolver.js';
import { TrailQuestionsResolver } from './trail-questions.resolver.js';

/** Every GraphQL resolver. */
export const RESOLVERS = [
  ...graphqlResolvers(QUESTIONS),
  ...ID_RESOLVERS,
  NodesResolver,
  SnapshotsResolver,
  DifferenceResolver,
  PlacementsResolver,
  NodePlacementsResolver,
  PlacementGroupsResolver,
  NodeResolver,
  PodResolver,
  WebhooksResolver,
  TaintChangesResolver,
  ClusterEventsResolver,
  ResourcesResolver,
  FindingsResolver,
  AdmissionResolver,
  AuditEventsResolver,
  TaintTrailResolver,
  ClusterTrailResolver,
  TrailQuestionsResolver,
];
