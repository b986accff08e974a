import { GetNode } from '../app/nodes/get-node.js';
import { ListNodes } from '../app/nodes/list-nodes.js';
import { ReadNodeGroups } from '../app/nodes/read-node-groups.js';
import { ReadNodeSummary } from '../app/nodes/read-node-summary.js';
import { ReadState } from '../app/reads/read-state.js';
import { made } from './made.js';

export const NODES = [
  made(ListNodes, ReadState),
  made(GetNode, ReadState),
  made(ReadNodeSummary, ReadState),
  made(ReadNodeGroups, ReadState),
];
