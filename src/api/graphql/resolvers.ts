import { graphqlResolvers } from '../contract/graphql-resolvers.js';
import { QUESTIONS } from '../questions/questions.js';
import { AuditEventsResolver } from './audit-events.resolver.js';
import { ClusterEventsResolver } from './cluster-events.resolver.js';
import { NodeResolver, PodResolver } from './inventory.resolver.js';
import {
  ClusterPlacementResolver,
  NodePlacementsResolver,
  PlacementGroupsResolver,
  PlacementsResolver,
} from './placements.resolver.js';
import { ID_RESOLVERS, NodesResolver } from './nodes.resolver.js';
import { ResourcesResolver } from './resources.resolver.js';
import { DifferenceResolver, SnapshotsResolver } from './snapshots.resolver.js';
import { ClusterTrailResolver, TaintTrailResolver } from './taint-trail.resolver.js';

/** All GraphQL resolvers. */
export const RESOLVERS = [
  ...graphqlResolvers(QUESTIONS),
  ...ID_RESOLVERS,
  NodesResolver,
  SnapshotsResolver,
  DifferenceResolver,
  PlacementsResolver,
  ClusterPlacementResolver,
  NodePlacementsResolver,
  PlacementGroupsResolver,
  NodeResolver,
  PodResolver,
  ClusterEventsResolver,
  ResourcesResolver,
  AuditEventsResolver,
  TaintTrailResolver,
  ClusterTrailResolver,
];
