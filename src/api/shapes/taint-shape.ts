import { taint } from '../../contract/common/taint.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const TaintShape = responseClass(taint);
export type TaintShape = Response<typeof taint>;
