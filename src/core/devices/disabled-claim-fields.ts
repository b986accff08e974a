import { withoutNames } from '../collections/without.js';
import type { ResourceClaimSpec } from '../kubernetes/objects/dra.js';
import type { AllocatorFeatures } from './allocator-features.js';

const asStored = new WeakMap<ResourceClaimSpec, Map<AllocatorFeatures, ResourceClaimSpec>>();

/**
 * The spec of a new ResourceClaim, or of one in a new template, without the fields of feature gates that are off, or that the version does not
 * have: the API server drops them. The same object for the same spec, by which searches are remembered.
 *
 * Source: k8s.io/kubernetes v1.34.9 to v1.36.2, pkg/registry/resource/resourceclaim/strategy.go, `dropDisabledFields`. Like upstream, it keeps
 * constraints with `distinctAttribute`.
 */
export function withoutDisabledFields(
  spec: ResourceClaimSpec | undefined,
  features: AllocatorFeatures,
): ResourceClaimSpec | undefined {
  const { requests } = spec?.devices ?? {};
  const dropped = droppedFields(features);
  if (requests === undefined || dropped.size === 0) return spec;
  let byFeatures = asStored.get(spec!);
  if (byFeatures === undefined) asStored.set(spec!, (byFeatures = new Map<AllocatorFeatures, ResourceClaimSpec>()));
  let stored = byFeatures.get(features);
  if (stored === undefined) {
    const kept = requests.map(({ exactly, firstAvailable, ...request }) => ({
      ...request,
      ...(exactly !== undefined && { exactly: withoutNames(exactly, dropped) }),
      ...(firstAvailable !== undefined &&
        features.alternatives === 'chosen' && {
          firstAvailable: firstAvailable.map((one) => withoutNames(one, dropped)),
        }),
    }));
    byFeatures.set(features, (stored = { ...spec, devices: { ...spec!.devices, requests: kept } }));
  }
  return stored;
}

const droppedFields = ({ adminAccess, capacity, alternatives }: AllocatorFeatures): ReadonlySet<string> =>
  new Set([
    ...(adminAccess ? [] : ['adminAccess']),
    ...(capacity === 'consumed' ? [] : ['capacity']),
    ...(alternatives === 'chosen' ? [] : ['firstAvailable']),
  ]);
