import { internText } from '../../../cluster/intern-table.js';
import type { InTreePlugin } from '../../in-tree-plugin.js';
import { signRequests } from '../node-resources-fit/sign-requests.js';
import { dynamicResources, NAME } from './dynamic-resources.js';

/** It scores only pods with claims, of whose nodes nothing is certain. */
export const dynamicResourcesPlugin = {
  name: NAME,
  extensionPoints: ['preEnqueue', 'preFilter', 'filter', 'postFilter', 'score', 'reserve', 'preBind'],
  defaultWeight: 2,
  filter: {
    plugin: dynamicResources,
    dependsOn: ['node', 'pods', 'claims'],
    signPod: (pod) => `${internText(pod.spec.resourceClaims)} ${signRequests(pod)}`,
  },
} satisfies InTreePlugin;
