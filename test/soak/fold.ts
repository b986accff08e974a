import { type TaintDifference, taintDifference, nodeTaintState } from '../../src/core/audit/taint-difference.js';
import { FieldPath } from '../../src/core/kubernetes/field-path.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';
import { formatTaint } from '../../src/core/kubernetes/taint.js';
import { applyTaintEdit } from '../../src/core/taint-change/apply-taint-edit.js';
import {
  labelDifference,
  isNoLabelDifference,
  type LabelDifference,
} from '../../src/core/taint-change/label-difference.js';
import { readTaintEdit } from '../../src/core/taint-change/read-taint-edit.js';
import { redoChange } from '../../src/core/taint-change/redo-change.js';
import type { TaintEdit } from '../../src/core/taint-change/taint-edit.js';
import { undoEdit, undoWhatStands } from '../../src/core/taint-change/undo-change.js';
import type { AskedOperation, SentSnapshot } from './ledger.js';
import { type RenderedNode, renderNode } from './rendered-node.js';
import type { StoredChange } from './stored-history.js';

/** The expected result of a change for a node. */
export interface FoldedChange {
  readonly difference: TaintDifference;
  readonly labels?: LabelDifference;
}

interface Done {
  readonly id: string;
  readonly madeAt: Date;
  readonly nodes: ReadonlyMap<string, FoldedChange>;
}

/**
 * The nodes of a cluster as one acknowledged change after the other must have left them, worked out from what was asked for
 * and from the order of the revisions alone.
 */
export class Fold {
  private nodes: Map<string, Node>;
  private readonly done = new Map<string, Done>();

  constructor(first: readonly object[]) {
    this.nodes = byName(first);
  }

  /** @returns the nodes that it changes */
  change(asked: AskedOperation, stored: StoredChange): ReadonlyMap<string, FoldedChange> {
    const now = `${stored.madeAt.toISOString().slice(0, 19)}Z`;
    const changed = new Map<string, FoldedChange>();
    for (const [name, edit] of this.edits(asked, stored)) {
      const before = this.nodes.get(name)!;
      const made = applyTaintEdit(before, edit, { now });
      if (made.outcome === 'refused')
        throw new Error(`${name} refuses ${JSON.stringify(edit)}: ${JSON.stringify(made)}`);
      if (made.outcome === 'unchanged') continue;
      this.nodes.set(name, made.node);
      const labels = labelDifference(before.metadata.labels, made.node.metadata.labels);
      changed.set(name, {
        difference: taintDifference(nodeTaintState(before.spec), nodeTaintState(made.node.spec)),
        ...(!isNoLabelDifference(labels) && { labels }),
      });
    }
    this.done.set(stored.id, { id: stored.id, madeAt: stored.madeAt, nodes: changed });
    return changed;
  }

  /** The nodes as the dump shows them, with the changes since its capture. */
  snapshot({ nodes, capturedAt }: SentSnapshot): void {
    this.nodes = byName(nodes);
    for (const { madeAt, nodes: changed } of this.done.values()) {
      if (madeAt.getTime() <= capturedAt.getTime()) continue;
      for (const [name, { difference, labels }] of changed) {
        this.nodes.set(name, redoChange(this.nodes.get(name)!, difference, labels));
      }
    }
  }

  rendered(): ReadonlyMap<string, string> {
    return new Map([...this.nodes.values()].map(renderNode).map(({ name, text }: RenderedNode) => [name, text]));
  }

  private edits(asked: AskedOperation, { outcomes }: StoredChange): readonly (readonly [string, TaintEdit])[] {
    if (asked.kind === 'change') {
      const names = asked.nodes === 'all' ? [...this.nodes.keys()] : asked.nodes;
      const { edit } = readTaintEdit(asked.edit, FieldPath.of('body'));
      return names.map((name) => [name, edit]);
    }
    // Which nodes are reverted depends on what snapshots showed of the change.
    const undone = this.done.get(asked.undoes)!;
    const changed = new Set(outcomes.filter(({ outcome }) => outcome === 'changed').map(({ node }) => node));
    return [...undone.nodes]
      .filter(([name]) => changed.has(name))
      .map(([name, made]) => [name, undoWhatStands(this.nodes.get(name)!, undoEdit(made))]);
  }
}

/** A difference in the notation of the ledger. */
export function wordsOf({ added, removed, changed, cordon }: TaintDifference): readonly string[] {
  return [
    ...added.map((taint) => `+${formatTaint(taint)}`),
    ...removed.map((taint) => `-${formatTaint(taint)}`),
    ...changed.map(({ after }) => `~${formatTaint(after)}`),
    ...(cordon === undefined ? [] : [cordon]),
  ];
}

function byName(objects: readonly object[]): Map<string, Node> {
  return new Map((objects as readonly Node[]).map((node) => [node.metadata.name, node]));
}
