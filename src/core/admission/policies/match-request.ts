import { CelUnsupported } from '../../cel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.js';
import { compileLabelSelector } from '../../kubernetes/label-selector.js';
import type { MatchResources, NamedRule } from '../../kubernetes/objects/admission-policies.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import type { LabelSelector } from '../../kubernetes/objects/selectors.js';
import type { PolicyRequest } from './policy-request.js';

/**
 * Whether a policy, or a binding, is about a request. A selector that does not compile matches nothing; the API server does not store
 * one.
 *
 * That a rule names an equivalent resource matters for none that has no other version, as pods and the workloads of `apps`.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/policy/matching/matching.go, `Matches`, and
 * pkg/admission/plugin/webhook/predicates.
 *
 * @param namespaceLabels undefined where the namespace is not known
 * @returns undefined where that hangs on labels of the namespace that are not known
 * @throws {CelUnsupported} it hangs on something else that is not known
 */
export function matchesRequest(
  { namespaceSelector, objectSelector, excludeResourceRules = [], resourceRules = [] }: MatchResources,
  request: PolicyRequest,
  namespaceLabels: Labels | undefined,
): boolean | undefined {
  const names = (rule: NamedRule): boolean => isNamed(rule, request);
  if (excludeResourceRules.some(names)) return false;
  if (resourceRules.length > 0 && !resourceRules.some(names)) return false;
  const isInNamespace = selectsNamespace(namespaceSelector, request, namespaceLabels);
  if (isInNamespace === false || isEmpty(objectSelector)) return isInNamespace;
  requireLabels(objectSelector, request);
  const objects = [request.object, ...(request.oldObject === null ? [] : [request.oldObject])];
  return objects.some((object) => selects(objectSelector, labelsOf(object))) ? isInNamespace : false;
}

/** What has no namespace is selected by every selector of namespaces. */
function selectsNamespace(
  selector: LabelSelector | undefined,
  { namespace }: PolicyRequest,
  labels: Labels | undefined,
): boolean | undefined {
  if (isEmpty(selector) || namespace === '') return true;
  return labels === undefined ? undefined : selects(selector, labels);
}

function requireLabels(selector: LabelSelector | undefined, { unknownFields }: PolicyRequest): void {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const selected = new Set([...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)]);
  for (const [first, second, label = ''] of unknownFields) {
    if (first === 'metadata' && second === 'labels' && selected.has(label)) {
      throw new CelUnsupported(`metadata.labels.${label}`);
    }
  }
}

function isNamed(rule: NamedRule, { operation, resource, subresource, namespace, name }: PolicyRequest): boolean {
  const { apiGroups, apiVersions, operations, resources = [], resourceNames = [], scope = '*' } = rule;
  return (
    has(operations, operation) &&
    has(apiGroups, resource.group) &&
    has(apiVersions, resource.version) &&
    resources.some((written) => {
      const [wantedResource, wantedSubresource = ''] = written.split('/');
      const isResource = wantedResource === '*' || wantedResource === resource.resource;
      return isResource && (wantedSubresource === '*' || wantedSubresource === subresource);
    }) &&
    (scope === '*' || (scope === 'Namespaced') === (namespace !== '')) &&
    (resourceNames.length === 0 || resourceNames.includes(known(name)))
  );
}

function known(name: string | undefined): string {
  if (name === undefined) throw new CelUnsupported('request.name');
  return name;
}

const has = (list: readonly string[] | undefined, wanted: string): boolean =>
  list?.some((item) => item === '*' || item === wanted) === true;

const isEmpty = (selector: LabelSelector | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;

/** An empty selector selects everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (isEmpty(selector)) return true;
  const compiled = compileLabelSelector(selector);
  return 'selector' in compiled && compiled.selector.matches(labels);
}

/** `metadata.labels` of an object. */
export function labelsOf(object: JsonObject): Labels {
  const labels = memberOf(memberOf(object, 'metadata'), 'labels');
  return (labels ?? {}) as Labels;
}

const memberOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) ? value[name] : undefined;

/** A policy, as far as it says what it is about, and where it applies. */
interface MatchingPolicy {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly matchConstraints?: MatchResources };
}

interface MatchingBinding {
  readonly spec: { readonly matchResources?: MatchResources; readonly policyName?: string };
}

/** Whether a policy may have something to say about a request: only where it certainly has not, it does not apply. */
export function mayApply(
  { metadata: { name }, spec }: MatchingPolicy,
  bindings: readonly MatchingBinding[],
  request: PolicyRequest,
  namespaceLabels: Labels | undefined,
): boolean {
  const may = (resources: MatchResources = {}): boolean => {
    try {
      return matchesRequest(resources, request, namespaceLabels) !== false;
    } catch (error) {
      if (error instanceof CelUnsupported) return true;
      throw error;
    }
  };
  return (
    may(spec.matchConstraints) &&
    bindings.some((binding) => binding.spec.policyName === name && may(binding.spec.matchResources))
  );
}
