import type { InTreePlugin } from '../../in-tree-plugin.js';
import { NAME, nodeResourcesFit, nodeResourcesFitWith } from './node-resources-fit.js';
import { nodeResourcesFitScore } from './score.js';
import { signRequests } from './sign-requests.js';

export const nodeResourcesFitPlugin = {
  name: NAME,
  extensionPoints: ['preFilter', 'filter', 'preScore', 'score'],
  defaultWeight: 1,
  filter: {
    plugin: nodeResourcesFit,
    configure: ({ nodeResourcesFit: args }) =>
      args.ignoredResources.length + args.ignoredResourceGroups.length === 0 ? undefined : nodeResourcesFitWith(args),
    dependsOn: ['node', 'requests'],
    signPod: signRequests,
  },
  score: { plugin: nodeResourcesFitScore },
} satisfies InTreePlugin;
