import { namedNodes, nodeGroupLines, reasonText } from '../../app/placements/reason-lines.js';
import type { placementResponse } from '../../contract/placements/placement.js';
import type { preemption } from '../../contract/scheduling/preemption.js';
import type { Response } from '../../contract/schema.js';
import type { ExitCode } from '../reply.js';
import { CommandFailed } from '../command-failed.js';
import { deviceLines, isOfDevices } from './device-lines.js';
import type { View } from './print.js';
import { coloured, type Style } from './style.js';
import { table } from './table.js';

type Placement = Response<typeof placementResponse>;
/** With preemption, if no node can take the pod: it is part of the scheduler's message. */
type ExplainedPlacement = Placement & { readonly preemption: Response<typeof preemption> | null };
type Group = Placement['groups'][number];
type Fixes = NonNullable<Group['fixes']> | NonNullable<Placement['items'][number]['fixes']>;

const COLOURS = { feasible: 'green', infeasible: 'red', unknown: 'yellow' } as const;

/** Whether a node can take the pod: the only one that was asked about, or any. @throws {CommandFailed} there is no such node */
export function codeOf({ summary, items, missingNodes }: Placement, node?: string): ExitCode {
  if (node === undefined) return summary.feasible > 0 ? 0 : summary.unknown > 0 ? 2 : 1;
  if (missingNodes.length > 0) throw new CommandFailed(`there is no node ${node}`);
  return { feasible: 0, infeasible: 1, unknown: 2 }[items[0]!.verdict] as ExitCode;
}

/** Why nodes cannot take a pod, and what would have to change. */
export function whyView(answer: ExplainedPlacement, name: string, node?: string): View {
  const { preemption } = answer;
  const message = preemption?.message ?? null;
  const shown = message === null ? answer : { ...answer, message, messageNote: null };
  return {
    answer,
    names: () => namesOf(answer),
    lines: (style) => [
      ...(node === undefined ? headLines(shown, name, style) : []),
      ...(preemption === null ? [] : preemptionLines(preemption, style)),
      ...answer.groups.flatMap((group) => ['', ...groupLines(group, style)]),
      ...answer.items.flatMap((item) => {
        const { reasons } = item;
        return groupLines({ ...item, count: 1, nodes: [item.node], reasons, columns: [] }, style);
      }),
      ...(answer.remainingItemCount > 0 ? ['', `... and ${answer.remainingItemCount} more groups of nodes`] : []),
      // Of one node, the message is not shown.
      ...noteLines(node === undefined ? shown : { ...shown, messageNote: null }),
    ],
  };
}

/** Which pods the scheduler would evict for it. */
function preemptionLines({ nominatedNodeName, victims }: Response<typeof preemption>, style: Style): readonly string[] {
  if (nominatedNodeName === null) return [];
  const names = victims.map(({ namespace, name }) => `pod/${name} in namespace ${namespace}`);
  const text = `The scheduler evicts for it, on node ${nominatedNodeName}: ${names.join(', ')}`;
  return ['', coloured(text, 'yellow', style)];
}

function headLines({ summary, message, pod }: Placement, name: string, style: Style): readonly string[] {
  const { nodes, feasible, infeasible, unknown } = summary;
  const verdict = feasible > 0 ? 'feasible' : unknown > 0 ? 'unknown' : 'infeasible';
  const counts = [
    `${feasible} of ${nodes} node${nodes === 1 ? '' : 's'} can take it`,
    ...(infeasible > 0 ? [`${infeasible} cannot`] : []),
    ...(unknown > 0 ? [`of ${unknown} it is not known`] : []),
  ];
  return [
    coloured(`${name} in namespace ${pod.namespace}: ${counts.join(', ')}`, COLOURS[verdict], style),
    ...(message === null ? [] : ['', message]),
  ];
}

type Shown = Pick<Group, 'verdict' | 'count' | 'nodes' | 'reasons' | 'columns'> & {
  readonly fixes: Fixes | null;
};

function groupLines(group: Shown, style: Style): readonly string[] {
  const { verdict, count, nodes, reasons, columns, fixes } = group;
  const all = style.isWide && count > 1 ? [`  nodes: ${nodes.join(', ')}`] : [];
  if (verdict === 'feasible') return [`${coloured(namedNodes({ count, nodes }), 'green', style)}: can take it`, ...all];
  const given = reasons ?? [];
  const [head = '', ...lines] = nodeGroupLines({ count, nodes, reasons: given });
  return [
    coloured(head, COLOURS[verdict], style),
    ...lines,
    ...all,
    ...deviceLines(given, columns),
    ...columns.flatMap((column) => (isOfDevices(given, column) ? [] : columnLines(column))),
    ...(fixes === null ? [] : fixLines(fixes, style)),
  ];
}

/** A fact in which the nodes of a group differ: its least and greatest amount, or its values. */
function columnLines({ name, unit, values }: Shown['columns'][number]): readonly string[] {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return [];
  if (unit === null) {
    const texts = [...new Set(known.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))))];
    return [`  ${name}: ${texts.slice(0, 3).join(', ')}${texts.length > 3 ? ', ...' : ''}`];
  }
  const amounts = known.map(Number);
  const suffix = unit === 'millicores' ? 'm' : unit === 'bytes' ? ' bytes' : '';
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
  return [`  ${name}: ${least}${suffix}${least === most ? '' : ` to ${most}${suffix}`}`];
}

