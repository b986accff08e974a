import { Database } from '../database.js';
import { storableText } from '../storable-text.js';
import type { ObjectKey } from '../object-key.js';

/** One stored version of an object: the revisions from `from` on, before `to`. */
export interface ObjectSpan {
  readonly from: number;
  /** Null: up to the head. */
  readonly to: number | null;
}

/** In which revisions objects are stored. */
export class ObjectHistory {
  constructor(private readonly database: Database) {}

  /** The stored versions of each object that are valid at `since` or later, oldest first; in the order of the keys. */
  async spans(
    clusterId: number,
    since: number,
    keys: readonly ObjectKey[],
  ): Promise<readonly (readonly ObjectSpan[])[]> {
    const rows = await this.database.query<ObjectSpan & { readonly place: number }>(
      `select k.place::integer as place, v.valid_from as "from", v.valid_to as "to"
       from unnest($3::text[], $4::text[], $5::text[]) with ordinality as k (kind, namespace, name, place)
       join object_versions v on v.cluster_id = $1 and v.kind = k.kind and v.namespace = k.namespace and v.name = k.name
       where v.valid_to is null or v.valid_to > $2
       order by k.place, v.valid_from`,
      [
        clusterId,
        since,
        ...[keys.map(({ kind }) => storableText(kind)), keys.map(({ namespace }) => storableText(namespace))],
        keys.map(({ name }) => storableText(name)),
      ],
    );
    const spans = keys.map((): ObjectSpan[] => []);
    for (const { place, from, to } of rows) spans[place - 1]!.push({ from, to });
    return spans;
  }
}
