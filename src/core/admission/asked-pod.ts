import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { validatePreparedPod } from '../kubernetes/validation/pod/validate-pod.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';
import type { PodToAdmit } from './admission-chain.js';
import type { AdmissionPluginName } from './admission-configuration.js';
import type { AdmissionContext } from './admission-plugins.js';
import { AdmissionStations } from './admission-stations.js';
import { isJudged, type SentToPolicies } from './policies/pod-request.js';
import type { MutatedSubject } from './policies/mutating/mutating-admission-policy.js';
import type { PodToJudge } from './policies/validating-admission-policy.js';
import { asPod, prepared } from './prepare-pod.js';
import { UNNAMED } from './read-pod-manifest.js';

/** What policies and webhooks are asked with, besides the pod that the plugins have made. */
export interface AskedAboutPod {
  readonly request: PodToAdmit;
  /** What the plugins before are asked with, and which of them are. */
  readonly context: AdmissionContext;
  readonly plugins: readonly AdmissionPluginName[];
  readonly gates: TolerationGates;
}

/** How far a pod has come: to the mutating webhooks, or to the plugins that judge it. */
type Stage = 'mutating' | 'validating';

/** A pod as policies and webhooks see it at a stage of its admission. */
export function podAsAsked(pod: Pod, asked: AskedAboutPod, stage: Stage): PodToJudge {
  return { ...subjectOf(asked.request), pod, whole: () => wholeOf(pod, asked, stage) };
}

/** What policies are told of a request for a pod, besides the pod. */
export function subjectOf(request: PodToAdmit): MutatedSubject & { readonly stored: Pod | undefined } {
  const isUpdate = request.operation === 'update';
  return {
    operation: request.operation,
    stored: isUpdate ? asPod(defaultWholePod(request.stored)) : undefined,
    name: isUpdate ? 'given' : nameOf(request),
    controller: isUpdate ? undefined : controllerOf(request),
  };
}

/** Why not all of a pod is known, as the end of a sentence; undefined if it is. */
export function wholeUnknown(request: PodToAdmit): string | undefined {
  if (request.pruned === true) return NOT_STORED;
  if (request.operation === 'update') return undefined;
  if (!isJudged(controllerOf(request))) return 'not everything is known that its controller adds to it';
  return request.known === 'kept' && request.whole === undefined ? NOT_STORED : undefined;
}

const NOT_STORED = 'not all of its fields are stored';

/** All of a pod that is sent, of which the kept fields are admitted; only for one that is known. */
export function wholeAsSent(request: PodToAdmit): WholePod | undefined {
  if (request.operation === 'update' || request.known !== 'kept' || request.whole === undefined) return undefined;
  return controllerOf(request) === undefined ? request.whole : ownedByStored(request.whole);
}

type NewPod = Extract<PodToAdmit, { readonly operation: 'create' }>;

const controllerOf = ({ workload, controller }: NewPod): Workload['kind'] | undefined => workload?.kind ?? controller;

function nameOf(request: NewPod): SentToPolicies['name'] {
  const { name, generateName = '' } = request.pod.metadata;
  const controller = controllerOf(request);
  if (controller !== undefined) return controller === 'StatefulSet' ? 'given' : 'drawn';
  if (name === '' || (generateName !== '' && name === `${generateName}${UNNAMED}`)) return 'drawn';
  return name === UNNAMED ? 'unknown' : 'given';
}

/** All of a pod of which only the kept fields pass the plugins is taken through those that change pods here. */
function wholeOf(
  pod: Pod,
  { request, context, plugins, gates }: AskedAboutPod,
  stage: Stage,
): ReturnType<PodToJudge['whole']> {
  const unknown = wholeUnknown(request);
  if (unknown !== undefined) return { unknown };
  if (request.operation === 'update') return { pod, stored: asPod(defaultWholePod(request.stored)) };
  const sent = wholeAsSent(request);
  if (sent === undefined) return { pod, stored: undefined };
  const stations = new AdmissionStations(plugins, { ...context, request: WHOLE });
  const changed = changedWhole(sent, stations, gates, stage);
  return 'unknown' in changed ? changed : { pod: changed, stored: undefined };
}

/** Only a stored workload creates pods, and that has a uid, which policies are not told. */
function ownedByStored(pod: WholePod): WholePod {
  const ownerReferences = (pod.metadata.ownerReferences ?? []).map((owner) => ({ uid: PLACEHOLDER, ...owner }));
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}

const PLACEHOLDER = '00000000-0000-0000-0000-000000000000';

export const WHOLE = { operation: 'create', known: 'whole' } as const;

function changedWhole(
  whole: WholePod,
  stations: AdmissionStations,
  gates: TolerationGates,
  stage: Stage,
): Pod | { readonly unknown: string } {
  const sent = asPod(defaultWholePod(whole));
  try {
    if (stage === 'mutating') return stations.changeBeforeWebhooks(sent);
    const pod = prepared(
      stations.change(sent, () => undefined),
      WHOLE,
      rulesOfGates(gates),
    );
    const [fault] = validatePreparedPod(pod, gates);
    return fault === undefined ? pod : { unknown: `the API server would refuse it before: ${fieldErrorText(fault)}` };
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    return { unknown: `the API server would refuse it before: ${error.message}` };
  }
}
