import type { JsonObject } from '../../json/json-value.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { WholePod } from '../../kubernetes/objects/whole-pod.js';
import type { Workload } from '../../kubernetes/objects/workloads.js';
import { DRAWN_TOKEN_VOLUME } from '../service-account.js';
import { apiObjectOf } from './pod-object.js';
import type { PolicyRequest } from './policy-request.js';

/** A pod on its way into storage, as the API server asks policies about it. */
export interface SentToPolicies {
  readonly operation: 'create' | 'update';
  /** As admission has made it. */
  readonly pod: WholePod | Pod;
  /** The pod that is replaced, with its defaults; undefined on create. */
  readonly stored: WholePod | Pod | undefined;
  /** How the pod got its name: `drawn` by the API server; `unknown` if a manifest goes without. */
  readonly name: 'given' | 'drawn' | 'unknown';
  /** The workload whose controller sends the pod. */
  readonly controller: Workload['kind'] | undefined;
}

/** Set by the API server when it stores an object; not known before. */
const SET_BY_SERVER = ['creationTimestamp', 'generation', 'managedFields', 'uid'];

/**
 * What controllers put into pods that is not in their templates, besides the owner. Jobs are not listed: see `isJudged`.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/deployment, daemon and statefulset.
 */
const PUT_BY_CONTROLLER: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['Deployment', [['metadata', 'labels', 'pod-template-hash']]],
  [
    'DaemonSet',
    [
      ['metadata', 'labels', 'controller-revision-hash'],
      ['metadata', 'labels', 'pod-template-generation'],
      ['spec', 'affinity'],
    ],
  ],
  [
    'StatefulSet',
    [
      ['metadata', 'labels', 'apps.kubernetes.io/pod-index'],
      ['metadata', 'labels', 'controller-revision-hash'],
      ['metadata', 'labels', 'statefulset.kubernetes.io/pod-name'],
      ['spec', 'hostname'],
      ['spec', 'subdomain'],
    ],
  ],
]);

/** The controller of Jobs adds labels, annotations, finalizers, environment variables and a hostname. */
export const isJudged = (controller: Workload['kind'] | undefined): boolean =>
  controller !== 'Job' && controller !== 'CronJob';

/** The request that policies judge. */
export function policyRequestOf(sent: SentToPolicies): PolicyRequest {
  const { operation, pod, stored, name } = sent;
  return {
    operation: operation === 'create' ? 'CREATE' : 'UPDATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    subresource: '',
    name: name === 'unknown' ? undefined : name === 'drawn' ? '' : pod.metadata.name,
    namespace: pod.metadata.namespace ?? '',
    object: objectOf(pod, operation),
    oldObject: stored === undefined ? null : objectOf(stored, operation),
    user: undefined,
    isDryRun: false,
    unknownFields: unknownFieldsOf(sent),
    drawnTexts: new Set(operation === 'create' ? [DRAWN_TOKEN_VOLUME] : []),
  };
}

/** The API server clears what only it may set in the metadata of a new object. */
function objectOf(pod: WholePod | Pod, operation: 'create' | 'update'): JsonObject {
  if (operation === 'update') return apiObjectOf(pod);
  const metadata: Record<string, unknown> = { ...pod.metadata };
  for (const name of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink']) {
    Reflect.deleteProperty(metadata, name);
  }
  return apiObjectOf({ ...pod, metadata });
}

function unknownFieldsOf({ operation, pod, name, controller }: SentToPolicies): (readonly string[])[] {
  const ofMetadata = (names: readonly string[]): (readonly string[])[] => names.map((one) => ['metadata', one]);
  const fields = ofMetadata(SET_BY_SERVER);
  if (operation === 'update') return [...fields, ['metadata', 'resourceVersion'], ['status']];
  if (name !== 'given') fields.push(['metadata', 'name']);
  // A pod with gates gets a condition.
  if ((pod.spec.schedulingGates ?? []).length > 0) fields.push(['status', 'conditions']);
  if (controller === undefined) return fields;
  return [...fields, ...ofMetadata(['generateName', 'ownerReferences']), ...(PUT_BY_CONTROLLER.get(controller) ?? [])];
}