function fixLines({ pod, node, claim, owned }: Fixes, style: Style): readonly string[] {
  return [
    ...(pod === null ? [] : planLines('change the pod', pod, style)),
    ...(node === null ? [] : planLines('change the node', node, style)),
    ...(claim === null ? [] : planLines('change the claim', claim, style)),
    ...owned.map(
      ({ kind, key, setBy, when, changedBy }) =>
        `  not by hand: ${setBy} sets the ${kind.toLowerCase()} ${key} when ${when}; changed by ${changedBy}`,
    ),
  ];
}

function planLines(what: string, plan: NonNullable<Fixes['pod']>, style: Style): readonly string[] {
  const still = plan.verdict === 'feasible' ? '' : ` (then ${plan.verdict})`;
  const opens = 'nodes' in plan && plan.nodes !== null && plan.nodes > 1 ? ` (${plan.nodes} nodes)` : '';
  const summary = plan.changes.map((change) => change.summary).join(', and ');
  return [
    `  ${coloured(what, 'bold', style)}: ${summary}${opens}${still}`,
    ...plan.changes.flatMap(({ command, condition }) => [
      ...(command === null ? [] : [`    ${command}`]),
      ...(condition === null ? [] : [`    ${condition}`]),
    ]),
    ...(style.isWide ? plan.changes.flatMap(({ yaml }) => (yaml === null ? [] : indented(yaml))) : []),
    ...(plan.refusal === null ? [] : [`    the API server would refuse it: ${plan.refusal}`]),
  ];
}

const indented = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `      ${line}`);

function noteLines({ messageNote, assumptions, ruleDifferences, scheduler }: Placement): readonly string[] {
  const notes = [
    ...(messageNote === null ? [] : [messageNote]),
    ...assumptions,
    ...ruleDifferences.map(({ message }) => message),
    ...(scheduler === null ? [] : [`scheduler: ${scheduler.schedulerName}`]),
  ];
  return notes.length === 0 ? [] : ['', ...notes.map((note) => `Note: ${note}`)];
}

/** The nodes that can take a pod, best first. */
export function whereView(answer: Placement, name: string): View {
  return {
    answer,
    names: () => (answer.ranking?.nodes ?? []).map(({ node }) => `node/${node}`),
    lines: (style) => {
      const { ranking } = answer;
      const refused = answer.groups.filter(({ verdict }) => verdict !== 'feasible');
      return [
        ...headLines(answer, name, style),
        ...(ranking === null || ranking.nodes.length === 0 ? [] : ['', ...rankingLines(ranking, style)]),
        ...(ranking?.failure ? ['', `${ranking.failure.plugin}: ${ranking.failure.message}`] : []),
        ...(ranking !== null && ranking.tied > 1
          ? ['', `The first ${ranking.tied} have the same score: the scheduler takes one of them at random.`]
          : []),
        ...(refused.length === 0
          ? []
          : ['', 'Not on:', ...refused.flatMap((group) => nodeGroupLines(refusing(group)).map((line) => `  ${line}`))]),
        ...(answer.newNodes === null ? [] : ['', ...newNodeLines(answer.newNodes, style)]),
        ...noteLines(answer),
      ];
    },
  };
}

/** Whether new nodes would take the pod, and what it waits for then. */
function newNodeLines({ groups, notLoaded }: NonNullable<Placement['newNodes']>, style: Style): readonly string[] {
  if (groups.length === 0) {
    return [`No group makes new nodes${notLoaded.length === 0 ? '' : ` (not read: ${notLoaded.join(', ')})`}.`];
  }
  const says = { feasible: 'would take it', infeasible: 'would not', unknown: 'is not known to' } as const;
  return [
    'New nodes:',
    ...groups.flatMap(({ kind, name, verdict, groupReasons, reasons, startupTaints }) => [
      `  ${coloured(`${kind} ${name}: ${says[verdict]}`, COLOURS[verdict], style)}`,
      ...groupReasons.map(({ message }) => `    ${message}`),
      ...reasons.map((reason) => `    ${reasonText(reason)}`),
      ...(verdict === 'infeasible' ? [] : startupTaints.filter(({ tolerated }) => !tolerated)).map(
        ({ taint, removedBy }) => `    waits for ${taint.text}, removed by ${removedBy ?? 'whoever knows it'}`,
      ),
    ]),
  ];
}

function rankingLines({ nodes }: NonNullable<Placement['ranking']>, style: Style): readonly string[] {
  return table(
    [
      { title: 'NODE', value: ({ node }) => node },
      { title: 'RANK', value: ({ rank }) => rank },
      { title: 'SCORE', value: ({ total }) => total },
      {
        title: 'SCORES',
        isWide: true,
        value: ({ scores }) => scores.map(({ plugin, weighted }) => `${plugin}=${weighted ?? '-'}`).join(','),
      },
    ],
    nodes,
    style,
  );
}

const refusing = ({ count, nodes, reasons }: Group) => ({ count, nodes, reasons: reasons ?? [] });

const namesOf = ({ groups, items }: Placement): readonly string[] => [
  ...groups.flatMap(({ verdict, nodes }) => (verdict === 'feasible' ? nodes.map((node) => `node/${node}`) : [])),
  ...items.flatMap(({ verdict, node }) => (verdict === 'feasible' ? [`node/${node}`] : [])),
];
