import type { Toleration } from '../kubernetes/objects/taints.js';

/** The toleration without seconds, and with an empty operator replaced by `Equal`. */
export function normalized({ key = '', operator = '', value = '', effect = '' }: Toleration): Toleration {
  return { key, operator: operator === '' ? 'Equal' : operator, value, effect };
}

/**
 * Whether the wider toleration matches every taint that the narrower one matches. Only `Exists` and an identical
 * toleration cover `Lt` and `Gt`; ranges of integers are not compared.
 */
export function covers(wider: Toleration, narrower: Toleration): boolean {
  const a = normalized(wider);
  const b = normalized(narrower);
  if (a.key !== '' && a.key !== b.key) return false;
  if (a.effect !== '' && a.effect !== b.effect) return false;
  return a.operator === 'Exists' || (a.operator === b.operator && a.value === b.value);
}
