import { taint, taintSet, taintKey } from '../../contract/common/taint.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const TaintShape = responseClass(taint);
export type TaintShape = Response<typeof taint>;

export const TaintSetShape = responseClass(taintSet);
export type TaintSetShape = Response<typeof taintSet>;

export const TaintKeyShape = responseClass(taintKey);
export type TaintKeyShape = Response<typeof taintKey>;
