import { keptOf } from '../admission/kept-of.js';
import { canonicalJson } from '../audit/canonical-json.js';
import { ClusterState } from '../cluster/cluster-state.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { defaultPod } from '../kubernetes/defaults.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { specsAreEqual } from '../kubernetes/semantic-equal.js';

/**
 * The fields by which kubectl merges the items of lists; it replaces other lists as a whole.
 *
 * Source: k8s.io/api v0.36.2, core/v1/types.go, `patchMergeKey`.
 */
const MERGE_KEYS: ReadonlyMap<string, string> = new Map([
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['ports', 'containerPort'],
  ['resourceClaims', 'name'],
  ['schedulingGates', 'name'],
  ['topologySpreadConstraints', 'topologyKey'],
  ['volumes', 'name'],
]);

/**
 * A stored pod as kubectl apply would have it for a manifest that leaves out nothing that it had before; undefined if that changes
 * nothing of what is kept.
 */
export function updatedPod(stored: Pod, sent: Pod): Pod | undefined {
  const decoded = keptOf(sent);
  if (decoded === undefined) return undefined;
  const { namespace = '', name } = stored.metadata;
  // A state keeps less: only the volumes that matter, for example.
  const kept = ClusterState.build([decoded], ['Pod']).find('Pod', namespace, name) as Pod;
  const { labels, annotations } = kept.metadata;
  const before = defaultPod(stored);
  const { spec } = merged({ spec: before.spec }, { spec: kept.spec }) as unknown as Pick<Pod, 'spec'>;
  const metadata = {
    ...stored.metadata,
    ...(labels && { labels: { ...stored.metadata.labels, ...labels } }),
    ...(annotations && { annotations: { ...stored.metadata.annotations, ...annotations } }),
  };
  const after = defaultPod({ ...before, metadata, spec });
  const isSame = specsAreEqual(before.spec, after.spec) && canonicalJson(metadata) === canonicalJson(stored.metadata);
  return isSame ? undefined : after;
}

function merged(before: object, after: object): object {
  const result = new Map<string, JsonValue>(Object.entries(before as JsonObject));
  for (const [name, value] of Object.entries(after as JsonObject)) {
    result.set(name, mergedMember(name, result.get(name), value));
  }
  return Object.fromEntries(result);
}

function mergedMember(name: string, before: JsonValue | undefined, after: JsonValue): JsonValue {
  const key = MERGE_KEYS.get(name);
  if (isJsonObject(before) && isJsonObject(after)) return merged(before, after) as JsonObject;
  if (key === undefined || !Array.isArray(before) || !Array.isArray(after)) return after;
  const keyOf = (item: JsonValue): JsonValue | undefined => (isJsonObject(item) ? item[key] : undefined);
  const known = new Set(before.map(keyOf));
  return [
    ...before.map((item) => {
      const sent = after.find((other) => keyOf(other) === keyOf(item));
      return sent === undefined ? item : mergedMember('', item, sent);
    }),
    ...after.filter((item) => !known.has(keyOf(item))),
  ];
}
