import type { InTreePlugin } from '../../in-tree-plugin.js';
import { readsOfVolumes } from '../../reads-of-pod.js';
import { NAME, volumeZone } from './volume-zone.js';

export const volumeZonePlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: { plugin: volumeZone, dependsOn: ['node', 'claims'], readsOfPod: readsOfVolumes },
} satisfies InTreePlugin;
