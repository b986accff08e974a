import type { decisionRetention } from '../../contract/decisions/retention.js';
import type { Response } from '../../contract/schema.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { KeptFor } from '../../storage/prune-by-age.js';
import { parseDuration } from '../duration.js';

/** The limit of the service, for clusters without one of their own. */
export class DecisionRetentionLimit {
  /** @param maxAgeSeconds absent: decisions are kept for ever */
  constructor(readonly maxAgeSeconds: number | undefined) {}
}

/** In the setting and in the API. */
export const FOREVER = 'forever';

type Retention = Omit<Response<typeof decisionRetention>, 'basis'>;

/** The content of a cluster's setting, which was checked when it was stored. */
interface Content extends JsonObject {
  /** A duration, or `forever`. */
  readonly maxAge: string;
}

export function retentionIn(state: ClusterState, { maxAgeSeconds }: DecisionRetentionLimit): Retention {
  const setting = state.setting('DecisionRetention', THE_ONE);
  if (setting !== undefined) return { maxAge: (setting.content as Content).maxAge, source: 'cluster' };
  if (maxAgeSeconds === undefined) return { maxAge: FOREVER, source: 'none' };
  return { maxAge: `${maxAgeSeconds}s`, source: 'service' };
}

/** @param stored the setting of a cluster as it is stored; undefined if it has none */
export function keptFor(stored: string | undefined, { maxAgeSeconds }: DecisionRetentionLimit): KeptFor {
  if (stored === undefined) return maxAgeSeconds ?? null;
  const { maxAge } = (parseJson(stored) as { readonly content: JsonObject }).content as Content;
  // A setting that cannot be read removes nothing.
  return maxAge === FOREVER ? null : (parseDuration(maxAge) ?? null);
}
