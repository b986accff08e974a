import type { JsonObject } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import { DRAWN_TOKEN_VOLUME } from './service-account.js';

/**
 * The kept fields of a pod that plugins have changed as a whole, without the token of its service account, which placement does not
 * read; undefined for one that does not decode.
 */
export function keptOf(whole: WholePod | Pod): Pod | undefined {
  const { spec } = whole as Pod;
  const volumes = spec.volumes?.filter(({ name }) => name !== DRAWN_TOKEN_VOLUME);
  const { volumes: _, ...rest } = spec;
  const without = { ...whole, spec: { ...rest, ...(volumes !== undefined && volumes.length > 0 && { volumes }) } };
  const decoded = decodeObject(without as unknown as JsonObject, { unbounded: true });
  return decoded.outcome === 'object' && decoded.object.kind === 'Pod' ? (decoded.object as Pod) : undefined;
}
