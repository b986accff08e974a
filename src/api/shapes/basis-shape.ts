import { answerBasis } from '../../contract/common/basis.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';

export const BasisShape = responseClass(answerBasis);
export type BasisShape = Response<typeof answerBasis>;
