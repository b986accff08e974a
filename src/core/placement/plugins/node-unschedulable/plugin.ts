import { readsOfTolerations } from '../../reads-of-pod.js';
import { internText } from '../../../cluster/intern-table.js';
import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodeUnschedulable } from './node-unschedulable.js';

export const nodeUnschedulablePlugin = {
  name: NAME,
  extensionPoints: ['filter'],
  filter: {
    plugin: nodeUnschedulable,
    dependsOn: ['taints'],
    readsOfPod: readsOfTolerations,
    signPod: ({ spec }) => internText(spec.tolerations ?? []),
  },
} satisfies InTreePlugin;
