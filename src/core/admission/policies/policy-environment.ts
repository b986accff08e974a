import type { Declarations } from '../../cel/checker.js';
import { environment, withStructs } from '../../cel/environment.js';
import { AUTHORIZER, RESOURCE } from '../../cel/libraries/authorizer.js';
import {
  BOOL,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  parametersOf,
  STRING,
  TIMESTAMP,
  type CelType,
} from '../../cel/types.js';
import { patchTypes } from './patch-types.js';

type Fields = Readonly<Record<string, CelType>>;

const OBJECTS = new Map<string, ReadonlyMap<string, CelType>>();

function declared(name: string, fields: Fields): CelType {
  OBJECTS.set(`kubernetes.${name}`, new Map(Object.entries(fields)));
  return objectType(`kubernetes.${name}`);
}

const KIND = declared('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE_NAME = declared('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });

const REQUEST = declared('AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE_NAME,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE_NAME,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: declared('UserInfo', {
    username: STRING,
    uid: STRING,
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
  }),
  dryRun: BOOL,
  options: DYN,
});

const NAMESPACE = declared('Namespace', {
  metadata: declared('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: declared('NamespaceSpec', { finalizers: listOf(STRING) }),
  status: declared('NamespaceStatus', {
    conditions: listOf(
      declared('NamespaceCondition', {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
    phase: STRING,
  }),
});

export const VARIABLES = 'kubernetes.variables';

/** What an expression of a policy may name besides the request and its objects. */
export interface PolicyScope {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** The policy's variables so far, by their types; undefined where there is no `variables`. */
  readonly variables: ReadonlyMap<string, CelType> | undefined;
  /** Whether it can make the values that mutations consist of. */
  readonly hasPatchTypes?: boolean;
}

/**
 * The declarations for an expression of a policy.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/cel/compile.go and composition.go.
 */
export function policyEnvironment(scope: PolicyScope): Declarations {
  const declared = variablesIn(scope);
  return scope.hasPatchTypes === true ? withStructs(declared, patchTypes) : declared;
}

function variablesIn({ hasParams, hasAuthorizer, variables }: PolicyScope): Declarations {
  const names = new Map<string, CelType>([
    ['object', DYN],
    ['oldObject', DYN],
    ['namespaceObject', NAMESPACE],
    ['request', REQUEST],
  ]);
  if (hasParams) names.set('params', DYN);
  if (hasAuthorizer) {
    names.set('authorizer', AUTHORIZER);
    names.set('authorizer.requestResource', RESOURCE);
  }
  if (variables === undefined) return environment(names, OBJECTS);
  names.set('variables', objectType(VARIABLES));
  return environment(names, new Map([...OBJECTS, [VARIABLES, variables]]));
}

/** The type that a variable has for the expressions after it: one that is not simple, a list or a map is not known to them. */
export function typeOfVariable(type: CelType): CelType {
  const [first = DYN, second = DYN] = parametersOf(type).map(typeOfVariable);
  if (type.kind === 'simple') return type;
  if (type.kind === 'list') return listOf(first);
  return type.kind === 'map' ? mapOf(first, second) : DYN;
}
