import type { InTreePlugin } from '../../in-tree-plugin.js';
import { signVolumes } from '../../volumes/sign-volumes.js';
import { NAME, volumeZone } from './volume-zone.js';

export const volumeZonePlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: { plugin: volumeZone, dependsOn: ['node', 'claims'], signPod: signVolumes },
} satisfies InTreePlugin;
