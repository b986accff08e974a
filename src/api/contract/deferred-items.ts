import type { ObjectType, Request } from '../../contract/schema.js';
import type { ManifestServer } from '../../core/kubernetes/cluster-version.js';
import { manifestChecksOf } from '../../app/manifests/manifest-checks.js';
import { readEnvelope } from '../envelope/read-envelope.js';
import { requestClass } from './object-classes.js';

/** An item of a list that is parsed when it is processed. */
interface DeferredItem<Item> {
  /** The item's own id, or its index in the list. */
  readonly id: string;
  /**
   * @param server the API server that gets its manifests
   * @throws {InvalidRequestError} with every error in the item
   */
  readonly read: (server: ManifestServer) => Promise<Item>;
}

/** Wraps the raw items of a `readApart` member, so that an invalid item fails without the others. */
export function deferredItems<Type extends ObjectType>(
  type: Type,
  items: readonly unknown[],
): readonly DeferredItem<Request<Type>>[] {
  return items.map((given, index) => {
    const { id } = (typeof given === 'object' && given !== null ? given : {}) as { readonly id?: unknown };
    const read = async (server: ManifestServer): Promise<Request<Type>> => {
      const item = await readEnvelope(requestClass(type), given);
      manifestChecksOf(item)?.by(server);
      return item;
    };
    return { id: typeof id === 'string' ? id : String(index), read };
  });
}
