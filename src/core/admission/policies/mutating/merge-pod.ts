import { stringifyJson } from '../../../json/lossless-json.js';
import { CelUnsupported } from '../../../cel/errors.js';
import { CelError } from '../../../cel/values.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/json-value.js';

/**
 * How server-side apply merges the parts of a pod: lists by the keys of their elements, or as sets. Other lists are atomic, other maps
 * and structures are merged by their names. In a pod, the name of a field is enough to tell.
 *
 * Source: k8s.io/api v0.36.2, core/v1/types.go, and k8s.io/apimachinery v0.36.2, pkg/apis/meta/v1/types.go (`listType`, `listMapKey`,
 * `mapType`, `structType`).
 */
const KEYED_LISTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['claims', ['name']],
  ['containers', ['name']],
  ['env', ['name']],
  ['ephemeralContainers', ['name']],
  ['hostAliases', ['ip']],
  ['imagePullSecrets', ['name']],
  ['initContainers', ['name']],
  ['ownerReferences', ['uid']],
  ['ports', ['containerPort', 'protocol']],
  ['resourceClaims', ['name']],
  ['schedulingGates', ['name']],
  ['topologySpreadConstraints', ['topologyKey', 'whenUnsatisfiable']],
  ['volumeDevices', ['devicePath']],
  ['volumeMounts', ['mountPath']],
  ['volumes', ['name']],
]);
const SETS: ReadonlySet<string> = new Set(['finalizers']);
const ATOMIC_STRUCTURES: ReadonlySet<string> = new Set([
  'configMapKeyRef',
  'dataSource',
  'fieldRef',
  'fileKeyRef',
  'labelSelector',
  'nodePublishSecretRef',
  'nodeSelector',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'resourceFieldRef',
  'secretKeyRef',
  'secretRef',
  'selector',
]);
const LISTS_OF_ATOMIC_STRUCTURES: ReadonlySet<string> = new Set(['imagePullSecrets', 'ownerReferences']);
/** Keys that an element may leave out. */
const DEFAULT_KEYS: ReadonlyMap<string, string> = new Map([['protocol', 'TCP']]);

/**
 * A pod with an apply configuration merged into it, as server-side apply does.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/mutating/patch/smd.go, `ApplyStructuredMergeDiff`;
 * sigs.k8s.io/structured-merge-diff v6.4.2, typed/merge.go.
 *
 * @returns an error in the API server's words for a configuration with atomic parts
 * @throws {CelUnsupported} for what does not fit the fields of a pod
 */
export function mergePod(pod: JsonObject, configuration: JsonObject): JsonObject | CelError {
  if ('status' in configuration) throw new CelUnsupported('a mutation of the status');
  const atomic = atomicsIn(configuration, '', undefined);
  if (atomic.length > 0) {
    const detail = `may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`;
    return new CelError(`error applying patch: invalid ApplyConfiguration: ${detail}`);
  }
  return mergeMaps(pod, configuration);
}

function atomicsIn(value: JsonValue, path: string, field: string | undefined): readonly string[] {
  if (Array.isArray(value)) {
    const isAtomic = field === undefined || !(KEYED_LISTS.has(field) || SETS.has(field));
    const areElementsAtomic = field !== undefined && LISTS_OF_ATOMIC_STRUCTURES.has(field);
    return [
      ...(isAtomic ? [path] : []),
      ...value.flatMap((item, index) => {
        const at = `${path}[${index}]`;
        return [...(areElementsAtomic && isJsonObject(item) ? [at] : []), ...atomicsIn(item, at, undefined)];
      }),
    ];
  }
  if (!isJsonObject(value)) return [];
  return [
    ...(field !== undefined && ATOMIC_STRUCTURES.has(field) ? [path] : []),
    ...Object.entries(value).flatMap(([name, member]) => atomicsIn(member, `${path}.${name}`, name)),
  ];
}

