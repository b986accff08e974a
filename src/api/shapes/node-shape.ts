import { node } from '../../contract/nodes/node.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const NodeShape = responseClass(node);
export type NodeShape = Response<typeof node>;
