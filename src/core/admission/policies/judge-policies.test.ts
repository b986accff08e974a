import { describe, expect, it } from '@jest/globals';
import { CelUnsupported } from '../../cel/errors.js';
import type { JsonObject } from '../../json/json-value.js';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../kubernetes/objects/admission-policies.js';
import { judgeByPolicies, type PolicySurroundings, type PolicyVerdict } from './judge-policies.js';
import type { PolicyRequest } from './policy-request.js';
import { validateBinding, validatePolicy } from './validate-policy.js';

const PODS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

const policy = (spec: Partial<ValidatingAdmissionPolicySpec>, name = 'p'): ValidatingAdmissionPolicy => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [PODS] }, ...spec },
});

const binding = (
  spec: Partial<ValidatingAdmissionPolicyBindingSpec> = {},
  name = 'b',
): ValidatingAdmissionPolicyBinding => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});

const request: PolicyRequest = {
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subresource: '',
  name: 'web',
  namespace: 'shop',
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels: { team: 'a' } }, spec: { containers: [] } },
  oldObject: null,
  user: undefined,
  isDryRun: false,
  unknownFields: [['metadata', 'uid']],
};

const configMap = (name: string, data: Record<string, string>): JsonObject => ({
  metadata: { name, labels: { tier: 'gold' } },
  data,
});

const surroundings: Omit<PolicySurroundings, 'policies' | 'bindings'> = {
  params: {
    list: (_apiVersion, kind) =>
      kind === 'ConfigMap'
        ? {
            objects: [configMap('limits', { team: 'b' }), configMap('more', { team: 'a' })],
            withheld: new Set(),
            isComplete: true,
          }
        : undefined,
    unknownFields: [],
  },
  namespace: { object: { metadata: { name: 'shop', labels: { env: 'prod' } } }, unknownFields: [] },
};

const judge = (
  spec: Partial<ValidatingAdmissionPolicySpec>,
  bound: Partial<ValidatingAdmissionPolicyBindingSpec> = {},
  changed: Partial<PolicyRequest> = {},
): PolicyVerdict =>
  judgeByPolicies(
    { ...request, ...changed },
    { ...surroundings, policies: [policy(spec)], bindings: [binding(bound)] },
  );

const FAILS = { validations: [{ expression: "object.metadata.labels.team == 'b'" }] };
const DENIED = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";

describe('a policy', () => {
  it('refuses what fails a validation, with its reason and its message', () => {
    const validation = {
      ...FAILS.validations[0]!,
      reason: 'Forbidden',
      messageExpression: "'team is ' + object.metadata.labels.team",
    };
    expect(judge({ validations: [validation] }).refusals).toEqual([
      { status: 403, reason: 'Forbidden', message: `${DENIED}team is a` },
    ]);
  });

  it.each([
    ['an expression that errs', { messageExpression: 'string(1 / 0)', message: ' said ' }, 'said'],
    ['several lines', { messageExpression: "'a\\nb'" }, "failed expression: object.metadata.labels.team == 'b'"],
  ])('falls back from a message of %s', (_what, message, said) => {
    const [refusal] = judge({ validations: [{ ...FAILS.validations[0]!, ...message }] }).refusals;
    expect(refusal).toEqual({ status: 422, reason: 'Invalid', message: DENIED + said });
  });

  it('refuses on an error, or lets pass where it ignores them', () => {
    const errs = { validations: [{ expression: 'object.spec.x == 1', message: 'not used' }] };
    const message = `${DENIED}expression 'object.spec.x == 1' resulted in error: no such key: x`;
    expect(judge(errs).refusals).toEqual([{ status: 422, reason: 'Invalid', message }]);
    expect(judge({ ...errs, failurePolicy: 'Ignore' }).refusals).toEqual([]);
  });

  it('warns and audits as its binding says', () => {
    const { refusals, warnings, auditedFailures } = judge(FAILS, { validationActions: ['Warn', 'Audit'] });
    expect(refusals).toEqual([]);
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: object.metadata.labels.team == 'b'",
    ]);
    expect(auditedFailures).toMatchObject([{ policy: 'p', binding: 'b', expressionIndex: 0 }]);
  });

  it('computes its variables when they are asked for', () => {
    const variables = [
      { name: 'bad', expression: '1 / 0' },
      { name: 'team', expression: 'object.metadata.labels.team' },
      { name: 'again', expression: "variables.team + '!'" },
    ];
    expect(judge({ variables, validations: [{ expression: "variables.again == 'a!'" }] }).refusals).toEqual([]);
    expect(judge({ variables, validations: [{ expression: 'variables.bad == 1' }] }).refusals[0]?.message).toBe(
      `${DENIED}expression 'variables.bad == 1' resulted in error: composited variable "bad" fails to evaluate: division by zero`,
    );
  });

  it('publishes audit annotations, and refuses if one errs, whatever its binding does', () => {
    const annotation = (valueExpression: string): Partial<ValidatingAdmissionPolicySpec> => ({
      auditAnnotations: [{ key: 'k', valueExpression }],
    });
    expect(judge(annotation("' x '"), { validationActions: ['Warn'] }).auditAnnotations).toEqual(
      new Map([['p/k', 'x']]),
    );
    expect(judge(annotation('string(1 / 0)'), { validationActions: ['Warn'] }).refusals).toHaveLength(1);
  });

  it.each([
    ['another resource', { matchConstraints: { resourceRules: [{ ...PODS, resources: ['pods/status'] }] } }],
    ['another operation', { matchConstraints: { resourceRules: [{ ...PODS, operations: ['UPDATE'] }] } }],
    ['another name', { matchConstraints: { resourceRules: [{ ...PODS, resourceNames: ['db'] }] } }],
    ['other labels', { matchConstraints: { objectSelector: { matchLabels: { team: 'b' } } } }],
    ['another namespace', { matchConstraints: { namespaceSelector: { matchLabels: { env: 'dev' } } } }],
    ['what is not excluded', { matchConstraints: { excludeResourceRules: [PODS] } }],
    ['what meets its conditions', { matchConditions: [{ name: 'c', expression: "request.name == 'db'" }] }],
  ])('is about %s', (_what, spec) => {
    expect(judge({ ...FAILS, ...spec }).refusals).toEqual([]);
  });

  it('refuses where a condition errs and none is false', () => {
    const matchConditions = [
      { name: 'a', expression: "namespaceObject.metadata.name == 'shop'" },
      { name: 'b', expression: 'object.x == 1' },
    ];
    expect(judge({ ...FAILS, matchConditions }).refusals[0]?.message).toBe(
      `${DENIED}[expression 'namespaceObject.metadata.name == 'shop'' resulted in error: no such key: metadata, expression 'object.x == 1' resulted in error: no such key: x]`,
    );
  });
});

