import type { Labels } from '../kubernetes/objects/meta.js';

/**
 * The node lifecycle controller's key for the zone of a node: its region and zone, deprecated labels first; an empty
 * string if it has neither. Nodes without any of these labels form one zone.
 *
 * Source: k8s.io/component-helpers v0.36.2, node/topology/helpers.go, `GetZoneKey`.
 */
export function zoneKey(labels: Labels): string {
  const zone = valueOf(labels, 'failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone');
  const region = valueOf(labels, 'failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region');
  return region === '' && zone === '' ? '' : `${region}${SEPARATOR}${zone}`;
}

/** A zone for display: `region/zone`, or whichever of the two exists. */
export function zoneName(key: string): string {
  return key.split(SEPARATOR).filter(Boolean).join('/');
}

const SEPARATOR = ':\0:';

function valueOf(labels: Labels, ...keys: string[]): string {
  const key = keys.find((candidate) => Object.hasOwn(labels, candidate));
  return key === undefined ? '' : labels[key]!;
}
