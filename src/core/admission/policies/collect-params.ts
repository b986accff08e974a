import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import type { ParamRef, ValidatingAdmissionPolicySpec } from '../../kubernetes/objects/admission-policies.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { labelsOf, selects } from './match-request.js';

/** The objects that policies may be given, as far as they are known. */
export interface ParamStore {
  /** Of that kind in the namespace; undefined where nothing is known of objects of the kind. */
  list(apiVersion: string, kind: string, namespace: string): KnownParams | undefined;
  /** Paths of fields that objects may have and that are not known. */
  readonly unknownFields: readonly (readonly string[])[];
}

export interface KnownParams {
  readonly objects: readonly JsonObject[];
  /** Those of them of which more is not known than that they exist, and their labels. */
  readonly withheld: ReadonlySet<JsonObject>;
  /** Whether there are no others in the namespace. */
  readonly isComplete: boolean;
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
  { paramKind }: Pick<ValidatingAdmissionPolicySpec, 'paramKind'>,
  paramRef: ParamRef | undefined,
  namespace: string,
  store: ParamStore,
): CollectedParams {
  if (paramKind === undefined || paramRef === undefined) return { params: [null] };
  const { apiVersion = '', kind = '' } = paramKind;
  const from = (paramRef.namespace ?? '') === '' ? namespace : paramRef.namespace!;
  if (from === '') return { error: CLUSTER_SCOPED };
  const stored = store.list(apiVersion, kind, from);
  if (stored === undefined) return { unknown: `params of kind ${kind}` };
  const { objects, withheld, isComplete } = stored;
  const { name = '', selector } = paramRef;
  const found = objects.filter((object) =>
    name === '' ? selects(selector, labelsOf(object)) : nameOf(object) === name,
  );
  if (!isComplete && (name === '' || found.length === 0)) return { unknown: `params of kind ${kind}` };
  const unread = found.find((object) => withheld.has(object));
  if (unread !== undefined) return { unknown: `the data of ${kind} ${quoteGo(`${from}/${nameOf(unread)}`)}` };
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny') return { error: NONE_FOUND };
  const sorted = found.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return { params: sorted.map((object) => ({ ...object, apiVersion, kind })) };
}

function nameOf({ metadata }: JsonObject): string {
  const name: JsonValue | undefined = isJsonObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}
