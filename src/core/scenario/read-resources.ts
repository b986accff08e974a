import { invalid } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import { decodeQuantity, QuantityError } from '../kubernetes/quantity.js';
import type { GivenResources } from './scenario.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { isJsonObject } from '../json/json-value.js';

/** The maximum number of resources of a node; real nodes have about ten. */
const MAX_RESOURCES = 200;

/** Resources with canonical quantities. An invalid or negative quantity is a fault. */
export function readResources(
  given: GivenResources | undefined,
  at: FieldPath,
  faults: ScenarioFaults,
): ResourceList | undefined {
  if (given === undefined) return undefined;
  if (!isJsonObject(given)) {
    faults.add(at, 'FieldValueTypeInvalid', 'must be a map of resource names to quantities');
    return undefined;
  }
  if (Object.keys(given).length > MAX_RESOURCES) {
    faults.add(at, 'FieldValueTooMany', `must have at most ${MAX_RESOURCES} resources`);
    return undefined;
  }
  const read: [string, string][] = [];
  for (const [name, amount] of Object.entries(given)) {
    if (typeof amount !== 'string' && typeof amount !== 'number' && typeof amount !== 'bigint') {
      faults.add(at.key(name), 'FieldValueTypeInvalid', 'must be a quantity: a string or a number');
      continue;
    }
    const text = String(amount);
    const refuse = (why: string): void => faults.addAsPlaced(invalid(at.key(name), text.slice(0, 200), why));
    try {
      const quantity = decodeQuantity(text);
      if (quantity.sign() < 0) refuse('must be greater than or equal to 0');
      read.push([name, quantity.toString()]);
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      refuse(error.message);
    }
  }
  return Object.fromEntries(read);
}
