import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { Cause } from '../../../src/core/kubernetes/admission-refusal.js';
import type { KubernetesRules } from '../../../src/core/kubernetes/kubernetes-rules.js';
import type { ResourceList } from '../../../src/core/kubernetes/objects/meta.js';
import type { Container, Pod, ResourceRequirements } from '../../../src/core/kubernetes/objects/pod.js';
import type { WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import { sameJson } from '../same-json.js';
import { createNode, patchTaints, type TaintAnswer } from './admission-of-taints.js';
import type {
  PodsRecording,
  RecordedCause,
  RecordedResponse,
  RecordedTaints,
  TaintRecording,
  TolerationRecording,
} from './admission-recording.js';
import { AdmissionServer, type Answered } from './admission-server.js';
import { rulesOfRecording } from './rules-of-recording.js';

/** The result of this project for one request. */
export interface Given {
  readonly code: number;
  readonly message: string | undefined;
  readonly causes: readonly Cause[];
}

/** Compares the stored pods and nodes with what a real API server stored and returned. */
export function judgeAdmission(file: JsonObject): readonly string[] {
  const input = file['input'] as JsonObject;
  const profile = file['profile'] as string;
  const rules = rulesOfRecording(file);
  if (Object.hasOwn(input, 'pods')) return judgePods(file as unknown as PodsRecording, profile, rules);
  if (Object.hasOwn(input, 'toleration'))
    return judgeToleration(file as unknown as TolerationRecording, profile, rules);
  if (Object.hasOwn(input, 'taints')) return judgeTaints(file as unknown as TaintRecording, rules);
  return [`a recording of ${Object.keys(input).join(', ')} is not known`];
}

function judgePods({ input, observed }: PodsRecording, profile: string, rules: KubernetesRules): string[] {
  const server = new AdmissionServer(profile, rules, {
    annotations: input.namespaceAnnotations ?? {},
    runtimeClasses: input.runtimeClasses,
  });
  const pods = new Map<string, WholePod>();
  const found = input.pods.flatMap((sent, index) => {
    const admission = server.createPod(sent);
    const wanted = observed.pods[index];
    if (wanted === undefined) return [`pod ${index}: the file does not say what was answered`];
    if (admission.outcome === 'admitted') pods.set(wanted.pod, admission.pod);
    return [
      ...answerDifferences(`pod ${wanted.pod}`, answerOf(admission, 201), wanted),
      ...storedDifferences(`pod ${wanted.pod}`, admission, wanted.stored),
    ];
  });
  if (input.updates.length !== (observed.updates ?? []).length) found.push('not every update has an answer');
  for (const [index, { pod: name, patch }] of input.updates.entries()) {
    const what = `update ${index + 1}`;
    const [stored, wanted] = [pods.get(name), observed.updates?.[index]];
    if (stored === undefined || wanted === undefined) return [...found, `${what}: there is no pod or no answer`];
    const admission = server.patchPod(stored, patch);
    if (admission.outcome === 'admitted') pods.set(name, admission.pod);
    const tolerations = admission.outcome === 'admitted' ? (admission.pod.spec.tolerations ?? []) : null;
    found.push(
      ...answerDifferences(what, answerOf(admission, 200), wanted),
      ...differs(`${what}: tolerations`, tolerations, wanted.storedTolerations),
    );
  }
  return found;
}

function judgeToleration({ input, observed }: TolerationRecording, profile: string, rules: KubernetesRules): string[] {
  const server = new AdmissionServer(profile, rules);
  const admission = server.createPod(input.pod);
  const found = [
    ...answerDifferences('pod', answerOf(admission, 201), observed),
    ...storedDifferences('pod', admission, observed.stored),
  ];
  const { strictFieldValidation: strict } = observed;
  if (strict === null) return found;
  return [...found, ...answerDifferences('strictly', answerOf(server.createPod(input.pod, true), 201), strict)];
}

function judgeTaints({ input, observed }: TaintRecording, rules: KubernetesRules): string[] {
  const judged: readonly (readonly [string, TaintAnswer, RecordedTaints])[] = [
    ['create', createNode(input.create, rules), observed.create],
    ['merge patch', patchTaints(input.taints, false, rules), observed.mergePatch],
    ['strategic patch', patchTaints(input.taints, true, rules), observed.strategicPatch],
  ];
  return judged.flatMap(([what, given, wanted]) => [
    ...answerDifferences(what, given, wanted),
    ...differs(`${what}: taints`, given.storedTaints ?? null, wanted.storedTaints),
  ]);
}

function answerOf(admission: Answered, success: number): Given {
  if (admission.outcome === 'admitted') return { code: success, message: undefined, causes: [] };
  const { status, message, causes } = admission.refusal;
  return { code: status, message, causes };
}

function answerDifferences(what: string, { code, message, causes }: Given, wanted: RecordedResponse): string[] {
  const { message: wantedMessage, details } = wanted.response ?? {};
  const listed = causes.map((cause) => ({ reason: cause.type, message: cause.message, field: cause.field }));
  return [
    ...differs(`${what}: code`, code, wanted.code),
    ...differs(`${what}: message`, judged(message), judged(wantedMessage)),
    ...differs(`${what}: causes`, listed.map(judgedCause), (details?.causes ?? []).map(judgedCause)),
  ];
}

/** A patch that cannot be read is quoted whole, object or Go value: only the words behind it are judged. */
const QUOTED_PATCH = /^((?: "" is invalid: patch: )?Invalid value: )"(?:[^"\\]|\\.)*"(: .*)$/s;

