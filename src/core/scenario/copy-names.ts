import type { FieldPath } from '../kubernetes/field-path.js';
import { nameIsDnsSubdomain } from '../kubernetes/validation/object-names.js';
import { invalid } from '../kubernetes/field-error.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Copies } from './scenario.js';
import { MAX_OBJECTS } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** The inputs for the names of new objects. */
export interface Naming {
  /** The name of the template; undefined if it has none that can be used. */
  readonly template: string | undefined;
  /** The base of names if neither the change nor the template has one. */
  readonly otherwise: string;
  /** `nodes` or `pods`. */
  readonly plural: string;
  readonly isTaken: (name: string) => boolean;
}

/**
 * The names of new objects. These are the given names; or else the given name, or the name of the template: unchanged for a
 * single object, with the first free numbers for several (`pool-0001`). A name that is already taken is a fault, with the API
 * server's message.
 */
export function copyNames(
  { name, names, count }: Copies,
  { template, otherwise, plural, isTaken }: Naming,
  at: FieldPath,
  faults: ScenarioFaults,
): readonly string[] {
  if (count !== undefined && count > MAX_OBJECTS) {
    faults.tooLarge(at.child('count'), `a scenario can change or add at most ${MAX_OBJECTS} objects`);
  }
  const found: string[] = [];
  const taken = new Set<string>();
  const take = (wanted: string, place: FieldPath): void => {
    for (const message of nameIsDnsSubdomain(wanted, false)) faults.addAsPlaced(invalid(place, wanted, message));
    if (isTaken(wanted) || taken.has(wanted)) {
      faults.add(place, 'already-exists', `${plural} ${quoteGo(wanted)} already exists`);
    }
    taken.add(wanted);
    found.push(wanted);
  };
  if (names !== undefined) {
    if (name !== undefined) faults.add(at.child('name'), 'one-of', 'specify either name or names');
    if (names.length === 0) faults.add(at.child('names'), 'required', 'specify at least one name, or omit names');
    if (count !== undefined && count !== names.length) {
      faults.add(at.child('count'), 'conflicting-fields', `is ${count}, but names has ${names.length} items`);
    }
    names.forEach((wanted, index) => take(wanted, at.child('names').index(index)));
    return found;
  }
  const single = name ?? template;
  if (count === undefined && single !== undefined) {
    take(single, name === undefined ? at : at.child('name'));
    return found;
  }
  const prefix = single ?? otherwise;
  const place = name === undefined ? at : at.child('name');
  for (let number = 1; found.length < (count ?? 1); number++) {
    const wanted = `${prefix}-${String(number).padStart(4, '0')}`;
    if (isTaken(wanted)) continue;
    take(wanted, place);
    // The others would be invalid for the same reason.
    if (nameIsDnsSubdomain(wanted, false).length > 0) break;
  }
  return found;
}
