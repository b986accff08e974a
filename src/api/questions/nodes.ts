import { GetNode } from '../../app/nodes/get-node.js';
import { ListNodes } from '../../app/nodes/list-nodes.js';
import { ReadNodeGroups } from '../../app/nodes/read-node-groups.js';
import { ReadNodeSummary } from '../../app/nodes/read-node-summary.js';
import { ListPodsAllowed } from '../../app/pods/list-pods-allowed.js';
import * as nodes from '../../contract/nodes/questions.js';
import { listPodsAllowedByNode } from '../../contract/pods/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const NODE_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(nodes.listNodes, ListNodes),
  answeredBy(nodes.searchNodes, ListNodes, {
    ask: (listNodes, { pod, ...request }, context) =>
      listNodes.run({ ...request, untoleratedByManifest: pod }, context),
  }),
  answeredBy(nodes.getNode, GetNode),
  answeredBy(nodes.readNodeGroups, ReadNodeGroups),
  answeredBy(nodes.readNodeSummary, ReadNodeSummary),
  answeredBy(listPodsAllowedByNode, ListPodsAllowed),
];