/** What a change of other fields makes of the pod, a comparison whose blanks are random: only the words before it are judged. */
const COMPARISON = /(: pod updates may not change fields other than [^\n]*)\n.*$/s;

const judged = (message: string | undefined): string | undefined =>
  message?.replace(QUOTED_PATCH, '$1$2').replace(COMPARISON, '$1');

const judgedCause = (cause: RecordedCause): RecordedCause =>
  cause.field === 'patch' || cause.field === 'spec' ? { ...cause, message: judged(cause.message) ?? '' } : cause;

function storedDifferences(what: string, admission: Answered, wanted: Pod | null | undefined): string[] {
  if (admission.outcome === 'refused' || wanted === undefined || wanted === null) {
    const isStored = admission.outcome === 'admitted';
    return isStored === (wanted !== undefined && wanted !== null) ? [] : [`${what}: ${isStored ? '' : 'not '}stored`];
  }
  const [got, want] = [judgedOf(admission.pod), judgedOf(wanted)];
  return Object.keys(want).flatMap((name) => differs(`${what}: ${name}`, got[name], want[name]));
}

/** What is judged of a stored pod, as the API server encodes it: without empty lists. */
function judgedOf({ spec, status }: Pod): Readonly<Record<string, unknown>> {
  return {
    tolerations: spec.tolerations ?? [],
    overhead: filled(spec.overhead),
    nodeSelector: filled(spec.nodeSelector),
    priority: spec.priority,
    preemptionPolicy: spec.preemptionPolicy,
    resources: filledLists(spec.resources),
    containers: spec.containers.map(judgedContainer),
    initContainers: (spec.initContainers ?? []).map(judgedContainer),
    qosClass: status?.qosClass,
  };
}

const judgedContainer = ({ name, resources }: Container): object => ({ name, resources: filledLists(resources) });

const filledLists = (resources: ResourceRequirements | undefined): object => ({
  requests: filled(resources?.requests),
  limits: filled(resources?.limits),
});

const filled = (map: ResourceList | undefined): ResourceList | undefined =>
  map === undefined || Object.keys(map).length === 0 ? undefined : map;

function differs(what: string, got: unknown, wanted: unknown): string[] {
  if (sameJson(got, wanted)) return [];
  return [`${what} is ${shown(got)}, and was ${shown(wanted)}`];
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member)) ?? 'missing';
