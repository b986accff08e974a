import { defined } from '../../core/collections/defined.js';
import { microsecondsOf } from '../../core/kubernetes/moment.js';
import { explainRecord } from '../../core/audit/explain-record.js';
import type { When } from '../../core/audit/attributed-change.js';
import { type HistoryMark, nodeHistory, type Standing, stoodAt } from '../../core/audit/node-history.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { type StoredRecord, TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { isReadable, recordView, type RecordView } from './record-view.js';
import { SelectTrail, type TrailWish } from './select-trail.js';

export interface NodeHistoryRequest extends TrailWish {
  readonly node: string;
  /** What stood at this moment; absent: everything that ever did. */
  readonly at?: string;
  readonly key?: string;
  readonly effect?: string;
  readonly intents: 'include' | 'exclude';
  /** The newest so many intervals. */
  readonly limit: number;
}

/** Who began or ended something: the record, and what it proves. */
export interface DeedView extends Pick<
  RecordView,
  | 'sequence'
  | 'kind'
  | 'recordedAt'
  | 'revision'
  | 'channel'
  | 'by'
  | 'onBehalfOf'
  | 'actor'
  | 'basis'
  | 'certainty'
  | 'change'
  | 'reason'
  | 'link'
  | 'when'
> {
  /** Whether the cluster has shown it; false for a change made here of which nothing was seen yet. */
  readonly confirmed: boolean;
  /** The write that brought a change made here to the cluster, where it is known. */
  readonly carriedOutBy: Pick<RecordView, 'sequence' | 'by' | 'actor' | 'when'> | null;
  /** Who wrote the field last by managedFields; null where there were none. */
  readonly lastWriters: readonly LastWriter[] | null;
  readonly proves: readonly string[];
  readonly doesNotProve: readonly string[];
}

interface LastWriter {
  readonly manager?: string;
  readonly operation?: string;
  readonly time?: string;
}

/** A taint, or the cordon, for as long as it stood. */
export interface StandingView {
  /** null for the cordon. */
  readonly taint: Taint | null;
  readonly from: When;
  /** null where only the end is known. */
  readonly setBy: DeedView | null;
  /** null while it stands. */
  readonly to: When | null;
  readonly removedBy: DeedView | null;
  /** Whether the cluster has shown it. */
  readonly confirmed: boolean;
  /** Whether it stood at the moment that was asked for: `maybe` between two snapshots that differ; null where none was. */
  readonly stood: 'yes' | 'maybe' | null;
}

/** A change made here that never came to the cluster. */
export interface UnappliedView {
  readonly deed: DeedView;
  readonly difference: TaintDifference;
  readonly status: string;
  /** The record that says so. */
  readonly saidIn: number;
}

export interface NodeHistoryView {
  readonly trail: Trail;
  readonly node: string;
  readonly at: string | null;
  /** Whether changes count that nothing has confirmed. */
  readonly intents: 'include' | 'exclude';
  /** Newest beginning first. */
  readonly taints: readonly StandingView[];
  readonly cordons: readonly StandingView[];
  readonly unapplied: readonly UnappliedView[];
  /** How many intervals there are, given or not. */
  readonly total: number;
  /** Whether every record of the node was read; of the newest ten thousand alone, what began before has no beginning. */
  readonly complete: boolean;
}

const MOST_RECORDS = 10_000;
const AT_ONCE = 1_000;

