import type { Assumption, PlacementInput } from './plugin.js';
import type { PluginArguments } from './plugin-arguments.js';

/** The greatest normalized score: `fwk.MaxNodeScore`. */
export const MAX_NODE_SCORE = 100;

/** What a score plugin looks at: the nodes that passed every filter, by index, ascending. */
export interface ScoreInput extends Pick<PlacementInput, 'state' | 'pod' | 'gates'> {
  readonly nodes: Int32Array;
  readonly args: PluginArguments;
}

/** One addend of a score, in words and numbers that can be added up again. */
export interface ScoreTerm {
  /** The resource, the taint, the term or the image that it is about. */
  readonly of: string;
  /** Amounts by their names, each in Kubernetes' notation. */
  readonly amounts: Readonly<Record<string, string>>;
  readonly score: number;
}

/** How a plugin came to the raw score of one node. */
export interface ScoreArithmetic {
  readonly formula: string;
  readonly terms: readonly ScoreTerm[];
}

/** The scores of one plugin, by position in `ScoreInput.nodes`; each is an int64 upstream and a safe integer here. */
export interface NodeScores {
  readonly raw: Float64Array;
  /** 0 to 100. */
  readonly normalized: Float64Array;
  readonly arithmetic: (position: number) => ScoreArithmetic;
}

/** What was taken for given because a kind was never loaded. */
interface Assumes {
  readonly assumes?: readonly Assumption[];
}

/**
 * What a plugin gives: nothing, since it has nothing to do with the pod; scores; upstream's error, which ends the pod's turn; or,
 * of a plugin whose rule is not known here, nothing that could be counted on.
 */
export type Scored =
  | ({ readonly outcome: 'Skip' } & Assumes)
  | ({ readonly outcome: 'Score' } & NodeScores & Assumes)
  | { readonly outcome: 'Error'; readonly message: string }
  | { readonly outcome: 'Unknown'; readonly message: string };

/** One score of the scheduler, named and counting as upstream's plugin of the same name. */
export interface ScorePlugin {
  readonly name: string;
  readonly score: (input: ScoreInput) => Scored;
}

/**
 * Scales scores to 0 to 100 by the greatest of them; reversed, the greatest becomes 0.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/helper/normalize_score.go, `DefaultNormalizeScore`.
 */
export function normalizeByGreatest(raw: Float64Array, { reverse }: { readonly reverse: boolean }): Float64Array {
  let greatest = 0;
  for (let at = 0; at < raw.length; at++) if (raw[at]! > greatest) greatest = raw[at]!;
  if (greatest === 0) return reverse ? new Float64Array(raw.length).fill(MAX_NODE_SCORE) : raw;
  const normalized = new Float64Array(raw.length);
  for (let at = 0; at < raw.length; at++) {
    const scaled = Math.trunc((MAX_NODE_SCORE * raw[at]!) / greatest);
    normalized[at] = reverse ? MAX_NODE_SCORE - scaled : scaled;
  }
  return normalized;
}
