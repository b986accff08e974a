import { ObjectType } from '@nestjs/graphql';
import type { ServiceError } from '../../app/errors/service-error.js';
import { problemOf } from '../problem.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';

@ObjectType('PartError', { description: 'Why one part of an answer is missing; the others are not affected.' })
export class PartErrorShape {
  @Shown({ type: 'string', description: 'Stable, for programs.', example: 'no-snapshot' })
  code!: string;

  @Shown({ type: 'integer', description: 'The HTTP status that it would have by itself.', example: 404 })
  status!: number;

  @Shown({ type: 'string', description: 'The same for every error of this code.', example: 'No snapshot' })
  title!: string;

  @Shown({ type: 'string', description: 'What is wrong this time.', example: 'Nothing is stored of it yet.' })
  detail!: string;

  @Shown({
    type: 'json',
    description: 'Everything that is wrong, as in a problem document: pointer, field, code, message.',
    example: [],
  })
  errors!: unknown;
}

export function partErrorShape(error: ServiceError): Plain<PartErrorShape> {
  const { code, status, title, detail, errors } = problemOf(error, '');
  return { code, status, title, detail, errors };
}
