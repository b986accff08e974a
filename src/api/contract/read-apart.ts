import type { ObjectType, Request } from '../../contract/schema.js';
import { readEnvelope } from '../envelope/read-envelope.js';
import { requestClass } from './object-classes.js';

/** An item of a list that is read when its turn comes. */
interface ItemReadApart<Item> {
  /** Its own, or its place in the list. */
  readonly id: string;
  /** @throws {InvalidRequestError} everything that is wrong with it */
  readonly read: () => Item;
}

/** The items of a member that is `readApart`, as they arrived: a bad one fails alone. */
export function readApart<Type extends ObjectType>(
  type: Type,
  items: readonly unknown[],
): readonly ItemReadApart<Request<Type>>[] {
  return items.map((given, index) => {
    const { id } = (typeof given === 'object' && given !== null ? given : {}) as { readonly id?: unknown };
    return { id: typeof id === 'string' ? id : String(index), read: () => readEnvelope(requestClass(type), given) };
  });
}
