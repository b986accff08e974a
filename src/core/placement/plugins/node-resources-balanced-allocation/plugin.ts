import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodeResourcesBalancedAllocationScore } from './score.js';

export const nodeResourcesBalancedAllocationPlugin = {
  name: NAME,
  extensionPoints: ['preScore', 'score'],
  defaultWeight: 1,
  score: { plugin: nodeResourcesBalancedAllocationScore },
} satisfies InTreePlugin;
