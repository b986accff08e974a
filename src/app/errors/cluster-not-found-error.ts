import { ServiceError } from './service-error.js';

/** No cluster of this name is stored. */
export class ClusterNotFoundError extends ServiceError {
  constructor(readonly cluster: string) {
    super('cluster-not-found', `There is no cluster ${JSON.stringify(cluster)}.`);
  }
}
