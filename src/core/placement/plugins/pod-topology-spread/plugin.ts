import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, podTopologySpread, podTopologySpreadWith } from './pod-topology-spread.js';
import { podTopologySpreadScore } from './score.js';

export const podTopologySpreadPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter', 'preScore', 'score'],
  defaultWeight: 2,
  filter: {
    plugin: podTopologySpread,
    // The system's own constraints only prefer.
    configure: ({ podTopologySpread: { defaultingType, defaultConstraints } }) =>
      defaultingType === 'List' && defaultConstraints.length > 0
        ? podTopologySpreadWith(defaultConstraints)
        : undefined,
    dependsOn: ['node', 'taints', 'pods'],
  },
  score: { plugin: podTopologySpreadScore },
} satisfies InTreePlugin;
