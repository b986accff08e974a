import { AdmissionRefusal } from '../../core/kubernetes/admission-refusal.js';
import {
  preparePod,
  type Addition,
  type PreparationOptions,
  type PreparedPod,
} from '../../core/admission/prepare-pod.js';
import { podOfTemplate, templateOf } from '../../core/admission/pod-of-template.js';
import { preparationIn } from '../../core/admission/preparation-in.js';
import { templatePath, WORKLOAD_KINDS, type Placeable } from '../../core/admission/read-pod-manifest.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload as WorkloadName } from '../../core/cluster/pod-table.js';
import { isKeptKind } from '../../core/kubernetes/kinds.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';
import type { Workload } from '../../core/kubernetes/objects/workloads.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import { podField, type Reason } from '../../core/placement/reason.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import type { PlacementSubject, SubjectField } from './placement-request.js';
import { readManifest } from './read-manifest.js';

/** Where the pod that is placed came from. */
export type SubjectSource = 'manifest' | 'template' | 'stored';

/** The pod that is placed, how it came about, and where in the request its parts lie. */
export interface PlacedSubject {
  readonly source: SubjectSource;
  /** As the scheduler would see it. */
  readonly pod: Pod;
  /** The state that it is placed in: without the pod itself where that is stored. */
  readonly state: ClusterState;
  readonly workload: WorkloadName | null;
  readonly added: readonly Addition[];
  readonly unknowns: readonly Reason[];
  readonly droppedFields: number;
  readonly unknownFieldCount: number;
  readonly unknownFields: readonly string[];
  /** What a pointer into the pod has to begin with, to point into the request; into the stored object otherwise. */
  readonly pointer: string;
  /** The same for the path as Kubernetes writes it: `spec.template.`. */
  readonly path: string;
  /** As they were sent or stored, before anything was added. */
  readonly givenTolerations: readonly Toleration[];
}

/**
 * @throws {InvalidObjectError} a manifest that the API server would refuse
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
      return { ...prepared(object, state, pointer, { source, skipAdmission }), ...counts };
    }
    case 'podRef':
      return storedPod(state, subject.podRef!);
    case 'workloadRef':
      // Its pods are charged to the quotas already: where they could be is not for those to say.
      return prepared(storedWorkload(state, subject.workloadRef!), state, '', {
        source: 'template',
        skipAdmission,
        without: ['ResourceQuota'],
      });
  }
}

const NOTHING_UNREAD = { droppedFields: 0, unknownFieldCount: 0, unknownFields: [] } as const;

function prepared(
  object: Placeable,
  state: ClusterState,
  pointer: string,
  { source, ...options }: PreparationOptions & { readonly source: SubjectSource },
): PlacedSubject {
  const path = templatePath(object);
  const { pod, added, missingRuntimeClass } = prepare(object, state, options);
  const template = object.kind === 'Pod' ? undefined : templateOf(object);
  const given = object.kind === 'Pod' || template === undefined ? pod : podOfTemplate(object, template);
  return {
    source,
    pod,
    state,
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

/** A refusal by a plugin, to the letter, and how to ask all the same. */
function admissionRefused({ plugin, reason, message }: AdmissionRefusal): ServiceError {
  return new ServiceError('admission-refused', message, {
    details: [
      { code: plugin, message: reason },
      {
        code: 'hint',
        field: 'admission',
        message: 'With admission=skip the pod is placed all the same, as it was sent.',
      },
    ],
  });
}

/** What a class adds is not known, so nothing is certain of the pod on any node. */
function runtimeClassUnknown({ name, loaded }: { readonly name: string; readonly loaded: boolean }): Reason {
  const quoted = JSON.stringify(name);
  const common = { plugin: 'RuntimeClass', status: 'Unknown', fields: [podField('spec', 'runtimeClassName')] } as const;
  return loaded
    ? {
        ...common,
        code: 'RuntimeClassNotFound',
        message: `RuntimeClass ${quoted} is not stored: the API server would refuse the pod (pod rejected: RuntimeClass ${quoted} not found), and what the class adds is not known`,
        facts: { runtimeClass: name },
      }
    : {
        ...common,
        code: 'KindNotLoaded',
        message: `RuntimeClass was never loaded: what class ${quoted} adds (overhead, node selector, tolerations) is not known`,
        facts: { runtimeClass: name, missingKinds: ['RuntimeClass'] },
      };
}

/**
 * A stored pod as the scheduler had it before it: not bound, and not counted on the node it runs on. It is placed as it is
 * stored, since the API server completed it when it was made.
 */
function storedPod(state: ClusterState, ref: { readonly namespace?: string; readonly name: string }): PlacedSubject {
  const namespace = ref.namespace ?? 'default';
  const index = state.pods.indexOf(namespace, ref.name);
  if (index < 0) throw notFound(state, 'Pod', namespace, ref.name);
  const owner = state.pods.workload(index);
  const stored = state.pods.pod(index);
  const { nodeName = '', ...spec } = stored.spec;
  const isBound = nodeName !== '';
  return {
    source: 'stored',
    pod: isBound ? { ...stored, spec } : stored,
    state: state.apply({ deletes: [{ kind: 'Pod', namespace, name: ref.name }] }),
    workload: owner.kind === 'Pod' ? null : owner,
    added: isBound
      ? [
          {
            by: 'placement',
            pointer: '/spec/nodeName',
            why: `the pod is on ${nodeName}: it is placed as if it were not, and what it holds there counts as free`,
          },
        ]
      : [],
    unknowns: [],
    ...NOTHING_UNREAD,
    pointer: '',
    path: '',
    givenTolerations: stored.spec.tolerations ?? [],
  };
}

/** @throws {InvalidRequestError} its kind makes no pods; {ServiceError} `object-not-found` */
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
  const why = loaded ? '' : `; no snapshot of this cluster has had the kind ${kind} so far`;
  return new ServiceError('object-not-found', `There is no ${kind} ${namespace}/${name} in this revision${why}.`);
}
