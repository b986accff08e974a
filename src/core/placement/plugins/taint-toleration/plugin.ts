import { readsOfTolerations } from '../../reads-of-pod.js';
import { internText } from '../../../cluster/intern-table.js';
import type { InTreePlugin, SignPod } from '../../in-tree-plugin.js';
import { taintTolerationScore } from './score.js';
import { NAME, taintToleration } from './taint-toleration.js';

const signPod: SignPod = ({ spec }) => internText(spec.tolerations ?? []);

export const taintTolerationPlugin = {
  name: NAME,
  extensionPoints: ['filter', 'preScore', 'score'],
  defaultWeight: 3,
  filter: { plugin: taintToleration, dependsOn: ['taints'], readsOfPod: readsOfTolerations, signPod },
  score: { plugin: taintTolerationScore, signPod },
} satisfies InTreePlugin;
