import { JSON_VALUES_SINCE } from '../earlier-words.js';
import { errorsInWordsOf, invalid, quoteGo, required, type FieldError, type ShownValue } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import { goStringOfSlice, jsonGo } from '../go-text.js';
import type { KubernetesRules } from '../kubernetes-rules.js';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../objects/quota.js';
import type { Manifest } from '../objects/manifest.js';
import { validateCoreObjectMeta, validatePathSegments } from './metadata.js';
import { nameIsDnsSubdomain } from './object-names.js';
import { isStandardQuotaResource, quotaResourceName } from './resource-name-rules.js';
import { sortedAmounts, validateResourceAmount } from './resources.js';

type QuotaSpec = NonNullable<ResourceQuota['spec']>;

/**
 * The API server's faults of a new quota: `ValidateResourceQuota` after defaulting, and then the checks of names for all
 * kinds. The status is not validated, because a create drops it.
 *
 * An error about scopes reports all scopes as the value, and does not say which resource is incompatible with them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/validation/validation.go.
 */
export function validateResourceQuota(
  { metadata, spec = {} }: Manifest<ResourceQuota>,
  rules: KubernetesRules,
): FieldError[] {
  const errors = [
    ...validateCoreObjectMeta(metadata, true, nameIsDnsSubdomain, FieldPath.of('metadata')),
    ...validateQuotaSpec(spec, rules),
  ];
  return errors.length > 0 ? errorsInWordsOf(rules, errors) : validatePathSegments(metadata, FieldPath.of('metadata'));
}

/** `ValidateResourceQuotaSpec`: its rules were never made stricter, so stored quotas meet them, too. */
export function validateQuotaSpec(spec: QuotaSpec, rules: KubernetesRules): FieldError[] {
  const path = FieldPath.of('spec');
  return [
    ...validateHard(spec, path.child('hard')),
    ...validateScopes(spec, path.child('scopes'), rules),
    ...validateScopeSelector(spec, path.child('scopeSelector', 'matchExpressions'), rules),
  ];
}

function validateHard({ hard }: QuotaSpec, path: FieldPath): FieldError[] {
  return sortedAmounts(hard).flatMap(([name, quantity]) => [
    ...quotaResourceName(name, path.key(name)),
    // Defaulting rounds it up.
    ...validateResourceAmount(name, quantity.roundUpToMilli(), path.key(name), hard?.[name]),
  ]);
}

function validateScopes({ hard = {}, scopes = [] }: QuotaSpec, path: FieldPath, rules: KubernetesRules): FieldError[] {
  const given = shownScopes(scopes);
  const errors = scopes.flatMap((scope) => [
    ...(isScope(scope, rules) ? [] : [invalid(path, given, 'unsupported scope')]),
    ...resourcesBeyond(scope, hard).map(() => invalid(path, given, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...conflicts(scopes).map(() => invalid(path, given, 'conflicting scopes'))];
}

function validateScopeSelector(
  { hard = {}, scopes, scopeSelector }: QuotaSpec,
  path: FieldPath,
  rules: KubernetesRules,
): FieldError[] {
  if (scopeSelector === undefined) return [];
  const { matchExpressions = [] } = scopeSelector;
  const given: ShownValue = {
    text: jsonGo({ MatchExpressions: scopeSelector.matchExpressions?.map(inGoOrder) ?? null }),
    earlier: { before: JSON_VALUES_SINCE, text: goStringOfSelector(scopeSelector.matchExpressions) },
  };
  const errors = matchExpressions.flatMap((requirement) => [
    ...(isScope(requirement.scopeName, rules)
      ? []
      : [invalid(path.child('scopeName'), requirement.scopeName, 'unsupported scope')]),
    ...resourcesBeyond(requirement.scopeName, hard).map(() =>
      invalid(path, given, 'unsupported scope applied to resource'),
    ),
    ...validateRequirement(requirement, path),
  ]);
  // Upstream reports only `scopes` here, even if the fault is in the selector.
  const shown = shownScopes(scopes);
  const selected = matchExpressions.map(({ scopeName }) => scopeName);
  return [...errors, ...conflicts(selected).map(() => invalid(path, shown, 'conflicting scopes'))];
}

function validateRequirement(requirement: ScopedResourceSelectorRequirement, path: FieldPath): FieldError[] {
  const { scopeName, operator, values = [] } = requirement;
  const errors: FieldError[] = [];
  if (EXISTS_ONLY.has(scopeName) && operator !== 'Exists') {
    const rule =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    errors.push(invalid(path.child('operator'), operator, rule));
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) {
        const rule = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
        errors.push(required(path.child('values'), rule));
      }
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        const rule = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
        errors.push(invalid(path.child('values'), shownSlice('string', values), rule));
      }
      break;
    default:
      errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  }
  return errors;
}

const shownScopes = (scopes: readonly string[] | undefined): ShownValue =>
  shownSlice('core.ResourceQuotaScope', scopes);

const shownSlice = (type: string, values: readonly string[] | undefined): ShownValue => ({
  text: values === undefined ? 'null' : jsonGo(values),
  earlier: {
    before: JSON_VALUES_SINCE,
    text: values === undefined ? `[]${type}(nil)` : goStringOfSlice(type, values),
  },
});

/** As Go shows a `core.ScopeSelector`. */
function goStringOfSelector(requirements: readonly ScopedResourceSelectorRequirement[] | undefined): string {
  const type = 'core.ScopedResourceSelectorRequirement';
  const texts = requirements?.map(
    ({ scopeName, operator, values }) =>
      `${type}{ScopeName:${quoteGo(scopeName)}, Operator:${quoteGo(operator)}, Values:${values === undefined ? '[]string(nil)' : goStringOfSlice('string', values)}}`,
  );
  return `core.ScopeSelector{MatchExpressions:[]${type}${texts === undefined ? '(nil)' : `{${texts.join(', ')}}`}}`;
}

const inGoOrder = ({ scopeName, operator, values }: ScopedResourceSelectorRequirement): object => ({
  ScopeName: scopeName,
  Operator: operator,
  Values: values ?? null,
});

const EXISTS_ONLY: ReadonlySet<string> = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);

/** `IsStandardResourceQuotaScope`; `VolumeAttributesClass` is one since 1.33. */
const isScope = (scope: string, { minor }: KubernetesRules): boolean =>
  EXISTS_ONLY.has(scope) || scope === 'PriorityClass' || (scope === 'VolumeAttributesClass' && minor >= 33);

const OF_PODS: ReadonlySet<string> = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** `IsResourceQuotaScopeValidForResource`, for the resources that quotas know by name. */
function goesWith(scope: string, resource: string): boolean {
  switch (scope) {
    case 'Terminating':
    case 'NotTerminating':
    case 'NotBestEffort':
    case 'PriorityClass':
    case 'CrossNamespacePodAffinity':
      return OF_PODS.has(resource);
    case 'BestEffort':
      return resource === 'pods';
    case 'VolumeAttributesClass':
      return resource === 'persistentvolumeclaims' || resource === 'requests.storage';
    default:
      return true;
  }
}

const resourcesBeyond = (scope: string, hard: NonNullable<QuotaSpec['hard']>): string[] =>
  Object.keys(hard).filter((name) => isStandardQuotaResource(name) && !goesWith(scope, name));

const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

const conflicts = (scopes: readonly string[]): (readonly string[])[] =>
  OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope)));
