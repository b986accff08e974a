import { invalid } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import { decodeQuantity, QuantityError } from '../kubernetes/quantity.js';
import type { GivenResources } from './scenario.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Quantities in their canonical form; what is none, or less than 0, is a fault. */
export function readResources(
  given: GivenResources | undefined,
  at: FieldPath,
  faults: ScenarioFaults,
): ResourceList | undefined {
  if (given === undefined) return undefined;
  const read: [string, string][] = [];
  for (const [name, amount] of Object.entries(given)) {
    const refuse = (why: string): void => faults.addAsPlaced(invalid(at.key(name), String(amount).slice(0, 200), why));
    try {
      const quantity = decodeQuantity(String(amount));
      if (quantity.sign() < 0) refuse('must be greater than or equal to 0');
      read.push([name, quantity.toString()]);
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      refuse(error.message);
    }
  }
  return Object.fromEntries(read);
}