describe('parameters', () => {
  const spec = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [
      { expression: 'object.metadata.labels.team == params.data.team', messageExpression: 'string(params.data.team)' },
    ],
  };

  it('come by name, or by their labels', () => {
    expect(judge(spec, { paramRef: { name: 'more', parameterNotFoundAction: 'Deny' } }).refusals).toEqual([]);
    const paramRef = { selector: { matchLabels: { tier: 'gold' } }, parameterNotFoundAction: 'Allow' };
    expect(judge(spec, { paramRef }).refusals).toMatchObject([{ message: `${DENIED}b` }]);
  });

  it('that are missing refuse, or let pass, whatever the actions are', () => {
    const missing = (parameterNotFoundAction: string): PolicyVerdict =>
      judge(spec, { paramRef: { name: 'none', parameterNotFoundAction }, validationActions: ['Warn'] });
    expect(missing('Allow').refusals).toEqual([]);
    expect(missing('Deny').refusals[0]?.message).toBe(
      `${DENIED}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
  });

  it('of a kind that is not known leave the outcome unknown', () => {
    const unknown = { ...spec, paramKind: { apiVersion: 'example.com/v1', kind: 'Limits' } };
    expect(() => judge(unknown, { paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } })).toThrow(
      new CelUnsupported('params of kind Limits'),
    );
  });
});

describe('what is not known', () => {
  it.each([
    ['object.metadata.uid == ""', 'metadata.uid'],
    ['object.metadata.all(key, value, value != "x")', 'metadata.uid'],
    ['request.userInfo.username == "x"', 'request.userInfo'],
    ['authorizer.path("/x").check("get").allowed()', 'authorizer'],
  ])('%s names it', (expression, what) => {
    expect(() => judge({ validations: [{ expression }] })).toThrow(new CelUnsupported(what));
  });

  it('does not matter where nobody asks', () => {
    const validations = [{ expression: 'object.metadata.name == "web" || object.metadata.uid == ""' }];
    expect(judge({ validations }).refusals).toEqual([]);
  });

  it('includes the answer for a namespace whose labels are not known', () => {
    const constraints = {
      matchConstraints: { resourceRules: [PODS], namespaceSelector: { matchLabels: { env: 'dev' } } },
    };
    const policies = [policy({ ...FAILS, ...constraints })];
    expect(() =>
      judgeByPolicies(request, { ...surroundings, namespace: undefined, policies, bindings: [binding()] }),
    ).toThrow(new CelUnsupported('the labels of the namespace'));
  });
});

describe('refusals of several bindings', () => {
  it('are all named, for the API server names any of them', () => {
    const bindings = [binding({}, 'b2'), binding({}, 'b1')];
    const { refusals } = judgeByPolicies(request, { ...surroundings, policies: [policy(FAILS)], bindings });
    expect(refusals.map(({ message }) => message.includes("'b1'"))).toEqual([true, false]);
  });
});

describe('a policy that is created', () => {
  const fields = (spec: Partial<ValidatingAdmissionPolicySpec>): string[] =>
    validatePolicy(policy(spec)).map(({ field, message }) => `${field}: ${message}`);

  it('is refused for every bad field', () => {
    expect(
      fields({
        failurePolicy: 'Maybe',
        matchConstraints: { resourceRules: [{ ...PODS, resources: ['*', 'pods'] }] },
        validations: [{ expression: 'true', reason: 'Unauthorized' }, { expression: '1 + 1' }],
      }),
    ).toEqual([
      'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      `spec.matchConstraints.resourceRules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[1].expression: Invalid value: "1 + 1": must evaluate to bool but got int',
    ]);
  });

  it('may not use a variable before it is there', () => {
    const variables = [{ name: 'a', expression: 'variables.b' }];
    const [error] = fields({ variables, validations: [{ expression: 'variables.a' }] });
    expect(error).toContain("undefined field 'b'");
  });
});

describe('a binding that is created', () => {
  it('needs a policy, and actions that go together', () => {
    const errors = validateBinding(binding({ policyName: '', validationActions: ['Deny', 'Warn'] }));
    expect(errors.map(({ field }) => field)).toEqual(['spec.policyName', 'spec.validationActions']);
  });
});
