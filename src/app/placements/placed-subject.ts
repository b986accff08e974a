import { AdmissionRefusal } from '../../core/kubernetes/admission-refusal.js';
import {
  preparePod,
  type Addition,
  type PreparationContext,
  type PreparationOptions,
  type PreparedPod,
} from '../../core/admission/prepare-pod.js';
import { claimsToMake, claimTemplatesOf } from '../../core/admission/claims-to-make.js';
import { podOfTemplate, templateOf } from '../../core/admission/pod-of-template.js';
import { preparationIn } from '../../core/admission/preparation-in.js';
import { readmitManifest } from '../../core/admission/readmit-manifest.js';
import { templatePath, WORKLOAD_KINDS, type Placeable } from '../../core/admission/read-pod-manifest.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload as WorkloadName } from '../../core/cluster/pod-table.js';
import { isKeptKind } from '../../core/kubernetes/kinds.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';
import type { VolumeClaimTemplate, Workload } from '../../core/kubernetes/objects/workloads.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import type { Readmit } from '../../core/placement/fixes/fix.js';
import { podField, type Reason } from '../../core/placement/reason.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import type { PlacementSubject, SubjectField } from './placement-request.js';
import { readManifest } from './read-manifest.js';

/** The origin of the pod to place. */
export type SubjectSource = 'manifest' | 'template' | 'stored';

/** The pod to place, its origin, and the places of its parts in the request. */
export interface PlacedSubject {
  readonly source: SubjectSource;
  /** The pod as the scheduler would receive it. */
  readonly pod: Pod;
  /** The state to place it in: without the pod if it is stored, and with the claims that controllers would make for it. */
  readonly state: ClusterState;
  readonly workload: WorkloadName | null;
  /** Those of the StatefulSet that makes the pod; empty for all others. */
  readonly claimTemplates: readonly VolumeClaimTemplate[];
  readonly added: readonly Addition[];
  readonly unknowns: readonly Reason[];
  readonly droppedFields: number;
  readonly unknownFieldCount: number;
  readonly unknownFields: readonly string[];
  /** The prefix that turns a JSON pointer into the pod into one into the request, or into the stored object. */
  readonly pointer: string;
  /** The same for the path in Kubernetes notation: `spec.template.`. */
  readonly path: string;
  /** The tolerations as they were sent or stored, before any were added. */
  readonly givenTolerations: readonly Toleration[];
  /** Changes the pod as it was sent or stored, and has it validated and admitted again. A stored pod would have to be created anew. */
  readonly readmit: Readmit;
}

/**
 * @throws {InvalidObjectError} a manifest that the API server would reject
 * @throws {ServiceError} `admission-refused`; `object-not-found`
 */
export function placedSubject(
  subject: PlacementSubject,
  field: SubjectField,
  state: ClusterState,
  gates: TolerationGates,
): PlacedSubject {
  const skipAdmission = subject.admission === 'skip';
  switch (field) {
    case 'pod':
    case 'workload': {
      const { object, pointer, ...counts } = readManifest(field, subject[field]!, gates);
      const source = object.kind === 'Pod' ? 'manifest' : 'template';
      return { ...prepared(object, state, pointer, { source, skipAdmission, gates }), ...counts };
    }
    case 'podRef':
      return storedPod(state, subject.podRef!, { skipAdmission, gates });
    case 'workloadRef':
      // The quotas already include the pods of a stored workload, so they do not decide where those could run.
      return prepared(storedWorkload(state, subject.workloadRef!), state, '', {
        source: 'template',
        skipAdmission,
        gates,
        without: ['ResourceQuota'],
      });
  }
}

type ReadmissionOptions = Parameters<typeof readmitManifest>[3];

const NOTHING_UNREAD = { droppedFields: 0, unknownFieldCount: 0, unknownFields: [] } as const;

function prepared(
  object: Placeable,
  state: ClusterState,
  pointer: string,
  { source, ...options }: ReadmissionOptions & { readonly source: SubjectSource },
): PlacedSubject {
  const path = templatePath(object);
  const { pod, added, missingRuntimeClass } = prepare(object, state, options);
  const claimTemplates = claimTemplatesOf(object);
  const claims = claimsToMake(state, pod, claimTemplates);
  const template = object.kind === 'Pod' ? undefined : templateOf(object);
  const given = object.kind === 'Pod' || template === undefined ? pod : podOfTemplate(object, template);
  return {
    source,
    pod,
    state: claims.length === 0 ? state : state.apply({ upserts: claims }),
    claimTemplates,
    workload:
      object.kind === 'Pod'
        ? null
        : { kind: object.kind, namespace: object.metadata.namespace ?? '', name: object.metadata.name },
    added,
    unknowns: missingRuntimeClass === undefined ? [] : [runtimeClassUnknown(missingRuntimeClass)],
    ...NOTHING_UNREAD,
    pointer: [pointer, ...path].join('/'),
    path: path.map((name) => `${name}.`).join(''),
    givenTolerations: (object.kind === 'Pod' ? object : given).spec.tolerations ?? [],
    readmit: readmission(object, state, options),
  };
}

