import { defined } from '../collections/defined.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { JsonValue } from '../json/json-value.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import { Quantity } from '../kubernetes/quantity.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { validateRuntimeClass } from '../kubernetes/validation/runtime-class.js';
import { readResources } from './read-resources.js';
import type { EditRuntimeClass } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from '../collections/without.js';

/** Keeps products within what a quantity can be. */
const MAX_FACTOR = 1000;

/**
 * Changes what a RuntimeClass adds to new pods. A class that the API server would refuse is a fault. Existing pods do not
 * change.
 */
export function* editRuntimeClass(
  draft: ScenarioDraft,
  { name, overhead, overheadFactor, withoutOverhead = false, nodeSelector, tolerations }: EditRuntimeClass,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  yield undefined;
  const before = faults.all.length;
  const found = draft.find('RuntimeClass', name) as RuntimeClass | undefined;
  if (found === undefined) {
    faults.add(at.child('name'), 'object-not-found', `runtimeclasses.node.k8s.io ${quoteGo(name)} not found`);
  }
  if ([overhead !== undefined, overheadFactor !== undefined, withoutOverhead].filter(Boolean).length > 1) {
    faults.add(at, 'one-of', 'specify only one of overhead, overheadFactor and withoutOverhead');
  }
  if (overheadFactor !== undefined && !(overheadFactor >= 0 && overheadFactor <= MAX_FACTOR)) {
    faults.add(at.child('overheadFactor'), 'FieldValueInvalid', `must be between 0 and ${MAX_FACTOR}`);
  }
  const given = readResources(overhead, at.child('overhead'), faults);
  if (found === undefined || faults.all.length > before) return;
  const podFixed = overheadFactor === undefined ? given : multiplied(found.overhead?.podFixed, overheadFactor);
  const scheduling = {
    ...found.scheduling,
    ...defined({ nodeSelector, tolerations }),
  };
  const rest = podFixed === undefined && !withoutOverhead ? found : without(found, 'overhead');
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
    gatesOf(draft.rules),
  );
  if (errors.length > 0) faults.addOfObject(at, errors);
  else draft.putObject('RuntimeClass', '', name, decoded.object);
}

/** Each amount times a factor, rounded up to a whole number, or to a thousandth of a CPU. */
function multiplied(podFixed: ResourceList | undefined, factor: number): ResourceList | undefined {
  if (podFixed === undefined) return undefined;
  const thousandths = BigInt(Math.round(factor * 1000));
  return Object.fromEntries(
    [...parseResourceList(podFixed)].map(([resource, amount]) => {
      const { digits, exponent } = amount.exact();
      const product = Quantity.parse(`${digits * thousandths}e${exponent - 3}`).roundUp(resource === 'cpu' ? -3 : 0);
      return [resource, product.in(amount.format === '' ? 'DecimalSI' : amount.format).canonical()];
    }),
  );
}
