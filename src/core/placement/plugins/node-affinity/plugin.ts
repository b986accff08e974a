import { internText } from '../../../cluster/intern-table.js';
import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodeAffinity, nodeAffinityWith } from './node-affinity.js';
import { nodeAffinityScore } from './score.js';

export const nodeAffinityPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter', 'preScore', 'score'],
  defaultWeight: 2,
  filter: {
    plugin: nodeAffinity,
    configure: ({ nodeAffinity: { addedAffinity } }) => {
      const added = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      return added === undefined ? undefined : nodeAffinityWith(added);
    },
    dependsOn: ['node'],
    readsOfPod: ({ spec }) => [spec.nodeSelector, spec.affinity?.nodeAffinity],
    signPod: ({ pod: { spec } }) => internText([spec.nodeSelector, spec.affinity?.nodeAffinity]),
  },
  score: { plugin: nodeAffinityScore, signPod: ({ pod: { spec } }) => internText(spec.affinity?.nodeAffinity ?? {}) },
} satisfies InTreePlugin;
