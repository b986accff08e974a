import { counted } from '../../core/collections/counted.js';
import { bodyOf, type TrailContent } from '../../core/audit/trail-record.js';
import { ruleSubject } from '../../core/audit/rule-subject.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import type { HistoryPage, HistoryRecord } from '../../storage/cluster-history.js';
import type { MaskableNews } from '../live/cluster-events.js';
import { HistoryFold } from '../live/fold-history.js';
import { collectValues, type ValuesByKey } from '../withheld-values.js';
import type { NewNotification } from './notification-event.js';
import { tells, type ToldRule } from './told-rule.js';

/** What a rule may show, rendered as the API does. */
export interface NewsView {
  /** An event; without the values of taints, unless they may be shown. */
  readonly news: (news: MaskableNews, taintValues: boolean) => object;
  /** A text without the values of taints. */
  readonly text: (text: string, values: ValuesByKey) => string;
}

/** The labels of a node; undefined if the head does not have it. */
export type LabelsOf = (node: string) => Labels | undefined;

/** Kinds of records that only notifications are about. */
export const NOTIFIED_RECORDS: readonly string[] = ['approval', 'application'];

/** What a rule tells of a part of the history, which must be complete up to its end. */
export function historyNews(
  rule: ToldRule,
  { revisions, records, turns = [] }: HistoryPage,
  { labelsOf, view }: { readonly labelsOf: LabelsOf; readonly view: NewsView },
): readonly NewNotification[] {
  const fold = new HistoryFold({ revision: 0, sequence: 0 });
  const later = records.filter(({ sequence }) => sequence > rule.start.sequence);
  const events = fold.feed({
    revisions,
    records: tells(rule, 'taintChanged')
      ? later.map(forFollowers).filter((record) => concerns(rule, record, labelsOf))
      : [],
    turns: tells(rule, 'expectationTurned') ? turns.filter(({ turn }) => turn > rule.start.turn) : [],
    moreRevisions: false,
    moreRecords: false,
  });
  const told = events.flatMap(({ news, values }): Placed[] => {
    const shown = view.news({ news, values }, rule.details.taintValues) as typeof news;
    switch (shown.type) {
      case 'taintChangeRecorded': {
        const { nodeCount, deviceTaintRuleCount, lastSequence } = shown.taintChangeRecorded;
        // A request alone, of which no node is left, changes nothing.
        return nodeCount + deviceTaintRuleCount === 0
          ? []
          : [{ at: lastSequence, news: taintChanged(shown.taintChangeRecorded) }];
      }
      case 'expectationTurned':
        return [{ at: Infinity, news: expectationTurned(shown.expectationTurned) }];
      default:
        return [];
    }
  });
  const steps = later.flatMap((record): Placed[] => {
    const news = stepNews(rule, record, view);
    return news === undefined ? [] : [{ at: record.sequence, news }];
  });
  return [...told, ...steps].sort((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ news }) => news);
}

/** News with the record that it comes with; turns come last. */
interface Placed {
  readonly at: number;
  readonly news: NewNotification;
}

/** The record as followers get it. */
export const forFollowers = (record: HistoryRecord): HistoryRecord =>
  NOTIFIED_RECORDS.includes(record.kind) ? { ...record, content: null } : record;

function concerns(rule: ToldRule, { node, content }: HistoryRecord, labelsOf: LabelsOf): boolean {
  const { nodes, keys, effects } = rule;
  if (nodes !== undefined && node !== null) {
    const labels = labelsOf(node);
    if (labels === undefined || !nodes.matches(labels)) return false;
  }
  if ((keys === undefined && effects === undefined) || content === null) return true;
  const index = indexOf(content);
  const has = (wanted: ReadonlySet<string> | undefined, own: readonly string[]): boolean =>
    wanted === undefined || own.some((one) => wanted.has(one));
  return has(keys, index.keys) && has(effects, index.effects);
}

function indexOf(content: string): Pick<TrailContent['index'], 'keys' | 'effects'> {
  try {
    const { index } = parseJson(content) as unknown as Partial<TrailContent>;
    return { keys: index?.keys ?? [], effects: index?.effects ?? [] };
  } catch {
    return { keys: [], effects: [] };
  }
}

/** What a step of an approval or an application tells. */
function stepNews(rule: ToldRule, record: HistoryRecord, view: NewsView): NewNotification | undefined {
  const { kind, content, change } = record;
  const tellsOf = kind === 'approval' ? 'approvalNeeded' : 'applicationFinished';
  if (!NOTIFIED_RECORDS.includes(kind) || content === null || change === null || !tells(rule, tellsOf))
    return undefined;
  let body: Readonly<Record<string, unknown>>;
  try {
    body = bodyOf(parseJson(content) as unknown as TrailContent);
  } catch {
    // It was tampered with.
    return undefined;
  }
  const values = new Map<string, Set<string>>();
  collectValues(body, values);
  const text = (name: string): string | null => {
    const value = body[name];
    if (typeof value !== 'string') return null;
    return rule.details.taintValues ? value : view.text(value, values);
  };
  return kind === 'approval' ? approvalStep(record, change, text) : applicationEnd(record, change, body, text);
}

const DECIDED: ReadonlyMap<string, string> = new Map([
  ['approved', 'was approved'],
  ['rejected', 'was rejected'],
  ['expired', 'has expired without approval'],
]);

