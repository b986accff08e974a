import type { knownTaintKey, taint as taintObject } from '../../contract/common/taint.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { describeTaintKey, type WellKnownTaint } from '../../core/kubernetes/well-known-taints.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { readinessRuleText } from '../../core/taint-owners/readiness-rules.js';

type KnownKeyResponse = Response<typeof knownTaintKey>;

export type TaintResponse = Response<typeof taintObject>;

export function taintResponse(taint: Taint): TaintResponse {
  const { key, value = '', effect, timeAdded = null } = taint;
  return { key, value, effect, timeAdded, text: formatTaint(taint), wellKnown: knownKeyResponse(key) };
}

/** A taint of a node, with the rule of the cluster that sets it. */
export function nodeTaintResponse(taint: Taint, state: ClusterState): TaintResponse {
  const response = taintResponse(taint);
  const rule = readinessRuleText(state, taint);
  if (rule === undefined || response.wellKnown === null) return response;
  return { ...response, wellKnown: { ...response.wellKnown, summary: `${response.wellKnown.summary} ${rule}` } };
}

/** Null for a key that is not in the catalogue. */
export function knownKeyResponse(key: string): KnownKeyResponse | null {
  const entry = describeTaintKey(key);
  if (entry === undefined) return null;
  const { product, legacy, replacedBy = null } = entry;
  return { product, summary: summarize(entry), legacy, replacedBy };
}

function summarize({ setBy, when, removedBy, legacy, replacedBy }: WellKnownTaint): string {
  const past = legacy ? 'Was set by' : 'Set by';
  const instead = replacedBy === undefined ? '' : ` ${replacedBy} replaced it.`;
  return `${past} ${setBy}: ${when}. Removed by ${removedBy}.${instead}`;
}
