import { validateBinding, validatePolicy } from '../../../src/core/admission/policies/validate-policy.js';
import { judgeByPolicies, type PolicyVerdict } from '../../../src/core/admission/policies/judge-policies.js';
import { CelUnsupported } from '../../../src/core/cel/errors.js';
import { labelsOf } from '../../../src/core/admission/policies/match-request.js';
import type { PolicyRequest, PolicyUser } from '../../../src/core/admission/policies/policy-request.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import { aggregateText } from '../../../src/core/kubernetes/error-aggregate.js';
import type { FieldError } from '../../../src/core/kubernetes/field-error.js';
import { quoteGo } from '../../../src/core/kubernetes/go-text.js';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../src/core/kubernetes/objects/admission-policies.js';
import type { Op } from '../op.js';
import { sameJson } from '../same-json.js';
import { admittedInVector } from './admitted-in-vector.js';

/** What is created, or answered to the request; `unknown` names what the answer would hang on. */
type Answer =
  | { readonly policyCode: number; readonly policyMessage: string | null; readonly request?: RequestAnswer }
  | { readonly bindingCode: number; readonly bindingMessage: string | null }
  | { readonly unknown: string };

interface RequestAnswer {
  /** Those of which the API server gives one: with several policies or bindings, the first is random. */
  readonly answers: readonly {
    readonly code: number;
    readonly reason: string | null;
    readonly message: string | null;
  }[];
  readonly warnings: readonly string[];
  /** Audit annotations; of the failed validations, one is noted. */
  readonly annotations: object;
  readonly failures: readonly object[];
}

export const admissionPolicy: Op = {
  answer(input) {
    try {
      return answerTo(input);
    } catch (error) {
      if (error instanceof CelUnsupported) return { unknown: error.what } satisfies Answer;
      throw error;
    }
  },
  agree: (want, got, input) => agrees(want as JsonObject, got as Answer, input),
};

function answerTo(input: JsonObject): Answer {
  const bindings = bindingsIn(input['bindings']);
  const policy = input['policy'] as unknown as ValidatingAdmissionPolicy | null;
  if (policy === null) {
    const refused = bindings.flatMap(validateBinding);
    const message = refusal('ValidatingAdmissionPolicyBinding', bindings[0]!.metadata.name, refused);
    return { bindingCode: message === null ? 201 : 422, bindingMessage: message };
  }
  const message = refusal('ValidatingAdmissionPolicy', policy.metadata.name, validatePolicy(policy));
  const created = { policyCode: message === null ? 201 : 422, policyMessage: message };
  return message !== null || input['object'] === undefined
    ? created
    : { ...created, request: judged(input, policy, bindings) };
}

function refusal(kind: string, name: string, errors: readonly FieldError[]): string | null {
  if (errors.length === 0) return null;
  return `${kind}.admissionregistration.k8s.io ${quoteGo(name)} is invalid: ${aggregateText(errors)}`;
}

const bindingsIn = (value: JsonValue | undefined): readonly ValidatingAdmissionPolicyBinding[] =>
  (value ?? []) as unknown as readonly ValidatingAdmissionPolicyBinding[];
const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] => (value ?? []) as JsonObject[];

const RESOURCES: Readonly<Record<string, string>> = { Pod: 'pods', Deployment: 'deployments' };

function judged(
  input: JsonObject,
  policy: ValidatingAdmissionPolicy,
  bindings: readonly ValidatingAdmissionPolicyBinding[],
): RequestAnswer {
  const request = requestIn(input);
  const second = input['secondPolicy'] as unknown as ValidatingAdmissionPolicy | undefined;
  const params = [...objectsIn(input['params']), rootCertificates(request.namespace)];
  const verdict = judgeByPolicies(request, {
    policies: second === undefined ? [policy] : [policy, second],
    bindings: [...bindings, ...bindingsIn(input['secondBindings'])],
    params: {
      list: (apiVersion, kind, namespace) => ({
        objects: params.filter((one) => {
          const metadata = one['metadata'] as JsonObject;
          return one['apiVersion'] === apiVersion && one['kind'] === kind && metadata['namespace'] === namespace;
        }),
        withheld: new Set(),
        isComplete: true,
      }),
      unknownFields: [],
    },
    namespace: { object: storedNamespace(input['namespace'] as JsonObject), unknownFields: [] },
  });
  const { group, resource } = request.resource;
  const subject = `${group === '' ? resource : `${resource}.${group}`} ${quoteGo(request.name ?? '')} is forbidden: `;
  const answers = verdict.refusals.map(({ status, reason, message }) => ({
    code: status,
    reason,
    message: subject + message,
  }));
  const admitted = { code: request.operation === 'CREATE' ? 201 : 200, reason: null, message: null };
  return {
    answers: answers.length === 0 ? [admitted] : answers,
    warnings: verdict.warnings,
    annotations: Object.fromEntries(verdict.auditAnnotations),
    failures: firstFailures(verdict, input),
  };
}

