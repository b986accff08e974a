import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME } from './scheduling-gates.js';

export const schedulingGatesPlugin = {
  name: NAME,
  extensionPoints: ['preEnqueue'],
} satisfies InTreePlugin;
