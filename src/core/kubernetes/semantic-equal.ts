import { decodeQuantity } from './quantity.js';
import { isJsonObject } from '../json/json-value.js';

/**
 * Whether two pod specs are equal to the API server (`apiequality.Semantic.DeepEqual`, k8s.io/apimachinery v0.36.2).
 * Quantities are compared by value. An absent list or map equals an empty one, and an absent string, number or boolean equals
 * Go's zero value, unless the field is a pointer, for which nil differs from zero.
 *
 * Both specs must be decoded whole and defaulted.
 */
export function specsAreEqual(one: object, other: object): boolean {
  return membersAreEqual(one, other, true);
}

function membersAreEqual(one: object, other: object, isSpec: boolean): boolean {
  const left = new Map<string, unknown>(Object.entries(one));
  const right = new Map<string, unknown>(Object.entries(other));
  return [...new Set([...left.keys(), ...right.keys()])].every((name) =>
    areEqual(left.get(name), right.get(name), name, isSpec),
  );
}

function areEqual(one: unknown, other: unknown, name: string, isSpec: boolean): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return isZero(one ?? other, name, isSpec);
  if (QUANTITY_LISTS.has(name)) return listsAreEqual(one as QuantityList, other as QuantityList);
  if (QUANTITIES.has(name)) return quantitiesAreEqual(one, other);
  if (Array.isArray(one) && Array.isArray(other)) {
    const items: readonly unknown[] = other;
    return one.length === items.length && one.every((item, index) => areEqual(item, items[index], '', false));
  }
  if (isJsonObject(one) && isJsonObject(other)) {
    return MAPS.has(name) ? mapsAreEqual(one, other) : membersAreEqual(one, other, false);
  }
  return false;
}

type QuantityList = Readonly<Record<string, string>>;

const QUANTITY_LISTS: ReadonlySet<string> = new Set(['requests', 'limits', 'overhead']);
const QUANTITIES: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);
const MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'labels',
  'matchLabels',
  'nodeSelector',
  'options',
  'volumeAttributes',
]);

/** Structs that are not pointers: an empty one equals an absent one. `resources` is one, except in the spec of a pod. */
const STRUCTS: ReadonlySet<string> = new Set(['metadata', 'spec', 'preference', 'podAffinityTerm']);

/** Strings, numbers and booleans that are pointers. */
const POINTERS: ReadonlySet<string> = new Set([
  'activeDeadlineSeconds',
  'allowPrivilegeEscalation',
  'apiGroup',
  'automountServiceAccountToken',
  'cachingMode',
  'defaultMode',
  'enableServiceLinks',
  'expirationSeconds',
  'fsGroup',
  'fsGroupChangePolicy',
  'gmsaCredentialSpec',
  'gmsaCredentialSpecName',
  'hostProcess',
  'hostUsers',
  'hostnameOverride',
  'initiatorName',
  'localhostProfile',
  'minDomains',
  'mode',
  'mountPropagation',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
  'optional',
  'preemptionPolicy',
  'priority',
  'privileged',
  'procMount',
  'readOnlyRootFilesystem',
  'recursiveReadOnly',
  'resourceClaimName',
  'resourceClaimTemplateName',
  'restartPolicy',
  'runAsGroup',
  'runAsNonRoot',
  'runAsUser',
  'runAsUserName',
  'runtimeClassName',
  'seLinuxChangePolicy',
  'service',
  'setHostnameAsFQDN',
  'shareProcessNamespace',
  'sizeLimit',
  'storageClassName',
  'supplementalGroupsPolicy',
  'terminationGracePeriodSeconds',
  'tolerationSeconds',
  'volumeAttributesClassName',
  'volumeMode',
]);

function isZero(value: unknown, name: string, isSpec: boolean): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) {
    const isPlain =
      QUANTITY_LISTS.has(name) || MAPS.has(name) || STRUCTS.has(name) || (name === 'resources' && !isSpec);
    return isPlain && Object.entries(value).every(([field, inner]) => isPlainZero(name, field, inner));
  }
  return !POINTERS.has(name) && (value === undefined || value === '' || value === 0 || value === false);
}

/** An entry of a map counts whatever its value; a field of a struct counts only if it is not its zero value. */
const isPlainZero = (name: string, field: string, value: unknown): boolean =>
  !QUANTITY_LISTS.has(name) && !MAPS.has(name) && isZero(value, field, false);

function mapsAreEqual(one: object, other: object): boolean {
  const entries = new Map<string, unknown>(Object.entries(other));
  const pairs = Object.entries(one);
  return pairs.length === entries.size && pairs.every(([key, value]) => entries.has(key) && entries.get(key) === value);
}

function listsAreEqual(one: QuantityList, other: QuantityList): boolean {
  const entries = new Map(Object.entries(other));
  const pairs = Object.entries(one);
  return (
    pairs.length === entries.size &&
    pairs.every(([key, value]) => entries.has(key) && quantitiesAreEqual(value, entries.get(key)))
  );
}

const quantitiesAreEqual = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' && decodeQuantity(one).cmp(decodeQuantity(other)) === 0;
