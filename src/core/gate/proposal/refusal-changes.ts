import { admitPod } from '../../admission/admission-chain.js';
import { admissionIn } from '../../admission/admission-in.js';
import { withName } from '../../admission/read-pod-manifest.js';
import { fixesForRefusal } from '../../admission/refusal-fixes/fixes-for-refusal.js';
import type { PolicyWork } from '../../admission/policies/policy-work.js';
import { surroundingsIn } from '../../admission/surroundings-in.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import { nearestField } from '../../findings/nearest-field.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { decodeObject } from '../../kubernetes/decode.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import { servedVersionOf } from '../../kubernetes/manifests/served-kinds.js';
import type { ResourceQuota } from '../../kubernetes/objects/quota.js';
import type { UnknownField } from '../../kubernetes/schema/decoding.js';
import { reviewObject } from '../../quota-review/object-charges.js';
import { quotaRaises, quotaRooms, type QuotaRaise } from '../../quota-review/quota-room.js';
import { applyPatch } from './apply-patch.js';
import { withLimits, type GateChange, type GateSubject } from './change.js';
import { newPodOf } from '../new-pod-of.js';
import { editedAt, podPartOf, withMember, withPodPart } from './edit-json.js';

/** A refusal of an object, or of the pods that its controller creates. */
export interface RefusedSubject {
  readonly object: ManifestObject;
  /** The plugin, `validation`, or what else refuses. */
  readonly by: string;
  /** Pods that are not created for it; 0 for a refusal of the object itself. */
  readonly pods: number;
  /** As the rollout left it: with the charges of what was created. */
  readonly state: ClusterState;
  /** The quotas of the namespace, with the charges of what was created. */
  readonly quotas: readonly ResourceQuota[];
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly work: PolicyWork;
}

type Bundle = readonly GateChange[];

/** How many unknown fields of one object are corrected. */
const MOST_FIELDS = 20;

/**
 * Changes that may end a refusal, as bundles of which each might do by itself, the least first. Whether one does is for the caller to
 * find out.
 */
export function refusalChanges(refused: RefusedSubject, subject: GateSubject): readonly Bundle[] {
  switch (refused.by) {
    case 'discovery':
      return servedVersion(refused);
    case 'fieldValidation':
      return unknownFields(refused);
    case 'NamespaceLifecycle':
      return newNamespace(refused);
    case 'ServiceAccount':
      return [...newServiceAccount(refused), ...admissionFixes(refused)];
    case 'ResourceQuota':
      return [...admissionFixes(refused), ...raisedQuotas(refused, subject)];
    default:
      return admissionFixes(refused);
  }
}

/** The kind in the version of its API that the API server serves. */
function servedVersion({ object, state }: RefusedSubject): readonly Bundle[] {
  const { kind } = object;
  const apiVersion = servedVersionOf(kind, state.rules);
  if (apiVersion === undefined) return [];
  const text = `change the apiVersion of ${kind} ${object.name} to ${apiVersion}`;
  return [[{ of: 'Manifest', object, text, edit: (value) => withMember(value, 'apiVersion', apiVersion) }]];
}

function unknownFields({ object, state }: RefusedSubject): readonly Bundle[] {
  const decoded = decodeObject(withName(object.value), { minor: state.rules.minor });
  const unknown = decoded.outcome === 'ignored' ? [] : (decoded.unknown ?? []);
  if (unknown.length === 0 || unknown.length > MOST_FIELDS) return [];
  return [unknown.map((field) => correctedField(object, field))];
}

/** The field under the name that was likely meant, or without it. */
function correctedField(object: ManifestObject, { field, pointer, name, known, since }: UnknownField): GateChange {
  const meant = since === undefined ? nearestField(name, known) : undefined;
  const path = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return {
    of: 'Manifest',
    object,
    text: meant === undefined ? `remove the unknown field ${field}` : `rename ${field} to ${meant}`,
    edit: (value) => inPlace(value, path.slice(0, -1), (parent) => renamed(parent, name, meant)),
  };
}

/** A field under another name, in its place; without it where the name is undefined or taken. */
function renamed(parent: JsonObject, name: string, other: string | undefined): JsonObject {
  if (other === undefined || Object.hasOwn(parent, other)) return withMember(parent, name, undefined);
  return Object.fromEntries(Object.entries(parent).map(([key, value]) => [key === name ? other : key, value]));
}

