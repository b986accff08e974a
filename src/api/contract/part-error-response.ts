import { partError } from '../../contract/common/part-error.js';
import { responseClass } from './object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { ServiceError } from '../../app/errors/service-error.js';
import { problemOf } from '../errors/problem.js';
import type { Plain } from './plain.js';

export const PartErrorShape = responseClass(partError);
export type PartErrorShape = Response<typeof partError>;

export function partErrorShape(error: ServiceError): Plain<PartErrorShape> {
  const { code, status, title, detail, errors } = problemOf(error, '');
  return { code, status, title, detail, errors };
}
