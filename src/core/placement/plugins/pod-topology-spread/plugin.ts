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
    readsOfPod: ({ metadata, spec }) => {
      const { topologySpreadConstraints: own = [], nodeSelector, affinity, tolerations } = spec;
      // Default constraints may honor taints too.
      const honorsTaints = own.length === 0 || own.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy === 'Honor');
      const ofNodes = [nodeSelector, affinity?.nodeAffinity, ...(honorsTaints ? [tolerations] : [])];
      return [metadata, spec.topologySpreadConstraints, ...ofNodes];
    },
  },
  score: { plugin: podTopologySpreadScore },
} satisfies InTreePlugin;
