import { describeToleration } from '../../core/findings/toleration-text.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import type { Toleration } from '../../core/kubernetes/objects/taints.js';

/** A toleration as it is stored; what is absent is empty, or null. */
export interface TolerationView {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  readonly tolerationSeconds: Int64 | null;
  /** In few words. */
  readonly text: string;
}

export function tolerationView(toleration: Toleration): TolerationView {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds = null } = toleration;
  return { key, operator, value, effect, tolerationSeconds, text: describeToleration(toleration) };
}
