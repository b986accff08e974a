import { DYN, listOf, objectType, STRING, type CelType } from '../../cel/types.js';

/** What an apply configuration is: `Object`, whose parts are `Object.spec`, `Object.spec.containers` and so on. */
export const OBJECT = 'Object';
/** An operation of a JSON Patch. */
export const JSON_PATCH = 'JSONPatch';

export const APPLY_CONFIGURATION_TYPE: CelType = objectType(OBJECT);
export const JSON_PATCH_TYPE: CelType = listOf(objectType(JSON_PATCH));

const OPERATION_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

/**
 * The types of which the expressions of mutations make values; an object has any fields.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/cel/mutation/typeresolver.go.
 */
export function patchTypes(name: string): ((field: string) => CelType | undefined) | undefined {
  if (name === JSON_PATCH) return (field) => OPERATION_FIELDS.get(field);
  return name === OBJECT || name.startsWith(`${OBJECT}.`) ? () => DYN : undefined;
}
