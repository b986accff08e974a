import { ClustersResolver } from './clusters.resolver.js';

/** Every GraphQL resolver. */
export const RESOLVERS = [ClustersResolver];
