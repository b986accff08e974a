import type { PriorityClass, RuntimeClass } from '../objects/scheduling.js';
import { list, map, object, stringMap } from './containers.js';
import { objectMeta, toleration } from './metadata.js';
import { boolean, constant, int32, quantity, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.PriorityClass`. */
export const priorityClass = object<PriorityClass>(
  {
    apiVersion: required(string),
    globalDefault: boolean,
    kind: required(constant('PriorityClass')),
    metadata: required(objectMeta),
    preemptionPolicy: string,
    value: required(int32),
  },
  {
    description: string,
  },
);

/** `v1.Overhead`. */
const overhead = object<NonNullable<RuntimeClass['overhead']>>({
  podFixed: map(quantity),
});

/** `v1.Scheduling`. */
const scheduling = object<NonNullable<RuntimeClass['scheduling']>>({
  nodeSelector: stringMap,
  tolerations: list(toleration),
});

/** `v1.RuntimeClass`. */
export const runtimeClass = object<RuntimeClass>({
  apiVersion: required(string),
  handler: string,
  kind: required(constant('RuntimeClass')),
  metadata: required(objectMeta),
  overhead,
  scheduling,
});
