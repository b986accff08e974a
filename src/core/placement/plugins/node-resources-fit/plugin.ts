import type { InTreePlugin } from '../../in-tree-plugin.js';
import { readsOfRequests } from '../../reads-of-pod.js';
import { NAME, nodeResourcesFit, nodeResourcesFitWith } from './node-resources-fit.js';
import { nodeResourcesFitScore } from './score.js';

export const nodeResourcesFitPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter', 'preScore', 'score'],
  defaultWeight: 1,
  filter: {
    plugin: nodeResourcesFit,
    configure: ({ nodeResourcesFit: args }) =>
      args.ignoredResources.length + args.ignoredResourceGroups.length === 0 ? undefined : nodeResourcesFitWith(args),
    dependsOn: ['node', 'requests'],
    readsOfPod: readsOfRequests,
  },
  score: { plugin: nodeResourcesFitScore },
} satisfies InTreePlugin;
