import { Args, ArgsType, Field, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../../app/request-context.js';
import { ConfigureWebhooks } from '../../app/webhooks/configure-webhooks.js';
import { ListAdmissionRecords } from '../../app/webhooks/list-admission-records.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import {
  admissionRecordFilter,
  AdmissionRecordFilters,
  AdmissionRecordShape,
  admissionRecordShape,
} from '../shapes/admission-record-shape.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { configureWebhooksRequest, WEBHOOK_OPTIONS } from '../shapes/webhook-options.js';
import { AFTER, FIRST, PageInfo, pageOfConnection } from './connection.js';
import { KubernetesObjectScalar } from './scalars/kubernetes-object.js';
import { Query, ResolveField } from './fields.js';

@ObjectType('AdmissionRecordEdge', { description: 'An item of a list, with its cursor.' })
class AdmissionRecordEdge {
  @Field(() => AdmissionRecordShape, { description: 'The item.' })
  node!: Plain<AdmissionRecordShape>;

  @Field(() => String, { description: 'Opaque; for `after`.' })
  cursor!: string;
}

@ObjectType('AdmissionRecordConnection', { description: 'Admission records. Nobody counts them.' })
class AdmissionRecordConnection {
  @Field(() => [AdmissionRecordEdge], { description: 'The items of this page, with their cursors.' })
  edges!: Plain<AdmissionRecordEdge>[];

  @Field(() => [AdmissionRecordShape], { description: 'The nodes of the edges, for those who need no cursors.' })
  nodes!: Plain<AdmissionRecordShape>[];

  @Field(() => PageInfo, { description: 'Where this page lies in the list.' })
  pageInfo!: Plain<PageInfo>;
}

@ArgsType()
class AdmissionRecordsArguments extends AdmissionRecordFilters {
  @Given({ type: 'string', description: 'The name of the cluster, which need not be there any more.' })
  cluster!: string;

  @Given(FIRST)
  first?: number;

  @Given(AFTER)
  after?: string;
}

@ArgsType()
class WebhookConfigurationArguments {
  @Given(WEBHOOK_OPTIONS.url)
  url?: string;

  @Given(WEBHOOK_OPTIONS.service)
  service?: string;

  @Given(WEBHOOK_OPTIONS.failurePolicy)
  failurePolicy?: string;

  @Given(WEBHOOK_OPTIONS.timeoutSeconds)
  timeoutSeconds?: number;
}

/** What real API servers are told of the webhooks, and what these did. Their calls themselves come by REST alone. */
@Resolver(() => ClusterShape)
export class WebhooksResolver {
  constructor(
    private readonly configureWebhooks: ConfigureWebhooks,
    private readonly listAdmissionRecords: ListAdmissionRecords,
  ) {}

  @Query(() => AdmissionRecordConnection, {
    description: 'What the webhooks of a cluster did to pods, newest first; of a cluster that is gone too.',
  })
  @RequirePermission('audit')
  async admissionRecords(
    @Args() args: AdmissionRecordsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AdmissionRecordConnection>> {
    const { cluster } = args;
    const request = { cluster, filter: admissionRecordFilter(args), page: pageOfConnection(args) };
    const page = await this.listAdmissionRecords.run(request, edge);
    const edges = page.items.map(({ item, token }) => ({ node: admissionRecordShape(item), cursor: token }));
    return {
      edges,
      nodes: edges.map(({ node }) => node),
      pageInfo: {
        hasNextPage: page.hasMore,
        hasPreviousPage: args.after !== undefined,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
    };
  }

  @ResolveField(() => KubernetesObjectScalar, {
    description: 'A List of webhook configurations, to be applied to the cluster with kubectl.',
  })
  @RequirePermission('read', 'parent')
  async webhookConfiguration(
    @Parent() { name }: ClusterShape,
    @Args() args: WebhookConfigurationArguments,
    @Ctx() edge: RequestContext,
  ): Promise<JsonObject> {
    return this.configureWebhooks.run(configureWebhooksRequest(name, args), edge);
  }
}
