import type { Namespace } from '../objects/namespace.js';
import { described, list, object } from './containers.js';
import { objectMeta } from './metadata.js';
import { constant, string, time } from './scalars.js';
import { required } from './schema.js';

/** `v1.NamespaceSpec`. */
const namespaceSpec = described({
  finalizers: list(string),
});

/** `v1.NamespaceCondition`. */
const namespaceCondition = described({
  lastTransitionTime: time,
  message: string,
  reason: string,
  status: string,
  type: string,
});

/** `v1.NamespaceStatus`. */
const namespaceStatus = object<NonNullable<Namespace['status']>>(
  {
    phase: string,
  },
  {
    conditions: list(namespaceCondition),
  },
);

/** `v1.Namespace`. */
export const namespace = object<Namespace>(
  {
    apiVersion: required(string),
    kind: required(constant('Namespace')),
    metadata: required(objectMeta),
    status: namespaceStatus,
  },
  {
    spec: namespaceSpec,
  },
);
