import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import {
  amountChanges,
  change,
  namedChanges,
  objectChange,
  type Change,
  type NamedChange,
  type ObjectChange,
} from './object-change.js';

/** The differences of one node. All parts of an added or removed node count as added or removed. */
export interface NodeDifference {
  readonly node: string;
  readonly change: ObjectChange;
  /** As kubectl prints them, `key=value:Effect`, in the node's own order. `timeAdded` is not compared. */
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
    change: objectChange(before, after),
    taintsAdded: missing(1, 0),
    taintsRemoved: missing(0, 1),
    labels: namedChanges(before?.metadata.labels, after?.metadata.labels, (a, b) => a === b),
    allocatable: amountChanges(before?.status?.allocatable, after?.status?.allocatable),
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

const keyOf = ({ key, value, effect }: Taint): string => `${key}\0${value ?? ''}\0${effect}`;

const readiness = (node: Node | undefined): string | undefined =>
  node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
