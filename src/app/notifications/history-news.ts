import type { TrailContent } from '../../core/audit/trail-record.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import type { HistoryPage, HistoryRecord } from '../../storage/cluster-history.js';
import type { MaskableNews } from '../live/cluster-events.js';
import { HistoryFold } from '../live/fold-history.js';
import type { NewNotification } from './notification-event.js';
import { tells, type ToldRule } from './told-rule.js';

/** Renders an event as the API does; without the values of taints, unless they may be shown. */
export type NewsView = (news: MaskableNews, taintValues: boolean) => object;

/** The labels of a node; undefined if the head does not have it. */
export type LabelsOf = (node: string) => Labels | undefined;

/** What a rule tells of a part of the history, which must be complete up to its end. */
export function historyNews(
  rule: ToldRule,
  { revisions, records, turns = [] }: HistoryPage,
  { labelsOf, view }: { readonly labelsOf: LabelsOf; readonly view: NewsView },
): readonly NewNotification[] {
  const fold = new HistoryFold({ revision: 0, sequence: 0 });
  const events = fold.feed({
    revisions,
    records: tells(rule, 'taintChanged')
      ? records.filter((record) => record.sequence > rule.start.sequence && concerns(rule, record, labelsOf))
      : [],
    turns: tells(rule, 'expectationTurned') ? turns.filter(({ turn }) => turn > rule.start.turn) : [],
    moreRevisions: false,
    moreRecords: false,
  });
  return events.flatMap(({ news, values }) => {
    const shown = view({ news, values }, rule.details.taintValues) as typeof news;
    switch (shown.type) {
      case 'taintChangeRecorded':
        // A request alone, of which no node is left, changes nothing.
        return shown.taintChangeRecorded.nodeCount === 0 ? [] : [taintChanged(shown.taintChangeRecorded)];
      case 'expectationTurned':
        return [expectationTurned(shown.expectationTurned)];
      default:
        return [];
    }
  });
}

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
    return (parseJson(content) as unknown as TrailContent).index;
  } catch {
    return { keys: [], effects: [] };
  }
}

type News<Type extends MaskableNews['news']['type']> =
  Extract<MaskableNews['news'], { readonly type: Type }> extends infer One extends object
    ? One[Type & keyof One]
    : never;

const ADDS_NO_EXECUTE = /\badded [^;]*:NoExecute\b/;

function taintChanged(change: News<'taintChangeRecorded'>): NewNotification {
  const { firstSequence, nodes, nodeCount, differences, moreDifferences, by, reason, to, action } = change;
  const where = nodeCount === 1 ? nodes[0]! : `${nodeCount} nodes`;
  const [first] = differences;
  const what =
    differences.length === 1 ? (first?.summary ?? '') : `${differences.length + moreDifferences} differences`;
  const verb = action === 'withdrawn' ? 'A record of a change was withdrawn' : 'Taints changed';
  return {
    kind: 'taintChanged',
    key: String(firstSequence),
    severity: differences.some(({ summary }) => ADDS_NO_EXECUTE.test(summary)) ? 'warning' : 'info',
    status: 'happened',
    subject: nodeCount === 1 ? `nodes/${nodes[0]!}` : null,
    happenedAt: to,
    overAt: null,
    summary: `${verb} on ${where}: ${what}${by === null ? '' : `, by ${by}`}`,
    lines: [
      ...(differences.length > 1
        ? differences.map(({ summary, nodes: count }) => `${summary} (${countOf(count)})`)
        : []),
      ...(nodeCount > 1 ? [`nodes: ${nodes.join(', ')}${nodeCount > nodes.length ? ', ...' : ''}`] : []),
      ...(reason === null ? [] : [`reason: ${reason}`]),
    ],
    labels: nodeCount === 1 ? { node: nodes[0]! } : {},
    data: { taintChangeRecorded: change },
  };
}

const countOf = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

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
