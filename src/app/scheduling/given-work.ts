import type { queuedPodsInput } from '../../contract/scheduling/queue-run.js';
import type { Request } from '../../contract/schema.js';
import { MAX_REPLICAS_IN_REQUEST } from '../../contract/limits.js';
import { claimTemplatesOf } from '../../core/admission/claims-to-make.js';
import { stepAdmitPod } from '../../core/admission/admission-chain.js';
import { admissionIn } from '../../core/admission/admission-in.js';
import { podOfManifest, wholePodOf } from '../../core/admission/pod-of-template.js';
import { onlyItem, readPodManifest, type Placeable } from '../../core/admission/read-pod-manifest.js';
import { PolicyWork } from '../../core/admission/policies/policy-work.js';
import { admissionDoubt } from '../../core/admission/undecided-plugins.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { defined } from '../../core/collections/defined.js';
import { finish } from '../../core/collections/finish.js';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import type { QuotaRaise } from '../../core/quota-review/quota-room.js';
import { reviewReplicas } from '../../core/quota-review/review-replicas.js';
import { wantedPods } from '../../core/quota-review/workload-replicas.js';
import { unknownsOfGroup, withLabelsOf } from '../../core/placement/pod-groups.js';
import type { QueuedWork } from '../../core/scheduling/queue/queued-work.js';
import { gatesOf, type TolerationGates } from '../../core/kubernetes/toleration.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidObjectError } from '../errors/invalid-object-error.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import type { AdmissionMode } from '../placements/placement-request.js';
import { rulesUnderGates, type AskedGates } from '../reads/state-under-gates.js';

export { MAX_REPLICAS_IN_REQUEST };

/** The pods of a request. */
type GivenWork = Request<typeof queuedPodsInput>;

/** Pods of a request, with their id. */
export interface IdentifiedWork extends QueuedWork {
  /** The caller's id; null for stored pods. */
  readonly id: string | null;
}

/** Pods that admission rejects. */
export interface RefusedWork {
  readonly id: string;
  readonly by: string;
  readonly message: string;
  readonly pods: number;
  /** Limits of quotas that would have to be raised together. */
  readonly raises: readonly QuotaRaise[];
  /** The pods as they would be after admission; absent if admission rejects them for a reason other than quotas. */
  readonly work?: IdentifiedWork;
}

export interface ReadWork {
  readonly work: readonly IdentifiedWork[];
  readonly refused: readonly RefusedWork[];
}

/**
 * Reads the pods of a request and runs them through the cluster's admission; each counts against the quotas of the
 * later ones.
 *
 * @throws {ServiceError} `invalid-object` or `invalid-request` with every error in all of them
 */
export function* stepGivenWork(
  state: ClusterState,
  given: readonly GivenWork[],
  admission: AdmissionMode,
  now: Date,
  root: string,
): Generator<undefined, ReadWork> {
  const objects = yield* stepManifests(given, state, root === '' ? FieldPath.of('pods') : FieldPath.of(root, 'pods'));
  const policyWork = new PolicyWork();
  const quotas = new Map<string, readonly ResourceQuota[]>();
  const work: IdentifiedWork[] = [];
  const refused: RefusedWork[] = [];
  for (const { id, object, whole, replicas } of objects) {
    yield;
    const { namespace = 'default' } = object.metadata;
    const refuse = (by: string, message: string): unknown =>
      refused.push({ id, by, message, pods: replicas, raises: [] });
    const into = admissionIn(state, namespace, { work: policyWork });
    const sent = podOfManifest(object);
    if (sent === undefined) {
      refuse('decoding', `${object.kind} ${object.metadata.name} has no pod template.`);
      continue;
    }
    const prepared = yield* stepAdmitPod(
      {
        operation: 'create',
        pod: sent,
        known: 'kept',
        ...defined({ whole: wholePodOf(whole) }),
        ...(object.kind !== 'Pod' && { workload: object }),
        skipAdmission: admission === 'skip',
        without: ['ResourceQuota'],
        allowMissingRuntimeClass: true,
      },
      into,
    );
    if (prepared.outcome === 'refused') {
      refuse(prepared.refusal.by, prepared.refusal.message);
      continue;
    }
    if (prepared.missingRuntimeClass !== undefined) {
      const { name } = prepared.missingRuntimeClass;
      refuse(
        'RuntimeClass',
        `RuntimeClass ${JSON.stringify(name)} is not stored: its additions to the pod are unknown`,
      );
      continue;
    }
    const doubt = admissionDoubt(prepared);
    if (doubt !== undefined) {
      refuse(doubt.plugin, doubt.why);
      continue;
    }
    const pod = named(prepared.pod, object);
    const workload = { kind: object.kind, namespace, name: object.metadata.name };
    const claimTemplates = claimTemplatesOf(object);
    const unknowns = unknownsOfGroup(state, object, pod);
    const one = {
      ...{ id, pod, replicas, since: '', workload },
      ...(claimTemplates.length > 0 && { claimTemplates }),
      ...(unknowns.length > 0 && {
        unknowns,
        labelled: withLabelsOf(object, pod),
      }),
    };
    const { plugins, limitedResources } = into.configuration;
    if (admission === 'skip' || !plugins.includes('ResourceQuota')) {
      work.push(one);
      continue;
    }
    const review = reviewReplicas({
      quotas: quotas.get(namespace) ?? into.surroundings.quotas,
      pod,
      wanted: replicas,
      now: now.getTime(),
      rules: state.rules,
      ...defined({ limited: limitedResources }),
    });
    quotas.set(namespace, review.quotas);
    if (review.admitted > 0) work.push({ ...one, replicas: review.admitted });
    const { refusal, raises, admitted } = review;
    if (refusal === undefined) continue;
    const pods = replicas - admitted;
    const rest = { ...one, replicas: pods };
    refused.push({
      id,
      by: refusal.by,
      message: refusal.message,
      pods,
      raises,
      ...(raises.length > 0 ? { work: rest } : {}),
    });
  }
  return { work, refused };
}

