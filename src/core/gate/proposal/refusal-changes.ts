import { admitPod } from '../../admission/admission-chain.js';
import { admissionIn } from '../../admission/admission-in.js';
import { podOfManifest, wholePodOf } from '../../admission/pod-of-template.js';
import { namespacePolicy } from '../../admission/pod-security/namespace-policy.js';
import { STOCK_POD_SECURITY } from '../../admission/pod-security/pod-security-configuration.js';
import { violations } from '../../admission/pod-security/standards.js';
import { readPodManifest, withName } from '../../admission/read-pod-manifest.js';
import { surroundingsIn } from '../../admission/surroundings-in.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import { nearest } from '../../findings/edit-distance.js';
import { nearestField } from '../../findings/nearest-field.js';
import type { JsonObject, JsonValue } from '../../json/json-value.js';
import { decodeObject } from '../../kubernetes/decode.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../../kubernetes/objects/quota.js';
import type { Workload } from '../../kubernetes/objects/workloads.js';
import { templatePath } from '../../kubernetes/pod-template.js';
import type { UnknownField } from '../../kubernetes/schema/decoding.js';
import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { reviewObject } from '../../quota-review/object-charges.js';
import { quotaRaises, quotaRooms, type QuotaRaise } from '../../quota-review/quota-room.js';
import { withLimits, type GateChange, type GateSubject } from './change.js';
import { editedAt, isJsonObject, podPartOf, valueAt, withMember, withPodPart } from './edit-json.js';
import { containerLimits, withinLimits } from './limit-edits.js';
import { SECURITY_EDITS } from './security-edits.js';

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
    case 'fieldValidation':
      return unknownFields(refused.object);
    case 'NamespaceLifecycle':
      return newNamespace(refused);
    case 'ServiceAccount':
      return newServiceAccount(refused);
    case 'Priority':
      return otherPriorityClass(refused);
    case 'LimitRanger':
      return withinLimitRanges(refused);
    case 'PodSecurity':
      return secured(refused);
    case 'ResourceQuota':
      return raisedQuotas(refused, subject);
    default:
      return [];
  }
}

function unknownFields(object: ManifestObject): readonly Bundle[] {
  const decoded = decodeObject(withName(object.value));
  const unknown = decoded.outcome === 'ignored' ? [] : (decoded.unknown ?? []);
  if (unknown.length === 0 || unknown.length > MOST_FIELDS) return [];
  return [unknown.map((field) => correctedField(object, field))];
}

/** The field under the name that was likely meant, or without it. */
function correctedField(object: ManifestObject, { field, pointer, name, known }: UnknownField): GateChange {
  const meant = nearestField(name, known.keys());
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
  const there = surroundingsIn(state, namespace, now).serviceAccounts.map(({ metadata }) => metadata.name);
  if (there.includes(name)) return [];
  const meant = nearest(
    name,
    there.filter((other) => other !== 'default'),
    name.length < 8 ? 1 : 2,
  );
  const added = [newManifest('v1', 'ServiceAccount', namespace, name)];
  if (meant === undefined) return [added];
  const edit = (before: JsonObject): JsonObject =>
    editedAt(withMember(before, 'serviceAccount', undefined), ['serviceAccountName'], () => meant);
  return [[ofSpec(object, `use service account ${meant}`, edit)], added];
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

const ofSpec = (object: ManifestObject, text: string, edit: (spec: JsonObject) => JsonObject): GateChange => ({
  of: 'Manifest',
  object,
  text,
  edit: (value) =>
    withPodPart(value, object.kind, (part) =>
      editedAt(part, ['spec'], (spec) => (isJsonObject(spec) ? edit(spec) : spec)),
    ),
});

function otherPriorityClass({ object, state, now }: RefusedSubject): readonly Bundle[] {
  const name = valueAt(object.value, [...templatePath(object), 'spec', 'priorityClassName']);
  if (typeof name !== 'string') return [];
  const classes = surroundingsIn(state, object.namespace ?? 'default', now).priorityClasses;
  const meant = nearest(
    name,
    classes.map(({ metadata }) => metadata.name).filter((other) => other !== name && !other.startsWith('system-')),
    name.length < 8 ? 1 : 2,
  );
  const without = ofSpec(object, `remove priorityClassName ${name}`, (spec) =>
    withMember(spec, 'priorityClassName', undefined),
  );
  if (meant === undefined) return [[without]];
  const other = ofSpec(object, `use PriorityClass ${meant}`, (spec) => withMember(spec, 'priorityClassName', meant));
  return [[other], [without]];
}

function withinLimitRanges({ object, state, now }: RefusedSubject): readonly Bundle[] {
  const limits = containerLimits(surroundingsIn(state, object.namespace ?? 'default', now).limitRanges);
  const edit = (value: JsonObject): JsonObject => withinLimits(value, object.kind, limits);
  return [[{ of: 'Manifest', object, text: 'keep requests and limits within the LimitRange', edit }]];
}

/** Those of the edits that bring the pod nearer to the standard that its namespace enforces. */
function secured({ object, state, now }: RefusedSubject): readonly Bundle[] {
  const { namespace = 'default', kind } = object;
  const { surroundings, configuration } = admissionIn(state, namespace, { now });
  const { defaults } = configuration.podSecurity ?? STOCK_POD_SECURITY;
  const { enforce } = namespacePolicy(surroundings.namespace?.metadata.labels ?? {}, defaults).policy;
  const violated = (value: JsonObject): number => {
    const pod = wholePod(value);
    return pod === undefined ? Infinity : violations(enforce, pod).length;
  };
  const bundle: GateChange[] = [];
  let [value, left] = [object.value, violated(object.value)];
  for (const { text, edit } of SECURITY_EDITS) {
    const changed = edit(value, kind);
    const after = violated(changed);
    if (after >= left) continue;
    bundle.push({ of: 'Manifest', object, text, edit: (before) => edit(before, kind) });
    [value, left] = [changed, after];
  }
  return bundle.length === 0 ? [] : [bundle];
}

function wholePod(value: JsonObject): ReturnType<typeof wholePodOf> {
  const decoded = decodeObject(withName(value), { whole: true });
  return decoded.outcome === 'object' ? wholePodOf(decoded.object as Pod | Workload) : undefined;
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

function ofPods({ object, pods, state, quotas, now }: RefusedSubject): readonly QuotaRaise[] {
  const read = readPodManifest('pod', object.value, DEFAULT_GATES);
  if ('errors' in read) return [];
  const manifest = read.object;
  const pod = podOfManifest({
    ...manifest,
    metadata: { ...manifest.metadata, namespace: object.namespace ?? 'default' },
  } as typeof manifest);
  if (pod === undefined) return [];
  const admission = admitPod(
    {
      operation: 'create',
      pod,
      known: 'kept',
      ...(manifest.kind !== 'Pod' && { workload: manifest }),
      without: ['ResourceQuota', 'PodSecurity', 'ValidatingAdmissionPolicy'],
    },
    admissionIn(state, object.namespace ?? 'default', { now }),
  );
  if (admission.outcome === 'refused') return [];
  return quotaRaises(quotaRooms(quotas, admission.pod, now), Math.max(1, pods));
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
