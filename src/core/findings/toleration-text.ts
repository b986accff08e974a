import type { Toleration } from '../kubernetes/objects/taints.js';

/** Whether the toleration has no key and so, with `Exists`, matches taints of every key. */
export const isKeyless = ({ key = '' }: Toleration): boolean => key === '';

/** A short description of a toleration: `nvidia.com/gpu Exists NoSchedule`, `dedicated=batch, every effect`. */
export function describeToleration({ key = '', operator = '', value = '', effect = '' }: Toleration): string {
  const subject = key === '' ? 'every key' : key;
  const what =
    operator === 'Exists'
      ? `${subject} Exists`
      : operator === '' || operator === 'Equal'
        ? `${subject}=${value}`
        : `${subject} ${operator} ${value}`;
  return effect === '' ? `${what}, every effect` : `${what} ${effect}`;
}
