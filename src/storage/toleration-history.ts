import { parseJson } from '../core/json/lossless-json.js';
import type { Toleration } from '../core/kubernetes/objects/taints.js';
import { Database } from './database.js';

/** The tolerations that a pod was observed with, and when they were first observed. */
export interface SeenTolerations {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | null;
  readonly capturedAt: Date;
  /** The capture time of the previous snapshot that includes the pods of the namespace; null if there is none. */
  readonly snapshotBefore: Date | null;
  readonly tolerations: readonly Toleration[];
}

interface Row extends Omit<SeenTolerations, 'tolerations'> {
  readonly tolerations: string | null;
}

/** The number of pods to read at once. */
const BATCH = 2_000;

/** Finds the tolerations of pods in their stored versions. */
export class TolerationHistory {
  constructor(private readonly database: Database) {}

  /**
   * For pods observed with several toleration lists, each list with the time of its first observation, oldest first; nothing
   * for other pods. Excludes observations after `until`.
   */
  async read(
    clusterId: number,
    until: { readonly revision: number; readonly capturedAt: Date },
    pods: readonly { readonly namespace: string; readonly name: string }[],
  ): Promise<readonly SeenTolerations[]> {
    const found: SeenTolerations[] = [];
    for (let start = 0; start < pods.length; start += BATCH) {
      const some = pods.slice(start, start + BATCH);
      const rows = await this.database.query<Row>(
        `with seen as (
           select v.namespace, v.name, v.uid, v.valid_from, r.captured_at,
                  case when count(*) over (partition by v.namespace, v.name) > 1
                       then (v.content::jsonb #> '{spec,tolerations}')::text end as tolerations,
                  count(*) over (partition by v.namespace, v.name) as versions
           from unnest($3::text[], $4::text[]) as p (namespace, name)
           join object_versions v on v.cluster_id = $1 and v.kind = 'Pod' and v.namespace = p.namespace and v.name = p.name
           join revisions r on r.cluster_id = $1 and r.number = v.valid_from
           where v.valid_from <= $2 and r.captured_at <= $5),
         changes as (
           select *, lag(tolerations) over pod is distinct from tolerations or lag(uid) over pod is distinct from uid as differs
           from seen where versions > 1
           window pod as (partition by namespace, name order by captured_at, valid_from))
         select namespace, name, uid, c.captured_at as "capturedAt", before.captured_at as "snapshotBefore", tolerations
         from changes c
         left join lateral (
           select q.captured_at from revisions q
           where q.cluster_id = $1 and q.number <= $2 and q.captured_at < c.captured_at
             and q.scope -> 'kinds' ? 'Pod'
             and (jsonb_typeof(q.scope -> 'namespaces') = 'null' or q.scope -> 'namespaces' ? c.namespace)
           order by q.captured_at desc limit 1) as before on true
         where differs order by namespace, name, c.captured_at, valid_from`,
        [
          clusterId,
          until.revision,
          some.map(({ namespace }) => namespace),
          some.map(({ name }) => name),
          until.capturedAt,
        ],
      );
      found.push(...severalOf(rows).map(toSeen));
    }
    return found;
  }
}

/** The rows of pods that have several. */
function severalOf(rows: readonly Row[]): readonly Row[] {
  const same = (a: Row | undefined, b: Row): boolean => a?.namespace === b.namespace && a.name === b.name;
  return rows.filter((row, index) => same(rows[index - 1], row) || same(rows[index + 1], row));
}

function toSeen({ tolerations, ...row }: Row): SeenTolerations {
  return {
    ...row,
    tolerations: tolerations === null ? [] : (parseJson(tolerations) as unknown as readonly Toleration[]),
  };
}
