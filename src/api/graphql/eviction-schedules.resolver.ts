import { Args, ArgsType, Field, ObjectType, Query, Resolver } from '@nestjs/graphql';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { scheduleFieldErrors } from '../../app/evictions/schedule-field-errors.js';
import { ScheduleEvictions } from '../../app/evictions/schedule-evictions.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import { EvictionScheduleInputBody, scheduleRequest } from '../shapes/eviction-schedule-body.js';
import { EvictionScheduleHeadShape, ScheduledPodShape } from '../shapes/eviction-schedule-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { connection, connectionOf, pageOfConnection, type Connection } from './connection.js';
import { ReadConnectionArguments } from './read-connection.js';

@ObjectType({ description: 'The pods of a schedule: being deleted, then those that leave by when, then the others.' })
class ScheduledPodConnection extends connectionOf(ScheduledPodShape, 'ScheduledPod') {}

@ObjectType('EvictionSchedule', { description: 'Who is evicted by NoExecute taints, when, and why.' })
class EvictionScheduleShape extends EvictionScheduleHeadShape {
  @Field(() => ScheduledPodConnection, { description: 'The pods of nodes that have NoExecute taints, page by page.' })
  pods!: Connection<Plain<ScheduledPodShape>>;
}

@ArgsType()
class EvictionScheduleArguments extends ReadConnectionArguments {
  static crossFieldErrors({ input }: EvictionScheduleArguments): readonly ErrorDetail[] {
    return scheduleFieldErrors(input ?? {}, 'input');
  }

  @Given({ type: 'string', description: 'The cluster.', example: 'eks-prod' })
  cluster!: string;

  @Given({ type: () => EvictionScheduleInputBody, optional: true, description: 'Which part, and what is to happen.' })
  input?: EvictionScheduleInputBody;
}

/** Who is evicted, when, and why. */
@Resolver()
export class EvictionSchedulesResolver {
  constructor(private readonly scheduleEvictions: ScheduleEvictions) {}

  @Query(() => EvictionScheduleShape, {
    description:
      'Who is evicted by NoExecute taints as they stand, as a scenario or events bring them, or as nodes fail.',
  })
  @RequirePermission('evaluate')
  async evictionSchedule(
    @Args() args: EvictionScheduleArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<EvictionScheduleShape>> {
    const { cluster, input = new EvictionScheduleInputBody() } = args;
    const page = pageOfConnection(args);
    const request = scheduleRequest(cluster, readAtOf(args), input, { page, root: 'input' });
    const { pods, ...head } = await this.scheduleEvictions.run(request, edge);
    return { ...head, pods: connection(pods, args, (pod) => pod) };
  }
}
