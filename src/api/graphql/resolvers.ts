import { ClustersResolver } from './clusters.resolver.js';
import { PlacementsResolver } from './placements.resolver.js';
import { DifferenceResolver, SnapshotsResolver } from './snapshots.resolver.js';

/** Every GraphQL resolver. */
export const RESOLVERS = [ClustersResolver, SnapshotsResolver, DifferenceResolver, PlacementsResolver];
