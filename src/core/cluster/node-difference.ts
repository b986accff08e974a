import type { Labels, ResourceList } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { decodeQuantity } from '../kubernetes/quantity.js';
import { formatTaint } from '../kubernetes/taint.js';

/** A value before and after; null if it is absent. */
export interface Change<Value> {
  readonly before: Value | null;
  readonly after: Value | null;
}

export interface NamedChange extends Change<string> {
  readonly name: string;
}

/** The differences of one node. All parts of an added or removed node count as added or removed. */
export interface NodeDifference {
  readonly node: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** In kubectl's notation, `key=value:Effect`, in the node's own order. `timeAdded` is not compared. */
  readonly taintsAdded: readonly string[];
  readonly taintsRemoved: readonly string[];
  /** By key. */
  readonly labels: readonly NamedChange[];
  /** By resource; amounts that differ only in notation (`1` and `1000m`) are equal. */
  readonly allocatable: readonly NamedChange[];
  /** `spec.unschedulable`; null if it is unchanged. */
  readonly cordoned: Change<boolean> | null;
  /** The status of the condition Ready; null if it is unchanged. */
  readonly ready: Change<string> | null;
  readonly kubeletVersion: Change<string> | null;
}

/** The differences that can affect placement; undefined if there are none. */
export function nodeDifference(
  name: string,
  before: Node | undefined,
  after: Node | undefined,
): NodeDifference | undefined {
  if (before === after) return undefined;
  const taints = [before, after].map(
    (node) => new Map((node?.spec?.taints ?? []).map((taint) => [keyOf(taint), taint])),
  );
  const missing = (from: number, to: number): string[] =>
    [...taints[from]!].filter(([key]) => !taints[to]!.has(key)).map(([, taint]) => formatTaint(taint));
  const difference: NodeDifference = {
    node: name,
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    taintsAdded: missing(1, 0),
    taintsRemoved: missing(0, 1),
    labels: namedChanges(before?.metadata.labels, after?.metadata.labels, (a, b) => a === b),
    allocatable: namedChanges(before?.status?.allocatable, after?.status?.allocatable, sameAmount),
    cordoned: change(before && (before.spec?.unschedulable ?? false), after && (after.spec?.unschedulable ?? false)),
    ready: change(readiness(before), readiness(after)),
    kubeletVersion: change(before?.status?.nodeInfo?.kubeletVersion, after?.status?.nodeInfo?.kubeletVersion),
  };
  return difference.change === 'changed' && isEmpty(difference) ? undefined : difference;
}

function isEmpty(difference: NodeDifference): boolean {
  const { taintsAdded, taintsRemoved, labels, allocatable, cordoned, ready, kubeletVersion } = difference;
  const lists = [taintsAdded, taintsRemoved, labels, allocatable];
  return lists.every((list) => list.length === 0) && cordoned === null && ready === null && kubeletVersion === null;
}

function change<Value>(before: Value | undefined, after: Value | undefined): Change<Value> | null {
  return before === after ? null : { before: before ?? null, after: after ?? null };
}

const keyOf = ({ key, value, effect }: Taint): string => `${key}\0${value ?? ''}\0${effect}`;

const readiness = (node: Node | undefined): string | undefined =>
  node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

function namedChanges(
  before: Labels | ResourceList | undefined,
  after: Labels | ResourceList | undefined,
  same: (a: string, b: string) => boolean,
): NamedChange[] {
  const former = new Map(Object.entries(before ?? {}));
  const present = new Map(Object.entries(after ?? {}));
  const changes: NamedChange[] = [];
  for (const [name, value] of former) {
    const now = present.get(name);
    if (now === undefined || !same(value, now)) changes.push({ name, before: value, after: now ?? null });
  }
  for (const [name, value] of present) if (!former.has(name)) changes.push({ name, before: null, after: value });
  return changes.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function sameAmount(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return decodeQuantity(a).cmp(decodeQuantity(b)) === 0;
  } catch {
    // Stored values that are not valid quantities are compared as text.
    return false;
  }
}