/** An object below, lists on the way included. */
function inPlace(value: JsonObject, path: readonly string[], edit: (at: JsonObject) => JsonObject): JsonObject {
  const descend = (at: JsonValue, rest: readonly string[]): JsonValue => {
    const [name, ...further] = rest;
    if (name === undefined) return isJsonObject(at) ? edit(at) : at;
    if (Array.isArray(at)) return at.map((item, index) => (String(index) === name ? descend(item, further) : item));
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return at;
    return withMember(at, name, descend(at[name]!, further));
  };
  return descend(value, path) as JsonObject;
}

function newNamespace({ object, state }: RefusedSubject): readonly Bundle[] {
  const { namespace } = object;
  if (namespace === undefined || state.find('Namespace', undefined, namespace) !== undefined) return [];
  return [[newManifest('v1', 'Namespace', undefined, namespace)]];
}

function newServiceAccount({ object, state, now }: RefusedSubject): readonly Bundle[] {
  const { namespace = 'default', kind, value } = object;
  const spec = podPartOf(value, kind)?.['spec'];
  const name = isJsonObject(spec) ? (spec['serviceAccountName'] ?? spec['serviceAccount']) : undefined;
  if (typeof name !== 'string' || name === '') return [];
  const { serviceAccounts } = surroundingsIn(state, namespace, now);
  if (serviceAccounts.some(({ metadata }) => metadata.name === name)) return [];
  return [[newManifest('v1', 'ServiceAccount', namespace, name)]];
}

function newManifest(apiVersion: string, kind: string, namespace: string | undefined, name: string): GateChange {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return {
    of: 'NewManifest',
    text: `add ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`,
    object: {
      source: { document: -1, pointer: '' },
      apiVersion,
      kind,
      namespace,
      name,
      value: { apiVersion, kind, metadata },
    },
  };
}

/** What gets the pod of a manifest past its refusal at admission; quotas aside. */
function admissionFixes({ object, state, now, work }: RefusedSubject): readonly Bundle[] {
  const request = newPodOf(object, state.rules.minor);
  if (request === undefined) return [];
  const into = admissionIn(state, object.namespace ?? 'default', { now, work });
  const admission = admitPod(request, into);
  if (admission.outcome === 'admitted') return [];
  return fixesForRefusal(request, admission, into).map(({ changes, patch }) => [
    {
      of: 'Manifest',
      object,
      text: changes
        .map(({ summary, condition }) => (condition === null ? summary : `${summary} (if ${condition})`))
        .join('; '),
      edit: (value) => withPodPart(value, object.kind, (part) => applyPatch(part, patch)),
    },
  ]);
}

/** The least limits that let all pods in, or the object itself; each a change of its own. */
function raisedQuotas(refused: RefusedSubject, subject: GateSubject): readonly Bundle[] {
  const { object, pods } = refused;
  const raises = pods === 0 && object.kind !== 'Pod' ? ofObject(refused) : ofPods(refused);
  return raises.length === 0 ? [] : [raises.map((raise) => raised(raise, object.namespace ?? 'default', subject))];
}

function ofObject({ object, quotas }: RefusedSubject): readonly QuotaRaise[] {
  const review = reviewObject(quotas, object.kind, object.name);
  return review.outcome === 'refused' ? review.raises : [];
}

function ofPods({ object, pods, state, quotas, now, work }: RefusedSubject): readonly QuotaRaise[] {
  const request = newPodOf(object, state.rules.minor);
  if (request === undefined) return [];
  const admission = admitPod(request, admissionIn(state, object.namespace ?? 'default', { now, work }));
  if (admission.outcome === 'refused') return [];
  return quotaRaises(quotaRooms(quotas, admission.pod, { now, rules: state.rules }), Math.max(1, pods));
}

function raised({ quota, resource, from, to }: QuotaRaise, namespace: string, { objects }: GateSubject): GateChange {
  const text = `raise ${resource} of quota ${quota} from ${from.toString()} to ${to.toString()}`;
  const sent = objects.find((one) => one.kind === 'ResourceQuota' && one.namespace === namespace && one.name === quota);
  if (sent !== undefined) {
    const edit = (value: JsonObject): JsonObject => editedAt(value, ['spec', 'hard', resource], () => to.toString());
    return { of: 'Manifest', object: sent, text, edit };
  }
  const patch = JSON.stringify({ spec: { hard: { [resource]: to.toString() } } });
  return {
    of: 'ResourceQuota',
    namespace,
    name: quota,
    text,
    change: withLimits({ [resource]: to.toString() }),
    command: `kubectl patch resourcequota ${quota} -n ${namespace} --type=merge -p '${patch}'`,
  };
}
