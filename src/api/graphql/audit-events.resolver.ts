import { Args, ArgsType, Resolver } from '@nestjs/graphql';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { RequestContext } from '../../app/request-context.js';
import { TakeAuditEvents, type TakenAuditEvents } from '../../app/taint-trail/take-audit-events.js';
import type { Request } from '../../contract/schema.js';
import {
  addAuditEventsArgumentsRequest,
  type addAuditEventsInput,
  takenAuditEvents,
} from '../../contract/taint-trail/audit-events.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { requestClass, responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import { RequirePermission } from '../access/require-permission.js';
import { singleChunk } from './single-chunk.js';
import { Mutation } from './fields.js';

@ArgsType()
class AddAuditEventsArguments extends requestClass(addAuditEventsArgumentsRequest) {}

/** Accepts small batches of audit events; large ones are streamed over REST. */
@Resolver()
export class AuditEventsResolver {
  constructor(private readonly takeAuditEvents: TakeAuditEvents) {}

  @Mutation(() => responseClass(takenAuditEvents), { description: 'Stores a small batch of Kubernetes audit events.' })
  @RequirePermission('audit', 'input.cluster')
  async addAuditEvents(
    @Args() { input }: AddAuditEventsArguments,
    @Ctx() context: RequestContext,
  ): Promise<TakenAuditEvents> {
    const { cluster } = input;
    return this.takeAuditEvents.run({ cluster, body: { bytes: singleChunk(textOf(input)) } }, context);
  }
}

function textOf({ events, text }: Request<typeof addAuditEventsInput>): string {
  if ((events === undefined) === (text === undefined)) {
    throw new InvalidRequestError([
      { pointer: '/input', field: 'input', code: 'required', message: 'give either events or text' },
    ]);
  }
  if (text !== undefined) return text;
  const documents = Array.isArray(events) ? events : [events];
  return documents.map((document) => stringifyJson(document)).join('\n');
}
