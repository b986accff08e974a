import { NOTHING } from '../../core/collections/nothing.js';
import { additionsOf, type Addition } from '../../core/admission/additions.js';
import { admitPod, type AdmittedPod, type NewPod, type RefusedPod } from '../../core/admission/admission-chain.js';
import { admissionIn, type ClusterAdmission } from '../../core/admission/admission-in.js';
import { claimsToMake, claimTemplatesOf } from '../../core/admission/claims-to-make.js';
import type { PolicyWork } from '../../core/admission/policies/policy-work.js';
import { Readmissions } from '../../core/admission/readmissions.js';
import { podOfManifest, wholePodOf } from '../../core/admission/pod-of-template.js';
import { type Placeable } from '../../core/admission/read-pod-manifest.js';
import { admissionDoubt, type UndecidedPlugin } from '../../core/admission/undecided-plugins.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload as WorkloadName } from '../../core/cluster/pod-table.js';
import { defined } from '../../core/collections/defined.js';
import { isKeptKind } from '../../core/kubernetes/kinds.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';
import type { WholePod } from '../../core/kubernetes/objects/whole-pod.js';
import type { VolumeClaimTemplate, Workload } from '../../core/kubernetes/objects/workloads.js';
import type { TolerationGates } from '../../core/kubernetes/toleration.js';
import type { Readmit } from '../../core/placement/fixes/fix.js';
import { unknownsOfGroup } from '../../core/placement/pod-groups.js';
import { podField, type FieldReference, type Reason } from '../../core/placement/reason.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import type { PlacementSubject, SubjectField } from './placement-request.js';
import { readManifest } from './read-manifest.js';
import { templatePath, WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

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
  /** Lists of places in the pod, and what they became as places in the request. */
  readonly placedFields: Map<readonly FieldReference[], readonly FieldReference[]>;
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
  work?: PolicyWork,
): PlacedSubject {
  const skipAdmission = subject.admission === 'skip';
  switch (field) {
    case 'pod':
    case 'workload': {
      const { object, whole, defaulted, pointer, ...counts } = readManifest(field, subject[field]!, gates);
      const source = object.kind === 'Pod' ? 'manifest' : 'template';
      const read = { whole: wholePodOf(whole), defaulted };
      return { ...prepared(object, state, pointer, { source, gates, work, skipAdmission, ...read }), ...counts };
    }
    case 'podRef':
      return storedPod(state, subject.podRef!, { skipAdmission, gates });
    case 'workloadRef':
      // The quotas already include the pods of a stored workload, so they do not decide where those could run.
      return prepared(storedWorkload(state, subject.workloadRef!), state, '', {
        source: 'template',
        gates,
        work,
        skipAdmission,
        whole: undefined,
        without: ['ResourceQuota'],
      });
  }
}

type AdmissionOptions = Pick<NewPod, 'skipAdmission' | 'without' | 'whole'>;

const NOTHING_UNREAD = { droppedFields: 0, unknownFieldCount: 0, unknownFields: [] } as const;

function prepared(
  object: Placeable,
  state: ClusterState,
  pointer: string,
  {
    source,
    gates,
    work,
    whole,
    defaulted,
    ...options
  }: Omit<AdmissionOptions, 'whole'> & {
    readonly source: SubjectSource;
    readonly gates: TolerationGates;
    readonly work: PolicyWork | undefined;
    /** The pod with all fields, if a manifest has them. */
    readonly whole: WholePod | undefined;
    /** The pod that the object says with defaults, if they have been set. */
    readonly defaulted?: Pod;
  },
): PlacedSubject {
  const path = templatePath(object);
  const sent = podOfManifest(object);
  if (sent === undefined) {
    throw new ServiceError('object-not-found', `${object.kind} ${object.metadata.name} has no pod template.`);
  }
  const admission = admitted(
    sent,
    object,
    admissionIn(state, object.metadata.namespace ?? 'default', { gates, ...defined({ work }) }),
    {
      ...NOTHING,
      ...options,
      ...defined({ whole, defaulted }),
    },
  );
  const { pod, steps } = admission;
  const claimTemplates = claimTemplatesOf(object);
  const claims = claimsToMake(state, pod, claimTemplates);
  return {
    source,
    pod,
    state: claims.length === 0 ? state : state.apply({ upserts: claims }),
    claimTemplates,
    workload:
      object.kind === 'Pod'
        ? null
        : { kind: object.kind, namespace: object.metadata.namespace ?? '', name: object.metadata.name },
    added: additionsOf(steps),
    unknowns: [...unknownsOf(admission), ...unknownsOfGroup(state, object, pod)],
    ...NOTHING_UNREAD,
    pointer: [pointer, ...path].join('/'),
    path: path.map((name) => `${name}.`).join(''),
    givenTolerations: sent.spec.tolerations ?? [],
    placedFields: new Map(),
    readmit: readmission(object, pod, state, { gates, ...options, ...defined({ whole }) }),
  };
}

function readmission(
  object: Placeable,
  admitted: Pod,
  state: ClusterState,
  { gates, ...options }: AdmissionOptions & { readonly gates: TolerationGates },
): Readmit {
  let readmissions: Readmissions | undefined;
  return (change) => {
    readmissions ??= new Readmissions(
      object,
      admitted,
      admissionIn(state, object.metadata.namespace ?? 'default', { gates }),
      options,
    );
    return readmissions.readmit(change);
  };
}

function unknownsOf(admission: AdmittedPod): readonly Reason[] {
  const { missingRuntimeClass } = admission;
  const doubt = admissionDoubt(admission);
  return [
    ...(missingRuntimeClass === undefined ? [] : [runtimeClassUnknown(missingRuntimeClass)]),
    ...(doubt === undefined ? [] : [admissionUnknown(doubt)]),
  ];
}

function admitted(
  pod: Pod,
  object: Placeable,
  into: ClusterAdmission,
  options: AdmissionOptions & Pick<NewPod, 'defaulted'>,
): AdmittedPod {
  const request = {
    operation: 'create',
    pod,
    known: 'kept',
    ...(object.kind !== 'Pod' && { workload: object }),
    allowMissingRuntimeClass: true,
    ...options,
  } as const;
  const admission = admitPod(request, into);
  if (admission.outcome === 'refused') throw admissionRefused(admission);
  return admission;
}

/** The rejection by validation or an admission plugin with its original message, and how to place the pod nevertheless. */
function admissionRefused({ reason, refusal: { by, message } }: RefusedPod): ServiceError {
  return new ServiceError('admission-refused', message, {
    details: [
      { code: by, message: reason },
      {
        code: 'hint',
        field: 'admission',
        message: 'Set admission=skip to place the pod as it was sent.',
      },
    ],
  });
}

/** A pod that may be refused has no certain verdict on any node. */
const admissionUnknown = ({ plugin, why: message }: UndecidedPlugin): Reason => ({
  plugin,
  code: 'AdmissionUnknown',
  status: 'Unknown',
  message,
  fields: [podField('spec')],
  facts: {},
});

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
  { gates, ...options }: AdmissionOptions & { readonly gates: TolerationGates },
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
    placedFields: new Map(),
    // The quotas already include the pod.
    readmit: readmission(pod, pod, state, { gates, ...options, without: ['ResourceQuota'] }),
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
