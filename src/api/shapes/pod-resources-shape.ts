import { podResources } from '../../contract/resources/pod-resources.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const PodResourcesShape = responseClass(podResources);
export type PodResourcesShape = Response<typeof podResources>;
