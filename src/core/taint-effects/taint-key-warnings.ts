import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { nodeConditionTaints } from '../kubernetes/well-known-taints/node-condition-taints.js';
import { describeTaintKey } from '../kubernetes/well-known-taints.js';
import { FIELD_MANAGER } from '../taint-owners/field-manager.js';
import { ownedEdits } from '../taint-owners/taint-owners.js';
import type { EditedNodes } from './edited-nodes.js';
import { MAX_NAMES } from './feasibility.js';
import { enumerated, type Warnings } from './warnings.js';

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** The condition status that a taint represents. */
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

/** Edited nodes with the same warning. */
interface Said {
  readonly edit: Edit;
  /** Why it is undone; empty if it is not. */
  readonly why: string;
  count: number;
  readonly first: string[];
}

/**
 * Warns of edits to taints that controllers manage: edits that the node lifecycle controller undoes, edits of keys that
 * belong to autoscalers, clouds and agents of the catalogue, and keys that no component uses any longer.
 */
export function* stepTaintKeyWarnings(
  after: ClusterState,
  edited: EditedNodes,
  warnings: Warnings,
): Generator<undefined, void> {
  const undone = new Map<string, Said>();
  const owned = new Map<string, Said>();
  const legacy = new Map<string, Said>();
  const foreign = new Map<string, Said>();
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
    const { labels, annotations, taintOwnership } = after.nodes.node(is).metadata;
    for (const { taint, edit, owner, because } of ownedEdits(
      { labels, annotations, ownership: taintOwnership },
      taints.difference,
      FIELD_MANAGER,
    )) {
      if (describeTaintKey(taint.key)?.keptBy !== undefined) continue;
      const why = `${owner} ${because}`;
      note(foreign, `${edit} ${formatTaint(taint)} ${why}`, { taint, added: edit !== 'removed' }, why, name);
    }
  }
  for (const { edit, why, count, first } of undone.values()) {
    warnings.add('managed-taint-undone', () => ({
      message: `The node lifecycle controller ${edit.added ? 'removes' : 'restores'} ${formatTaint(edit.taint)} on ${enumerated(first, count)}: ${why}.`,
      nodes: { total: count, items: first },
      taints: [formatTaint(edit.taint)],
    }));
  }
  for (const { edit, count, first } of owned.values()) {
    const { product, setBy, when, removedBy } = describeTaintKey(edit.taint.key)!;
    warnings.add('taint-key-owned', () => ({
      message:
        `${edit.taint.key} is a key of ${product}: set by ${setBy} when ${when}; removed by ${removedBy}. A manual ` +
        `${edit.added ? 'addition' : 'removal'} on ${counted(count, 'node')} may be misinterpreted, or undone.`,
      nodes: { total: count, items: first },
      taints: [formatTaint(edit.taint)],
    }));
  }
  for (const { edit, why, count, first } of foreign.values()) {
    warnings.add('taint-key-owned', () => ({
      message: `${formatTaint(edit.taint)} on ${enumerated(first, count)} belongs to somebody else: ${why}. ${edit.added ? 'It may be overwritten or removed again.' : 'It may be put back.'}`,
      nodes: { total: count, items: first },
      taints: [formatTaint(edit.taint)],
    }));
  }
  for (const { edit, count, first } of legacy.values()) {
    const { replacedBy } = describeTaintKey(edit.taint.key)!;
    const instead = replacedBy === undefined ? '' : ` It was replaced by ${replacedBy}.`;
    warnings.add('legacy-taint-key', () => ({
      message: `${edit.taint.key} has no special meaning in Kubernetes v1.36.${instead}`,
      nodes: { total: count, items: first },
      taints: [formatTaint(edit.taint)],
    }));
  }
}

/** Nodes between two steps of the generator. */
const STRIDE = 512;

function note(said: Map<string, Said>, key: string, edit: Edit, why: string, name: string): void {
  let same = said.get(key);
  if (same === undefined) said.set(key, (same = { edit, why, count: 0, first: [] }));
  same.count++;
  if (same.first.length < MAX_NAMES) same.first.push(name);
}

/**
 * Why the node lifecycle controller undoes an edit; undefined if it does not.
 *
 * With effect NoSchedule it immediately keeps these taints in line with conditions and cordon. With NoExecute it
 * manages only not-ready and unreachable, and only if the node has a Ready condition: on a ready node it removes both
 * within about five seconds, on another it keeps the matching one, set at the zone's rate. Other effects, and NoExecute
 * with other keys, are left alone.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go,
 * `doNoScheduleTaintingPass`, `doNoExecuteTaintingPass`, `processTaintBaseEviction`.
 */
function undoneBecause({ taint, added }: Edit, node: Node): string | undefined {
  const { key, effect } = taint;
  if (key === UNSCHEDULABLE && effect === 'NoSchedule') {
    const cordoned = node.spec?.unschedulable === true;
    if (cordoned === added) return undefined;
    return cordoned
      ? 'the taint follows spec.unschedulable, and the node is cordoned; uncordon it instead'
      : 'the taint follows spec.unschedulable, and the node is not cordoned; cordon it instead';
  }
  const condition = CONDITIONS.get(key);
  if (condition === undefined) return undefined;
  const status = node.status?.conditions?.find(({ type }) => type === condition.type)?.status;
  const wanted = status === condition.status;
  const says = `the taint follows the condition ${condition.type}, which is ${status ?? 'absent'}`;
  if (effect === 'NoSchedule') return wanted === added ? undefined : says;
  if (effect !== 'NoExecute' || condition.type !== 'Ready' || status === undefined) return undefined;
  if (!added) return wanted ? `${says}, at the rate at which it taints the zone` : undefined;
  return wanted ? undefined : `${says}; by then, pods that do not tolerate it have been evicted`;
}
