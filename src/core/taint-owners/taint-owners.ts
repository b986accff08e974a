import type { TaintDifference } from '../audit/taint-difference.js';
import type { Labels, TaintOwnership } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import { describeTaintKey } from '../kubernetes/well-known-taints.js';
import { taintIdentity } from '../taint-change/taint-edit.js';

/** What of a node says to whom its taints belong. */
export interface OwnedNode {
  readonly labels: Labels | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** Undefined without managedFields. */
  readonly ownership: readonly TaintOwnership[] | undefined;
}

/** An edit of a taint that belongs to somebody else. */
export interface OwnedEdit {
  readonly taint: Taint;
  readonly edit: 'added' | 'changed' | 'removed';
  /** Who takes the taint away again, or puts it back: `Karpenter`, `the node lifecycle controller ...`. */
  readonly owner: string;
  /** How that is known: a clause without a subject. */
  readonly because: string;
}

/**
 * The annotation in which Cluster API lists the taints of a node that it keeps: `key:Effect`, separated by commas.
 *
 * Source: kubernetes-sigs/cluster-api, api/core/v1beta2/common_types.go, `TaintsFromMachineAnnotation`, and
 * docs/proposals/20250513-propogate-taints.md; an earlier draft of the proposal lists `key=value:Effect`.
 */
const TAINTS_FROM_MACHINE = 'cluster.x-k8s.io/taints-from-machine';

/**
 * Karpenter writes this label on its nodes, and the taints of the NodePool when a node registers, unless the second label says not to.
 *
 * Source: sigs.k8s.io/karpenter, pkg/apis/v1/labels.go, pkg/controllers/nodeclaim/lifecycle/registration.go.
 */
const NODE_POOL = 'karpenter.sh/nodepool';
const KARPENTER = 'karpenter';

/**
 * The edits of a change that touch taints of others: controllers that keep a key by themselves, Cluster API, a NodePool of Karpenter,
 * and clients that declare the whole list by server-side apply. The taint that follows a cordon does not count.
 *
 * @param self the field manager whose own writes are not those of others
 */
export function ownedEdits(node: OwnedNode, difference: TaintDifference, self: string): readonly OwnedEdit[] {
  const follows = (taint: Taint): boolean =>
    difference.cordon !== undefined && matchesTaint(taint, UNSCHEDULABLE_TAINT);
  const edits = [
    ...difference.added.map((taint) => ({ taint, edit: 'added' as const })),
    ...difference.changed.map(({ after }) => ({ taint: after, edit: 'changed' as const })),
    ...difference.removed.map((taint) => ({ taint, edit: 'removed' as const })),
  ].filter(({ taint }) => !follows(taint));
  const owners = ownersOn(node, self);
  return edits.flatMap(({ taint, edit }) => {
    const found = owners.find(({ owns }) => owns(taint, edit));
    return found === undefined ? [] : [{ taint, edit, owner: found.owner(taint), because: found.because(taint) }];
  });
}

interface Owner {
  readonly owns: (taint: Taint, edit: OwnedEdit['edit']) => boolean;
  readonly owner: (taint: Taint) => string;
  readonly because: (taint: Taint) => string;
}

function ownersOn({ labels, annotations, ownership }: OwnedNode, self: string): readonly Owner[] {
  const machine = new Set(listedTaints(annotations?.[TAINTS_FROM_MACHINE] ?? ''));
  const pool = labels?.[NODE_POOL];
  const writers = (ownership ?? []).filter(({ owns }) => owns.includes('spec.taints'));
  const karpenterWrote = writers.some(({ manager }) => manager === KARPENTER);
  const applier = writers.find(({ operation, manager }) => operation === 'Apply' && manager !== self);
  return [
    {
      owns: ({ key, effect }) => {
        const known = describeTaintKey(key);
        return known?.keptBy !== undefined && (known.effects as readonly string[]).includes(effect);
      },
      owner: ({ key }) => describeTaintKey(key)!.keptBy!,
      because: ({ key }) => {
        const { when, removedBy } = describeTaintKey(key)!;
        return `keeps ${key}: it is set when ${when}, and removed by ${removedBy}`;
      },
    },
    {
      owns: (taint) => machine.has(taintIdentity(taint)),
      owner: () => 'Cluster API',
      because: () => `lists it in the node's annotation ${TAINTS_FROM_MACHINE}`,
    },
    {
      owns: (_, edit) => pool !== undefined && karpenterWrote && edit !== 'added',
      owner: () => 'Karpenter',
      because: () => `wrote the taints of this node, which belongs to its NodePool ${pool}`,
    },
    {
      owns: () => applier !== undefined,
      owner: () => applier?.manager ?? 'somebody',
      because: () =>
        'owns the whole list of taints by server-side apply (managedFields), and declares it again each time',
    },
  ];
}

/** The identities of taints in the annotation of Cluster API. */
function listedTaints(text: string): string[] {
  return text.split(',').flatMap((item) => {
    const at = item.lastIndexOf(':');
    if (at <= 0) return [];
    const [key = ''] = item.slice(0, at).trim().split('=');
    return [taintIdentity({ key, effect: item.slice(at + 1).trim() })];
  });
}
