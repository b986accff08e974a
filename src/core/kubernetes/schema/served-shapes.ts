import { kindOf } from '../kinds.js';
import { flatResourceClaim, flatResourceClaimTemplate, sliceOfBasicDevices } from './dra.js';
import { KIND_SCHEMAS } from './kind-schemas.js';
import type { SchemaShape } from './schema.js';

/** Versions with the same fields as the newest one of their kinds (k8s.io/api v0.31 to v0.36). */
const AS_NEWEST: ReadonlySet<string> = new Set([
  ...['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'].map(
    (kind) => `resource.k8s.io/v1beta2 ${kind}`,
  ),
  'resource.k8s.io/v1beta1 DeviceClass',
  'resource.k8s.io/v1alpha3 DeviceTaintRule',
  ...['v1beta1', 'v1alpha1'].flatMap((version) =>
    ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'].map(
      (kind) => `admissionregistration.k8s.io/${version} ${kind}`,
    ),
  ),
]);

const OTHERS: ReadonlyMap<string, SchemaShape> = new Map([
  ['resource.k8s.io/v1beta1 ResourceClaim', flatResourceClaim.shape],
  ['resource.k8s.io/v1beta1 ResourceClaimTemplate', flatResourceClaimTemplate.shape],
  ['resource.k8s.io/v1beta1 ResourceSlice', sliceOfBasicDevices.shape],
]);

/**
 * The fields of a kind in one of its versions; undefined if they are not known. Those of custom resources are not: their versions are those
 * of an extension.
 */
export function shapeOf(apiVersion: string, kind: string): SchemaShape | undefined {
  const info = kindOf(apiVersion, kind);
  if (info === undefined || (info.isExtension === true && info.kind !== 'PodGroup')) return undefined;
  const key = `${apiVersion} ${info.kind}`;
  return info.apiVersions[0] === apiVersion || AS_NEWEST.has(key) ? KIND_SCHEMAS[info.kind].shape : OTHERS.get(key);
}
