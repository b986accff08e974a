import type { Listed } from '../collections/first-few.js';
import type { EffectWarning, EffectWarningCode } from './taint-effects.js';

/** Number of listed warnings per code. */
export const MAX_WARNINGS_PER_CODE = 20;

/** In the order in which they are reported. */
const ORDER: readonly EffectWarningCode[] = [
  'last-feasible-node-lost',
  'pdb-not-respected',
  'daemonset-stops',
  'cluster-closed',
  'zone-closed',
  'pool-nobody-tolerates',
  'control-plane-node',
  'control-plane-opened',
  'managed-taint-undone',
  'taint-key-owned',
  'legacy-taint-key',
];

/** Collects warnings: counts all, and keeps the first few of each code. */
export class Warnings {
  private total = 0;
  private readonly byCode = new Map<EffectWarningCode, EffectWarning[]>();

  /** @param warning called only below the limit */
  add(code: EffectWarningCode, warning: () => Omit<EffectWarning, 'code'>): void {
    this.total++;
    let ofCode = this.byCode.get(code);
    if (ofCode === undefined) this.byCode.set(code, (ofCode = []));
    if (ofCode.length < MAX_WARNINGS_PER_CODE) ofCode.push({ code, ...warning() });
  }

  listed(): Listed<EffectWarning> {
    return { total: this.total, items: ORDER.flatMap((code) => this.byCode.get(code) ?? []) };
  }
}

/** `a`, `a and b`, `a, b and c`; a long list ends with the number of others. */
export function enumerated(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, MAX_NAMES_IN_SENTENCE);
  const rest = total - shown.length;
  const words = rest > 0 ? [...shown, `${rest} other${rest === 1 ? '' : 's'}`] : shown;
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

const MAX_NAMES_IN_SENTENCE = 3;
