import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import {
  admitPod as admit,
  type Admission,
  type AdmittedPod,
  type RefusedPod,
} from '../../../src/core/admission/admission-chain.js';
import { STOCK_ADMISSION } from '../../../src/core/admission/admission-configuration.js';
import type { ClusterAdmission } from '../../../src/core/admission/admission-in.js';
import { STOCK_POD_SECURITY } from '../../../src/core/admission/pod-security/pod-security-configuration.js';
import { NAME as POD_SECURITY } from '../../../src/core/admission/pod-security/pod-security.js';
import { reviewPod } from '../../../src/core/admission/pod-security/review-pod.js';
import { SYSTEM_PRIORITY_CLASSES } from '../../../src/core/admission/priority.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import type { Namespace } from '../../../src/core/kubernetes/objects/namespace.js';
import type { Container } from '../../../src/core/kubernetes/objects/pod.js';
import type { LimitRange, ResourceQuota } from '../../../src/core/kubernetes/objects/quota.js';
import type { PriorityClass, RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { ServiceAccount } from '../../../src/core/kubernetes/objects/service-account.js';
import type { WholeContainer, WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import { DEFAULT_GATES } from '../../../src/core/kubernetes/toleration.js';
import { newPod } from '../../../src/core/kubernetes/validation/pod/validate-pod.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';
import { decodedList } from './admission-in-vector.js';
import { decodeManifest } from './refused-fields.js';
import { writtenTolerations } from './written-tolerations.js';

/**
 * What the API server answers to the creation of a pod, with the LimitRanges and quotas of the namespace in each order: in which it
 * reads them is random. Of objects of other kinds, nothing is said.
 */
export const admitPod: Op = {
  answer(input) {
    if (input['pod'] === undefined) return UNKNOWN;
    return ordersOf(input).map(answerTo);
  },
  agree(want, got) {
    return got === UNKNOWN || (got as readonly Answer[]).some((answer) => isAnswer(want as JsonObject, answer));
  },
};

interface Answer {
  readonly code: number;
  readonly message: string | null;
  /** Those that the message lists. */
  readonly reasons: readonly string[];
  readonly reason: string | null | undefined;
  readonly warnings: readonly string[];
  readonly pod?: object;
}

/** `otherWarnings` may stay unknown; `errors` stand in the message, too. */
function isAnswer(want: JsonObject, { message: given, reasons, ...answer }: Answer): boolean {
  const { code, reason, warnings, pod, message, messageAnyOf } = want;
  const messages = Array.isArray(messageAnyOf) ? messageAnyOf : [message];
  return messages.some((one) => sameMessage(one, given, reasons)) && sameJson({ code, reason, warnings, pod }, answer);
}

/** Several reasons stand in any order. */
function sameMessage(want: JsonValue | undefined, given: string | null, reasons: readonly string[]): boolean {
  if (want === given || typeof want !== 'string' || given === null) return want === given;
  const distinct = [...new Set(reasons)];
  return (
    want.length === given.length &&
    want.slice(0, want.indexOf('[')) === given.slice(0, given.indexOf('[')) &&
    distinct.every((reason) => want.includes(reason))
  );
}

function answerTo(input: JsonObject): Answer {
  const { pod, into } = readQuestion(input);
  const admission = admit({ operation: 'create', pod }, into);
  const warnings = warningsOf(pod, admission, into);
  if (admission.outcome === 'refused') return { ...refusal(admission), warnings };
  return { code: 201, message: null, reasons: [], reason: null, warnings, pod: storedPod(admission) };
}

/** Those of PodSecurity, if the pod got past it. */
function warningsOf(pod: WholePod, { steps }: Admission, { surroundings: { namespace } }: ClusterAdmission) {
  if (namespace === undefined || !steps.some(({ by }) => by === POD_SECURITY)) return [];
  const { name, labels = {} } = namespace.metadata;
  return reviewPod({ pod: newPod(pod, DEFAULT_RULES), namespace: { name, labels } }, STOCK_POD_SECURITY).warnings;
}

/** Of two objects, each may come first. LimitRanges are taken here in the order of their names, which nobody sees. */
function ordersOf(input: JsonObject): readonly JsonObject[] {
  const turned = (value: JsonValue | undefined): readonly (readonly JsonObject[])[] => {
    const list = value as readonly JsonObject[];
    return list.length < 2 ? [list] : [list, [...list].reverse()];
  };
  return turned(input['limitRanges']).flatMap((limitRanges) =>
    turned(input['quotas']).map((quotas) => ({
      ...input,
      limitRanges: limitRanges.map(numbered),
      quotas: [...quotas],
    })),
  );
}

const numbered = (object: JsonObject, index: number): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), name: `limits-${index}` },
});

/** The page of the vectors lets a project leave kinds other than Pod unknown. */
const UNKNOWN = { unknown: 'only pods are admitted here' };

function readQuestion(input: JsonObject): { readonly pod: WholePod; readonly into: ClusterAdmission } {
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
  return { pod, into: { surroundings, configuration: STOCK_ADMISSION, gates: DEFAULT_GATES } };
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

const refusal = ({ refusal: { status, message }, reasons }: RefusedPod): Omit<Answer, 'warnings'> => ({
  code: status,
  message,
  reasons,
  reason: REASONS.get(status),
});

/** The parts of the stored pod that a vector has. */
export function storedPod({ pod }: Pick<AdmittedPod, 'pod'>): object {
  const { spec, status, metadata } = pod;
  const { imagePullSecrets = [], nodeSelector, overhead, initContainers } = spec as WholePod['spec'];
  return {
    containers: spec.containers.map(storedContainer),
    initContainers: initContainers?.map(storedContainer),
    resources: spec.resources,
    tolerations: spec.tolerations && writtenTolerations(spec.tolerations),
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
