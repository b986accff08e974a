import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';

/**
 * Converts an object of an older API version to the newest one; values of the wrong type are left for the decoder.
 * Versions that differ only in their name are not listed.
 */
export function toNewestVersion(apiVersion: string, kind: string, value: JsonObject): JsonObject {
  return CONVERSIONS.get(`${apiVersion} ${kind}`)?.(value) ?? value;
}

const CONVERSIONS: ReadonlyMap<string, (value: JsonObject) => JsonObject> = new Map([
  ['node.k8s.io/v1alpha1 RuntimeClass', liftRuntimeClassSpec],
  ['policy/v1beta1 PodDisruptionBudget', matchNothingWhenEmpty],
  ['resource.k8s.io/v1beta1 ResourceSlice', liftBasicDevices],
  ['resource.k8s.io/v1alpha3 ResourceSlice', (slice: JsonObject) => wrapCapacities(liftBasicDevices(slice))],
  ...['v1alpha3', 'v1beta1'].flatMap((version) => [
    [
      `resource.k8s.io/${version} ResourceClaim`,
      (claim: JsonObject) => within(claim, 'spec', nestExactRequests),
    ] as const,
    [
      `resource.k8s.io/${version} ResourceClaimTemplate`,
      (template: JsonObject) => within(template, 'spec', (spec) => within(spec, 'spec', nestExactRequests)),
    ] as const,
  ]),
  ...['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'].flatMap((kind) =>
    ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'].map(
      (apiVersion) => [`${apiVersion} ${kind}`, selectTemplateLabels] as const,
    ),
  ),
]);

/** `v1alpha1` had handler, overhead and scheduling under `spec`, with the handler named `runtimeHandler`. */
function liftRuntimeClassSpec(runtimeClass: JsonObject): JsonObject {
  const { spec, ...rest } = runtimeClass;
  if (!isJsonObject(spec)) return runtimeClass;
  const { runtimeHandler, ...more } = spec;
  return { ...rest, ...more, handler: runtimeHandler ?? null };
}

/**
 * An empty selector matches no pod in `policy/v1beta1` and every pod in `policy/v1`. The API server converts it to a
 * requirement that no pod meets (k8s.io/kubernetes v1.36.2, pkg/apis/policy/v1beta1/conversion.go).
 */
function matchNothingWhenEmpty(budget: JsonObject): JsonObject {
  return within(budget, 'spec', (spec) => {
    const { selector } = spec;
    if (!isJsonObject(selector) || !isEmptySelector(selector)) return spec;
    const key = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';
    return { ...spec, selector: { matchExpressions: [{ key, operator: 'Exists' }] } };
  });
}

function isEmptySelector(selector: JsonObject): boolean {
  return Object.values(selector).every((part) => part === null || (typeof part === 'object' && isEmpty(part)));
}

const isEmpty = (part: JsonObject | JsonValue[]): boolean => Object.keys(part).length === 0;

/** Before `apps/v1`, an absent selector defaulted to the labels of the template. */
function selectTemplateLabels(workload: JsonObject): JsonObject {
  return within(workload, 'spec', (spec) => {
    const metadata = isJsonObject(spec['template']) ? spec['template']['metadata'] : undefined;
    const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
    if ((spec['selector'] ?? null) !== null || !isJsonObject(labels)) return spec;
    return { ...spec, selector: { matchLabels: labels } };
  });
}

/** In `v1alpha3` a capacity is a quantity; since `v1beta1`, an object that has it as `value`. */
function wrapCapacities(slice: JsonObject): JsonObject {
  return within(slice, 'spec', (spec) =>
    eachOf(spec, 'devices', (device) =>
      within(device, 'capacity', (capacity) =>
        Object.fromEntries(
          Object.entries(capacity).map(([name, amount]) => [name, isJsonObject(amount) ? amount : { value: amount }]),
        ),
      ),
    ),
  );
}

/** `v1alpha3` and `v1beta1` had most fields of a device under `basic`. */
function liftBasicDevices(slice: JsonObject): JsonObject {
  return within(slice, 'spec', (spec) =>
    eachOf(spec, 'devices', (device) => {
      const { basic, ...rest } = device;
      return isJsonObject(basic) ? { ...rest, ...basic } : device;
    }),
  );
}

/** `v1alpha3` and `v1beta1` had the fields of an exact request next to its name. */
function nestExactRequests(claimSpec: JsonObject): JsonObject {
  return within(claimSpec, 'devices', (devices) =>
    eachOf(devices, 'requests', (request) => {
      const { name, firstAvailable, ...exactly } = request;
      if (Object.keys(exactly).length === 0 || Object.hasOwn(exactly, 'exactly')) return request;
      return { name: name ?? null, firstAvailable: firstAvailable ?? null, exactly };
    }),
  );
}

function within(object: JsonObject, field: string, change: (inner: JsonObject) => JsonObject): JsonObject {
  const inner = object[field];
  return isJsonObject(inner) ? { ...object, [field]: change(inner) } : object;
}

function eachOf(object: JsonObject, field: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const items = object[field];
  if (!Array.isArray(items)) return object;
  return { ...object, [field]: items.map((item) => (isJsonObject(item) ? change(item) : item)) };
}
