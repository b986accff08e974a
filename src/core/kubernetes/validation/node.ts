import { duplicate, errorsInWordsOf, invalid, type FieldError } from '../field-error.js';
import { FieldPath } from '../field-path.js';
import type { KubernetesRules } from '../kubernetes-rules.js';
import { jsonGo } from '../go-text.js';
import type { ResourceList } from '../objects/meta.js';
import type { Node, NodeSpec } from '../objects/node.js';
import type { Taint } from '../objects/taints.js';
import { parseQuantity } from '../quantity.js';
import { isDualStack, validateCidr } from './cidr.js';
import type { ManifestMeta } from '../objects/manifest.js';
import { validateCoreObjectMeta, validatePathSegments } from './metadata.js';
import { byteLength } from './names.js';
import { nameIsDnsSubdomain } from './object-names.js';
import { PREFER_AVOID_PODS, validatePreferAvoidPods } from './prefer-avoid-pods.js';
import { validateResourceAmount } from './resources.js';
import { validateTaints } from './taints.js';

/** A node as in a manifest, decoded whole. A stored node is one, too. */
export interface NodeManifest extends Node {
  readonly metadata: Node['metadata'] & ManifestMeta;
  readonly spec?: NodeSpec & { readonly podCIDRs?: readonly string[] };
}

/**
 * The API server's faults of a new node: `ValidateNode` after defaulting, and then the checks of names for all kinds.
 *
 * An invalid taint is reported as `metadata.taints[i]`, as upstream; its pointer is `/spec/taints/i`.
 *
 * Source: k8s.io/kubernetes v1.31.2, v1.32.5, v1.33.3, v1.35.7 and v1.36.2, pkg/apis/core/validation/validation.go. Without the gate
 * NodeDeclaredFeatures, features are dropped before (pkg/registry/core/node/strategy.go).
 */
export function validateNode(node: NodeManifest, rules: KubernetesRules): FieldError[] {
  const metadata = FieldPath.of('metadata');
  const status = FieldPath.of('status');
  const { capacity, allocatable = capacity, declaredFeatures = [] } = node.status ?? {};
  const preferAvoidPods = annotationOf(node, PREFER_AVOID_PODS);
  const errors = [
    ...validateCoreObjectMeta(node.metadata, false, nameIsDnsSubdomain, metadata),
    ...(preferAvoidPods === '' ? [] : validatePreferAvoidPods(preferAvoidPods, metadata.child('annotations'))),
    ...validateSpecTaints(node.spec?.taints),
    ...validateResources(capacity, status.child('capacity')),
    ...validateResources(allocatable, status.child('allocatable')),
    ...validatePodCidrs(podCidrs(node), FieldPath.of('spec', 'podCIDRs'), rules),
    ...(rules.featureGates.NodeDeclaredFeatures
      ? validateDeclaredFeatures(declaredFeatures, status.child('declaredFeatures'))
      : []),
  ];
  return errors.length > 0 ? errorsInWordsOf(rules, errors) : validatePathSegments(node.metadata, metadata);
}

function annotationOf(node: NodeManifest, name: string): string {
  const annotations = node.metadata.annotations ?? {};
  return Object.hasOwn(annotations, name) ? (annotations[name] ?? '') : '';
}

function validateSpecTaints(taints: readonly Taint[] | undefined): FieldError[] {
  const inPlace = validateTaints(taints, FieldPath.of('spec', 'taints'));
  return validateTaints(taints, FieldPath.of('metadata', 'taints')).map((error, index) => ({
    ...error,
    pointer: inPlace[index]?.pointer ?? error.pointer,
  }));
}

/** Validates each amount as defaulting rounds it: up to thousandths. */
function validateResources(resources: ResourceList | undefined, path: FieldPath): FieldError[] {
  return Object.entries(resources ?? {}).flatMap(([name, text]) =>
    validateResourceAmount(name, parseQuantity(text).roundUpToMilli(), path.child(name)),
  );
}

/** The list, unless the single field differs from its first element or is set alone (conversion from v1). */
function podCidrs({ spec }: NodeManifest): readonly string[] {
  const { podCIDR = '', podCIDRs = [] } = spec ?? {};
  return podCIDR !== '' && podCIDR !== podCIDRs[0] ? [podCIDR] : podCIDRs;
}

/** Up to 1.32, a network that is there twice is reported as such, too. */
const REPEATED_UNTIL = 32;

function validatePodCidrs(cidrs: readonly string[], path: FieldPath, rules: KubernetesRules): FieldError[] {
  const errors = cidrs.flatMap((cidr, index) => validateCidr(cidr, path.index(index), rules));
  if (cidrs.length < 2) return errors;
  const { dualStack, bad } = isDualStack(cidrs);
  if (bad !== undefined) {
    const cause = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad] ?? ''})`;
    const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${cause}`;
    errors.push({ type: 'InternalError', field: path.toString(), pointer: path.toPointer(), message });
  }
  if (!dualStack || cidrs.length > 2) {
    const rule = 'may specify no more than one CIDR for each IP family';
    errors.push(invalid(path, { text: jsonGo(cidrs) }, rule));
  }
  if (rules.minor > REPEATED_UNTIL) return errors;
  const repeated = cidrs.flatMap((cidr, index) =>
    cidrs.indexOf(cidr) < index ? [duplicate(path.index(index), cidr)] : [],
  );
  return [...errors, ...repeated];
}

const FEATURE_NAME = /^[A-Z][A-Za-z0-9]*(?:\/[A-Za-z0-9]+)*$/;

/** `validateNodeDeclaredFeatures`: names such as `MyFeature/mySubFeature`, sorted and without adjacent duplicates. */
function validateDeclaredFeatures(features: readonly string[], path: FieldPath): FieldError[] {
  return features.flatMap((feature, index) => {
    const errors: FieldError[] = [];
    const at = path.index(index);
    const complaint = featureNameComplaint(feature);
    if (complaint !== undefined) errors.push(invalid(at, feature, `invalid feature name "${feature}": ${complaint}`));
    const before = index === 0 ? undefined : features[index - 1];
    if (before === feature) errors.push(duplicate(at, feature));
    else if (before !== undefined && before > feature) {
      errors.push(invalid(at, feature, 'list must be sorted alphabetically'));
    }
    return errors;
  });
}

function featureNameComplaint(feature: string): string | undefined {
  if (byteLength(feature) > 253) return 'must be no more than 253 characters';
  if (FEATURE_NAME.test(feature)) return undefined;
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}
