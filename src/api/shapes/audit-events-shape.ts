import { InputType, ArgsType } from '@nestjs/graphql';
import {
  takenAuditEvents,
  auditEventsQueryRequest,
  addAuditEventsInput,
  addAuditEventsArgumentsRequest,
} from '../../contract/taint-trail/audit-events.js';
import { responseClass, requestClass } from '../contract/object-classes.js';
import type { Response, Request } from '../../contract/schema.js';
import type { TakenAuditEvents } from '../../app/taint-trail/take-audit-events.js';
import type { Plain } from './plain.js';

export const TakenAuditEventsShape = responseClass(takenAuditEvents);
export type TakenAuditEventsShape = Response<typeof takenAuditEvents>;

export function takenAuditEventsShape(taken: TakenAuditEvents): Plain<TakenAuditEventsShape> {
  return taken;
}

@InputType({ isAbstract: true })
export class AuditEventsQuery extends requestClass(auditEventsQueryRequest) {}

export const AddAuditEventsInput = requestClass(addAuditEventsInput);
export type AddAuditEventsInput = Request<typeof addAuditEventsInput>;

@ArgsType()
export class AddAuditEventsArguments extends requestClass(addAuditEventsArgumentsRequest) {}
