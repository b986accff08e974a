import { ServiceError } from '../errors/service-error.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { podView, type PodView } from './pod-view.js';

/** One pod of a revision. */
export class GetPod {
  constructor(private readonly readState: ReadState) {}

  /** @throws {ServiceError} `object-not-found` */
  async run(
    cluster: string,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    readAt: ReadAt,
    edge: RequestContext,
  ): Promise<{ basis: Basis; pod: PodView }> {
    const { basis, state } = await this.readState.run(cluster, readAt, edge);
    const index = state.pods.indexOf(namespace, name);
    if (index < 0) {
      const key = JSON.stringify(`${namespace}/${name}`);
      throw new ServiceError('object-not-found', `There is no pod ${key} in this revision.`);
    }
    return { basis, pod: podView(state, index) };
  }
}