/** The failures that may be the one that is noted: the first, or, where the order is random, any. */
function firstFailures({ auditedFailures }: PolicyVerdict, input: JsonObject): readonly object[] {
  const isRandom = input['secondPolicy'] !== undefined || objectsIn(input['bindings']).length > 1;
  return isRandom ? auditedFailures : auditedFailures.slice(0, 1);
}

/** The ConfigMap that the controller manager puts into every namespace. */
const rootCertificates = (namespace: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kube-root-ca.crt', namespace },
  data: { 'ca.crt': '' },
});

function requestIn(input: JsonObject): PolicyRequest {
  const object = input['object'] as JsonObject;
  const { name: namespace } = (input['namespace'] as JsonObject)['metadata'] as { name: string };
  const [version = '', group = ''] = (object['apiVersion'] as string).split('/').reverse();
  const kind = object['kind'] as string;
  const admitted = (given: JsonValue | undefined): JsonObject | null =>
    given === undefined || given === null ? null : admittedInVector(given as JsonObject, namespace);
  return {
    operation: input['operation'] as PolicyRequest['operation'],
    kind: { group, version, kind },
    resource: { group, version, resource: RESOURCES[kind]! },
    subresource: '',
    name: ((object['metadata'] as JsonObject)['name'] ?? '') as string,
    namespace,
    object: admitted(object)!,
    oldObject: admitted(input['oldObject']),
    user: input['user'] as unknown as PolicyUser,
    isDryRun: true,
    unknownFields: ['uid', 'creationTimestamp', 'generation', 'managedFields'].map((name) => ['metadata', name]),
  };
}

/** Every namespace has a label with its name, and a phase. */
function storedNamespace(given: JsonObject): JsonObject {
  const metadata = given['metadata'] as JsonObject;
  return {
    ...given,
    metadata: { ...metadata, labels: { ...labelsOf(given), 'kubernetes.io/metadata.name': metadata['name']! } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';

/** What other users than the one who asks may do. */
const NOT_KNOWN = 'authorizer.serviceAccount';

function agrees(want: JsonObject, got: Answer, input: JsonObject): boolean {
  if ('unknown' in got) return input['usesAuthorizer'] === true && got.unknown === NOT_KNOWN;
  const { code, reason, message, warnings, audit } = want;
  if ('bindingCode' in got)
    return got.bindingCode === want['bindingCode'] && got.bindingMessage === want['bindingMessage'];
  if (got.policyCode !== want['policyCode']) return false;
  if (!samePolicyMessage(want['policyMessage'] ?? null, got.policyMessage)) return false;
  if (got.request === undefined) return code === undefined;
  const said = got.request;
  // Several bindings come in a random order, too.
  const isOrdered = input['secondPolicy'] === undefined && objectsIn(input['bindings']).length === 1;
  const inOrder = (texts: readonly string[]): readonly string[] => (isOrdered ? texts : [...texts].sort());
  return (
    said.answers.some((answer) => sameJson(answer, { code, reason, message })) &&
    sameJson(inOrder(warnings as string[]), inOrder(said.warnings)) &&
    // A comparison with a running API server has no audit annotations.
    (audit === undefined || sameAudit(audit as JsonObject, said))
  );
}

function sameAudit({ [FAILURE]: noted, ...annotations }: JsonObject, said: RequestAnswer): boolean {
  if (!sameJson(annotations, said.annotations)) return false;
  if (noted === undefined) return said.failures.length === 0;
  return said.failures.some((failure) => sameJson(noted, [failure]));
}

/** What the compiler's parser says is not claimed: it must be refused in the same field, and no more. */
function samePolicyMessage(want: JsonValue, got: string | null): boolean {
  if (want === got) return true;
  const isParserText =
    typeof want === 'string' && want.includes('compilation failed: ERROR: <input>:') && want.includes('Syntax error:');
  if (!isParserText || got === null) return false;
  const head = /^.*?: compilation failed/s.exec(want)?.[0];
  return head === got;
}
