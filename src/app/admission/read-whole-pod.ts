import { decodeRefusal } from '../../core/admission/decode-refusal.js';
import type { Refusal } from '../../core/admission/admission-chain.js';
import { podOfTemplate, withControllerAdditions } from '../../core/admission/pod-of-template.js';
import { isAbsent, onlyItem } from '../../core/admission/read-pod-manifest.js';
import type { Workload as WorkloadName } from '../../core/cluster/pod-table.js';
import { defined } from '../../core/collections/defined.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { decodeObject } from '../../core/kubernetes/decode.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { WholePod } from '../../core/kubernetes/objects/whole-pod.js';
import type { Workload } from '../../core/kubernetes/objects/workloads.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { templateOf, templatePath, WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

/** A pod as its author or the controller of a workload sends it to the API server. */
export interface SentPod {
  readonly pod: WholePod;
  /** A stored pod without the defaults that `pod` has. */
  readonly asStored?: Pod;
  readonly workload: WorkloadName | null;
  /** Fields that Kubernetes does not have; the API server drops them with a warning. */
  readonly unknownFields: readonly string[];
}

export type ReadPod = SentPod | { readonly refusal: Refusal };

/**
 * Decodes a whole manifest as the API server would: the pod itself, or the pod that a workload's controller would
 * create from its template.
 *
 * @param at JSON pointer of the manifest in the request
 * @param minor the minor version of the API server that gets it; absent for an object that an API server returned
 * @throws {InvalidRequestError} objects of this kind do not create pods
 * @throws {ServiceError} `object-not-found` for a workload without a template
 */
export function readWholePod(given: JsonObject, kinds: 'pod' | 'workload', at: string, minor?: number): ReadPod {
  const { value, pointer } = onlyItem(given, at);
  const isBare = kinds === 'pod' && isAbsent(value, 'apiVersion') && isAbsent(value, 'kind');
  const type = isBare ? { apiVersion: 'v1', kind: 'Pod' } : {};
  const decoded = decodeObject(value, { whole: true, ...defined({ minor }), ...type });
  const kind = decoded.outcome === 'object' ? decoded.object.kind : decoded.kind;
  const allowed: readonly string[] = kinds === 'pod' ? ['Pod', ...WORKLOAD_KINDS] : WORKLOAD_KINDS;
  if (decoded.outcome === 'ignored' || (kind !== undefined && !allowed.includes(kind))) {
    const what = decoded.outcome === 'ignored' ? `${decoded.apiVersion} ${decoded.kind}` : kind;
    const message = `${what} does not create pods; use one of ${allowed.join(', ')}`;
    throw new InvalidRequestError([
      { pointer: `${pointer}/kind`, field: `${at.slice(1)}.kind`, code: 'unsupported-kind', message },
    ]);
  }
  if (decoded.outcome === 'invalid') return { refusal: decodeRefusal(kind ?? 'Pod', value, decoded.errors) };
  const { object, unknownFields } = decoded;
  if (object.kind === 'Pod') return { pod: object as unknown as WholePod, workload: null, unknownFields };
  return { ...podOfWorkload(object as Workload), unknownFields };
}

/** The pod that a workload's controller sends. A fully decoded workload has a fully decoded template. */
export function podOfWorkload(workload: Workload): Omit<SentPod, 'unknownFields'> {
  const { kind, metadata } = workload;
  const template = templateOf(workload);
  if ((template as { readonly spec?: unknown } | undefined)?.spec === undefined || template === undefined) {
    throw new ServiceError(
      'object-not-found',
      `${kind} ${metadata.name} has no pod template at ${templatePath(workload).join('.')}.`,
    );
  }
  const pod = withControllerAdditions(podOfTemplate(stored(workload), template), workload);
  return {
    pod: drawn(pod),
    workload: { kind, namespace: metadata.namespace ?? '', name: metadata.name },
  };
}

/** Adds a placeholder uid to a workload that is not stored: only stored workloads create pods, and those have a uid. */
function stored(workload: Workload): Workload {
  const { metadata } = workload;
  return metadata.uid === undefined ? { ...workload, metadata: { ...metadata, uid: UNKNOWN_UID } } : workload;
}

const UNKNOWN_UID = '00000000-0000-0000-0000-000000000000';

/** Fills in the name: controllers let the API server generate the end of most names. */
function drawn(pod: Pod): Pod {
  const { generateName, ...metadata } = pod.metadata;
  return generateName === undefined ? pod : { ...pod, metadata: { ...metadata, name: '', generateName } };
}
