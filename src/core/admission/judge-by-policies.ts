import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { validatePreparedPod } from '../kubernetes/validation/pod/validate-pod.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';
import type { PodToAdmit } from './admission-chain.js';
import type { AdmissionPluginName } from './admission-configuration.js';
import type { AdmissionContext } from './admission-plugins.js';
import { AdmissionStations } from './admission-stations.js';
import { isJudged, type SentToPolicies } from './policies/pod-request.js';
import { judgePod, type PodPolicyJudgement } from './policies/validating-admission-policy.js';
import { asPod, prepared } from './prepare-pod.js';
import { UNNAMED } from './read-pod-manifest.js';
import { changesUnknown, type UndecidedPlugin } from './undecided-plugins.js';

/** What the policies are asked with, besides the pod that the plugins have made. */
export interface AskedOfPolicies {
  readonly request: PodToAdmit;
  /** What the plugins before are asked with, and which of them are. */
  readonly context: AdmissionContext;
  readonly plugins: readonly AdmissionPluginName[];
  readonly undecided: readonly UndecidedPlugin[];
  readonly gates: TolerationGates;
}

/** What the policies of the cluster say of a pod, once the plugins have changed it and it is valid. */
export function judgeByPolicies(pod: Pod, asked: AskedOfPolicies): PodPolicyJudgement {
  const { request, context, undecided } = asked;
  const { policies = { policies: [], bindings: [] }, namespace, notLoaded = [] } = context.surroundings;
  const isUpdate = request.operation === 'update';
  return judgePod(
    {
      operation: request.operation,
      pod,
      stored: isUpdate ? asPod(defaultWholePod(request.stored)) : undefined,
      name: isUpdate ? 'given' : nameOf(request),
      controller: isUpdate ? undefined : controllerOf(request),
      whole: () => wholeOf(pod, asked),
    },
    {
      ...policies,
      namespace: notLoaded.includes('Namespace') ? undefined : namespace,
      changesUnknown: changesUnknown(undecided),
    },
  );
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
function wholeOf(pod: Pod, { request, context, plugins, gates }: AskedOfPolicies): ReturnType<WholePodOf> {
  if (request.pruned === true) return NOT_STORED;
  if (request.operation === 'update') return { pod, stored: asPod(defaultWholePod(request.stored)) };
  if (!isJudged(controllerOf(request))) return { unknown: 'not everything is known that its controller adds to it' };
  if (request.known !== 'kept') return { pod, stored: undefined };
  if (request.whole === undefined) return NOT_STORED;
  const sent = controllerOf(request) === undefined ? request.whole : ownedByStored(request.whole);
  const changed = changedWhole(sent, context, plugins, gates);
  return 'unknown' in changed ? changed : { pod: changed, stored: undefined };
}

type WholePodOf = Parameters<typeof judgePod>[0]['whole'];

const NOT_STORED = { unknown: 'not all of its fields are stored' };

/** Only a stored workload creates pods, and that has a uid, which policies are not told. */
function ownedByStored(pod: WholePod): WholePod {
  const ownerReferences = (pod.metadata.ownerReferences ?? []).map((owner) => ({ uid: PLACEHOLDER, ...owner }));
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}

const PLACEHOLDER = '00000000-0000-0000-0000-000000000000';

function changedWhole(
  whole: WholePod,
  context: AdmissionContext,
  plugins: readonly AdmissionPluginName[],
  gates: TolerationGates,
): Pod | { readonly unknown: string } {
  const request = { operation: 'create', known: 'whole' } as const;
  try {
    const stations = new AdmissionStations(plugins, { ...context, request });
    const changed = stations.change(asPod(defaultWholePod(whole)), () => undefined);
    const pod = prepared(changed, request);
    const [fault] = validatePreparedPod(pod, gates);
    return fault === undefined ? pod : { unknown: `the API server would refuse it before: ${fieldErrorText(fault)}` };
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    return { unknown: `the API server would refuse it before: ${error.message}` };
  }
}
