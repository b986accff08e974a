import type { Labels } from '../kubernetes/objects/meta.js';

/**
 * What the node lifecycle controller takes for the zone of a node: its region and zone, the labels of old first; an empty text
 * where it names neither. Nodes without any of these labels are one zone together.
 *
 * Source: k8s.io/component-helpers v0.36.2, node/topology/helpers.go, `GetZoneKey`.
 */
export function zoneKey(labels: Labels): string {
  const zone = valueOf(labels, 'failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone');
  const region = valueOf(labels, 'failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region');
  return region === '' && zone === '' ? '' : `${region}${SEPARATOR}${zone}`;
}

/** A zone as people write it, `region/zone`, or whichever of the two there is. */
export function zoneName(key: string): string {
  return key.split(SEPARATOR).filter(Boolean).join('/');
}

const SEPARATOR = ':\0:';

function valueOf(labels: Labels, ...keys: string[]): string {
  const key = keys.find((candidate) => Object.hasOwn(labels, candidate));
  return key === undefined ? '' : labels[key]!;
}