/** The pod as the scheduler would receive it; controllers start its name with their own. */
function named(pod: Pod, { kind, metadata: { name, namespace = 'default' } }: Placeable): Pod {
  const own = kind === 'Pod' ? pod.metadata.name : name;
  return { ...pod, metadata: { ...pod.metadata, name: own === '' ? 'pod' : own, namespace } };
}

/** The namespace as it was sent, since decoding fills in the default. */
function namespaceIn({ metadata }: JsonObject): string | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const namespace = Object.hasOwn(metadata, 'namespace') ? metadata['namespace'] : undefined;
  return typeof namespace === 'string' && namespace !== '' ? namespace : undefined;
}

interface DecodedManifest {
  readonly id: string;
  readonly object: Placeable;
  /** With the fields that are not kept. */
  readonly whole: Placeable | undefined;
  /** Undefined where the number follows from the object. */
  readonly replicas: number | undefined;
}

interface ReadManifest extends DecodedManifest {
  readonly replicas: number;
}

/** The errors in the pods of a request that can be found without the cluster. */
export function givenWorkErrors({
  pods = [],
  featureGates,
}: {
  readonly pods?: readonly GivenWork[];
  readonly featureGates?: AskedGates;
}): readonly ErrorDetail[] {
  const gates = gatesOf(rulesUnderGates(DEFAULT_RULES, featureGates));
  const { invalid, faults } = finish(stepDecoded(pods, FieldPath.of('pods'), gates));
  return [...invalid.flatMap(({ details }) => details), ...faults];
}

function* stepManifests(
  given: readonly GivenWork[],
  state: ClusterState,
  all: FieldPath,
): Generator<undefined, readonly ReadManifest[]> {
  const { decoded, invalid, faults } = yield* stepDecoded(given, all, gatesOf(state.rules));
  const read = decoded.map(({ object, replicas, ...one }) => ({
    ...one,
    object,
    replicas: replicas ?? (object.kind === 'Pod' ? 1 : wantedPods(object, state, gatesOf(state.rules)).count),
  }));
  const total = read.reduce((sum, { replicas }) => sum + replicas, 0);
  if (total > MAX_REPLICAS_IN_REQUEST) {
    const message = `contain ${total} pods in total; at most ${MAX_REPLICAS_IN_REQUEST} are allowed`;
    faults.push(faultAt(all, 'out-of-range', message));
  }
  const [first] = invalid;
  if (first !== undefined) {
    throw new ServiceError('invalid-object', first.message, {
      details: [...invalid.flatMap(({ details }) => details), ...faults],
    });
  }
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return read.filter(({ replicas }) => replicas > 0);
}

interface Decoded {
  readonly decoded: readonly DecodedManifest[];
  readonly invalid: readonly InvalidObjectError[];
  readonly faults: ErrorDetail[];
}

function* stepDecoded(
  given: readonly GivenWork[],
  all: FieldPath,
  gates: TolerationGates,
): Generator<undefined, Decoded> {
  const faults: ErrorDetail[] = [];
  const invalid: InvalidObjectError[] = [];
  const decoded: DecodedManifest[] = [];
  for (const [index, { id, pod, replicas, namespace }] of given.entries()) {
    yield;
    const at = all.index(index);
    const manifest = readPodManifest('pod', pod, gates);
    if ('errors' in manifest) {
      invalid.push(
        new InvalidObjectError(manifest.what, manifest.errors, `${at.child('pod').toPointer()}${manifest.pointer}`),
      );
      continue;
    }
    const { object } = manifest;
    if (object.kind === 'DaemonSet') {
      const message = 'DaemonSet pods are bound to one node each, so they cannot be scheduled here; use another kind';
      faults.push(faultAt(at.child('pod', 'kind'), 'unsupported-kind', message));
      continue;
    }
    if (object.kind === 'Pod' && (object.spec.nodeName ?? '') !== '') {
      const message = 'must not be set: a pod with a node name is not scheduled';
      faults.push(faultAt(at.child('pod', 'spec', 'nodeName'), 'conflicting-fields', message));
      continue;
    }
    const ownNamespace = namespaceIn(onlyItem(pod, '').value);
    if (namespace !== undefined && ownNamespace !== undefined && ownNamespace !== namespace) {
      const message = `the namespace of the provided object does not match the namespace sent on the request: ${ownNamespace}`;
      faults.push(faultAt(at.child('namespace'), 'conflicting-fields', message));
      continue;
    }
    const metadata = { ...object.metadata, namespace: namespace ?? ownNamespace ?? 'default' };
    decoded.push({ id, object: { ...object, metadata }, whole: manifest.whole, replicas });
  }
  return { decoded, invalid, faults };
}
