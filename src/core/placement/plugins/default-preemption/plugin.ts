import type { InTreePlugin } from '../../in-tree-plugin.js';

/** Its rule is `core/preemption`. */
export const defaultPreemptionPlugin = {
  name: 'DefaultPreemption',
  extensionPoints: ['preEnqueue', 'postFilter'],
} satisfies InTreePlugin;
