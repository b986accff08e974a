import { method, type CelFunction, type Overload } from '../declarations.js';
import { CelUnsupported } from '../errors.js';
import { BOOL, objectType, STRING, type CelType } from '../types.js';
import { CelError, CelObject, type Value } from '../values.js';
import { trimSpace } from './strings.js';

export const AUTHORIZER = objectType('kubernetes.authorization.Authorizer');
const PATH = objectType('kubernetes.authorization.PathCheck');
const GROUP = objectType('kubernetes.authorization.GroupCheck');
export const RESOURCE = objectType('kubernetes.authorization.ResourceCheck');
const DECISION = objectType('kubernetes.authorization.Decision');

const SUPERUSERS = 'system:masters';

/**
 * What the groups of a user decide by themselves: the members of `system:masters` may do everything, which no authorizer is asked
 * about. What others may do is not known here.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/kubeapiserver/authorizer/config.go.
 */
class Check extends CelObject {
  constructor(
    readonly typeName: string,
    private readonly groups: readonly string[],
  ) {
    super();
  }

  as(typeName: string): Check {
    return new Check(typeName, this.groups);
  }

  /** @throws {CelUnsupported} */
  decide(): Check {
    if (!this.groups.includes(SUPERUSERS)) throw new CelUnsupported('authorizer');
    return this.as('kubernetes.authorization.Decision');
  }
}

/** The variable `authorizer` for a user of these groups. */
export const authorizerOf = (groups: readonly string[]): Value =>
  new Check('kubernetes.authorization.Authorizer', groups);

/** The variable `authorizer.requestResource`. */
export const resourceCheckOf = (groups: readonly string[]): Value =>
  new Check('kubernetes.authorization.ResourceCheck', groups);

const next =
  (typeName: string, what?: string) =>
  (check: Value, text: Value): Value =>
    what !== undefined && trimSpace(text as string) === ''
      ? new CelError(`${what} must not be empty`)
      : (check as Check).as(typeName);

const decided = (check: Value): Value => (check as Check).decide();

const unknown = (): never => {
  throw new CelUnsupported('authorizer.serviceAccount');
};

const one = (
  name: string,
  id: string,
  args: readonly CelType[],
  result: CelType,
  run: NonNullable<Overload['run']>,
): CelFunction => ({ name, overloads: [method(id, args, result, run)] });

const refining = (name: string, id: string): CelFunction =>
  one(name, id, [RESOURCE, STRING], RESOURCE, next('kubernetes.authorization.ResourceCheck'));

/** k8s.io/apiserver v0.36.2, pkg/cel/library/authz.go. */
export const AUTHORIZER_FUNCTIONS: readonly CelFunction[] = [
  one('path', 'authorizer_path', [AUTHORIZER, STRING], PATH, next('kubernetes.authorization.PathCheck', 'path')),
  one('group', 'authorizer_group', [AUTHORIZER, STRING], GROUP, next('kubernetes.authorization.GroupCheck')),
  one('serviceAccount', 'authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, unknown),
  one(
    'resource',
    'groupcheck_resource',
    [GROUP, STRING],
    RESOURCE,
    next('kubernetes.authorization.ResourceCheck', 'resource'),
  ),
  refining('subresource', 'resourcecheck_subresource'),
  refining('namespace', 'resourcecheck_namespace'),
  refining('name', 'resourcecheck_name'),
  {
    name: 'check',
    overloads: [
      method('pathcheck_check', [PATH, STRING], DECISION, decided),
      method('resourcecheck_check', [RESOURCE, STRING], DECISION, decided),
    ],
  },
  one('errored', 'decision_errored', [DECISION], BOOL, () => false),
  one('error', 'decision_error', [DECISION], STRING, () => ''),
  one('allowed', 'decision_allowed', [DECISION], BOOL, () => true),
  one('reason', 'decision_reason', [DECISION], STRING, () => ''),
  refining('fieldSelector', 'authorizer_fieldselector'),
  refining('labelSelector', 'authorizer_labelselector'),
];