function mergeMaps(live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = { ...live };
  for (const [name, value] of Object.entries(applied)) merged[name] = mergeMember(name, live[name], value);
  return merged;
}

function mergeMember(name: string, live: JsonValue | undefined, applied: JsonValue): JsonValue {
  if (Array.isArray(applied)) {
    if (applied.length === 0) return live ?? applied;
    if (live !== undefined && !Array.isArray(live)) throw misfit(name);
    return SETS.has(name) ? mergeSets(live ?? [], applied) : mergeLists(name, live ?? [], applied);
  }
  if (!isJsonObject(applied)) return applied;
  if (live !== undefined && !isJsonObject(live)) throw misfit(name);
  return mergeMaps(live ?? {}, applied);
}

const mergeSets = (live: readonly JsonValue[], applied: readonly JsonValue[]): JsonValue[] =>
  ordered(
    live.map((value) => ({ key: keyText([value]), value })),
    applied.map((value) => ({ key: keyText([value]), value })),
    (_, value) => value,
  );

function mergeLists(name: string, live: readonly JsonValue[], applied: readonly JsonValue[]): JsonValue[] {
  const keyed = (value: JsonValue): Keyed<JsonObject> => {
    if (!isJsonObject(value)) throw misfit(name);
    return { key: keyOf(name, value), value };
  };
  return ordered(live.map(keyed), applied.map(keyed), (before, after) =>
    before === undefined ? mergeMaps({}, after) : mergeMaps(before, after),
  );
}

interface Keyed<T> {
  readonly key: string;
  readonly value: T;
}

/** Elements of the applied list stand in its order, and those that only the live one has before those that follow them there. */
function ordered<T extends JsonValue>(
  live: readonly Keyed<T>[],
  applied: readonly Keyed<T>[],
  merge: (live: T | undefined, applied: T) => JsonValue,
): JsonValue[] {
  const before = new Map(live.map(({ key, value }) => [key, value]));
  const after = new Set(applied.map(({ key }) => key));
  if (after.size < applied.length) throw new CelUnsupported('an apply configuration with the same element twice');
  if (before.size < live.length) throw new CelUnsupported('a list with the same element twice');
  const shared = applied.filter(({ key }) => before.has(key)).map(({ key }) => key);
  let nextShared = shared.shift();
  const merged = new Set<string>();
  const out: JsonValue[] = [];
  for (let left = 0, right = 0; left < live.length || right < applied.length;) {
    const one = live[left];
    const other = applied[right];
    if (one !== undefined && other !== undefined) {
      if (one.key === other.key) {
        merged.add(one.key);
        out.push(merge(one.value, other.value));
        left += 1;
        right += 1;
        nextShared = shared.shift();
        continue;
      }
      if (after.has(one.key) && nextShared !== undefined && nextShared !== one.key) {
        left += 1;
        continue;
      }
    }
    if (one !== undefined) {
      if (!after.has(one.key)) {
        out.push(one.value);
        left += 1;
        continue;
      }
      if (merged.has(one.key)) left += 1;
    }
    if (other !== undefined) {
      merged.add(other.key);
      out.push(merge(before.get(other.key), other.value));
      right += 1;
      if (nextShared === other.key) nextShared = shared.shift();
    }
  }
  return out;
}

function keyOf(name: string, element: JsonObject): string {
  const keys = KEYED_LISTS.get(name);
  if (keys === undefined) throw misfit(name);
  return keyText(
    keys.map((key) => {
      const value = element[key] ?? DEFAULT_KEYS.get(key);
      if (value === undefined || value === null || typeof value === 'object') throw misfit(`${name}.${key}`);
      return value;
    }),
  );
}

const keyText = (values: readonly JsonValue[]): string => values.map((value) => stringifyJson(value)).join('\0');

const misfit = (name: string): CelUnsupported =>
  new CelUnsupported(`an apply configuration whose ${name} does not fit`);
