import type { ObjectMeta, OwnerReference } from '../objects/meta.js';
import type { ResourceRequirements } from '../objects/pod.js';
import type {
  LabelSelector,
  LabelSelectorRequirement,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from '../objects/selectors.js';
import type { ObjectReference } from '../objects/storage.js';
import type { Taint, Toleration } from '../objects/taints.js';
import { keptAnnotations } from './annotations.js';
import { described, list, map, object, stringMap } from './containers.js';
import { anything, boolean, int64, quantity, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.ManagedFieldsEntry`. */
const managedFieldsEntry = described({
  apiVersion: string,
  fieldsType: string,
  fieldsV1: anything,
  manager: string,
  operation: string,
  subresource: string,
  time,
});

/** `v1.OwnerReference`. */
const ownerReference = object<OwnerReference>(
  {
    apiVersion: required(string),
    controller: boolean,
    kind: required(string),
    name: required(string),
    uid: string,
  },
  {
    blockOwnerDeletion: boolean,
  },
);

/**
 * `v1.ObjectMeta`. The resourceVersion changes with every heartbeat, so it is no part of what is kept: it is stored next to the object
 * (`ObjectRow`).
 */
export const objectMeta = object<Omit<ObjectMeta, 'resourceVersion'>>(
  {
    annotations: keptAnnotations,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int64,
    deletionTimestamp: time,
    generateName: string,
    generation: int64,
    labels: stringMap,
    name: required(string),
    namespace: string,
    ownerReferences: list(ownerReference),
    uid: string,
  },
  {
    finalizers: list(string),
    managedFields: list(managedFieldsEntry),
    resourceVersion: string,
    selfLink: string,
  },
);

/** `metav1.ObjectMeta` of a template, where nothing is `required`. */
export const templateMeta = object<Partial<ObjectMeta>>(
  {
    annotations: keptAnnotations,
    creationTimestamp: time,
    deletionGracePeriodSeconds: int64,
    deletionTimestamp: time,
    generateName: string,
    generation: int64,
    labels: stringMap,
    name: string,
    namespace: string,
    ownerReferences: list(ownerReference),
    resourceVersion: string,
    uid: string,
  },
  {
    finalizers: list(string),
    managedFields: list(managedFieldsEntry),
    selfLink: string,
  },
);

/** `v1.LabelSelectorRequirement`. */
const labelSelectorRequirement = object<LabelSelectorRequirement>({
  key: required(string),
  operator: required(string),
  values: list(string),
});

/** `v1.LabelSelector`. */
export const labelSelector = object<LabelSelector>({
  matchExpressions: list(labelSelectorRequirement),
  matchLabels: stringMap,
});

/** `v1.NodeSelectorRequirement`. */
const nodeSelectorRequirement = object<NodeSelectorRequirement>({
  key: required(string),
  operator: required(string),
  values: list(string),
});

/** `v1.NodeSelectorTerm`. */
export const nodeSelectorTerm = object<NodeSelectorTerm>({
  matchExpressions: list(nodeSelectorRequirement),
  matchFields: list(nodeSelectorRequirement),
});

/** `v1.NodeSelector`. */
export const nodeSelector = object<NodeSelector>({
  nodeSelectorTerms: required(list(nodeSelectorTerm)),
});

/** `v1.Taint`. */
export const taint = object<Taint>({
  effect: required(string),
  key: required(string),
  timeAdded: time,
  value: string,
});

/** `v1.Toleration`. */
export const toleration = object<Toleration>({
  effect: string,
  key: string,
  operator: string,
  tolerationSeconds: int64,
  value: string,
});

/** `v1.ObjectReference`. */
export const objectReference = object<ObjectReference>(
  {
    apiVersion: string,
    kind: string,
    name: string,
    namespace: string,
    uid: string,
  },
  {
    fieldPath: string,
    resourceVersion: string,
  },
);

/** `v1.Condition`. */
export const condition = described({
  lastTransitionTime: time,
  message: string,
  observedGeneration: int64,
  reason: string,
  status: string,
  type: string,
});

/** `v1.ResourceClaim`. */
const containerClaim = object<NonNullable<ResourceRequirements['claims']>[number]>({
  name: required(string),
  request: string,
});

/** `v1.ResourceRequirements`. */
export const resourceRequirements = object<ResourceRequirements>({
  claims: list(containerClaim),
  limits: map(quantity),
  requests: map(quantity),
});

/** `v1.LocalObjectReference`. */
export const localObjectReference = described({
  name: string,
});
