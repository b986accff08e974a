import type { InTreePlugin } from '../../in-tree-plugin.js';
import { readsOfRequests } from '../../reads-of-pod.js';
import { dynamicResources, NAME } from './dynamic-resources.js';
import { dynamicResourcesScore } from './score.js';

export const dynamicResourcesPlugin = {
  name: NAME,
  extensionPoints: ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind'],
  defaultWeight: 2,
  filter: {
    plugin: dynamicResources,
    dependsOn: ['node', 'pods', 'claims'],
    readsOfPod: (pod) => [
      pod.spec.resourceClaims,
      pod.status?.resourceClaimStatuses,
      pod.metadata.name,
      pod.metadata.namespace,
      ...readsOfRequests(pod),
    ],
  },
  score: { plugin: dynamicResourcesScore },
} satisfies InTreePlugin;
