import { trimSpace } from '../../cel/libraries/strings.js';
import { BOOL, DYN, STRING, type CelType } from '../../cel/types.js';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from '../../kubernetes/field-error.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import { jsonGo } from '../../kubernetes/go-text.js';
import type {
  MatchResources,
  NamedRule,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
} from '../../kubernetes/objects/admission-policies.js';
import { validateLabelName } from '../../kubernetes/validation/label.js';
import { validateLabelSelector } from '../../kubernetes/validation/label-selector.js';
import { validateObjectMeta } from '../../kubernetes/validation/metadata.js';
import { byteLength, isDns1035Label, isDns1123Subdomain } from '../../kubernetes/validation/names.js';
import { nameIsDnsSubdomain, nameIsPathSegment } from '../../kubernetes/validation/object-names.js';
import { AUDIT_TYPES, compileExpression, isProgram, type Compiled } from './compile-policy.js';
import { typeOfVariable, type PolicyScope } from './policy-environment.js';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const MAX_CONDITIONS = 64;
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_AUDIT_EXPRESSION = 5 * 1024;

const MUST_HAVE_SOME = 'validations or auditAnnotations must contain at least one item';
const NOT_SPECIFIED = 'expression is not specified';
/** A text of the API server's parser that is not known here. */
const COMPILATION_FAILED = 'compilation failed';

/**
 * What the API server refuses in a policy that is created, its expressions included; empty for one that it takes.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/admissionregistration/validation/validation.go, after the defaults of
 * pkg/apis/admissionregistration/v1/defaults.go.
 *
 * @throws {CelUnsupported}
 */
export function validatePolicy({ metadata, spec }: ValidatingAdmissionPolicy): FieldError[] {
  return [
    ...validateObjectMeta(metadata, false, nameIsDnsSubdomain, FieldPath.of('metadata')),
    ...new PolicyValidator(metadata.name, spec).all(),
  ];
}

class PolicyValidator {
  private readonly path = FieldPath.of('spec');
  private readonly variables = new Map<string, CelType>();
  private readonly hasParams: boolean;

  constructor(
    private readonly name: string,
    private readonly spec: ValidatingAdmissionPolicySpec,
  ) {
    this.hasParams = spec.paramKind !== undefined;
  }

  all(): FieldError[] {
    const { failurePolicy = 'Fail', matchConstraints, validations = [], auditAnnotations = [] } = this.spec;
    const { path } = this;
    const errors = supported(failurePolicy, FAILURE_POLICIES, path.child('failurePolicy'));
    errors.push(...this.paramKind(), ...this.matchConstraints(matchConstraints), ...this.matchConditions());
    for (const index of (this.spec.variables ?? []).keys()) errors.push(...this.variable(index));
    if (validations.length === 0 && auditAnnotations.length === 0) {
      return [
        ...errors,
        required(path.child('validations'), MUST_HAVE_SOME),
        required(path.child('auditAnnotations'), MUST_HAVE_SOME),
      ];
    }
    for (const index of validations.keys()) errors.push(...this.validation(index));
    return [...errors, ...this.auditAnnotations()];
  }

  private scope(hasAuthorizer: boolean): PolicyScope {
    const { hasParams, spec } = this;
    return { hasParams, hasAuthorizer, variables: (spec.variables ?? []).length > 0 ? this.variables : undefined };
  }

  private paramKind(): FieldError[] {
    const { paramKind } = this.spec;
    if (paramKind === undefined) return [];
    const { apiVersion = '', kind = '' } = paramKind;
    const at = this.path.child('paramKind');
    const errors = validateApiVersion(apiVersion, at.child('apiVersion'));
    if (kind === '') return [...errors, required(at.child('kind'))];
    const wrong = isDns1035Label(kind.toLowerCase());
    if (wrong.length === 0) return errors;
    const detail = `may have mixed case, but should otherwise match: ${wrong.join(',')}`;
    return [...errors, invalid(at.child('kind'), kind, detail)];
  }

  private matchConstraints(constraints: MatchResources | undefined): FieldError[] {
    const at = this.path.child('matchConstraints');
    if (constraints === undefined) return [required(at)];
    const errors = validateMatchResources(constraints, at);
    return (constraints.resourceRules ?? []).length > 0 ? errors : [...errors, required(at.child('resourceRules'))];
  }

  private matchConditions(): FieldError[] {
    const conditions = this.spec.matchConditions ?? [];
    const path = this.path.child('matchConditions');
    const errors = conditions.length > MAX_CONDITIONS ? [tooMany(path, conditions.length, MAX_CONDITIONS)] : [];
    const names = new Set<string>();
    for (const [index, { name, expression }] of conditions.entries()) {
      const at = path.index(index);
      const trimmed = trimSpace(expression);
      const scope = { ...this.scope(true), variables: undefined };
      if (trimmed === '') errors.push(required(at.child('expression')));
      else errors.push(...problems(compileExpression(trimmed, scope, [BOOL]), trimmed, at.child('expression')));
      if (name === '') errors.push(required(at.child('name')));
      else errors.push(...validateLabelName(name, at.child('name')));
      if (name !== '' && names.has(name)) errors.push(duplicate(at.child('name'), name));
      names.add(name);
    }
    return errors;
  }

