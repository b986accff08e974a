import { onlyItem, readPodManifest, withName } from '../../core/admission/read-pod-manifest.js';
import { decodeRefusal } from '../../core/admission/decode-refusal.js';
import type { Refusal } from '../../core/admission/admission-chain.js';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.js';
import { decodeObject } from '../../core/kubernetes/decode.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import type { WholePod } from '../../core/kubernetes/objects/whole-pod.js';
import type { Workload } from '../../core/kubernetes/objects/workloads.js';
import { rulesOfGates, type TolerationGates } from '../../core/kubernetes/toleration.js';
import { podOfWorkload } from '../admission/read-whole-pod.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidObjectError } from '../errors/invalid-object-error.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

/** A manifest to review, with its namespace. */
export interface ReviewSubject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined for a Pod. */
  readonly workload: Workload | undefined;
  /** The fully decoded pod as its controller would send it; undefined if it cannot be decoded. */
  readonly pod: WholePod | undefined;
  /** The response of the API server to a manifest that it cannot decode. */
  readonly refusal: Refusal | undefined;
}

/**
 * Parses a manifest sent to a namespace. If the API server could not decode it, the result is its rejection; a kind
 * that does not create pods is an error in the request.
 *
 * @param namespace the target namespace; by default that of the manifest, or `default`
 * @throws {InvalidObjectError} for another kind; {InvalidRequestError} for a manifest of another namespace;
 *   {ServiceError} `object-not-found` for a workload without a template
 */
export function reviewSubject(given: JsonObject, namespace: string | undefined, gates: TolerationGates): ReviewSubject {
  const { value, pointer } = onlyItem(given, '');
  const named = withName(value);
  const isBare = !Object.hasOwn(value, 'apiVersion') && !Object.hasOwn(value, 'kind');
  const decoded = decodeObject(named, {
    whole: true,
    minor: rulesOfGates(gates).minor,
    ...(isBare ? { apiVersion: 'v1', kind: 'Pod' } : {}),
  });
  const kind = decoded.outcome === 'object' ? decoded.object.kind : decoded.kind;
  if (decoded.outcome === 'ignored' || kind === undefined || (kind !== 'Pod' && !isWorkloadKind(kind))) {
    const read = readPodManifest('pod', given, gates);
    throw new InvalidObjectError(
      'what' in read ? read.what : 'The manifest',
      'errors' in read ? read.errors : [],
      `/pod${pointer}`,
    );
  }
  const ownNamespace = namespaceOf(named);
  if (decoded.outcome === 'invalid') {
    const refusal = decodeRefusal(kind, named, decoded.errors);
    const { name = '' } = decoded;
    return {
      kind,
      namespace: namespace ?? ownNamespace ?? 'default',
      name,
      workload: undefined,
      pod: undefined,
      refusal,
    };
  }
  const { object } = decoded;
  if (namespace !== undefined && ownNamespace !== undefined && ownNamespace !== namespace) {
    throw new InvalidRequestError([
      faultAt(
        FieldPath.of('namespace'),
        'conflicting-fields',
        `the namespace of the provided object does not match the namespace sent on the request: ${ownNamespace}`,
      ),
    ]);
  }
  const into = namespace ?? ownNamespace ?? 'default';
  const metadata = { ...object.metadata, namespace: into };
  const head = { kind, namespace: into, name: metadata.name, refusal: undefined };
  if (object.kind === 'Pod')
    return { ...head, workload: undefined, pod: { ...(object as unknown as WholePod), metadata } };
  const workload = { ...(object as Workload), metadata } as Workload;
  return { ...head, workload, pod: podOfWorkload(workload).pod };
}

/** The namespace in the manifest; undefined if it has none. */
function namespaceOf({ metadata }: JsonObject): string | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const namespace = Object.hasOwn(metadata, 'namespace') ? metadata['namespace'] : undefined;
  return typeof namespace === 'string' && namespace !== '' ? namespace : undefined;
}

const isWorkloadKind = (kind: string): boolean => (WORKLOAD_KINDS as readonly string[]).includes(kind);
