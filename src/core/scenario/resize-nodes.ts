import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { validateNode } from '../kubernetes/validation/node.js';
import { nodeTargets } from './node-targets.js';
import { readResources } from './read-resources.js';
import type { ResizeNodes } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Nodes processed between two yields. */
const FEW = 64;

/**
 * Sets the capacity and allocatable amounts of nodes; other resources do not change. Pods stay, whether they fit or
 * not.
 */
export function* resizeNodes(
  draft: ScenarioDraft,
  change: ResizeNodes,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const before = faults.all.length;
  const allocatable = readResources(change.allocatable, at.child('allocatable'), faults);
  const capacity = readResources(change.capacity, at.child('capacity'), faults);
  if (allocatable === undefined && capacity === undefined) {
    faults.add(at, 'required', 'specify allocatable, capacity or both');
  }
  const isBad = faults.all.length > before;
  const targets = yield* nodeTargets(draft, change, at, faults);
  if (isBad) return;
  const asked = { ...(allocatable && { allocatable }), ...(capacity && { capacity }) };
  // The amounts are validated once, independently of the nodes.
  const status = validateNode({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: asked }, draft.rules);
  for (const error of status) {
    faults.add(
      error.field.startsWith('status.capacity') ? at.child('capacity') : at.child('allocatable'),
      error.type,
      fieldErrorText(error),
    );
  }
  if (status.length > 0) return;
  let turn = 0;
  for (const { node } of targets) {
    if (++turn % FEW === 0) yield undefined;
    draft.putNode({
      ...node,
      status: {
        ...node.status,
        ...(allocatable && { allocatable: { ...node.status?.allocatable, ...allocatable } }),
        ...(capacity && { capacity: { ...node.status?.capacity, ...capacity } }),
      },
    });
  }
}
