import type { Toleration } from '../kubernetes/objects/taints.js';

/** The toleration with the empty operator written as what it means, `Equal`, and without seconds. */
export function normalized({ key = '', operator = '', value = '', effect = '' }: Toleration): Toleration {
  return { key, operator: operator === '' ? 'Equal' : operator, value, effect };
}

/**
 * Whether the wider toleration matches every taint that the narrower one matches. `Lt` and `Gt` are covered by `Exists`
 * and by themselves only: which integers one of them leaves to the other is not looked into.
 */
export function covers(wider: Toleration, narrower: Toleration): boolean {
  const a = normalized(wider);
  const b = normalized(narrower);
  if (a.key !== '' && a.key !== b.key) return false;
  if (a.effect !== '' && a.effect !== b.effect) return false;
  return a.operator === 'Exists' || (a.operator === b.operator && a.value === b.value);
}
