import type { InTreePlugin } from '../../in-tree-plugin.js';
import { readsOfVolumes } from '../../reads-of-pod.js';
import { NAME, volumeBinding } from './volume-binding.js';

/** It scores only with a feature gate that is off by default (`StorageCapacityScoring`). */
export const volumeBindingPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter', 'reserve', 'preBind', 'preScore', 'score'],
  filter: { plugin: volumeBinding, dependsOn: ['node', 'claims'], readsOfPod: readsOfVolumes },
} satisfies InTreePlugin;
