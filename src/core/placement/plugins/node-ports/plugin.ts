import { hostPortsOf } from '../../../cluster/host-ports.js';
import { internText } from '../../../cluster/intern-table.js';
import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodePorts } from './node-ports.js';

export const nodePortsPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter'],
  filter: { plugin: nodePorts, dependsOn: ['pods'], signPod: ({ spec }) => internText(hostPortsOf(spec)) },
} satisfies InTreePlugin;