function approvalStep(
  { sequence, author, happenedAt }: HistoryRecord,
  change: string,
  text: (name: string) => string | null,
): NewNotification {
  const step = text('step') ?? '';
  const decided = DECIDED.get(step);
  const [reason, approveBy, link, onBehalfOf] = [text('reason'), text('approveBy'), text('link'), text('onBehalfOf')];
  const by = author ?? 'somebody unknown';
  const what = decided === undefined ? `waits for approval${step === 'askedAgain' ? ' again' : ''}` : decided;
  return {
    kind: 'approvalNeeded',
    key: String(sequence),
    severity: 'warning',
    status: decided === undefined ? 'active' : 'over',
    subject: `taint-changes/${change}`,
    happenedAt,
    overAt: decided === undefined ? null : happenedAt,
    summary: `A taint change ${what}, by ${by}: ${reason ?? ''}`,
    lines: [`change ${change}`, ...(approveBy === null ? [] : [`to be approved by ${approveBy}`])],
    labels: { change },
    data: { approval: { change, step, by: author, reason, approveBy, link, onBehalfOf, at: happenedAt } },
  };
}

/** Undefined for its beginning. */
function applicationEnd(
  { sequence, author, happenedAt }: HistoryRecord,
  change: string,
  body: Readonly<Record<string, unknown>>,
  text: (name: string) => string | null,
): NewNotification | undefined {
  const event = text('event');
  if (event === null || event === 'started') return undefined;
  const message = text('message');
  const counts = Object.entries((body['nodes'] ?? {}) as Readonly<Record<string, number>>).filter(
    ([, count]) => count > 0,
  );
  const nodes = counts.map(([state, count]) => `${state}: ${count}`).join(', ');
  const isIncomplete = counts.some(([state]) => INCOMPLETE.has(state));
  return {
    kind: 'applicationFinished',
    key: String(sequence),
    severity: event === 'stopped' || isIncomplete ? 'warning' : 'info',
    status: 'happened',
    subject: `taint-changes/${change}`,
    happenedAt,
    overAt: null,
    summary: `The application of a taint change is ${event}${nodes === '' ? '' : ` (${nodes})`}${message === null ? '' : `: ${message}`}`,
    lines: [`change ${change}`, ...(author === null ? [] : [`by ${author}`])],
    labels: { change },
    data: { application: { change, event, by: author, nodes: body['nodes'] ?? null, message, at: happenedAt } },
  };
}

/** States of nodes that are not as the change would have them. */
const INCOMPLETE: ReadonlySet<string> = new Set(['refused', 'failed', 'unknown']);

type News<Type extends MaskableNews['news']['type']> =
  Extract<MaskableNews['news'], { readonly type: Type }> extends infer One extends object
    ? One[Type & keyof One]
    : never;

const ADDS_NO_EXECUTE = /\badded [^;]*:NoExecute\b/;

function taintChanged(change: News<'taintChangeRecorded'>): NewNotification {
  const { firstSequence, differences, moreDifferences, by, reason, to, action } = change;
  const { word, names, count } = subjectsOf(change);
  const where = count === 1 ? `${word === 'node' ? '' : `${word} `}${names[0]!}` : counted(count, word);
  const [first] = differences;
  const what =
    differences.length === 1 ? (first?.summary ?? '') : `${differences.length + moreDifferences} differences`;
  const verb = action === 'withdrawn' ? 'A record of a change was withdrawn' : 'Taints changed';
  return {
    kind: 'taintChanged',
    key: String(firstSequence),
    severity: differences.some(({ summary }) => ADDS_NO_EXECUTE.test(summary)) ? 'warning' : 'info',
    status: 'happened',
    subject: count !== 1 ? null : word === 'node' ? `nodes/${names[0]!}` : ruleSubject(names[0]!),
    happenedAt: to,
    overAt: null,
    summary: `${verb} on ${where}: ${what}${by === null ? '' : `, by ${by}`}`,
    lines: [
      ...(differences.length > 1
        ? differences.map(({ summary, nodes: having }) => `${summary} (${counted(having, word)})`)
        : []),
      ...(count > 1 ? [`${word}s: ${names.join(', ')}${count > names.length ? ', ...' : ''}`] : []),
      ...(reason === null ? [] : [`reason: ${reason}`]),
    ],
    labels: count !== 1 ? {} : word === 'node' ? { node: names[0]! } : { deviceTaintRule: names[0]! },
    data: { taintChangeRecorded: change },
  };
}

/** What changed: nodes, or DeviceTaintRules; never both. */
function subjectsOf({ nodes, nodeCount, deviceTaintRules, deviceTaintRuleCount }: News<'taintChangeRecorded'>) {
  return nodeCount > 0
    ? { word: 'node', names: nodes, count: nodeCount }
    : { word: 'DeviceTaintRule', names: deviceTaintRules, count: deviceTaintRuleCount };
}

function expectationTurned(turn: News<'expectationTurned'>): NewNotification {
  const { name, verdict, former, reason, revision, capturedAt } = turn;
  return {
    kind: 'expectationTurned',
    key: String(turn.turn),
    severity: verdict === 'broken' ? 'warning' : 'info',
    status: 'happened',
    subject: null,
    happenedAt: capturedAt,
    overAt: null,
    summary: `Expectation ${JSON.stringify(name)} is ${verdict}${former === null ? '' : ` (before: ${former})`}: ${reason}`,
    lines: [`revision ${revision}`],
    labels: { expectation: name },
    data: { expectationTurned: turn },
  };
}
