import { pod } from '../../contract/pods/pod.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const PodShape = responseClass(pod);
export type PodShape = Response<typeof pod>;