  private variable(index: number): FieldError[] {
    const { name, expression } = this.spec.variables![index]!;
    const at = this.path.child('variables').index(index);
    const errors: FieldError[] = [];
    if (trimSpace(name) === '') errors.push(required(at.child('name'), 'name is not specified'));
    else if (!isIdentifier(name)) errors.push(invalid(at.child('name'), name, 'must be a valid CEL identifier'));
    if (trimSpace(expression) === '') return [...errors, required(at.child('expression'), NOT_SPECIFIED)];
    const compiled = compileExpression(expression, this.scope(true), 'any');
    this.variables.set(name, isProgram(compiled) ? typeOfVariable(compiled.type) : DYN);
    return [...errors, ...problems(compiled, expression, at.child('expression'))];
  }

  private validation(index: number): FieldError[] {
    const { expression, message = '', messageExpression = '', reason } = this.spec.validations![index]!;
    const at = this.path.child('validations').index(index);
    const errors: FieldError[] = [];
    if (trimSpace(expression) === '') errors.push(required(at.child('expression'), NOT_SPECIFIED));
    else
      errors.push(
        ...problems(compileExpression(expression, this.scope(true), [BOOL]), expression, at.child('expression')),
      );
    const messagePath = at.child('messageExpression');
    if (messageExpression !== '' && trimSpace(messageExpression) === '') {
      errors.push(invalid(messagePath, messageExpression, 'must be non-empty if specified'));
    } else if (messageExpression !== '') {
      const compiled = compileExpression(messageExpression, this.scope(false), [STRING]);
      errors.push(...problems(compiled, messageExpression, messagePath));
    }
    if (message !== '' && trimSpace(message) === '') {
      errors.push(invalid(at.child('message'), message, 'must be non-empty if specified'));
    } else if (/[\n\r]/.test(trimSpace(message))) {
      errors.push(invalid(at.child('message'), message, 'must not contain line breaks'));
    }
    if (reason !== undefined) errors.push(...supported(reason, REASONS, at.child('reason')));
    return errors;
  }

  private auditAnnotations(): FieldError[] {
    const annotations = this.spec.auditAnnotations ?? [];
    const path = this.path.child('auditAnnotations');
    const errors: FieldError[] = [];
    if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
      const detail = `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`;
      errors.push(invalid(path, { text: jsonGo(annotations) }, detail));
    }
    const keys = new Set<string>();
    for (const [index, { key, valueExpression }] of annotations.entries()) {
      const at = path.index(index);
      errors.push(...validateLabelName(`${this.name}/${key}`, at.child('key')));
      errors.push(...this.auditExpression(valueExpression, at.child('valueExpression')));
      if (keys.has(key)) errors.push(duplicate(at.child('key'), key));
      keys.add(key);
    }
    return errors;
  }

  private auditExpression(expression: string, at: FieldPath): FieldError[] {
    const trimmed = trimSpace(expression);
    if (trimmed === '') return [required(at, 'valueExpression is not specified')];
    if (byteLength(trimmed) > MAX_AUDIT_EXPRESSION) {
      return [required(at, `must not exceed ${MAX_AUDIT_EXPRESSION} bytes in length`)];
    }
    return problems(compileExpression(trimmed, this.scope(true), AUDIT_TYPES), expression, at);
  }
}

function problems(compiled: Compiled, expression: string, path: FieldPath): FieldError[] {
  if (isProgram(compiled)) return [];
  const { isInternal, detail = COMPILATION_FAILED } = compiled;
  const error = invalid(path, expression, detail);
  return [isInternal ? { ...error, type: 'InternalError', message: `Internal error: ${detail}` } : error];
}

const supported = (value: string, values: readonly string[], path: FieldPath): FieldError[] =>
  values.includes(value) ? [] : [notSupported(path, value, values)];

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const isIdentifier = (name: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name);

function validateApiVersion(apiVersion: string, path: FieldPath): FieldError[] {
  if (apiVersion === '') return [required(path)];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = '', group = ''] = [...parts].reverse();
  const errors: FieldError[] = [];
  const wrongGroup = group === '' ? [] : isDns1123Subdomain(group);
  if (wrongGroup.length > 0) errors.push(invalid(path, group, wrongGroup.join(',')));
  if (version === '') return [...errors, invalid(path, apiVersion, 'version must be specified')];
  const wrongVersion = isDns1035Label(version);
  return wrongVersion.length > 0 ? [...errors, invalid(path, version, wrongVersion.join(','))] : errors;
}

function validateMatchResources(
  { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] }: MatchResources,
  path: FieldPath,
): FieldError[] {
  return [
    ...supported(matchPolicy ?? 'Equivalent', MATCH_POLICIES, path.child('matchPolicy')),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector')),
    ...validateLabelSelector(objectSelector, path.child('objectSelector')),
    ...resourceRules.flatMap((rule, index) => validateRule(rule, path.child('resourceRules').index(index))),
    ...excludeResourceRules.flatMap((rule, index) =>
      validateRule(rule, path.child('excludeResourceRules').index(index)),
    ),
  ];
}

