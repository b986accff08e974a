import type { JsonObject } from '../../src/core/json/json-value.js';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import { admissionPolicy } from '../conformance/ops/admission-policy.js';
import { collectionOf, messageOf, pathOf, pause, type ApiAnswer, type ApiServer } from './api-server.js';
import {
  agreed,
  closeNamespace,
  NotSetUp,
  openNamespace,
  setUp,
  type Compared,
  type Comparison,
} from './comparison.js';
import { drawn, into, objectsIn, vectorsOf } from './recorded-inputs.js';

/** An API server compiles a policy and hears of its bindings within a second. */
const IN_FORCE_AFTER_MS = 1500;

/** The policies and params of one recorded case, with the object of another of the same kind and operation; a dry run. */
export async function comparePolicies(): Promise<Comparison> {
  const inputs = (await vectorsOf('admissionPolicy')).map(({ input }) => input);
  const asked = inputs.filter((input) => input['object'] !== undefined && input['usesAuthorizer'] === undefined);
  let isWatching: Promise<void> | undefined;
  return {
    async compare(api, next, name) {
      await (isWatching ??= keepWatchingParams(api));
      const rules = drawn(asked, next);
      const alike = asked.filter((input) => subjectOf(input) === subjectOf(rules));
      const { object, oldObject } = drawn(alike, next);
      const { labels = {} } = (rules['namespace'] as JsonObject)['metadata'] as JsonObject;
      const input = {
        ...rules,
        object: object!,
        ...(oldObject === undefined ? {} : { oldObject }),
        namespace: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
        params: objectsIn(rules, 'params').map((param) => into(name, param)),
      } as JsonObject;
      return compareOne(api, input, name);
    },
  };
}

/**
 * Creates a policy that matches nothing, and stays. When the last policy with params of a kind is deleted, kube-apiserver v1.36.2 stops
 * watching that kind, and a later policy finds no params that were created since.
 */
async function keepWatchingParams(api: ApiServer): Promise<void> {
  const name = 'compare-keeps-params-watched';
  const rules = {
    apiGroups: ['compare.example.com'],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['nothing'],
  };
  const made = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name } };
  const policy = {
    ...made,
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules: [rules] },
      validations: [{ expression: 'true' }],
    },
  };
  const binding = {
    ...made,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      paramRef: { selector: {}, parameterNotFoundAction: 'Allow' },
    },
  };
  for (const one of [policy, binding]) {
    const { code, body } = await api.ask('POST', collectionOf(one, ''), one);
    // It stays from one run to the next.
    if (code >= 300 && code !== 409) throw new Error(messageOf(body));
  }
}

const subjectOf = (input: JsonObject): string =>
  stringifyJson([input['operation'], (input['object'] as JsonObject)['kind']]);

async function compareOne(api: ApiServer, input: JsonObject, name: string): Promise<Compared> {
  const policies = [input['policy'], input['secondPolicy']].filter((one) => one !== undefined) as JsonObject[];
  const bindings = [...objectsIn(input, 'bindings'), ...objectsIn(input, 'secondBindings')];
  const { object, oldObject } = input as { readonly object: JsonObject; readonly oldObject?: JsonObject };
  try {
    const { labels } = (input['namespace'] as JsonObject)['metadata'] as JsonObject;
    await openNamespace(api, name, labels);
    await api.until(`the ConfigMap of namespace ${name}`, async () => {
      const { code } = await api.ask('GET', `/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`);
      return code === 200 ? true : undefined;
    });
    for (const param of objectsIn(input, 'params')) await setUp(api, collectionOf(param, name), param);
    if (oldObject !== undefined) await setUp(api, collectionOf(oldObject, name), oldObject);
    const [first, ...others] = policies;
    const made = await api.ask('POST', collectionOf(first!, name), first);
    const policy = { policyCode: made.code, policyMessage: made.code < 300 ? null : made.body['message']! };
    if (made.code >= 300) return await agreed(admissionPolicy, input, () => Promise.resolve(policy));
    for (const one of [...others, ...bindings]) await setUp(api, collectionOf(one, name), one);
    await pause(IN_FORCE_AFTER_MS);
    const ask = (): Promise<ApiAnswer> =>
      oldObject === undefined
        ? api.ask('POST', `${collectionOf(object, name)}?dryRun=All`, object)
        : api.ask('PUT', `${pathOf(object, name)}?dryRun=All`, object);
    return await agreed(admissionPolicy, input, async () => ({ ...policy, ...wanted(await ask()) }));
  } catch (error) {
    if (error instanceof NotSetUp) return { outcome: 'notSetUp', why: error.message };
    throw error;
  } finally {
    for (const one of [...bindings, ...policies]) await api.must('DELETE', pathOf(one, name));
    await closeNamespace(api, name);
  }
}

const WORDS = 'Validation failed for ValidatingAdmissionPolicy';

/** The answer in the form of a vector, without audit annotations. */
function wanted({ code, body, warnings }: ApiAnswer): JsonObject {
  const refused = code >= 300;
  return {
    code,
    message: refused ? body['message']! : null,
    reason: refused ? body['reason']! : null,
    warnings: warnings.filter((text) => text.startsWith(WORDS)),
  };
}
