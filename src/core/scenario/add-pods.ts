import { claimsToMake, claimTemplatesOf, podNamed } from '../admission/claims-to-make.js';
import { admitPod } from '../admission/admission-chain.js';
import { admissionIn } from '../admission/admission-in.js';
import { podOfManifest, wholePodOf } from '../admission/pod-of-template.js';
import { admissionDoubt } from '../admission/undecided-plugins.js';
import { isAbsent, onlyItem, readPodManifest } from '../admission/read-pod-manifest.js';
import { defined } from '../collections/defined.js';
import { isJsonObject, type JsonObject } from '../json/json-value.js';
import { required } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { withUnmergedKeys } from '../kubernetes/merge-label-keys.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { VolumeClaimTemplate } from '../kubernetes/objects/workloads.js';
import { replacementPod } from '../kubernetes/replacement-pod.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { reviewQuotas, type LimitedResource } from '../quota/quota-admission.js';
import { computeQos } from '../resources/qos.js';
import { copyNames } from './copy-names.js';
import { nodeNamed } from './node-targets.js';
import { podOfKey } from './pod-targets.js';
import { boundTo } from './pod-place.js';
import { isWithinQuotas } from './is-within-quotas.js';
import type { AddPods } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from '../collections/without.js';

/** Pods processed between two yields. */
const FEW = 64;

/** Adds pods from a manifest, or like another pod, as the API server and admission would create them. Pods that they would refuse are faults. */
export function* addPods(
  draft: ScenarioDraft,
  change: AddPods,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const before = faults.all.length;
  const template = yield* templateFor(draft, change, at, faults);
  const nodeName = change.nodeName ?? template?.pod.spec.nodeName ?? '';
  if (nodeName !== '') {
    const place = change.nodeName === undefined ? at.child('pod', 'spec', 'nodeName') : at.child('nodeName');
    nodeNamed(draft, nodeName, place, faults);
  }
  const namespace = template?.pod.metadata.namespace ?? 'default';
  const naming = {
    template: template?.name,
    otherwise: template?.prefix ?? 'pod',
    plural: 'pods',
    isTaken: (name: string) => draft.pod({ namespace, name }) !== undefined,
  };
  const names = copyNames(change, naming, at, faults);
  if (template === undefined || faults.all.length > before) {
    draft.incomplete.pods = true;
    return;
  }
  const stored = draft.admissionState;
  for (const [index, name] of names.entries()) {
    if (index % FEW === FEW - 1) yield undefined;
    const isAdmitted = yield* admit(draft, template, namespace, index, at, faults);
    if (!isAdmitted) {
      draft.incomplete.pods = true;
      return;
    }
    const pod = podNamed(template.pod, name, template.claimTemplates);
    for (const claim of claimsToMake(stored, pod, template.claimTemplates)) {
      if (template.checksQuotas && !(yield* isWithinQuotas(draft, claim, at, faults))) {
        draft.incomplete.pods = true;
        return;
      }
      draft.putObject('PersistentVolumeClaim', namespace, claim.metadata.name, claim);
    }
    draft.putPod(nodeName === '' ? pod : boundTo(pod, nodeName));
  }
}

