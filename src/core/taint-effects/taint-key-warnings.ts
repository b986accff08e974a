import type { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { nodeConditionTaints } from '../kubernetes/well-known-taints/node-condition-taints.js';
import { describeTaintKey } from '../kubernetes/well-known-taints.js';
import type { EditedNodes } from './edited-nodes.js';
import { MOST_NAMES } from './feasibility.js';
import { counted, enumerated, type Warnings } from './warnings.js';

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Which status of which condition a taint stands for. */
const CONDITIONS: ReadonlyMap<string, { readonly type: string; readonly status: string }> = new Map([
  ['node.kubernetes.io/not-ready', { type: 'Ready', status: 'False' }],
  ['node.kubernetes.io/unreachable', { type: 'Ready', status: 'Unknown' }],
  ['node.kubernetes.io/memory-pressure', { type: 'MemoryPressure', status: 'True' }],
  ['node.kubernetes.io/disk-pressure', { type: 'DiskPressure', status: 'True' }],
  ['node.kubernetes.io/pid-pressure', { type: 'PIDPressure', status: 'True' }],
  ['node.kubernetes.io/network-unavailable', { type: 'NetworkUnavailable', status: 'True' }],
]);

const BY_CONDITION: ReadonlySet<string> = new Set(nodeConditionTaints.map(({ key }) => key));

interface Edit {
  readonly taint: Taint;
  readonly added: boolean;
}

/** Edited nodes of which the same is to be said. */
interface Said {
  readonly edit: Edit;
  /** Why it is undone; empty where it is not. */
  readonly why: string;
  count: number;
  readonly first: string[];
}

/**
 * Warns of edits to taints that controllers manage: those that the node lifecycle controller undoes, and those by whose keys the
 * autoscalers, clouds and agents of the catalogue say something; and of keys that nothing knows any more.
 */
export function* stepTaintKeyWarnings(
  after: ClusterState,
  edited: EditedNodes,
  warnings: Warnings,
): Generator<undefined, void> {
  const undone = new Map<string, Said>();
  const owned = new Map<string, Said>();
  const legacy = new Map<string, Said>();
  let looked = 0;
  for (const { name, is, taints } of edited.nodes) {
    if (++looked % STRIDE === 0) yield undefined;
    const edits: Edit[] = [
      ...taints.fresh.map((taint) => ({ taint, added: true })),
      ...taints.difference.removed.map((taint) => ({ taint, added: false })),
    ];
    for (const edit of edits) {
      const text = `${edit.added ? '+' : '-'}${formatTaint(edit.taint)}`;
      if (BY_CONDITION.has(edit.taint.key)) {
        const why = undoneBecause(edit, after.nodes.node(is));
        if (why !== undefined) note(undone, `${text} ${why}`, edit, why, name);
        continue;
      }
      const known = describeTaintKey(edit.taint.key);
      if (known === undefined) continue;
      if (!known.legacy && known.transient) note(owned, text, edit, '', name);
      if (known.legacy && edit.added) note(legacy, text, edit, '', name);
    }
  }
  for (const { edit, why, count, first } of undone.values()) {
    warnings.add('managed-taint-undone', () => ({
      message: `The node lifecycle controller ${edit.added ? 'takes off' : 'puts back'} ${formatTaint(edit.taint)} on ${enumerated(first, count)}: ${why}.`,
      nodes: { total: count, items: first },
      taints: [formatTaint(edit.taint)],
    }));
  }
  for (const { edit, count, first } of owned.values()) {
    const { product, setBy, when, removedBy } = describeTaintKey(edit.taint.key)!;
    warnings.add('taint-key-owned', () => ({
      message:
        `${edit.taint.key} is a key of ${product}: set by ${setBy} when ${when}; removed by ${removedBy}. What is ` +
        `${edit.added ? 'set' : 'removed'} by hand on ${counted(count, 'node')} may be misread, or undone.`,
      nodes: { total: count, items: first },
      taints: [formatTaint(edit.taint)],
    }));
  }
  for (const { edit, count, first } of legacy.values()) {
    const { replacedBy } = describeTaintKey(edit.taint.key)!;
    const instead = replacedBy === undefined ? '' : ` ${replacedBy} took its place.`;
    warnings.add('legacy-taint-key', () => ({
      message: `${edit.taint.key} means nothing to Kubernetes v1.36: it is a string like any other.${instead}`,
      nodes: { total: count, items: first },
      taints: [formatTaint(edit.taint)],
    }));
  }
}

/** Nodes between two turns of the generator. */
const STRIDE = 512;

function note(said: Map<string, Said>, key: string, edit: Edit, why: string, name: string): void {
  let same = said.get(key);
  if (same === undefined) said.set(key, (same = { edit, why, count: 0, first: [] }));
  same.count++;
  if (same.first.length < MOST_NAMES) same.first.push(name);
}

/**
 * Why the node lifecycle controller undoes an edit; undefined where it lets it stand.
 *
 * With effect NoSchedule it keeps these taints exactly as conditions and cordon say, at once. With NoExecute it has only not-ready
 * and unreachable, and only where the node says whether it is ready: on a ready node it takes both off within some five seconds,
 * on another it keeps the one that fits, set at the zone's rate. Other effects, and NoExecute with the other keys, stay as they are.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `doNoScheduleTaintingPass`,
 * `doNoExecuteTaintingPass`, `processTaintBaseEviction`.
 */
function undoneBecause({ taint, added }: Edit, node: Node): string | undefined {
  const { key, effect } = taint;
  if (key === UNSCHEDULABLE && effect === 'NoSchedule') {
    const cordoned = node.spec?.unschedulable === true;
    if (cordoned === added) return undefined;
    return cordoned
      ? 'the node is cordoned (spec.unschedulable), and the taint follows that; uncordon it instead'
      : 'the node is not cordoned (spec.unschedulable), and the taint follows that; cordon it instead';
  }
  const condition = CONDITIONS.get(key);
  if (condition === undefined) return undefined;
  const status = node.status?.conditions?.find(({ type }) => type === condition.type)?.status;
  const wanted = status === condition.status;
  const says = `the condition ${condition.type} is ${status ?? 'absent'}, and the taint follows that`;
  if (effect === 'NoSchedule') return wanted === added ? undefined : says;
  if (effect !== 'NoExecute' || condition.type !== 'Ready' || status === undefined) return undefined;
  if (!added) return wanted ? `${says}, at the rate at which it taints the zone` : undefined;
  return wanted ? undefined : `${says}; pods that do not tolerate it are gone by then`;
}
