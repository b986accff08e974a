import { admissionConfigurationIn } from '../admission/surroundings-in.js';
import { allocatorFeatures } from '../devices/allocator-features.js';
import { withoutDisabledFields } from '../devices/disabled-claim-fields.js';
import { sliceToStore } from '../devices/disabled-slice-fields.js';
import { validateClaimStatus } from '../devices/validate-claim.js';
import { defined } from '../collections/defined.js';
import type { JsonObject } from '../json/json-value.js';
import { sameValue } from '../json/same-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { errorsInWordsOf, notSupported, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { kindInfo, type KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { ResourceClaim, ResourceSlice } from '../kubernetes/objects/dra.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { validateObject } from './validate-object.js';
import { isWithinQuotas } from './is-within-quotas.js';
import type { PutObjects, RemoveObjects } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** The kinds that admission and quotas read, and those of devices. */
const PUTTABLE = [
  'ResourceQuota',
  'LimitRange',
  'PriorityClass',
  'RuntimeClass',
  'Namespace',
  'DeviceTaintRule',
  'ResourceSlice',
  'DeviceClass',
  'ResourceClaim',
  'ResourceClaimTemplate',
] as const;

/** Stands for the time at which something is deleted: a scenario has no clock. */
const SOME_TIME = '1970-01-01T00:00:00Z';

/**
 * Adds objects, or replaces those with the same names. A new object that the API server would refuse is a fault, with its
 * message.
 */
export function* putObjects(
  draft: ScenarioDraft,
  { objects }: PutObjects,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const checksQuotas = admissionConfigurationIn(draft.base).plugins.includes('ResourceQuota');
  for (const [index, given] of objects.entries()) {
    yield undefined;
    const place = at.child('objects').index(index);
    const object = readObject(given, place, faults, draft);
    if (object === undefined) continue;
    const { kind, metadata } = object;
    const put = toPut(draft, object, place);
    if (put.kind === 'ResourceSlice') draft.knowDevices(put as ResourceSlice);
    const isNew = draft.find(kind as KeptKind, metadata.name, metadata.namespace) === undefined;
    if (isNew && checksQuotas && !(yield* isWithinQuotas(draft, put, place, faults))) continue;
    draft.putObject(kind as KeptKind, metadata.namespace ?? '', metadata.name, put);
  }
}

/** An object as the API server stores it. */
function toPut(draft: ScenarioDraft, object: KubernetesObject, place: FieldPath): KubernetesObject {
  if (object.kind === 'ResourceClaim') return claimToPut(draft, object as ResourceClaim, place);
  return object.kind === 'ResourceSlice' ? sliceToPut(draft, object as ResourceSlice) : object;
}

const sliceToPut = (draft: ScenarioDraft, slice: ResourceSlice): ResourceSlice =>
  sliceToStore(slice, draft.rules, draft.find('ResourceSlice', slice.metadata.name) as ResourceSlice | undefined);

function readObject(
  given: JsonObject,
  at: FieldPath,
  faults: ScenarioFaults,
  draft: ScenarioDraft,
): KubernetesObject | undefined {
  const { minor } = draft.rules;
  const decoded = decodeObject(given, { minor });
  const kind = decoded.outcome === 'object' ? decoded.object.kind : decoded.kind;
  if (decoded.outcome === 'ignored' || (kind !== undefined && !isPuttable(kind))) {
    faults.addOfObject(at, [notSupported(FieldPath.of('kind'), kind ?? '', PUTTABLE)]);
    return undefined;
  }
  if (decoded.outcome === 'invalid') {
    faults.addOfObject(at, decoded.errors);
    return undefined;
  }
  // Validates the complete manifest, including fields that are not kept.
  const whole = decodeObject(given, { whole: true, minor });
  const complete = whole.outcome === 'object' ? whole.object : decoded.object;
  const errors = refusedFields(
    complete.kind === 'ResourceSlice' ? sliceToPut(draft, complete as ResourceSlice) : complete,
    draft,
  );
  faults.addOfObject(at, errors);
  return errors.length > 0 ? undefined : decoded.object;
}

/**
 * A claim with the status that is given. Without one, a claim that is there already keeps its status, as with `kubectl apply`; its spec
 * cannot be changed, so one with another spec is new.
 */
function claimToPut(draft: ScenarioDraft, claim: ResourceClaim, at: FieldPath): ResourceClaim {
  const { namespace, name } = claim.metadata;
  const stored = draft.find('ResourceClaim', name, namespace) as ResourceClaim | undefined;
  const { spec, ...rest } = claim;
  const made = { ...rest, ...defined({ spec: withoutDisabledFields(spec, allocatorFeatures(draft.rules)) }) };
  if (stored === undefined || claim.status !== undefined) return made;
  if (sameValue(stored.spec, claim.spec)) {
    return { ...claim, metadata: { ...stored.metadata, ...claim.metadata }, ...defined({ status: stored.status }) };
  }
  if (stored.status?.allocation !== undefined) {
    draft.notes.push(
      `${at.toString()}: the spec of a ResourceClaim cannot be changed, so the claim counts as made anew: without the devices that it has`,
    );
  }
  return made;
}

function refusedFields(object: KubernetesObject, draft: ScenarioDraft): readonly FieldError[] {
  const { rules } = draft;
  const namespace = draft.find('Namespace', object.metadata.namespace ?? '') as Namespace | undefined;
  const errors = validateObject(object, { rules, gates: gatesOf(rules), namespace });
  if (object.kind !== 'ResourceClaim') return errors;
  return [...errors, ...errorsInWordsOf(rules, validateClaimStatus(object as ResourceClaim, rules))];
}

/**
 * Removes objects of the same kinds. Pods that need them do not change until they are replaced; a claim that pods use stays, being deleted,
 * until the last of them is gone.
 */
export function* removeObjects(
  draft: ScenarioDraft,
  { objects }: RemoveObjects,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  for (const [index, { kind, namespace, name }] of objects.entries()) {
    yield undefined;
    const place = at.child('objects').index(index);
    if (!isPuttable(kind)) {
      faults.addAsPlaced(notSupported(place.child('kind'), kind, PUTTABLE));
      continue;
    }
    const { namespaced, plural, apiVersions } = kindInfo(kind);
    const into = namespaced ? (namespace ?? 'default') : '';
    const stored = draft.find(kind, name, into);
    if (stored === undefined) {
      const [group = ''] = apiVersions[0].includes('/') ? apiVersions[0].split('/') : [];
      const resource = group === '' ? plural : `${plural}.${group}`;
      faults.add(place, 'object-not-found', `${resource} ${quoteGo(name)} not found`);
      continue;
    }
    draft.putObject(kind, into, name, isInUse(stored) ? deleted(stored) : null);
  }
}

const isPuttable = (kind: string): kind is (typeof PUTTABLE)[number] => (PUTTABLE as readonly string[]).includes(kind);

const isInUse = (object: KubernetesObject): boolean =>
  object.kind === 'ResourceClaim' && ((object as ResourceClaim).status?.reservedFor ?? []).length > 0;

const deleted = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { deletionTimestamp: SOME_TIME, ...object.metadata },
});
