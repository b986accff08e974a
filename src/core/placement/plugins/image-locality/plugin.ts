import type { InTreePlugin } from '../../in-tree-plugin.js';
import { imageLocalityScore, NAME } from './score.js';

export const imageLocalityPlugin = {
  name: NAME,
  extensionPoints: ['score'],
  defaultWeight: 1,
  score: { plugin: imageLocalityScore },
} satisfies InTreePlugin;
