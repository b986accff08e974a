import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';

/** Numbers and booleans that are left out where they are zero or false; all others are pointers, or always written. */
const LEFT_OUT_IF_ZERO: ReadonlySet<string> = new Set([
  'failureThreshold',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'hostPort',
  'initialDelaySeconds',
  'partition',
  'periodSeconds',
  'readOnly',
  'stdin',
  'stdinOnce',
  'successThreshold',
  'timeoutSeconds',
  'tty',
]);

/** Pointers to texts: an empty one is written. */
const TEXT_POINTERS: ReadonlySet<string> = new Set(['hostPath.type', 'spec.storageClassName', 'options.value']);

/** Pointers to booleans among the names above. */
const BOOLEAN_POINTERS: ReadonlySet<string> = new Set(['csi.readOnly']);

/** Maps, which are left out where they are empty; empty structures are written. */
const MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'labels',
  'limits',
  'matchLabels',
  'nodeSelector',
  'options',
  'overhead',
  'requests',
  'volumeAttributes',
]);

/** Containers have `resources`, and references to resources a divisor, even where they name none. */
const CONTAINER_LISTS: ReadonlySet<string> = new Set(['containers', 'initContainers', 'ephemeralContainers']);

/**
 * A pod, with its defaults, as the API server gives it to expressions: without the fields that its encoder leaves out.
 *
 * Source: k8s.io/api v0.36.2, core/v1/types.go (`omitempty`), and k8s.io/apimachinery v0.36.2, pkg/runtime/converter.go.
 */
export const apiObjectOf = (object: object): JsonObject => membersOf(object as JsonObject, '');

function membersOf(object: JsonObject, parent: string): JsonObject {
  const members: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const written = value === undefined || value === null ? undefined : valueOf(value, name, parent);
    if (written !== undefined) members[name] = written;
  }
  if (CONTAINER_LISTS.has(parent)) members['resources'] ??= {};
  if (parent === 'resourceFieldRef') members['divisor'] ??= '0';
  return members;
}

function valueOf(value: JsonValue, name: string, parent: string): JsonValue | undefined {
  const path = `${parent}.${name}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    return value.map((item) => (isJsonObject(item) ? membersOf(item, name) : item));
  }
  if (isJsonObject(value)) {
    if (MAPS.has(name)) return Object.keys(value).length === 0 ? undefined : value;
    return membersOf(value, name);
  }
  if (value === '') return TEXT_POINTERS.has(path) ? value : undefined;
  const isZero = value === false || value === 0 || value === 0n;
  return isZero && LEFT_OUT_IF_ZERO.has(name) && !BOOLEAN_POINTERS.has(path) ? undefined : value;
}
