import { summarizeRecord } from '../../core/audit/summarize-record.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import { bodyOf, taintsTouched, type TrailContent, type TrailRecordKind } from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { HistoryPage, HistoryPlace, HistoryRecord, HistoryRevision } from '../../storage/cluster-history.js';
import { addValue } from '../withheld-values.js';
import { MOST_LISTED, type TaintChangeRecorded, type ToldNews } from './cluster-events.js';

/** One thing that happened, and what of the history it covers: a revision, or the records up to a number. */
export interface HistoryEvent extends ToldNews {
  readonly place: Partial<HistoryPlace>;
  /** Up to where everything has been told with it. */
  readonly reached: HistoryPlace;
}

/** Records of one transaction that are told as one change. */
interface OpenGroup {
  /** What the next record must say of itself to belong to it. */
  readonly key: string;
  told: TaintChangeRecorded;
  readonly summaries: Map<string, number>;
  readonly values: Map<string, Set<string>>;
}

/**
 * Makes events of a history that is read page by page. What is told, and as how many events, depends on the history alone
 * and not on where its pages end: a change of five thousand nodes is one event, however many pages its records take.
 *
 * A record is told after the revision that it came with; one that came with none is told as soon as it is read.
 */
export class HistoryFold {
  private readonly read: { revision: number; sequence: number };
  private group: OpenGroup | undefined;

  constructor(after: HistoryPlace) {
    this.read = { revision: after.revision, sequence: after.sequence };
  }

  /** Where to read on. */
  get place(): HistoryPlace {
    return { ...this.read };
  }

  /** Up to where everything has been told; behind `place` while a change is told whose records go on. */
  get told(): HistoryPlace {
    const { revision, sequence } = this.read;
    return { revision, sequence: this.group === undefined ? sequence : this.group.told.firstSequence - 1 };
  }

  /** The events of the next page; it must begin where the one before was left. */
  feed({ revisions, records, moreRevisions, moreRecords }: HistoryPage): readonly HistoryEvent[] {
    const events: HistoryEvent[] = [];
    let [r, t] = [0, 0];
    for (;;) {
      const [revision, record] = [revisions[r], records[t]];
      if (
        record !== undefined &&
        (record.revision === null || !this.isLater(record.revision, revision, moreRevisions))
      ) {
        this.addRecord(record, events);
        t++;
        continue;
      }
      // What is not read of the records yet may belong before the next revision, and the other way round.
      if (revision === undefined || (record === undefined && moreRecords)) break;
      this.close(events);
      this.read.revision = revision.revision;
      events.push({ ...headChanged(revision), place: { revision: revision.revision }, reached: this.place });
      r++;
    }
    if (!moreRecords && t === records.length) this.close(events);
    return events;
  }

  /** Whether a record came with a revision that has not been told. */
  private isLater(came: number, next: HistoryRevision | undefined, more: boolean): boolean {
    if (came <= this.read.revision) return false;
    return next === undefined ? more : came >= next.revision;
  }

  private addRecord(record: HistoryRecord, events: HistoryEvent[]): void {
    const { sequence, kind, content } = record;
    this.read.sequence = sequence;
    const body = content === null ? undefined : readBody(content);
    if (body === undefined || (kind === 'request' && record.revision === null)) {
      this.close(events);
      return;
    }
    const summary = kind === 'request' ? undefined : summarizeRecord(kind as TrailRecordKind, body.said);
    const key = keyOf(record, summary);
    if (this.group?.key !== key || key === '') {
      this.close(events);
      this.group = { key, told: firstOf(record, body), summaries: new Map(), values: new Map() };
    }
    extend(this.group, record, body, summary);
    if (key === '') this.close(events);
  }

  private close(events: HistoryEvent[]): void {
    const { group } = this;
    if (group === undefined) return;
    this.group = undefined;
    const { told, summaries, values } = group;
    const differences = [...summaries].slice(0, MOST_LISTED).map(([summary, nodes]) => ({ summary, nodes }));
    const moreDifferences = summaries.size - differences.length;
    const news = {
      type: 'taintChangeRecorded',
      taintChangeRecorded: { ...told, differences, moreDifferences },
    } as const;
    const sequence = told.lastSequence;
    events.push({ news, values, place: { sequence }, reached: { revision: this.read.revision, sequence } });
  }
}

const NO_VALUES = new Map<string, Set<string>>();

function headChanged({ counts, ...revision }: HistoryRevision): ToldNews {
  const byKind = Object.entries(counts).map(([kind, ofKind]) => ({ kind, ...ofKind }));
  return { news: { type: 'headChanged', headChanged: { ...revision, counts: byKind } }, values: NO_VALUES };
}

interface RecordBody {
  readonly content: TrailContent;
  readonly said: Readonly<Record<string, unknown>>;
}

/** Undefined for a record that was tampered with so that it makes no sense. */
function readBody(text: string): RecordBody | undefined {
  try {
    const content = parseJson(text) as unknown as TrailContent;
    return { content, said: bodyOf(content) };
  } catch {
    return undefined;
  }
}

/**
 * What is told as one: a change that was made here, with all its nodes; and what one snapshot shows of several nodes, where
 * it is the same of each. Whatever came with no revision stands alone: nothing says which records came together.
 */
function keyOf({ kind, channel, change, revision, author }: HistoryRecord, summary = ''): string {
  if (channel === 'api' && change !== null) return `change ${change}`;
  return kind === 'change' && revision !== null ? JSON.stringify([revision, channel, author, summary]) : '';
}

function firstOf(record: HistoryRecord, { said }: RecordBody): TaintChangeRecorded {
  const { sequence, kind, channel, revision, change, happenedFrom, happenedAt, author } = record;
  return {
    action: actionOf(kind, channel, said['action']),
    firstSequence: sequence,
    lastSequence: sequence,
    channel,
    revision,
    change,
    from: happenedFrom,
    to: happenedAt,
    by: author,
    onBehalfOf: textOf(said['onBehalfOf']),
    reason: textOf(said['reason']),
    link: textOf(said['link']),
    nodes: [],
    nodeCount: 0,
    differences: [],
    moreDifferences: 0,
    supersedes: [],
  };
}

function actionOf(kind: string, channel: string | null, said: unknown): TaintChangeRecorded['action'] {
  if (kind === 'withdrawn') return 'withdrawn';
  if (channel !== 'api') return 'learnt';
  return said === 'revert' || said === 'expiry' ? said : 'change';
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Differences that are told apart; of the nodes of one change hardly ever more than two. */
const MOST_DIFFERENCES = 1000;

function extend(group: OpenGroup, record: HistoryRecord, { content, said }: RecordBody, summary?: string): void {
  const { told, summaries, values } = group;
  const { node, sequence } = record;
  const { supersedes = [] } = content;
  group.told = {
    ...told,
    lastSequence: sequence,
    ...(node !== null && {
      nodeCount: told.nodeCount + 1,
      nodes: told.nodes.length < MOST_LISTED ? [...told.nodes, node] : told.nodes,
    }),
    supersedes: [...told.supersedes, ...supersedes].slice(0, MOST_LISTED),
  };
  if (summary !== undefined && (summaries.has(summary) || summaries.size < MOST_DIFFERENCES)) {
    summaries.set(summary, (summaries.get(summary) ?? 0) + 1);
  }
  const difference = (said['difference'] ?? null) as TaintDifference | null;
  if (difference === null) return;
  for (const { key, value = '' } of [...taintsTouched(difference), ...difference.changed.map(({ before }) => before)]) {
    addValue(values, key, value);
  }
}
