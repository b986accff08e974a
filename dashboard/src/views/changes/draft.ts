import type { Schemas } from '../../api/service.js';

export const TARGETS = ['list', 'selector', 'set', 'all'] as const;
export type Targets = (typeof TARGETS)[number];

/** A change as it is typed; the address holds it once it is previewed. */
export interface Draft {
  readonly by: Targets;
  /** Names, separated by white space or commas. */
  readonly nodes: string;
  readonly selector: string;
  /** The taints that the chosen nodes have, as `setText` writes them. */
  readonly set: string;
  /** Arguments of kubectl taint. */
  readonly taints: string;
  /** Arguments of kubectl label. */
  readonly labels: string;
  readonly cordon: '' | 'cordon' | 'uncordon';
  readonly overwrite: boolean;
  readonly perNode: boolean;
}

export const EMPTY: Draft = {
  by: 'list',
  nodes: '',
  selector: '',
  set: '',
  taints: '',
  labels: '',
  cordon: '',
  overwrite: false,
  perNode: false,
};

/** A draft from an address, in which anything may stand. */
export function readDraft(given: unknown): Draft | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const of = given as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = of[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const cordon = text('cordon');
  return {
    by: TARGETS.find((by) => by === of['by']) ?? 'list',
    nodes: text('nodes'),
    selector: text('selector'),
    set: text('set'),
    taints: text('taints'),
    labels: text('labels'),
    cordon: cordon === 'cordon' || cordon === 'uncordon' ? cordon : '',
    overwrite: of['overwrite'] === true,
    perNode: of['perNode'] === true,
  };
}

/** A change that was asked, as it would be typed. */
export function draftOf(asked: Schemas['AskedTaintChange']): Draft {
  const { nodes, labelSelector, allNodes, taints, labels, unschedulable, overwrite, perNode } = asked;
  return {
    ...EMPTY,
    by: allNodes ? 'all' : labelSelector === null ? 'list' : 'selector',
    nodes: (nodes ?? []).join('\n'),
    selector: labelSelector ?? '',
    taints: taints.join('\n'),
    labels: labels.join(' '),
    cordon: unschedulable === null ? '' : unschedulable ? 'cordon' : 'uncordon',
    overwrite,
    perNode,
  };
}

const MOST_IN_ADDRESS = 4000;

/** Whether an address can hold it: servers and browsers refuse long ones. */
export const fitsAddress = ({ nodes }: Draft): boolean => nodes.length <= MOST_IN_ADDRESS;

/** Without what is as in an empty draft, for short addresses. */
export function shortDraft(draft: Draft): Partial<Draft> {
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => EMPTY[name as keyof Draft] !== value));
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

export const namesIn = (draft: Draft): readonly string[] => words(draft.nodes);

/** What the service is asked. @param inSet the nodes with the chosen taints */
export function editOf(draft: Draft, inSet: readonly string[]): Schemas['EditNodesRequest'] {
  const { by, selector, cordon, overwrite } = draft;
  // Taints and labels have no white space; labels have commas nowhere either.
  const taints = draft.taints.split(/\s+/).filter((word) => word !== '');
  const labels = draft.labels.split(/\s+/).filter((word) => word !== '');
  return {
    ...(by === 'list' && { nodes: [...new Set(namesIn(draft))] }),
    ...(by === 'set' && { nodes: [...inSet] }),
    ...(by === 'selector' && { labelSelector: selector }),
    ...(by === 'all' && { allNodes: true }),
    ...(taints.length > 0 && { taints }),
    ...(labels.length > 0 && { labels }),
    ...(cordon !== '' && { unschedulable: cordon === 'cordon' }),
    ...(overwrite && { overwrite }),
  };
}

/** What an unfinished draft lacks. */
export function lacksOf(draft: Draft): readonly string[] {
  const lacks: string[] = [];
  if (draft.by === 'list' && namesIn(draft).length === 0) lacks.push('Name the nodes.');
  if (draft.by === 'selector' && draft.selector.trim() === '') lacks.push('Write a label selector.');
  if (draft.by === 'set' && draft.set === '') lacks.push('Choose the taints that the nodes have.');
  if (`${draft.taints}${draft.labels}`.trim() === '' && draft.cordon === '') {
    lacks.push('Write a taint or a label, or cordon or uncordon.');
  }
  return lacks;
}
