import { VERDICT_GLYPHS, VERDICT_WORDS, type Verdict } from './verdicts.js';

export function VerdictText({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span className="matrix-verdict" data-verdict={verdict}>
      <span aria-hidden="true">{VERDICT_GLYPHS[verdict]}</span> {VERDICT_WORDS[verdict]}
    </span>
  );
}
