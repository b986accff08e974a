import { defined } from '../collections/defined.js';
import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { JsonValue } from '../json/json-value.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import { validateRuntimeClass } from '../kubernetes/validation/runtime-class.js';
import { readResources } from './read-resources.js';
import type { EditRuntimeClass } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from './without.js';

/**
 * Changes what a RuntimeClass adds to new pods. A class that the API server would refuse is a fault. Existing pods do not
 * change.
 */
export function* editRuntimeClass(
  draft: ScenarioDraft,
  { name, overhead, withoutOverhead = false, nodeSelector, tolerations }: EditRuntimeClass,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  yield undefined;
  const before = faults.all.length;
  const found = draft.find('RuntimeClass', name) as RuntimeClass | undefined;
  if (found === undefined) {
    faults.add(at.child('name'), 'object-not-found', `runtimeclasses.node.k8s.io ${quoteGo(name)} not found`);
  }
  if (withoutOverhead && overhead !== undefined) faults.add(at, 'one-of', 'specify either overhead or withoutOverhead');
  const podFixed = readResources(overhead, at.child('overhead'), faults);
  if (found === undefined || faults.all.length > before) return;
  const scheduling = {
    ...found.scheduling,
    ...defined({ nodeSelector, tolerations }),
  };
  const rest = overhead === undefined && !withoutOverhead ? found : without(found, 'overhead');
  const changed = {
    ...rest,
    ...(podFixed === undefined ? {} : { overhead: { podFixed } }),
    ...(Object.keys(scheduling).length === 0 ? {} : { scheduling }),
  };
  // Decodes the complete object, so that faults of the tolerations are reported as in a manifest.
  const decoded = decodeObject(changed as unknown as JsonValue);
  if (decoded.outcome !== 'object') {
    faults.addOfObject(at, decoded.outcome === 'invalid' ? decoded.errors : []);
    return;
  }
  const errors = validateRuntimeClass(
    decoded.object as unknown as Parameters<typeof validateRuntimeClass>[0],
    DEFAULT_GATES,
  );
  if (errors.length > 0) faults.addOfObject(at, errors);
  else draft.putObject('RuntimeClass', '', name, decoded.object);
}
