import type { TrailRecordKind } from '../../core/audit/trail-record.js';

/** Which records of a trail are wanted; all that is given must hold. */
export interface TrailFilter {
  readonly node?: string;
  /** The key of a taint that the record touches. */
  readonly key?: string;
  readonly effect?: string;
  readonly author?: string;
  readonly channel?: string;
  readonly kinds?: readonly TrailRecordKind[];
  /** The id of a change that was made through this service. */
  readonly change?: string;
  /** What may have happened at this time or later: by the end of the interval in which it did. */
  readonly from?: Date;
  /** What may have happened before this time: by the beginning of the interval, or its end where that is all that is known. */
  readonly to?: Date;
  /** Leaves out what later records have taken the place of. */
  readonly current?: boolean;
}

/** The filter as conditions on `taint_trail t`, with their values after those that are there already. */
export function conditionsOf(filter: TrailFilter, values: unknown[]): string[] {
  const { node, key, effect, author, channel, kinds, change, from, to, current } = filter;
  const conditions: string[] = [];
  const add = (value: unknown, condition: (place: string) => string): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add(node, (place) => `t.node = ${place}`);
  add(key, (place) => `t.taint_keys @> array[${place}::text]`);
  add(effect, (place) => `${place} = any(t.effects)`);
  add(author, (place) => `t.author = ${place}`);
  add(channel, (place) => `t.channel = ${place}`);
  add(kinds, (place) => `t.kind = any(${place}::text[])`);
  add(change, (place) => `t.change_id = ${place}`);
  add(from, (place) => `t.happened_at >= ${place}`);
  add(to, (place) => `coalesce(t.happened_from, t.happened_at) < ${place}`);
  if (current === true) {
    conditions.push(
      `not exists (select from taint_trail_superseded s where s.cluster_id = t.cluster_id and s.sequence = t.sequence)`,
    );
  }
  return conditions;
}
