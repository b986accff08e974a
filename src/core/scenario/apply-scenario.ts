import type { ClusterState } from '../cluster/cluster-state.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { addNodes } from './add-nodes.js';
import { addPods } from './add-pods.js';
import { editNamespace } from './edit-namespace.js';
import { editNodes } from './edit-nodes.js';
import { editRuntimeClass } from './edit-runtime-class.js';
import { movePods } from './move-pods.js';
import { putObjects, removeObjects } from './put-objects.js';
import { readmitPods } from './readmit-pods.js';
import { removeNodes } from './remove-nodes.js';
import { removePods } from './remove-pods.js';
import { resizeNodes } from './resize-nodes.js';
import { CHANGE_TYPES, type Scenario, type ScenarioChange } from './scenario.js';
import {
  MAX_EDITS,
  MAX_OBJECTS,
  ScenarioDraft,
  TooManyEdits,
  TooManyObjects,
  type PodName,
  type RefusedPod,
  type TouchedCounts,
} from './scenario-draft.js';
import { ScenarioFaults, TooManyFaults, type ScenarioFault } from './scenario-fault.js';

/** The maximum number of changes in a scenario. */
export const MAX_CHANGES = 1000;

/** The effect of a scenario, over all its changes. */
export interface ScenarioSummary {
  readonly nodes: TouchedCounts;
  readonly pods: TouchedCounts;
  /** What the counts do not show, such as what happens to the pods of removed nodes. */
  readonly notes: readonly string[];
}

export type ScenarioResult =
  | {
      readonly outcome: 'applied';
      readonly state: ClusterState;
      readonly summary: ScenarioSummary;
      /** The pods that admission refused when they were replaced; they are gone. */
      readonly refused: readonly RefusedPod[];
      /** The pods that the changes affected. */
      readonly touched: readonly PodName[];
    }
  /** All faults of all changes. */
  | { readonly outcome: 'refused'; readonly faults: readonly ScenarioFault[] };

/**
 * A copy of a state with hypothetical changes. Either all changes apply or none does: a change that is impossible, or that the
 * API server or kubectl would refuse, is a fault with its position in the scenario (`/scenario/changes/2/editNodes/nodes/0`).
 *
 * Nothing else changes: no controller creates pods, and no taint evicts any. There are three exceptions: the unschedulable
 * taint follows a cordon, `RemoveNodes.pods` decides about the pods of removed nodes, and the usage in quotas follows the
 * pods.
 *
 * The cost depends on the objects that the changes affect, and on the rows that their selectors are compared with. A
 * generator, so that the caller can let other work run in between; it yields nothing.
 */
export function* stepScenario(base: ClusterState, { changes }: Scenario): Generator<undefined, ScenarioResult> {
  const faults = new ScenarioFaults();
  const draft = new ScenarioDraft(base);
  const all = FieldPath.of('scenario', 'changes');
  try {
    if (changes.length > MAX_CHANGES) faults.tooLarge(all, `a scenario can have at most ${MAX_CHANGES} changes`);
    // Changes of which there are too many are not looked at.
    for (const [index, change] of faults.all.length > 0 ? [] : changes.entries()) {
      yield undefined;
      const at = change.type === 'unclear' ? all.index(index) : all.index(index).child(change.type);
      try {
        yield* apply(draft, change, at, faults);
      } catch (error) {
        if (error instanceof TooManyEdits) {
          faults.tooLarge(
            at,
            `a scenario can make at most ${MAX_EDITS} edits of nodes; each label and taint counts once per node`,
          );
        }
        if (!(error instanceof TooManyObjects)) throw error;
        faults.tooLarge(at, `a scenario can change or add at most ${MAX_OBJECTS} objects`);
      }
    }
  } catch (error) {
    if (!(error instanceof TooManyFaults)) throw error;
  }
  if (faults.all.length > 0) return { outcome: 'refused', faults: faults.all };
  const made = yield* draft.finish();
  const touched = draft.touchedPods();
  const upserts = yield* draft.quotas.changed();
  const state = upserts.length === 0 ? made : yield* made.stepApply({ upserts });
  const refused = [...draft.refused.values()];
  return { outcome: 'applied', state, summary: { ...draft.counts(), notes: draft.notes }, refused, touched };
}

/** The same without pauses. */
export function applyScenario(base: ClusterState, scenario: Scenario): ScenarioResult {
  const steps = stepScenario(base, scenario);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function apply(
  draft: ScenarioDraft,
  change: ScenarioChange,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  switch (change.type) {
    case 'editNodes':
      return editNodes(draft, change, at, faults);
    case 'addNodes':
      return addNodes(draft, change, at, faults);
    case 'removeNodes':
      return removeNodes(draft, change, at, faults);
    case 'resizeNodes':
      return resizeNodes(draft, change, at, faults);
    case 'addPods':
      return addPods(draft, change, at, faults);
    case 'removePods':
      return removePods(draft, change, at, faults);
    case 'movePods':
      return movePods(draft, change, at, faults);
    case 'editRuntimeClass':
      return editRuntimeClass(draft, change, at, faults);
    case 'editNamespace':
      return editNamespace(draft, change, at, faults);
    case 'putObjects':
      return putObjects(draft, change, at, faults);
    case 'removeObjects':
      return removeObjects(draft, change, at, faults);
    case 'readmitPods':
      return readmitPods(draft, change, at, faults);
    case 'unclear':
      return unclear(change.given, at, faults);
  }
}

function* unclear(given: readonly string[], at: FieldPath, faults: ScenarioFaults): Generator<undefined, void> {
  const which = given.length === 0 ? '' : `; these are ${given.length}: ${given.join(' and ')}`;
  faults.add(at, 'one-of', `specify exactly one of ${CHANGE_TYPES.join(', ')}${which}`);
}
