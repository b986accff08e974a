import type { FieldError } from '../kubernetes/field-error.js';
import { dropDisabledFields } from '../kubernetes/disabled-fields.js';
import { aggregateText } from '../kubernetes/error-aggregate.js';
import { quoteGo } from '../kubernetes/go-text.js';
import type { ObjectMeta } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { preparedPod, validatePreparedPod } from '../kubernetes/validation/pod/validate-pod.js';
import { validatePodUpdate } from '../kubernetes/validation/pod/validate-pod-update.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';
import { computeQos } from '../resources/qos.js';
import { ADMISSION_PLUGINS, type AdmissionConfiguration } from './admission-configuration.js';
import type { AdmissionContext, AdmissionSurroundings } from './admission-plugins.js';
import { AdmissionRefusal, type Cause } from '../kubernetes/admission-refusal.js';
import { AdmissionStations } from './admission-stations.js';
import { patchBetween, type PatchOperation } from '../json/patch-between.js';

/** One station of a pod on its way into storage, in the order in which it passes them. */
export interface AdmissionStep {
  /** `defaults`, `preparation` (before it is validated), `validation`, `pools`, or the name of a plugin. */
  readonly by: string;
  readonly type: 'mutating' | 'validating';
  /** What it changed; empty where it found nothing to do. */
  readonly patch: readonly PatchOperation[];
  /** It was asked before, and again because the pools had changed the pod; only what it changed then is a step. */
  readonly again?: true;
}

/** Why a pod is not stored, as the API server would answer. */
export interface Refusal {
  /** `validation`, `pools`, or the name of the plugin that refused. */
  readonly by: string;
  /** HTTP. */
  readonly status: number;
  readonly message: string;
  /** `details.causes` of the answer; few plugins give any. */
  readonly causes: readonly Cause[];
}

export type Admission =
  | {
      readonly outcome: 'admitted';
      /** As it would be stored. */
      readonly pod: Pod;
      readonly steps: readonly AdmissionStep[];
      /** The quotas of the namespace with the pod charged to them. */
      readonly quotas: readonly ResourceQuota[];
    }
  | {
      readonly outcome: 'refused';
      readonly refusal: Refusal;
      /** Those before the one that refused. */
      readonly steps: readonly AdmissionStep[];
    };

/** A pod to be stored, or one to take the place of another. */
export type PodToAdmit =
  | { readonly operation: 'create'; readonly pod: WholePod }
  | { readonly operation: 'update'; readonly pod: WholePod; readonly stored: WholePod };

/**
 * Takes a pod the way that the API server does: its defaults, the plugins that change it, validation, the plugins that judge it, each
 * in the API server's order; the first that refuses ends it. A plugin that judges sees what all plugins have made of the pod.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/endpoints/handlers/create.go and pkg/registry/generic/registry/store.go.
 *
 * @param request pods decoded whole, with their namespace; one that is stored as `Admission` gave it
 * @throws QuantityError for a text that is no quantity, which the API server's decoder refuses
 */
export function admitPod(
  request: PodToAdmit,
  surroundings: AdmissionSurroundings,
  configuration: AdmissionConfiguration,
  gates: TolerationGates,
): Admission {
  const context: AdmissionContext = { request: requestOf(request), surroundings, configuration };
  const steps: AdmissionStep[] = [];
  const on = new Set(configuration.plugins);
  const stations = new AdmissionStations(
    ADMISSION_PLUGINS.filter((name) => on.has(name)),
    context,
  );
  const changed = (by: string, before: Pod, after: Pod, why: (pointer: string) => string): Pod => {
    steps.push({ by, type: 'mutating', patch: patchBetween(before, after, why) });
    return after;
  };
  const sent = asPod(request.pod);
  let pod = changed('defaults', sent, asPod(defaultWholePod(request.pod)), whyDefault);
  let quotas = surroundings.quotas;
  try {
    pod = stations.change(pod, (by, { before, after }, why, again) => {
      const patch = patchBetween(before, after, why);
      if (!again) steps.push({ by, type: 'mutating', patch });
      else if (patch.length > 0) steps.push({ by, type: 'mutating', patch, again });
    });
    pod = changed('preparation', pod, prepared(pod, context.request), whyPrepared);
    const causes =
      request.operation === 'create' ? validatePreparedPod(pod, gates) : validatePodUpdate(pod, request.stored, gates);
    if (causes.length > 0) return { outcome: 'refused', steps, refusal: invalid(pod, causes) };
    steps.push({ by: 'validation', type: 'validating', patch: [] });
    const charged = stations.judge(pod, (by) => {
      steps.push({ by, type: 'validating', patch: [] });
    });
    quotas = charged ?? quotas;
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    const { plugin, status, message, causes } = error;
    return { outcome: 'refused', steps, refusal: { by: plugin, status, message, causes } };
  }
  return { outcome: 'admitted', pod, steps, quotas };
}

const requestOf = (request: PodToAdmit): AdmissionContext['request'] =>
  request.operation === 'create' ? { operation: 'create' } : { operation: 'update', stored: asPod(request.stored) };

/** The kept fields of a whole pod are those of a pod; plugins hand on the others as they are, so that it is whole again. */
const asPod = (pod: WholePod): Pod => pod as unknown as Pod;

/**
 * `PrepareForCreate` and `PrepareForUpdate`, k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/strategy.go: nobody brings a status of
 * their own. A name that is still to be drawn is drawn before.
 */
function prepared(pod: Pod, request: AdmissionContext['request']): Pod {
  if (request.operation === 'update') {
    const { status } = request.stored;
    return { ...asPod({ ...pod, spec: dropDisabledFields(pod.spec) }), ...(status && { status }) };
  }
  const { spec, metadata, ...rest } = asPod(preparedPod(pod));
  return { ...rest, metadata: named(metadata), spec, status: { phase: 'Pending', qosClass: computeQos({ spec }) } };
}

/** As k8s.io/apiserver v0.36.2, pkg/storage/names/generate.go, but for the five characters, which are not drawn here. */
function named(metadata: ObjectMeta): ObjectMeta {
  const { name, generateName = '' } = metadata;
  if (name !== '' || generateName === '') return metadata;
  return { ...metadata, name: `${generateName.slice(0, MAX_PREFIX_LENGTH)}${'x'.repeat(DRAWN)}` };
}

const DRAWN = 5;
const MAX_PREFIX_LENGTH = 63 - DRAWN;

/** `errors.NewInvalid`, k8s.io/apimachinery v0.36.2, pkg/api/errors/errors.go. */
function invalid({ metadata: { name } }: Pod, causes: readonly FieldError[]): Refusal {
  const message = `Pod ${quoteGo(name)} is invalid: ${aggregateText(causes)}`;
  return { by: 'validation', status: 422, message, causes };
}

function whyPrepared(pointer: string): string {
  if (pointer.startsWith('/status')) return 'a new pod is Pending, and its QoS class follows from its resources';
  if (pointer.includes('/securityContext'))
    return 'the AppArmor profile of the annotation becomes that of the container';
  return 'matchLabelKeys are added to the label selector, and fields of disabled features are dropped';
}

function whyDefault(pointer: string): string {
  if (pointer.includes('/resources/requests')) return 'a limit without a request becomes the request';
  if (pointer.endsWith('/hostPort')) return 'in the host network, a container port also becomes the host port';
  return 'the API server sets the default, or normalizes a quantity';
}
