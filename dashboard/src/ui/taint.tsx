export interface ShownTaint {
  readonly key: string;
  readonly value?: string | null;
  readonly effect: string;
}

/** A shape for each effect, so that colour is never alone. */
const GLYPHS: Readonly<Record<string, string>> = { NoSchedule: '⊘', PreferNoSchedule: '◇', NoExecute: '✕' };

/** As kubectl writes it. */
export const taintText = ({ key, value, effect }: ShownTaint): string =>
  `${key}${value === undefined || value === null || value === '' ? '' : `=${value}`}:${effect}`;

export function TaintText({ taint }: { readonly taint: ShownTaint }) {
  return (
    <span className="taint" data-effect={taint.effect}>
      <span aria-hidden="true">{GLYPHS[taint.effect] ?? '?'}</span> <bdi>{taintText(taint)}</bdi>
    </span>
  );
}
