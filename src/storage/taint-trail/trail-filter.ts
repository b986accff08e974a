import type { TrailRecordKind } from '../../core/audit/trail-record.js';

/** A filter for the records of a trail; all given conditions must hold. */
export interface TrailFilter {
  readonly node?: string;
  /** The key of a taint that the record changes. */
  readonly key?: string;
  readonly effect?: string;
  readonly author?: string;
  readonly channel?: string;
  readonly kinds?: readonly TrailRecordKind[];
  /** The id of a change made through this service. */
  readonly change?: string;
  /** Records that may have happened at this time or later, by the end of their interval. */
  readonly from?: Date;
  /**
   * Records that may have happened before this time, by the beginning of their interval, or by its end if the beginning is
   * unknown.
   */
  readonly to?: Date;
  /** Excludes superseded records. */
  readonly current?: boolean;
}

/**
 * Converts the filter to conditions on `taint_trail t`, and appends their values to the existing ones.
 * @param cluster an expression for the id of the cluster
 */
export function conditionsOf(filter: TrailFilter, values: unknown[], cluster: string): string[] {
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
      `not exists (select from taint_trail_superseded s where s.cluster_id = ${cluster} and s.sequence = t.sequence)`,
    );
  }
  return conditions;
}
