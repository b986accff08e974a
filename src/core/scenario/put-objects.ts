import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { JsonObject } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { notSupported, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { kindInfo, type KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { DeviceTaintRule, ResourceSlice } from '../kubernetes/objects/dra.js';
import type { LimitRange, ResourceQuota } from '../kubernetes/objects/quota.js';
import type { RuntimeClass } from '../kubernetes/objects/scheduling.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { validateDeviceTaintRule } from '../kubernetes/validation/device-taint-rule.js';
import { validateLimitRange } from '../kubernetes/validation/limit-range.js';
import { validateResourceQuota } from '../kubernetes/validation/resource-quota.js';
import { validateResourceSlice } from '../kubernetes/validation/resource-slice.js';
import { validateRuntimeClass } from '../kubernetes/validation/runtime-class.js';
import { validateStoredObject } from '../kubernetes/validation/stored-object.js';
import type { PutObjects, RemoveObjects } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** The kinds that admission and quotas read, and those that taint devices. */
const PUTTABLE = [
  'ResourceQuota',
  'LimitRange',
  'PriorityClass',
  'RuntimeClass',
  'Namespace',
  'DeviceTaintRule',
  'ResourceSlice',
] as const;

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
  for (const [index, given] of objects.entries()) {
    yield undefined;
    const place = at.child('objects').index(index);
    const object = readObject(given, place, faults, draft.rules);
    if (object === undefined) continue;
    const { kind, metadata } = object;
    draft.putObject(kind as KeptKind, metadata.namespace ?? '', metadata.name, object);
  }
}

function readObject(
  given: JsonObject,
  at: FieldPath,
  faults: ScenarioFaults,
  rules: KubernetesRules,
): KubernetesObject | undefined {
  const decoded = decodeObject(given);
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
  const whole = decodeObject(given, { whole: true });
  const errors = refusedFields(whole.outcome === 'object' ? whole.object : decoded.object, rules);
  faults.addOfObject(at, errors);
  return errors.length > 0 ? undefined : decoded.object;
}

function refusedFields(object: KubernetesObject, rules: KubernetesRules): readonly FieldError[] {
  switch (object.kind) {
    case 'ResourceQuota':
      return validateResourceQuota(object as ResourceQuota, rules);
    case 'LimitRange':
      return validateLimitRange(object as LimitRange);
    case 'RuntimeClass':
      return validateRuntimeClass(object as RuntimeClass, gatesOf(rules));
    case 'DeviceTaintRule':
      return validateDeviceTaintRule(object as DeviceTaintRule);
    case 'ResourceSlice':
      return validateResourceSlice(object as ResourceSlice);
    default:
      return validateStoredObject(object);
  }
}

/** Removes objects of the same kinds. Pods that need them do not change until they are replaced. */
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
    if (draft.find(kind, name, into) === undefined) {
      const [group = ''] = apiVersions[0].includes('/') ? apiVersions[0].split('/') : [];
      const resource = group === '' ? plural : `${plural}.${group}`;
      faults.add(place, 'object-not-found', `${resource} ${quoteGo(name)} not found`);
      continue;
    }
    draft.putObject(kind, into, name, null);
  }
}

const isPuttable = (kind: string): kind is (typeof PUTTABLE)[number] => (PUTTABLE as readonly string[]).includes(kind);
