import { method, type CelFunction, type Overload } from '../declarations.js';
import { CelUnsupported } from '../errors.js';
import { BOOL, objectType, STRING, type CelType } from '../types.js';

export const AUTHORIZER = objectType('kubernetes.authorization.Authorizer');
const PATH = objectType('kubernetes.authorization.PathCheck');
const GROUP = objectType('kubernetes.authorization.GroupCheck');
export const RESOURCE = objectType('kubernetes.authorization.ResourceCheck');
const DECISION = objectType('kubernetes.authorization.Decision');

/** What an authorizer answers is not known here. */
const unknown = (): never => {
  throw new CelUnsupported('authorizer');
};

const member = (id: string, args: readonly CelType[], result: CelType): Overload => method(id, args, result, unknown);
const one = (name: string, id: string, args: readonly CelType[], result: CelType): CelFunction => ({
  name,
  overloads: [member(id, args, result)],
});

/** k8s.io/apiserver v0.36.2, pkg/cel/library/authz.go: declared, so that expressions with them compile. */
export const AUTHORIZER_FUNCTIONS: readonly CelFunction[] = [
  one('path', 'authorizer_path', [AUTHORIZER, STRING], PATH),
  one('group', 'authorizer_group', [AUTHORIZER, STRING], GROUP),
  one('serviceAccount', 'authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER),
  one('resource', 'groupcheck_resource', [GROUP, STRING], RESOURCE),
  one('subresource', 'resourcecheck_subresource', [RESOURCE, STRING], RESOURCE),
  one('namespace', 'resourcecheck_namespace', [RESOURCE, STRING], RESOURCE),
  one('name', 'resourcecheck_name', [RESOURCE, STRING], RESOURCE),
  {
    name: 'check',
    overloads: [
      member('pathcheck_check', [PATH, STRING], DECISION),
      member('resourcecheck_check', [RESOURCE, STRING], DECISION),
    ],
  },
  one('errored', 'decision_errored', [DECISION], BOOL),
  one('error', 'decision_error', [DECISION], STRING),
  one('allowed', 'decision_allowed', [DECISION], BOOL),
  one('reason', 'decision_reason', [DECISION], STRING),
  one('fieldSelector', 'authorizer_fieldselector', [RESOURCE, STRING], RESOURCE),
  one('labelSelector', 'authorizer_labelselector', [RESOURCE, STRING], RESOURCE),
];
