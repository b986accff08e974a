import type { Schemas } from '../../api/service.js';
import { taintText } from '../../ui/taint.js';
import type { Verdict } from './verdicts.js';

type Answer = Schemas['NodeMatrix'];
export type Outcome = Answer['outcomes'][number];

/** Nodes with the same taints. */
export interface NodeGroup {
  readonly index: number;
  readonly taints: readonly number[];
  readonly unschedulable: boolean;
  readonly names: readonly string[];
  readonly label: string;
}

/** Pods with the same tolerations. */
export interface PodGroup {
  readonly index: number;
  readonly tolerations: Answer['podGroups'][number]['tolerations'];
  readonly tolerating: readonly number[];
  /** Workloads as `namespace/kind/name`. */
  readonly members: readonly string[];
  readonly memberPods: readonly number[];
  readonly pods: number;
  /** The tolerations as text. */
  readonly text: string;
  readonly cells: readonly number[];
  /** What a filter compares: lower case. */
  readonly sought: readonly string[];
}

export interface Matrix {
  readonly taints: Answer['taints'];
  readonly outcomes: readonly Outcome[];
  readonly nodeGroups: readonly NodeGroup[];
  readonly podGroups: readonly PodGroup[];
}

/** Nodes of a group that a filter leaves. */
export interface Row {
  readonly group: NodeGroup;
  readonly names: readonly string[];
}

/** Pods of a group that a filter leaves. */
export interface Column {
  readonly group: PodGroup;
  readonly pods: number;
  /** Indexes of the workloads. */
  readonly members: readonly number[];
  /** The first of them, and how many more. */
  readonly label: string;
}

export interface Filtered {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

/** Each name is what it shares with the one before it, and its rest. */
function namesOf({ shared, rest }: { readonly shared: readonly number[]; readonly rest: readonly string[] }): string[] {
  const names: string[] = [];
  let before = '';
  for (const [at, end] of rest.entries()) names.push((before = before.slice(0, shared[at]) + end));
  return names;
}

const count = (many: number): string => many.toLocaleString('en');

export const workloadText = (member: string): string => {
  const [namespace = '', kind = '', ...name] = member.split('/');
  return `${kind} ${namespace}/${name.join('/')}`;
};

export function matrixOf({ taints, outcomes, nodeGroups, podGroups }: Answer): Matrix {
  return {
    taints,
    outcomes,
    nodeGroups: nodeGroups.map(({ names, ...group }, index) => ({
      ...group,
      index,
      names: namesOf(names),
      label: group.taints.map((at) => taintText(taints[at]!)).join(', ') || 'no taint',
    })),
    podGroups: podGroups.map(({ members, tolerations, tolerating, pods, cells }, index) => {
      const names = members === null ? [] : namesOf(members.names);
      const text = tolerations.map((toleration) => toleration.text).join(', ') || 'no toleration';
      return {
        index,
        tolerations,
        tolerating: tolerating ?? [],
        members: names,
        memberPods: members?.pods ?? [],
        pods,
        text,
        cells,
        sought: names.map((name) => workloadText(name).toLowerCase()),
      };
    }),
  };
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Every word has to be in the name or in the taints or tolerations. */
export function filterMatrix(
  { nodeGroups, podGroups, outcomes }: Matrix,
  { nodes, pods, verdict }: { readonly nodes: string; readonly pods: string; readonly verdict: Verdict | undefined },
): Filtered {
  const ofNodes = wordsOf(nodes);
  const ofPods = wordsOf(pods);
  let rows = nodeGroups.flatMap((group): Row[] => {
    const label = group.label.toLowerCase();
    const rest = ofNodes.filter((word) => !label.includes(word));
    const names =
      rest.length === 0 ? group.names : group.names.filter((name) => rest.every((word) => name.includes(word)));
    return names.length === 0 ? [] : [{ group, names }];
  });
  let columns = podGroups.flatMap((group): Column[] => {
    const text = group.text.toLowerCase();
    const rest = ofPods.filter((word) => !text.includes(word));
    const members: number[] = [];
    let found = 0;
    for (const [at, sought] of group.sought.entries()) {
      if (!rest.every((word) => sought.includes(word))) continue;
      members.push(at);
      found += group.memberPods[at]!;
    }
    if (members.length === 0) return [];
    const more = members.length > 1 ? ` +${count(members.length - 1)}` : '';
    return [{ group, pods: found, members, label: `${workloadText(group.members[members[0]!]!)}${more}` }];
  });
  if (verdict !== undefined) {
    const wanted = outcomes.map((outcome) => outcome.verdict === verdict);
    const fits = ({ group: { index } }: Row, { group: { cells } }: Column): boolean => wanted[cells[index]!]!;
    const all = columns;
    columns = columns.filter((column) => rows.some((row) => fits(row, column)));
    rows = rows.filter((row) => all.some((column) => fits(row, column)));
  }
  return { rows, columns };
}

export const outcomeOf = ({ outcomes }: Matrix, row: NodeGroup, column: PodGroup): Outcome =>
  outcomes[column.cells[row.index]!]!;

/** Number of pairs of a node group and a pod group by verdict. */
export function countVerdicts({ outcomes }: Matrix, { rows, columns }: Filtered): Readonly<Record<Verdict, number>> {
  const counts = { allowed: 0, discouraged: 0, refused: 0, evicted: 0 };
  for (const { group } of columns) for (const row of rows) counts[outcomes[group.cells[row.group.index]!]!.verdict]++;
  return counts;
}
