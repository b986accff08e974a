import type { InTreePlugin } from '../../in-tree-plugin.js';
import { readsOfRequests } from '../../reads-of-pod.js';
import { dynamicResources, NAME } from './dynamic-resources.js';

/** It scores only pods with claims, of whose nodes nothing is certain. */
export const dynamicResourcesPlugin = {
  name: NAME,
  extensionPoints: ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind'],
  defaultWeight: 2,
  filter: {
    plugin: dynamicResources,
    dependsOn: ['node', 'pods', 'claims'],
    readsOfPod: (pod) => [pod.spec.resourceClaims, ...readsOfRequests(pod)],
  },
} satisfies InTreePlugin;
