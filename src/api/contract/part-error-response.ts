import { partError } from '../../contract/common/part-error.js';
import { responseClass } from './object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { ServiceError } from '../../app/errors/service-error.js';
import { problemOf } from '../errors/problem.js';
import type { Plain } from './plain.js';

export const PartErrorResponse = responseClass(partError);
export type PartErrorResponse = Response<typeof partError>;

export function partErrorResponse(error: ServiceError): Plain<PartErrorResponse> {
  const { code, status, title, detail, errors } = problemOf(error, '');
  return { code, status, title, detail, errors };
}
