import { Args, ArgsType, Context, Info, Resolver, Subscription } from '@nestjs/graphql';
import { Kind, type GraphQLResolveInfo } from 'graphql';
import type { EventStream, StreamItem } from '../../app/live/event-stream.js';
import { writePosition } from '../../app/live/event-position.js';
import { FollowCluster } from '../../app/live/follow-cluster.js';
import type { RequestContext } from '../../app/request-context.js';
import { clusterEvent } from '../../contract/clusters/cluster-event.js';
import type { Response } from '../../contract/schema.js';
import { responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import type { Socket } from '../http/web-sockets.js';
import { RequirePermission } from '../access/require-permission.js';
import { FollowParameters } from '../live/follow-parameters.js';
import { type NewsResponse, newsViewOf, renderNews } from '../live/rendered-news.js';
import { RequestField } from '../contract/field-decorators.js';
import { checkComplexity } from './complexity.js';
import { subscriptionError } from './subscription-error.js';

// Evaluated immediately: Nest collects the types before it reads them.
const ClusterEventResponse = responseClass(clusterEvent);

@ArgsType()
class ClusterEventsArguments extends FollowParameters {
  @RequestField({ type: 'string', description: 'Name of the cluster.' })
  cluster!: string;
}

/** A value of a subscription in the form that graphql-js expects: an object with the root field. */
interface Root {
  readonly clusterEvents: Response<typeof clusterEvent>;
}

/** Events of a cluster, as they happen. */
@Resolver()
export class ClusterEventsResolver {
  constructor(private readonly followCluster: FollowCluster) {}

  @Subscription(() => ClusterEventResponse, {
    description:
      'Follows a cluster: the same events as the server-sent events of REST, with interchangeable ids. If the service ends ' +
      'the stream, the error has the code in `extensions.code` and the id to resume from in `extensions.resumeAfter`.',
  })
  @RequirePermission('read')
  async clusterEvents(
    @Args() args: ClusterEventsArguments,
    @Ctx() requestContext: RequestContext,
    @Context('socket') socket: Socket,
    @Info() { schema, operation, fragments, variableValues }: GraphQLResolveInfo,
  ): Promise<AsyncIterableIterator<Root>> {
    const document = { kind: Kind.DOCUMENT, definitions: [operation, ...Object.values(fragments)] } as const;
    checkComplexity(schema, document, variableValues, operation.name?.value);
    const stream = await this.followCluster.run(args, requestContext);
    stream.sever = () => {
      socket.terminate();
    };
    return new EventRoots(stream, newsViewOf(requestContext, args.cluster), requestContext.requestId);
  }
}

/** The events of a stream as root values. Heartbeats are left to the connection. */
class EventRoots implements AsyncIterableIterator<Root> {
  constructor(
    private readonly stream: EventStream,
    private readonly view: NewsResponse,
    private readonly requestId: string,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Root, undefined>> {
    try {
      for (;;) {
        const { done, value } = await this.stream.next();
        if (done === true) return { done, value };
        if (value.kind === 'event') return { done: false, value: { clusterEvents: this.eventOf(value) } };
      }
    } catch (thrown) {
      throw subscriptionError([thrown], this.requestId, this.stream.resumeAfter);
    }
  }

  async return(): Promise<IteratorResult<Root, undefined>> {
    await this.stream.return();
    return { done: true, value: undefined };
  }

  private eventOf({ position, event }: StreamItem & { readonly kind: 'event' }): Response<typeof clusterEvent> {
    return { id: writePosition(position), ...renderNews(event, this.view).event };
  }
}
