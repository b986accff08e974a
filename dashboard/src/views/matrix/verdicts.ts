import type { Schemas } from '../../api/service.js';

export type Verdict = Schemas['NodeMatrixVerdict'];

export const VERDICTS: readonly Verdict[] = ['allowed', 'discouraged', 'refused', 'evicted'];

/** A shape for each verdict, so that colour is never alone. */
export const VERDICT_GLYPHS: Readonly<Record<Verdict, string>> = {
  allowed: '●',
  discouraged: '◇',
  refused: '⊘',
  evicted: '✕',
};

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  allowed: 'may',
  discouraged: 'would rather not',
  refused: 'may not',
  evicted: 'would be evicted',
};
