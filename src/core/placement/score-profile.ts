import { IN_TREE_PLUGINS } from './plugins/in-tree-plugins.js';
import type { WeightedScore } from './rank-nodes.js';

/** The scores of the default profile, in calling order. */
export const DEFAULT_SCORES: readonly WeightedScore[] = IN_TREE_PLUGINS.flatMap(
  ({ score, defaultWeight, disabledByDefault }) =>
    score === undefined || disabledByDefault === true ? [] : [{ plugin: score.plugin, weight: defaultWeight ?? 1 }],
);
