import { defined } from '../../core/collections/defined.js';
import { microsecondsOf } from '../../core/kubernetes/moment.js';
import { explainRecord } from '../../core/audit/explain-record.js';
import { type HistoryMark, nodeHistory, type TaintInterval, presenceAt } from '../../core/audit/node-history.js';
import type { changeAttribution, taintInterval } from '../../contract/taint-trail/node-history.js';
import type { readNodeHistory } from '../../contract/taint-trail/questions.js';
import { MAX_INTERVALS } from '../../contract/taint-trail/trail-request.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import { taintDifferenceResponse } from '../taints/taint-difference-response.js';
import { taintResponse } from '../taints/taint-response.js';
import type { RequestOf } from '../request-of.js';
import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { type StoredRecord, TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { isReadable, recordResponse, type RecordResponse } from './record-response.js';
import { presentActor, presentAuthor, presentWhen } from './present-record.js';
import { SelectTrail } from './select-trail.js';

interface LastWriter {
  readonly manager?: string;
  readonly operation?: string;
  readonly time?: string;
}

const MAX_RECORDS = 10_000;
const AT_ONCE = 1_000;

/** Shows the taints and cordons of a node as intervals: who set each, when and why, and who removed it. */
export class ReadNodeHistory {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly reader: TrailReader,
  ) {}

  /** A node without records has an empty history. @throws {ServiceError} as `SelectTrail` */
  async run(request: RequestOf<typeof readNodeHistory>): Promise<AnswerTo<typeof readNodeHistory>> {
    const { node, at, key, effect, intents = 'include', limit = MAX_INTERVALS } = request;
    const trail = await this.selectTrail.run(request);
    const { rows, complete } = await this.recordsOf(trail, node);
    const views = new Map(rows.map((row) => [row.sequence, recordResponse(row)]));
    const readable = [...views.values()].filter(isReadable);
    const { intervals, unapplied } = nodeHistory(readable, { intents });
    const matching = intervals
      .filter(({ what }) => matches(what, key, effect))
      .map((interval) => ({ interval, present: at === undefined ? null : presenceAt(interval, at) }))
      .filter((one): one is { interval: TaintInterval; present: 'yes' | 'maybe' | null } => one.present !== 'no')
      .reverse();
    const shown = matching.slice(0, limit).map(({ interval, present }) => presentInterval(interval, present, views));
    return {
      trail,
      node,
      at: at ?? null,
      intents,
      taints: shown.filter(({ taint }) => taint !== null),
      cordons: shown.filter(({ taint }) => taint === null),
      unapplied: unapplied
        .filter(({ sequence }) => at === undefined || happenedBy(at, views.get(sequence)!))
        .map(({ sequence, difference, status, decidingSequence }) => ({
          attribution: presentAttribution({ sequence, confirmed: false }, views),
          difference: taintDifferenceResponse(difference),
          status,
          decidingSequence,
        })),
      total: matching.length,
      complete,
    };
  }

  private async recordsOf(
    { clusterId }: Trail,
    node: string,
  ): Promise<{ readonly rows: readonly StoredRecord[]; readonly complete: boolean }> {
    const filter = { node, kinds: ['found', 'change', 'intent'] as const, current: true };
    const rows: StoredRecord[] = [];
    while (rows.length < MAX_RECORDS) {
      const after = rows.at(-1)?.sequence;
      const page = { limit: AT_ONCE, order: 'newest' as const, ...defined({ after }) };
      const more = await this.reader.page(clusterId, filter, page);
      rows.push(...more);
      if (more.length < AT_ONCE) return { rows, complete: true };
    }
    return { rows, complete: false };
  }
}

function matches(what: TaintInterval['what'], key: string | undefined, effect: string | undefined): boolean {
  if (what === 'cordon') return key === undefined && effect === undefined;
  return (key === undefined || what.key === key) && (effect === undefined || what.effect === effect);
}

type Views = ReadonlyMap<number, RecordResponse>;

const happenedBy = (at: string, { when }: RecordResponse): boolean =>
  (microsecondsOf(when.kind === 'point' ? when.at : '') ?? 0) <= (microsecondsOf(at) ?? 0);

function presentInterval(
  { what, from, setBy, to, removedBy }: TaintInterval,
  present: 'yes' | 'maybe' | null,
  views: Views,
): Response<typeof taintInterval> {
  const field = what === 'cordon' ? 'unschedulable' : 'taints';
  return {
    taint: what === 'cordon' ? null : taintResponse(what),
    from: presentWhen(from),
    setBy: setBy === null ? null : presentAttribution(setBy, views, field),
    to: to === null ? null : presentWhen(to),
    removedBy: removedBy === null ? null : presentAttribution(removedBy, views, field),
    confirmed: setBy?.confirmed ?? true,
    present,
  };
}

function presentAttribution(
  { sequence, confirmed, carriedOutBy }: HistoryMark,
  views: Views,
  field: 'taints' | 'unschedulable' = 'taints',
): Response<typeof changeAttribution> {
  const view = views.get(sequence)!;
  const carrier = carriedOutBy === undefined ? undefined : views.get(carriedOutBy);
  const { kind, recordedAt, revision, channel, by, onBehalfOf, actor, basis, certainty } = view;
  const { change, reason, link, when, body } = view;
  return {
    ...{ sequence, kind, recordedAt, revision, channel, onBehalfOf, basis, certainty },
    ...{ change, reason, link, confirmed },
    when: presentWhen(when),
    by: presentAuthor(by),
    actor: presentActor(actor),
    carriedOutBy:
      carrier === undefined
        ? null
        : {
            sequence: carrier.sequence,
            by: presentAuthor(carrier.by),
            actor: presentActor(carrier.actor),
            when: presentWhen(carrier.when),
          },
    lastWriters: lastWritersIn(body['lastWriters'], field),
    ...explainRecord(kind, body),
  };
}

/** A change has the writers of the changed field, an observation those of both fields. */
function lastWritersIn(
  said: unknown,
  field: 'taints' | 'unschedulable',
): Response<typeof changeAttribution>['lastWriters'] {
  if (said === undefined) return null;
  const writers = Array.isArray(said)
    ? (said as readonly LastWriter[])
    : (said as Readonly<Record<typeof field, readonly LastWriter[]>>)[field];
  return writers.map(({ manager = null, operation = null, time = null }) => ({ manager, operation, time }));
}
