import type { FieldPath } from '../kubernetes/field-path.js';
import { applyTaintEdit } from '../taint-change/apply-taint-edit.js';
import type { EditError } from '../taint-change/check-taint-edit.js';
import { readTaintEdit } from '../taint-change/read-taint-edit.js';
import { nodeTargets } from './node-targets.js';
import type { EditNodes } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Nodes processed between two yields. */
const FEW = 64;

/**
 * Edits nodes like `kubectl taint`, `kubectl cordon` and `kubectl label`, with the same refusals. The unschedulable taint
 * follows a cordon, without `timeAdded`.
 */
export function* editNodes(
  draft: ScenarioDraft,
  change: EditNodes,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const { edit, errors } = readTaintEdit(change, at);
  faults.addOfEdit(at, errors);
  const targets = yield* nodeTargets(draft, change, at, faults);
  if (errors.length > 0) return;
  const { add, remove, labels } = edit;
  const edits = add.length + remove.length + (labels?.set.size ?? 0) + (labels?.remove.length ?? 0);
  let turn = 0;
  for (const { node, at: place } of targets) {
    if (++turn % FEW === 0) yield undefined;
    draft.count(1 + edits + (node.spec?.taints?.length ?? 0) + Object.keys(node.metadata.labels ?? {}).length);
    const result = applyTaintEdit(node, edit);
    if (result.outcome === 'changed') draft.putNode(result.node);
    if (result.outcome !== 'refused') continue;
    const named = change.nodes !== undefined;
    faults.addOfEdit(
      place,
      result.errors.map(({ code, message }): EditError => ({
        code,
        message: named || message.includes(node.metadata.name) ? message : `node ${node.metadata.name}: ${message}`,
      })),
    );
  }
}