function readmission(object: Placeable, state: ClusterState, options: ReadmissionOptions): Readmit {
  let context: PreparationContext | undefined;
  return (change) => {
    context ??= preparationIn(state, object.metadata.namespace ?? 'default');
    return readmitManifest(object, change, context, options);
  };
}

function prepare(object: Placeable, state: ClusterState, options: PreparationOptions): PreparedPod {
  try {
    const result = preparePod(object, preparationIn(state, object.metadata.namespace ?? 'default'), options);
    if (result !== undefined) return result;
  } catch (error) {
    if (!(error instanceof AdmissionRefusal)) throw error;
    throw admissionRefused(error);
  }
  const { kind, metadata } = object;
  throw new ServiceError('object-not-found', `${kind} ${metadata.name} has no pod template.`);
}

/** The rejection of an admission plugin with its original message, and how to place the pod nevertheless. */
function admissionRefused({ plugin, reason, message }: AdmissionRefusal): ServiceError {
  return new ServiceError('admission-refused', message, {
    details: [
      { code: plugin, message: reason },
      {
        code: 'hint',
        field: 'admission',
        message: 'Set admission=skip to place the pod as it was sent.',
      },
    ],
  });
}

/** The additions of the RuntimeClass are unknown, so the pod's verdict is uncertain on every node. */
function runtimeClassUnknown({ name, loaded }: { readonly name: string; readonly loaded: boolean }): Reason {
  const quoted = JSON.stringify(name);
  const common = { plugin: 'RuntimeClass', status: 'Unknown', fields: [podField('spec', 'runtimeClassName')] } as const;
  return loaded
    ? {
        ...common,
        code: 'RuntimeClassNotFound',
        message: `RuntimeClass ${quoted} is not stored: the API server would reject the pod (pod rejected: RuntimeClass ${quoted} not found), and the additions of the class are unknown`,
        facts: { runtimeClass: name },
      }
    : {
        ...common,
        code: 'KindNotLoaded',
        message: `no snapshot has contained RuntimeClasses: the additions of class ${quoted} (overhead, node selector, tolerations) are unknown`,
        facts: { runtimeClass: name, missingKinds: ['RuntimeClass'] },
      };
}

/**
 * A stored pod as the scheduler received it: not bound, and not counted on its node. Its stored fields are used
 * unchanged, since the API server completed them at its creation.
 */
function storedPod(
  state: ClusterState,
  ref: { readonly namespace?: string; readonly name: string },
  options: ReadmissionOptions,
): PlacedSubject {
  const namespace = ref.namespace ?? 'default';
  const index = state.pods.indexOf(namespace, ref.name);
  if (index < 0) throw notFound(state, 'Pod', namespace, ref.name);
  const owner = state.pods.workload(index);
  const stored = state.pods.pod(index);
  const { nodeName = '', ...spec } = stored.spec;
  const isBound = nodeName !== '';
  const pod = isBound ? { ...stored, spec } : stored;
  return {
    source: 'stored',
    pod,
    state: state.apply({ deletes: [{ kind: 'Pod', namespace, name: ref.name }] }),
    workload: owner.kind === 'Pod' ? null : owner,
    claimTemplates: [],
    added: isBound
      ? [
          {
            by: 'placement',
            pointer: '/spec/nodeName',
            why: `the pod runs on ${nodeName}: it is placed as if it did not, and its resources there count as free`,
          },
        ]
      : [],
    unknowns: [],
    ...NOTHING_UNREAD,
    pointer: '',
    path: '',
    givenTolerations: stored.spec.tolerations ?? [],
    // The quotas already include the pod.
    readmit: readmission(pod, state, { ...options, without: ['ResourceQuota'] }),
  };
}

/** @throws {InvalidRequestError} objects of this kind do not create pods; {ServiceError} `object-not-found` */
export function storedWorkload(
  state: ClusterState,
  { kind, namespace = 'default', name }: NonNullable<PlacementSubject['workloadRef']>,
): Workload {
  if (!isWorkloadKind(kind)) {
    throw new InvalidRequestError([
      {
        pointer: '/workloadRef/kind',
        field: 'workloadRef.kind',
        code: 'unknown-kind',
        message: `must be one of ${WORKLOAD_KINDS.join(', ')}`,
      },
    ]);
  }
  const found = state.find(kind, namespace, name);
  if (found === undefined) throw notFound(state, kind, namespace, name);
  return found as Workload;
}

const isWorkloadKind = (kind: string): kind is (typeof WORKLOAD_KINDS)[number] =>
  (WORKLOAD_KINDS as readonly string[]).includes(kind);

function notFound({ loadedKinds }: ClusterState, kind: string, namespace: string, name: string): ServiceError {
  const loaded = isKeptKind(kind) && loadedKinds.has(kind);
  const why = loaded ? '' : `; no snapshot of this cluster has contained the kind ${kind}`;
  return new ServiceError('object-not-found', `${kind} ${namespace}/${name} does not exist in this revision${why}.`);
}
