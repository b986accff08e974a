import { InputType } from '@nestjs/graphql';
import { drainInput, drainRequest } from '../../contract/disruptions/drain-request.js';
import { requestClass } from '../contract/object-classes.js';
import type { Request } from '../../contract/schema.js';

export const DrainQuestionBody = requestClass(drainInput);
export type DrainQuestionBody = Request<typeof drainInput>;

@InputType({ isAbstract: true })
export class DrainBody extends requestClass(drainRequest) {}
