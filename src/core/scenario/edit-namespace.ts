import { isJsonObject, type JsonValue } from '../json/json-value.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import { validateLabels } from '../kubernetes/validation/label.js';
import type { EditNamespace } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Changes labels and annotations of a namespace. Its pods do not change until they are replaced. */
export function* editNamespace(
  draft: ScenarioDraft,
  { name, labels, annotations }: EditNamespace,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  yield undefined;
  const before = faults.all.length;
  const found = draft.find('Namespace', name) as Namespace | undefined;
  if (found === undefined) faults.add(at.child('name'), 'object-not-found', `namespaces ${quoteGo(name)} not found`);
  const newLabels = edited(found?.metadata.labels, labels, at.child('labels'), faults);
  const newAnnotations = edited(found?.metadata.annotations, annotations, at.child('annotations'), faults);
  for (const error of validateLabels(newLabels, at.child('labels'))) faults.addAsPlaced(error);
  if (found === undefined || faults.all.length > before) return;
  const metadata = { ...found.metadata, labels: newLabels, annotations: newAnnotations };
  draft.putObject('Namespace', '', name, { ...found, metadata });
}

function edited(
  former: Readonly<Record<string, string>> = {},
  edits: JsonValue | undefined,
  at: FieldPath,
  faults: ScenarioFaults,
): Readonly<Record<string, string>> {
  if (edits === undefined) return former;
  if (!isJsonObject(edits)) {
    faults.add(at, 'FieldValueTypeInvalid', 'must be a map of keys to values; null removes a key');
    return former;
  }
  const entries = new Map(Object.entries(former));
  for (const [key, value] of Object.entries(edits)) {
    if (value === null) entries.delete(key);
    else if (typeof value === 'string') entries.set(key, value);
    else faults.add(at.key(key), 'FieldValueTypeInvalid', 'must be a string, or null to remove the key');
  }
  return Object.fromEntries(entries);
}
