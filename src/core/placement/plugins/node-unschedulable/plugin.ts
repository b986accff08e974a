import { readsOfTolerations } from '../../reads-of-pod.js';
import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodeUnschedulable, toleratesCordon } from './node-unschedulable.js';

export const nodeUnschedulablePlugin = {
  name: NAME,
  extensionPoints: ['filter'],
  filter: {
    plugin: nodeUnschedulable,
    dependsOn: ['taints'],
    readsOfPod: readsOfTolerations,
    signPod: ({ pod, gates }) => (toleratesCordon(pod.spec.tolerations ?? [], gates) ? 'tolerated' : ''),
  },
} satisfies InTreePlugin;
