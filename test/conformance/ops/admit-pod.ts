import { admitPod as admit, type Admission, type AdmittedPod } from '../../../src/core/admission/admission-chain.js';
import { STOCK_ADMISSION } from '../../../src/core/admission/admission-configuration.js';
import { SYSTEM_PRIORITY_CLASSES } from '../../../src/core/admission/priority.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import type { Namespace } from '../../../src/core/kubernetes/objects/namespace.js';
import type { Container } from '../../../src/core/kubernetes/objects/pod.js';
import type { LimitRange, ResourceQuota } from '../../../src/core/kubernetes/objects/quota.js';
import type { PriorityClass, RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { ServiceAccount } from '../../../src/core/kubernetes/objects/service-account.js';
import type { WholeContainer, WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import { DEFAULT_GATES } from '../../../src/core/kubernetes/toleration.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';
import { decodedList } from './admission-in-vector.js';
import { decodeManifest } from './refused-fields.js';

/** What the API server answers to the creation of a pod. Of objects of other kinds, nothing is said. */
export const admitPod: Op = {
  answer(input) {
    if (input['pod'] === undefined) return UNKNOWN;
    const admission = admitted(input);
    return admission.outcome === 'admitted'
      ? { code: 201, message: null, reason: null, pod: storedPod(admission) }
      : refusal(admission);
  },
  agree(want, got) {
    if (got === UNKNOWN) return true;
    const { messageAnyOf, errors, otherWarnings: _, ...wanted } = want as JsonObject;
    const { message, ...answer } = got as { readonly message: string | null };
    const isMessage = Array.isArray(messageAnyOf)
      ? messageAnyOf.includes(message)
      : sameMessage(wanted['message'], message, errors);
    return isMessage && sameJson({ ...wanted, message: undefined }, answer);
  },
};

/** The page of the vectors lets a project leave kinds other than Pod unknown. */
const UNKNOWN = { unknown: 'only pods are admitted here' };

function admitted(input: JsonObject): Admission {
  const namespace = decodedObject(input['namespace']) as Namespace | undefined;
  const name = namespace?.metadata.name ?? (input['namespaceName'] as string);
  const sent = decodeManifest(input['pod']) as WholePod;
  const runtimeClasses = decodedList(input['runtimeClasses']) as readonly RuntimeClass[];
  const surroundings = {
    namespace,
    limitRanges: decodedList(input['limitRanges']) as readonly LimitRange[],
    serviceAccounts: [...(decodedList(input['serviceAccounts']) as readonly ServiceAccount[]), defaultAccount(name)],
    quotas: decodedList(input['quotas']) as readonly ResourceQuota[],
    priorityClasses: [
      ...SYSTEM_PRIORITY_CLASSES,
      ...(decodedList(input['priorityClasses']) as readonly PriorityClass[]),
    ],
    findRuntimeClass: (className: string) => runtimeClasses.find(({ metadata }) => metadata.name === className),
    now: 0,
  };
  const pod = { ...sent, metadata: { ...sent.metadata, namespace: name } };
  return admit({ operation: 'create', pod }, { surroundings, configuration: STOCK_ADMISSION, gates: DEFAULT_GATES });
}

const decodedObject = (value: JsonValue | undefined): unknown =>
  value === undefined || value === null ? undefined : decodedList([value])[0];

const defaultAccount = (namespace: string): ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace },
});

const REASONS: ReadonlyMap<number, string> = new Map([
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [422, 'Invalid'],
]);

const refusal = ({ refusal: { status, message } }: Extract<Admission, { readonly outcome: 'refused' }>): object => ({
  code: status,
  message,
  reason: REASONS.get(status),
});

/** The parts of the stored pod that a vector has. */
function storedPod({ pod }: AdmittedPod): object {
  const { spec, status, metadata } = pod;
  const { imagePullSecrets = [], nodeSelector, overhead, initContainers } = spec as WholePod['spec'];
  return {
    containers: spec.containers.map(storedContainer),
    initContainers: initContainers?.map(storedContainer),
    resources: spec.resources,
    tolerations: spec.tolerations,
    priority: spec.priority,
    priorityClassName: filledText(spec.priorityClassName),
    preemptionPolicy: spec.preemptionPolicy,
    overhead: filled(overhead),
    nodeSelector: filled(nodeSelector),
    runtimeClassName: spec.runtimeClassName,
    serviceAccountName: filledText(spec.serviceAccountName),
    imagePullSecrets: imagePullSecrets.length === 0 ? undefined : imagePullSecrets,
    qosClass: status?.qosClass,
    limitRangerAnnotation: metadata.annotations?.['kubernetes.io/limit-ranger'],
  };
}

function storedContainer(container: Container): object {
  const { name, resources = {}, volumeMounts = [] } = container as WholeContainer;
  const tokenMount = volumeMounts.some((mount) => mount.name?.startsWith('kube-api-access-'));
  return { name, resources, tokenMount };
}

/** Go writes no empty text, list or map. */
const filledText = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
const filled = <T extends object>(value: T | undefined): T | undefined =>
  value === undefined || Object.keys(value).length === 0 ? undefined : value;

/** The errors of a refusal stand in the order of Go maps: with `errors`, each of them is compared. */
function sameMessage(want: JsonValue | undefined, got: string | null, errors: JsonValue | undefined): boolean {
  if (want === got) return true;
  if (typeof want !== 'string' || got === null || !Array.isArray(errors)) return false;
  const start = want.indexOf('[') + 1;
  return (
    got.startsWith(want.slice(0, start)) &&
    [...new Set(splitBy(got.slice(start, -1), errors as readonly string[]))].sort().join('\n') === errors.join('\n')
  );
}

/** Errors have commas in them: a text is split where one of the given errors ends. */
function splitBy(text: string, errors: readonly string[]): readonly string[] {
  if (text === '') return [];
  const first = [...errors]
    .sort((a, b) => b.length - a.length)
    .find((error) => text === error || text.startsWith(`${error}, `));
  return first === undefined ? [text] : [first, ...splitBy(text.slice(first.length + 2), errors)];
}
