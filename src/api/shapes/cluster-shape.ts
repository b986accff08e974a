import { cluster } from '../../contract/clusters/cluster.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const ClusterShape = responseClass(cluster);
export type ClusterShape = Response<typeof cluster>;