/** Whether the quotas admit a pod after those before it; the first pod is admitted when its template is read. */
function* admit(
  draft: ScenarioDraft,
  { pod, limited, checksQuotas }: PodTemplate,
  namespace: string,
  index: number,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, boolean> {
  if (index === 0 || !checksQuotas) return true;
  const review = reviewQuotas(
    yield* draft.quotas.of(namespace),
    { operation: 'create', pod },
    { now: 0, rules: draft.rules, ...(limited && { limited }) },
  );
  if (review.outcome === 'admitted') return true;
  faults.add(at, 'admission-refused', `${review.refusal.message} (pod ${index + 1} of the added pods)`);
  return false;
}

interface PodTemplate {
  readonly pod: Pod;
  readonly checksQuotas: boolean;
  /** Resources that may be consumed only if a quota covers them. */
  readonly limited: readonly LimitedResource[] | undefined;
  /** The name in the manifest; undefined if it has none. */
  readonly name: string | undefined;
  /** The claim templates of the StatefulSet that creates the pods. */
  readonly claimTemplates: readonly VolumeClaimTemplate[];
  /** The prefix of the pods' names. */
  readonly prefix: string;
}

function* templateFor(
  draft: ScenarioDraft,
  { pod, like, admission }: AddPods,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, PodTemplate | undefined> {
  if ((pod === undefined) === (like === undefined)) {
    faults.add(at, 'one-of', 'specify either pod (a manifest) or like (namespace/name of a pod)');
    return undefined;
  }
  if (pod !== undefined) return yield* readTemplate(draft, { pod, admission }, at.child('pod'), faults);
  const copied = podOfKey(draft, like!, at.child('like'), faults);
  if (copied === undefined) return undefined;
  const made = withUnmergedKeys(replacementPod(copied, undefined));
  const { generateName = `${copied.metadata.name}-` } = made.metadata;
  const manifest = { ...made, metadata: { ...without(made.metadata, 'name'), generateName } };
  return yield* readTemplate(draft, { pod: manifest as unknown as JsonObject, admission }, at.child('like'), faults);
}

function* readTemplate(
  draft: ScenarioDraft,
  { pod: given, admission }: { readonly pod: JsonObject; readonly admission: AddPods['admission'] },
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, PodTemplate | undefined> {
  const read = readPodManifest('pod', given, gatesOf(draft.rules));
  if ('errors' in read) {
    faults.addOfObject(at, read.errors, read.pointer);
    return undefined;
  }
  const { object, whole } = read;
  const namespace = object.metadata.namespace ?? 'default';
  const sent = podOfManifest(object);
  if (sent === undefined) {
    faults.addOfObject(at, [required(FieldPath.of('spec', 'template'))], read.pointer);
    return undefined;
  }
  const into = admissionIn(draft.admissionState, namespace);
  const quotas = yield* draft.quotas.of(namespace);
  const admitted = admitPod(
    {
      operation: 'create',
      pod: sent,
      known: 'kept',
      ...defined({ whole: wholePodOf(whole) }),
      ...(object.kind !== 'Pod' && { workload: object }),
      skipAdmission: admission === 'skip',
      allowMissingRuntimeClass: true,
    },
    { ...into, surroundings: { ...into.surroundings, quotas } },
  );
  if (admitted.outcome === 'refused') {
    faults.add(at, 'admission-refused', admitted.refusal.message);
    return undefined;
  }
  const { missingRuntimeClass } = admitted;
  if (missingRuntimeClass?.loaded === true) {
    const name = quoteGo(missingRuntimeClass.name);
    faults.add(at, 'admission-refused', `pod rejected: RuntimeClass ${name} not found`);
    return undefined;
  }
  if (missingRuntimeClass !== undefined) {
    draft.notes.push(
      `${at.toString()}: no RuntimeClass was ever loaded, so nothing is added for class ${missingRuntimeClass.name}`,
    );
  }
  const doubt = admissionDoubt(admitted);
  if (doubt !== undefined) draft.notes.push(`${at.toString()}: ${doubt.why}: the pod is assumed to be admitted`);
  const isNamed = object.kind === 'Pod' && !isAbsent(metadataOf(onlyItem(given, '').value), 'name');
  const { name } = object.metadata;
  return {
    pod: created(admitted.pod),
    checksQuotas: admission !== 'skip' && into.configuration.plugins.includes('ResourceQuota'),
    limited: into.configuration.limitedResources,
    claimTemplates: claimTemplatesOf(object),
    name: isNamed ? name : undefined,
    prefix: prefixOf(object.kind, given, name),
  };
}

/** A pod as it is stored on creation; a status in the manifest is ignored. */
function created({ apiVersion, metadata, spec }: Pod): Pod {
  const { name, generateName, namespace = 'default', labels, annotations, ownerReferences } = metadata;
  const pod: Pod = {
    apiVersion,
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      ...defined({ generateName, labels, annotations, ownerReferences }),
    },
    spec,
  };
  return { ...pod, status: { phase: 'Pending', qosClass: computeQos(pod) } };
}

function prefixOf(kind: string, given: JsonObject, name: string): string {
  if (kind !== 'Pod') return name;
  const { generateName } = metadataOf(onlyItem(given, '').value);
  return typeof generateName === 'string' && generateName !== '' ? generateName.replace(/-+$/, '') : 'pod';
}

function metadataOf(value: JsonObject): JsonObject {
  const metadata = Object.hasOwn(value, 'metadata') ? value['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata : {};
}
