import { caseResponse, valuesInCase } from '../agreement/case-response.js';
import type { StoredCase } from '../../storage/agreement-store.js';
import type { StoredTurn } from '../../storage/expectation-store.js';
import { valuesInTurn } from '../expectations/values-in-turn.js';
import { subjectOf } from '../../core/audit/rule-subject.js';
import { summarizeRecord } from '../../core/audit/summarize-record.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import { bodyOf, taintsTouched, type TrailContent, type TrailRecordKind } from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { HistoryPage, HistoryPlace, HistoryRecord, HistoryRevision } from '../../storage/cluster-history.js';
import { addValue } from '../withheld-values.js';
import { MAX_LISTED, type TaintChangeRecorded, type MaskableNews } from './cluster-events.js';

/** An event, and the part of the history that it covers: a revision, or the records up to a number. */
export interface HistoryEvent extends MaskableNews {
  readonly place: Partial<HistoryPlace>;
  /** The place up to which all events have been yielded, including this one. */
  readonly reached: HistoryPlace;
}

/** Records of one transaction that form one event. */
interface OpenGroup {
  /** The value of `keyOf` that further records of the group must have. */
  readonly key: string;
  change: TaintChangeRecorded;
  readonly summaries: Map<string, number>;
  readonly values: Map<string, Set<string>>;
}

/**
 * Converts a history that is read page by page to events. The events depend only on the history and not on the size of
 * its pages: a change of five thousand nodes is one event, however many pages its records take.
 *
 * A record follows its revision; a record without a revision is converted as soon as it is read.
 */
export class HistoryFold {
  private readonly read: { revision: number; sequence: number };
  private turn: number;
  private disagreement: number;
  private group: OpenGroup | undefined;

  constructor(after: HistoryPlace) {
    this.read = { revision: after.revision, sequence: after.sequence };
    this.turn = after.turn ?? 0;
    this.disagreement = after.disagreement ?? 0;
  }

  /** The place to continue reading from. */
  get place(): HistoryPlace {
    return { ...this.read, ...this.turns };
  }

  /**
   * The place up to which all events have been yielded; behind `place` while the records of a change are incomplete.
   */
  get yielded(): HistoryPlace {
    const { revision, sequence } = this.read;
    const yielded = this.group === undefined ? sequence : this.group.change.firstSequence - 1;
    return { revision, sequence: yielded, ...this.turns };
  }

  /** Yields the events of the next page, which must follow the previous one. */
  feed({
    revisions,
    records,
    turns = [],
    disagreements = [],
    moreRevisions,
    moreRecords,
  }: HistoryPage): readonly HistoryEvent[] {
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
      // Unread records may belong before the next revision, and unread revisions before the next record.
      if (revision === undefined || (record === undefined && moreRecords)) break;
      this.close(events);
      this.read.revision = revision.revision;
      events.push({ ...headChanged(revision), place: { revision: revision.revision }, reached: this.place });
      r++;
    }
    if (!moreRecords && t === records.length) this.close(events);
    // Turns and disagreements follow their revision, and come after what is stored already.
    if (!moreRevisions && !moreRecords) {
      for (const turn of turns) this.addTurn(turn, events);
      for (const one of disagreements) this.addDisagreement(one, events);
    }
    return events;
  }

  private get turns(): Pick<HistoryPlace, 'turn' | 'disagreement'> {
    return {
      ...(this.turn > 0 && { turn: this.turn }),
      ...(this.disagreement > 0 && { disagreement: this.disagreement }),
    };
  }

  private addDisagreement(stored: StoredCase, events: HistoryEvent[]): void {
    this.disagreement = stored.number;
    const news = {
      type: 'disagreement',
      disagreement: { ...caseResponse(stored), capturedAt: stored.capturedAt.toISOString() },
    } as const;
    const values = new Map<string, Set<string>>();
    for (const { key, value } of valuesInCase(stored)) addValue(values, key, value);
    events.push({ news, values, place: { disagreement: stored.number }, reached: this.yielded });
  }

  private addTurn(stored: StoredTurn, events: HistoryEvent[]): void {
    const { turn } = stored;
    this.turn = turn;
    const expectationTurned = { ...stored, capturedAt: stored.capturedAt.toISOString() };
    const news = { type: 'expectationTurned', expectationTurned } as const;
    const values = new Map<string, Set<string>>();
    for (const { key, value } of valuesInTurn(stored)) addValue(values, key, value);
    events.push({ news, values, place: { turn }, reached: this.yielded });
  }

  /** Whether a record belongs to a revision that has not been yielded. */
  private isLater(came: number, next: HistoryRevision | undefined, more: boolean): boolean {
    if (came <= this.read.revision) return false;
    return next === undefined ? more : came >= next.revision;
  }

  private addRecord(record: HistoryRecord, events: HistoryEvent[]): void {
    const { sequence, kind, content } = record;
    this.read.sequence = sequence;
    const body = content === null ? undefined : readBody(content);
    if (
      body === undefined ||
      (kind === 'request' && record.revision === null) ||
      kind === 'application' ||
      kind === 'applied'
    ) {
      this.close(events);
      return;
    }
    const summary = kind === 'request' ? undefined : summarizeRecord(kind as TrailRecordKind, body.said);
    const key = keyOf(record, summary);
    if (this.group?.key !== key || key === '') {
      this.close(events);
      this.group = { key, change: firstOf(record, body), summaries: new Map(), values: new Map() };
    }
    extend(this.group, record, body, summary);
    if (key === '') this.close(events);
  }

  private close(events: HistoryEvent[]): void {
    const { group } = this;
    if (group === undefined) return;
    this.group = undefined;
    const { change, summaries, values } = group;
    const differences = [...summaries].slice(0, MAX_LISTED).map(([summary, nodes]) => ({ summary, nodes }));
    const moreDifferences = summaries.size - differences.length;
    const news = {
      type: 'taintChangeRecorded',
      taintChangeRecorded: { ...change, differences, moreDifferences },
    } as const;
    const sequence = change.lastSequence;
    events.push({
      news,
      values,
      place: { sequence },
      reached: { revision: this.read.revision, sequence, ...this.turns },
    });
  }
}

