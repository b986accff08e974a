import type { FieldPath } from '../kubernetes/field-path.js';
import { podTargets } from './pod-targets.js';
import type { RemovePods } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Removes pods without replacement. */
export function* removePods(
  draft: ScenarioDraft,
  change: RemovePods,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  for (const { metadata } of yield* podTargets(draft, change, at, faults)) {
    draft.removePod({ namespace: metadata.namespace ?? '', name: metadata.name });
  }
}
