import { Args, ArgsType, Field, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { GetQuota } from '../../app/quotas/get-quota.js';
import { ListQuotaCapacity } from '../../app/quotas/list-quota-capacity.js';
import { ListQuotas } from '../../app/quotas/list-quotas.js';
import { MOST_REVIEWED, ReviewQuotas } from '../../app/quotas/review-quotas.js';
import type { QuotaPodCounting } from '../../app/quotas/quota-pod-view.js';
import type { RequestContext } from '../../app/request-context.js';
import type { CapacityHolds } from '../../core/quota-capacity/namespace-capacity.js';
import type { QuotaStanding } from '../../core/quota/quota-standing.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { BasisShape } from '../shapes/basis-shape.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { QUOTA_FILTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { ASSUMPTIONS, QuotaCapacityShape } from '../shapes/quota-capacity-shape.js';
import {
  QUOTA_BASIS,
  quotaQuestionOf,
  quotaReviewAnswer,
  QuotaReviewAnswerShape,
  QuotaReviewItemBody,
  type QuotaBasis,
} from '../shapes/quota-review-shape.js';
import { NOT_LOADED, QuotaPodShape, QuotaShape } from '../shapes/quota-shape.js';
import { connection, connectionOf, type Connection } from './connection.js';
import { readAtOf } from '../rest/read-at-query.js';
import {
  ReadArguments,
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  type ReadConnection,
} from './read-connection.js';

@ObjectType({ description: 'ResourceQuotas, by namespace and name.' })
class QuotaConnection extends readConnectionOf(QuotaShape, 'Quota') {
  @Shown(NOT_LOADED)
  notLoaded!: readonly string[];
}

@ObjectType({ description: 'What quotas allow beside what nodes hold, by namespace.' })
class QuotaCapacityConnection extends readConnectionOf(QuotaCapacityShape, 'QuotaCapacity') {
  @Shown(NOT_LOADED)
  notLoaded!: readonly string[];

  @Shown(ASSUMPTIONS)
  assumptions!: readonly string[];
}

@ObjectType({ description: "Pods of a ResourceQuota's namespace, by name." })
class QuotaPodConnection extends connectionOf(QuotaPodShape, 'QuotaPod') {}

@ObjectType('QuotaAnswer', { description: 'A ResourceQuota, and the pods of its namespace.' })
class QuotaAnswerShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown(NOT_LOADED)
  notLoaded!: readonly string[];

  @Shown({ type: () => QuotaShape, description: 'The quota.' })
  quota!: Plain<QuotaShape>;

  @Field(() => QuotaPodConnection, { description: 'The pods of its namespace: the page that was asked for.' })
  pods!: Connection<Plain<QuotaPodShape>>;
}

@ArgsType()
class QuotasArguments extends ReadConnectionArguments {
  @Given(QUOTA_FILTERS.namespace)
  namespace?: string;

  @Given(QUOTA_FILTERS.standing)
  standing?: QuotaStanding[];

  @Given(QUOTA_FILTERS.threshold)
  threshold?: number;
}

@ArgsType()
class QuotaArguments extends ReadConnectionArguments {
  @Given({ type: 'string', description: 'Its namespace.' })
  namespace!: string;

  @Given({ type: 'string', description: 'Its name.' })
  name!: string;

  @Given(QUOTA_FILTERS.counting)
  counting?: QuotaPodCounting[];

  @Given(QUOTA_FILTERS.threshold)
  threshold?: number;
}

@ArgsType()
class QuotaCapacityArguments extends ReadConnectionArguments {
  @Given(QUOTA_FILTERS.namespace)
  namespace?: string;

  @Given(QUOTA_FILTERS.holds)
  holds?: CapacityHolds[];
}

@ArgsType()
class QuotaReviewArguments extends ReadArguments {
  @Given(QUOTA_BASIS)
  usage?: QuotaBasis;

  @Given({
    type: () => QuotaReviewItemBody,
    list: true,
    maximumLength: MOST_REVIEWED,
    description: `What is asked for, in order, at most ${MOST_REVIEWED}.`,
  })
  items!: QuotaReviewItemBody[];
}

/** What ResourceQuotas allow, and what is used of it. */
@Resolver(() => ClusterShape)
export class QuotasResolver {
  constructor(
    private readonly listQuotas: ListQuotas,
    private readonly getQuota: GetQuota,
    private readonly reviewQuotas: ReviewQuotas,
    private readonly listQuotaCapacity: ListQuotaCapacity,
  ) {}

  @ResolveField(() => QuotaConnection, {
    description: 'Its ResourceQuotas, with what is used of them as counted now and as their status says.',
  })
  @RequirePermission('read', 'parent')
  async quotas(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: QuotasArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<QuotaShape>> & { readonly notLoaded: readonly string[] }> {
    const { namespace, standing, threshold } = args;
    const request = { ...readRequest(cluster, args), namespace, standing, threshold };
    const { notLoaded, ...answer } = await this.listQuotas.run(request, edge);
    return { ...readConnection(answer, args), notLoaded };
  }

  @ResolveField(() => QuotaAnswerShape, {
    description: 'One ResourceQuota; `first` and `after` choose among the pods of its namespace.',
  })
  @RequirePermission('read', 'parent')
  async quota(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: QuotaArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<QuotaAnswerShape>> {
    const { namespace, name, counting, threshold } = args;
    const request = { ...readRequest(cluster, args), namespace, name, counting, threshold };
    const { page, ...head } = await this.getQuota.run(request, edge);
    return { ...head, pods: connection(page, args, (pod) => pod) };
  }

  @ResolveField(() => QuotaCapacityConnection, {
    description: 'What its quotas allow, beside what the nodes hold that the pods of their namespaces can use.',
  })
  @RequirePermission('read', 'parent')
  async quotaCapacity(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: QuotaCapacityArguments,
    @Ctx() edge: RequestContext,
  ): Promise<
    ReadConnection<Plain<QuotaCapacityShape>> & {
      readonly notLoaded: readonly string[];
      readonly assumptions: readonly string[];
    }
  > {
    const { namespace, holds } = args;
    const request = { ...readRequest(cluster, args), namespace, holds };
    const { notLoaded, assumptions, ...answer } = await this.listQuotaCapacity.run(request, edge);
    return { ...readConnection(answer, args), notLoaded, assumptions };
  }

  @ResolveField(() => QuotaReviewAnswerShape, {
    description: 'Whether its quotas let pods in, one after another, each of which sees the charges of those before.',
  })
  @RequirePermission('evaluate', 'parent')
  async quotaReview(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: QuotaReviewArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<QuotaReviewAnswerShape>> {
    const items = args.items.map((item) => ({ id: item.id, read: () => quotaQuestionOf(item) }));
    const request = { cluster, readAt: readAtOf(args), basis: args.usage ?? 'reported', items };
    return quotaReviewAnswer(await this.reviewQuotas.run(request, edge));
  }
}
