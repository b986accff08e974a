import { describeTaintKey, type WellKnownTaint } from '../../core/kubernetes/well-known-taints.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { formatTaint } from '../../core/kubernetes/taint.js';

/** What the catalogue says of a key, in short. */
export interface KnownKeyView {
  readonly product: string;
  /** One sentence: who sets it, when, and who takes it off. */
  readonly summary: string;
  readonly legacy: boolean;
  readonly replacedBy: string | null;
}

export interface TaintView {
  readonly key: string;
  /** Empty where the taint has none. */
  readonly value: string;
  readonly effect: string;
  readonly timeAdded: string | null;
  /** As kubectl prints it. */
  readonly text: string;
  readonly wellKnown: KnownKeyView | null;
}

export function taintView(taint: Taint): TaintView {
  const { key, value = '', effect, timeAdded = null } = taint;
  return { key, value, effect, timeAdded, text: formatTaint(taint), wellKnown: knownKeyView(key) };
}

/** Null for a key that the catalogue does not have. */
export function knownKeyView(key: string): KnownKeyView | null {
  const entry = describeTaintKey(key);
  if (entry === undefined) return null;
  const { product, legacy, replacedBy = null } = entry;
  return { product, summary: summarize(entry), legacy, replacedBy };
}

function summarize({ setBy, when, removedBy, legacy, replacedBy }: WellKnownTaint): string {
  const past = legacy ? 'Was set by' : 'Set by';
  const instead = replacedBy === undefined ? '' : ` ${replacedBy} took its place.`;
  return `${past} ${setBy}: ${when}. Removed by ${removedBy}.${instead}`;
}