function validateRule(rule: NamedRule, path: FieldPath): FieldError[] {
  const { resourceNames = [], operations = [], apiGroups = [], apiVersions = [], resources = [], scope = '*' } = rule;
  const errors = resourceNames.flatMap((name, index) => {
    const at = path.child('resourceNames').index(index);
    const wrong = nameIsPathSegment(name, false).map((message) => invalid(at, name, message));
    return resourceNames.indexOf(name) < index ? [...wrong, duplicate(at, name)] : wrong;
  });
  errors.push(...someAndNotAllBesides(operations, path.child('operations'), 'operations'));
  for (const [index, operation] of operations.entries()) {
    errors.push(...supported(operation, OPERATIONS, path.child('operations').index(index)));
  }
  errors.push(...someAndNotAllBesides(apiGroups, path.child('apiGroups'), 'API groups'));
  errors.push(...someAndNotAllBesides(apiVersions, path.child('apiVersions'), 'API versions'));
  for (const [index, version] of apiVersions.entries()) {
    if (version === '') errors.push(required(path.child('apiVersions').index(index)));
  }
  return [
    ...errors,
    ...validateResources(resources, path.child('resources')),
    ...supported(scope, SCOPES, path.child('scope')),
  ];
}

/** At least one, and only that where it is `*`. */
function someAndNotAllBesides(values: readonly string[], path: FieldPath, what: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalid(path, { text: jsonGo(values) }, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], path: FieldPath): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const withAllSubresources = new Set<string>();
  const subresourcesOfAll = new Set<string>();
  let hasPlain = false;
  for (const [index, written] of resources.entries()) {
    const at = path.index(index);
    const slash = written.indexOf('/');
    if (written === '') errors.push(required(at));
    if (slash === -1) {
      if (written !== '') hasPlain = written !== '*';
      continue;
    }
    const [resource, subresource] = [written.slice(0, slash), written.slice(slash + 1)];
    if (withAllSubresources.has(resource)) {
      errors.push(invalid(at, written, `if '${resource}/*' is present, must not specify ${written}`));
    }
    if (subresourcesOfAll.has(subresource)) {
      errors.push(invalid(at, written, `if '*/${subresource}' is present, must not specify ${written}`));
    }
    if (subresource === '*') withAllSubresources.add(resource);
    if (resource === '*') subresourcesOfAll.add(subresource);
  }
  const all = { text: jsonGo(resources) };
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, all, "if '*/*' is present, must not specify other resources"));
  }
  if (hasPlain && resources.includes('*')) {
    errors.push(invalid(path, all, "if '*' is present, must not specify other resources without subresources"));
  }
  return errors;
}

/**
 * What the API server refuses in a binding that is created.
 *
 * Source: as {@link validatePolicy}.
 */
export function validateBinding({ metadata, spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const path = FieldPath.of('spec');
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
  const wrongName = nameIsDnsSubdomain(policyName, false);
  return [
    ...validateObjectMeta(metadata, false, nameIsDnsSubdomain, FieldPath.of('metadata')),
    ...(policyName === ''
      ? [required(path.child('policyName'))]
      : wrongName.map((message) => invalid(path.child('policyName'), policyName, message))),
    ...(paramRef === undefined ? [] : validateParamRef(paramRef, path.child('paramRef'))),
    ...(matchResources === undefined ? [] : validateMatchResources(matchResources, path.child('matchResources'))),
    ...validateActions(validationActions, path.child('validationActions')),
  ];
}

const EXCLUSIVE = 'name and selector are mutually exclusive';

function validateParamRef(
  { name = '', selector, parameterNotFoundAction = '' }: ParamRef,
  path: FieldPath,
): FieldError[] {
  const errors =
    name === '' ? [] : nameIsPathSegment(name, false).map((text) => invalid(path.child('name'), name, text));
  if (name !== '' && selector !== undefined) errors.push(forbidden(path.child('name'), EXCLUSIVE));
  errors.push(...validateLabelSelector(selector, path.child('selector')));
  if (name !== '' && selector !== undefined) errors.push(forbidden(path.child('selector'), EXCLUSIVE));
  if (name === '' && selector === undefined) errors.push(required(path, 'one of name or selector must be specified'));
  const at = path.child('parameterNotFoundAction');
  if (parameterNotFoundAction === '') return [...errors, required(at)];
  return [...errors, ...supported(parameterNotFoundAction, ['Deny', 'Allow'], at)];
}

const BOTH_ACTIONS =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

function validateActions(actions: readonly string[], path: FieldPath): FieldError[] {
  const errors = actions.flatMap((action, index) => {
    const wrong = supported(action, ACTIONS, path.index(index));
    return actions.indexOf(action) < index ? [...wrong, duplicate(path.index(index), action)] : wrong;
  });
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(invalid(path, { text: jsonGo(actions) }, BOTH_ACTIONS));
  }
  return actions.length === 0 ? [required(path, 'at least one validation action is required')] : errors;
}