/** The taints and cordons of one node as intervals: who put this here, when and why, and who took it off. */
export class ReadNodeHistory {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
  ) {}

  /** A node of which nothing is recorded has an empty history. @throws {ServiceError} as `SelectTrail` */
  async run(request: NodeHistoryRequest): Promise<NodeHistoryView> {
    const { node, at, key, effect, intents, limit } = request;
    const trail = await this.selectTrail.run(request);
    const { rows, complete } = await this.recordsOf(trail, node);
    const views = new Map(rows.map((row) => [row.sequence, recordView(row)]));
    const readable = [...views.values()].filter(isReadable);
    const { standings, unapplied } = nodeHistory(readable, { intents });
    const wanted = standings
      .filter(({ what }) => wants(what, key, effect))
      .map((standing) => ({ standing, stood: at === undefined ? null : stoodAt(standing, at) }))
      .filter((one): one is { standing: Standing; stood: 'yes' | 'maybe' | null } => one.stood !== 'no')
      .reverse();
    const shown = wanted.slice(0, limit).map(({ standing, stood }) => standingView(standing, stood, views));
    return {
      trail,
      node,
      at: at ?? null,
      intents,
      taints: shown.filter(({ taint }) => taint !== null),
      cordons: shown.filter(({ taint }) => taint === null),
      unapplied: unapplied
        .map(({ sequence, difference, status, saidIn }) => ({
          deed: deedView({ sequence, confirmed: false }, views),
          difference,
          status,
          saidIn,
        }))
        .filter(
          ({ deed }) =>
            at === undefined ||
            (microsecondsOf(deed.when.kind === 'point' ? deed.when.at : '') ?? 0) <= (microsecondsOf(at) ?? 0),
        ),
      total: wanted.length,
      complete,
    };
  }

  private async recordsOf(
    { clusterId }: Trail,
    node: string,
  ): Promise<{ readonly rows: readonly StoredRecord[]; readonly complete: boolean }> {
    const filter = { node, kinds: ['found', 'change', 'intent'] as const, current: true };
    const rows: StoredRecord[] = [];
    while (rows.length < MOST_RECORDS) {
      const after = rows.at(-1)?.sequence;
      const page = { limit: AT_ONCE, order: 'newest' as const, ...defined({ after }) };
      const more = await this.reader.page(clusterId, filter, page);
      rows.push(...more);
      if (more.length < AT_ONCE) return { rows, complete: true };
    }
    return { rows, complete: false };
  }
}

function wants(what: Standing['what'], key: string | undefined, effect: string | undefined): boolean {
  if (what === 'cordon') return key === undefined && effect === undefined;
  return (key === undefined || what.key === key) && (effect === undefined || what.effect === effect);
}

type Views = ReadonlyMap<number, RecordView>;

function standingView(
  { what, from, setBy, to, removedBy }: Standing,
  stood: StandingView['stood'],
  views: Views,
): StandingView {
  const field = what === 'cordon' ? 'unschedulable' : 'taints';
  return {
    taint: what === 'cordon' ? null : what,
    from,
    setBy: setBy === null ? null : deedView(setBy, views, field),
    to,
    removedBy: removedBy === null ? null : deedView(removedBy, views, field),
    confirmed: setBy?.confirmed ?? true,
    stood,
  };
}

function deedView(
  { sequence, confirmed, carriedOutBy }: HistoryMark,
  views: Views,
  field: 'taints' | 'unschedulable' = 'taints',
): DeedView {
  const view = views.get(sequence)!;
  const carrier = carriedOutBy === undefined ? undefined : views.get(carriedOutBy);
  const { kind, recordedAt, revision, channel, by, onBehalfOf, actor, basis, certainty } = view;
  const { change, reason, link, when, body } = view;
  return {
    ...{ sequence, kind, recordedAt, revision, channel, by, onBehalfOf, actor, basis, certainty },
    ...{ change, reason, link, when, confirmed },
    carriedOutBy:
      carrier === undefined
        ? null
        : { sequence: carrier.sequence, by: carrier.by, actor: carrier.actor, when: carrier.when },
    lastWriters: lastWritersIn(body['lastWriters'], field),
    ...explainRecord(kind, body),
  };
}

/** A change names the writers of the field that changed, what was found those of both. */
function lastWritersIn(said: unknown, field: 'taints' | 'unschedulable'): readonly LastWriter[] | null {
  if (said === undefined) return null;
  return Array.isArray(said)
    ? (said as readonly LastWriter[])
    : (said as Readonly<Record<typeof field, readonly LastWriter[]>>)[field];
}
