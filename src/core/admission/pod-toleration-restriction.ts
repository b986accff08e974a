import { AdmissionRefusal, namespaceNotFound } from '../kubernetes/admission-refusal.js';
import { GoJsonError } from '../kubernetes/go-json.js';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { podQos } from '../resources/qos.js';
import { covers, mergeTolerations } from './merge-tolerations.js';
import { parseTolerations } from './tolerations-annotation.js';

export const NAME = 'PodTolerationRestriction';

const DEFAULT_TOLERATIONS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const TOLERATIONS_WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

const MEMORY_PRESSURE: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** The plugin's configuration: what holds for namespaces that do not say otherwise. */
export interface TolerationRestriction {
  readonly default?: readonly Toleration[];
  readonly whitelist?: readonly Toleration[];
}

/**
 * The pod with the tolerations that its namespace, or else the cluster, gives to every new pod, and with that of memory pressure
 * unless it is BestEffort, merged behind its own; a toleration that another covers goes. An update gets only the latter.
 *
 * The plugin judges its own work: see {@link validateTolerationRestriction}.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/podtolerationrestriction/admission.go, `Admit`.
 *
 * @param namespace of the pod; undefined where it does not exist
 * @throws {AdmissionRefusal} with status 404 without a namespace; else 500
 */
export function admitTolerationRestriction(
  pod: Pod,
  namespace: Namespace | undefined,
  restriction: TolerationRestriction,
  operation: 'create' | 'update' = 'create',
): Pod {
  const added =
    operation === 'create' ? [...(listed(pod, namespace, DEFAULT_TOLERATIONS) ?? restriction.default ?? [])] : [];
  if (podQos(pod) !== 'BestEffort') added.push(MEMORY_PRESSURE);
  const admitted =
    added.length === 0
      ? pod
      : { ...pod, spec: { ...pod.spec, tolerations: mergeTolerations(pod.spec.tolerations ?? [], added) } };
  validateTolerationRestriction(admitted, namespace, restriction);
  return admitted;
}

/**
 * Whether the whitelist of the pod's namespace, or else of the cluster, covers every toleration of the pod, whoever gave it. An
 * empty whitelist allows everything, and a pod without tolerations passes whatever it says.
 *
 * Source: as {@link admitTolerationRestriction}, `Validate`; it follows all plugins that change the pod, so it sees what a RuntimeClass adds.
 *
 * @throws {AdmissionRefusal} with status 404 without a namespace; else 500
 */
export function validateTolerationRestriction(
  pod: Pod,
  namespace: Namespace | undefined,
  restriction: TolerationRestriction,
): void {
  const { tolerations = [] } = pod.spec;
  if (tolerations.length === 0) return;
  const own = listed(pod, namespace, TOLERATIONS_WHITELIST);
  const whitelist = own ?? restriction.whitelist ?? [];
  if (whitelist.length === 0) return;
  if (tolerations.every((toleration) => whitelist.some((allowed) => covers(allowed, toleration)))) return;
  const scope = own === undefined ? 'cluster' : 'namespace';
  throw failure(
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
  );
}

/** What a namespace lists under an annotation; undefined where it lacks it. */
function listed(pod: Pod, namespace: Namespace | undefined, annotation: string): readonly Toleration[] | undefined {
  if (namespace === undefined) throw namespaceNotFound(NAME, pod.metadata.namespace ?? '');
  const { annotations = {} } = namespace.metadata;
  const text = Object.hasOwn(annotations, annotation) ? annotations[annotation] : undefined;
  if (text === undefined) return undefined;
  try {
    return parseTolerations(text);
  } catch (error) {
    if (error instanceof GoJsonError) throw failure(error.message);
    throw error;
  }
}

/** An error that is no answer of the API's own becomes an internal one. */
const failure = (message: string): AdmissionRefusal => new AdmissionRefusal(NAME, 500, message, message);