const NO_VALUES = new Map<string, Set<string>>();

function headChanged({ counts, ...revision }: HistoryRevision): MaskableNews {
  const byKind = Object.entries(counts).map(([kind, ofKind]) => ({ kind, ...ofKind }));
  return { news: { type: 'headChanged', headChanged: { ...revision, counts: byKind } }, values: NO_VALUES };
}

interface RecordBody {
  readonly content: TrailContent;
  readonly said: Readonly<Record<string, unknown>>;
}

/** Undefined for a record that was tampered with and is invalid. */
function readBody(text: string): RecordBody | undefined {
  try {
    const content = parseJson(text) as unknown as TrailContent;
    return { content, said: bodyOf(content) };
  } catch {
    return undefined;
  }
}

/**
 * Groups records into events: all nodes of a change made through this service, and equal differences of several nodes
 * in one snapshot. Records without a revision stay separate: nothing shows which of them belong together.
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
    deviceTaintRules: [],
    deviceTaintRuleCount: 0,
    differences: [],
    moreDifferences: 0,
    supersedes: [],
  };
}

function actionOf(kind: string, channel: string | null, said: unknown): TaintChangeRecorded['action'] {
  if (kind === 'withdrawn') return 'withdrawn';
  if (channel !== 'api') return 'observed';
  return said === 'revert' || said === 'expiry' ? said : 'change';
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Maximum number of distinct differences; the nodes of one change rarely have more than two. */
const MAX_DIFFERENCES = 1000;

function extend(group: OpenGroup, record: HistoryRecord, { content, said }: RecordBody, summary?: string): void {
  const { change, summaries, values } = group;
  const { sequence } = record;
  const { node, deviceTaintRule } = subjectOf(record.node);
  const { supersedes = [] } = content;
  group.change = {
    ...change,
    lastSequence: sequence,
    ...(node !== null && { nodeCount: change.nodeCount + 1, nodes: [...change.nodes, node].slice(0, MAX_LISTED) }),
    ...(deviceTaintRule !== null && {
      deviceTaintRuleCount: change.deviceTaintRuleCount + 1,
      deviceTaintRules: [...change.deviceTaintRules, deviceTaintRule].slice(0, MAX_LISTED),
    }),
    supersedes: [...change.supersedes, ...supersedes].slice(0, MAX_LISTED),
  };
  if (summary !== undefined && (summaries.has(summary) || summaries.size < MAX_DIFFERENCES)) {
    summaries.set(summary, (summaries.get(summary) ?? 0) + 1);
  }
  const difference = (said['difference'] ?? null) as TaintDifference | null;
  if (difference === null) return;
  for (const { key, value = '' } of [...taintsTouched(difference), ...difference.changed.map(({ before }) => before)]) {
    addValue(values, key, value);
  }
}
