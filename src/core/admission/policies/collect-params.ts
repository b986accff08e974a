import type { JsonObject, JsonValue } from '../../json/json-value.js';
import type { ParamRef, ValidatingAdmissionPolicySpec } from '../../kubernetes/objects/admission-policies.js';
import { labelsOf, selects } from './match-request.js';

/** The objects that policies may be given, as far as they are known. */
export interface ParamStore {
  /** Of that kind in the namespace; undefined where objects of the kind are not known. */
  list(apiVersion: string, kind: string, namespace: string): readonly JsonObject[] | undefined;
}

export type CollectedParams =
  | { readonly params: readonly (JsonObject | null)[] }
  /** A fault of the binding, in the API server's words. */
  | { readonly error: string }
  | { readonly unknown: string };

/** With `Deny`, a binding that finds nothing is a fault. */
const NONE_FOUND = 'no params found for policy binding with `Deny` parameterNotFoundAction';
const CLUSTER_SCOPED = 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';

/**
 * The objects with which a policy is evaluated for a binding, one after another by their names; upstream takes several in a random
 * order. `null` stands for none.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/generic/policy_dispatcher.go, `CollectParams`.
 */
export function collectParams(
  { paramKind }: ValidatingAdmissionPolicySpec,
  paramRef: ParamRef | undefined,
  namespace: string,
  store: ParamStore,
): CollectedParams {
  if (paramKind === undefined || paramRef === undefined) return { params: [null] };
  const { apiVersion = '', kind = '' } = paramKind;
  const from = paramRef.namespace ?? namespace;
  if (from === '') return { error: CLUSTER_SCOPED };
  const stored = store.list(apiVersion, kind, from);
  if (stored === undefined) return { unknown: `params of kind ${kind}` };
  const { name = '', selector } = paramRef;
  const found = stored.filter((object) =>
    name === '' ? selects(selector, labelsOf(object)) : nameOf(object) === name,
  );
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny') return { error: NONE_FOUND };
  const sorted = found.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return { params: sorted.map((object) => ({ ...object, apiVersion, kind })) };
}

function nameOf({ metadata }: JsonObject): string {
  const name: JsonValue | undefined =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}
