import { readsOfTolerations } from '../../reads-of-pod.js';
import type { InTreePlugin } from '../../in-tree-plugin.js';
import { dislikedTaints, taintTolerationScore } from './score.js';
import { NAME, taintToleration, untoleratedTaints } from './taint-toleration.js';

export const taintTolerationPlugin = {
  name: NAME,
  extensionPoints: ['filter', 'preScore', 'score'],
  defaultWeight: 3,
  filter: {
    plugin: taintToleration,
    dependsOn: ['taints'],
    readsOfPod: readsOfTolerations,
    signPod: ({ state, pod, gates }) => {
      const { tolerations = [] } = pod.spec;
      return state.taintSets
        .map((taints) => (untoleratedTaints(taints, tolerations, gates).length === 0 ? '+' : '-'))
        .join('');
    },
  },
  score: {
    plugin: taintTolerationScore,
    signPod: ({ state, pod, gates }) => {
      const { tolerations = [] } = pod.spec;
      return state.taintSets.map((taints) => dislikedTaints(taints, tolerations, gates).length).join();
    },
  },
} satisfies InTreePlugin;
