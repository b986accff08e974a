import type { ServiceAccount } from '../objects/service-account.js';
import { list, object } from './containers.js';
import { objectMeta } from './metadata.js';
import { boolean, constant, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.LocalObjectReference`. */
const localObjectReference = object<NonNullable<ServiceAccount['imagePullSecrets']>[number]>({ name: string });

/** `v1.ObjectReference`. */
const objectReference = object<NonNullable<ServiceAccount['secrets']>[number]>(
  {
    name: string,
  },
  {
    apiVersion: string,
    fieldPath: string,
    kind: string,
    namespace: string,
    resourceVersion: string,
    uid: string,
  },
);

/** `v1.ServiceAccount`. */
export const serviceAccount = object<ServiceAccount>({
  apiVersion: required(string),
  automountServiceAccountToken: boolean,
  imagePullSecrets: list(localObjectReference),
  kind: required(constant('ServiceAccount')),
  metadata: required(objectMeta),
  secrets: list(objectReference),
});
