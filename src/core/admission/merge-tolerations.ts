import type { Toleration } from '../kubernetes/objects/taints.js';

/**
 * Merges two lists of tolerations; one that another covers is left out, and of equal ones the first stays. The order is
 * that of the lists, the first list first.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/util/tolerations, MergeTolerations. Example: `{operator: Exists}` in either
 * list swallows everything else.
 */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  all.forEach((toleration, index) => {
    if (merged.some((kept) => covers(kept, toleration))) return;
    if (all.slice(index + 1).some((later) => covers(later, toleration) && !sameToleration(later, toleration))) return;
    merged.push(toleration);
  });
  return merged;
}

/**
 * Whether `wide` tolerates everything that `narrow` does (`isSuperset`).
 *
 * A narrow toleration without an operator is covered only by an identical one or by `Exists`, never by the same one
 * with `Equal` spelled out: upstream compares the operator's text.
 */
export function covers(wide: Toleration, narrow: Toleration): boolean {
  if (sameToleration(wide, narrow)) return true;
  const wideKey = wide.key ?? '';
  const wideEffect = wide.effect ?? '';
  const wideOperator = wide.operator ?? '';
  if ((narrow.key ?? '') !== wideKey && !(wideKey === '' && wideOperator === 'Exists')) return false;
  if ((narrow.effect ?? '') !== wideEffect && wideEffect !== '') return false;
  if (wideEffect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wideOperator === 'Exists') return true;
  if (wideOperator !== '' && wideOperator !== 'Equal') return false;
  return narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}

function sameToleration(a: Toleration, b: Toleration): boolean {
  return (
    (a.key ?? '') === (b.key ?? '') &&
    (a.operator ?? '') === (b.operator ?? '') &&
    (a.value ?? '') === (b.value ?? '') &&
    (a.effect ?? '') === (b.effect ?? '') &&
    // Loose on purpose: 5 and 5n are the same int64.
    a.tolerationSeconds == b.tolerationSeconds
  );
}
