import type { RemainingPoolChanges } from '../../app/pools/plan-pool.js';
import type { remainingPoolChanges } from '../../contract/pools/pool.js';
import type { Response } from '../../contract/schema.js';
import { nodeChangeShape } from './taint-change-shape.js';
import { taintEffectsShape } from './taint-effects-shape.js';

export function remainingShape({ preview, ...answer }: RemainingPoolChanges): Response<typeof remainingPoolChanges> {
  return {
    ...answer,
    preview: preview && {
      nodes: preview.nodes.map((node) => nodeChangeShape({ ...node, status: null, saidBy: null })),
      kubectl: preview.kubectl,
      effects: taintEffectsShape(preview.effects),
    },
  };
}
