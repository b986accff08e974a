import { Args, Resolver } from '@nestjs/graphql';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import type { RequestContext } from '../../app/request-context.js';
import { TakeAuditEvents } from '../../app/taint-trail/take-audit-events.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import {
  AddAuditEventsArguments,
  type AddAuditEventsInput,
  TakenAuditEventsShape,
  takenAuditEventsShape,
} from '../shapes/audit-events-shape.js';
import type { Plain } from '../shapes/plain.js';
import { inOnePiece } from './in-one-piece.js';
import { Mutation } from './fields.js';

@Resolver()
export class AuditEventsResolver {
  constructor(private readonly takeAuditEvents: TakeAuditEvents) {}

  @Mutation(() => TakenAuditEventsShape, { description: 'Takes in a few Kubernetes audit events.' })
  @RequirePermission('audit', 'input.cluster')
  async addAuditEvents(
    @Args() { input }: AddAuditEventsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TakenAuditEventsShape>> {
    const request = { cluster: input.cluster, body: { bytes: inOnePiece(textOf(input)) } };
    return takenAuditEventsShape(await this.takeAuditEvents.run(request, edge));
  }
}

function textOf({ events, text }: AddAuditEventsInput): string {
  if ((events === undefined) === (text === undefined)) {
    throw new InvalidRequestError([
      { pointer: '/input', field: 'input', code: 'required', message: 'give either events or text' },
    ]);
  }
  if (text !== undefined) return text;
  const documents = Array.isArray(events) ? events : [events];
  return documents.map((document) => stringifyJson(document)).join('\n');
}
