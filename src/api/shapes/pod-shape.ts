import { pod, podAnswer, tolerationSet } from '../../contract/pods/pod.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const PodShape = responseClass(pod);
export type PodShape = Response<typeof pod>;

export const PodAnswerShape = responseClass(podAnswer);
export type PodAnswerShape = Response<typeof podAnswer>;

export const TolerationSetShape = responseClass(tolerationSet);
export type TolerationSetShape = Response<typeof tolerationSet>;
