import { internText } from '../../../cluster/intern-table.js';
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
    signPod: ({ metadata: { namespace, labels, ownerReferences }, spec }) => {
      const { topologySpreadConstraints: own = [], nodeSelector, affinity, tolerations } = spec;
      // Default constraints may honor taints too.
      const honorsTaints = own.length === 0 || own.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy === 'Honor');
      const ofNodes = [nodeSelector, affinity?.nodeAffinity, honorsTaints ? tolerations : undefined];
      return internText([namespace, labels, ownerReferences, own, ofNodes]);
    },
  },
  score: { plugin: podTopologySpreadScore },
} satisfies InTreePlugin;
