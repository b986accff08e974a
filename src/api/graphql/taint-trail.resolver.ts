import { Args, ArgsType, Field, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../../app/request-context.js';
import { explained, GetRecord } from '../../app/taint-trail/get-record.js';
import { ListRecords, type UncountedPage } from '../../app/taint-trail/list-records.js';
import { ListRecordsAcross } from '../../app/taint-trail/list-records-across.js';
import { ListTrails } from '../../app/taint-trail/list-trails.js';
import type { WrittenRecord } from '../../app/taint-trail/record-view.js';
import { SelectTrail } from '../../app/taint-trail/select-trail.js';
import { defined } from '../../core/collections/defined.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, InheritPermission } from '../require-permission.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { TRAIL, TRAIL_CLUSTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { TrailRecordDetailsShape, trailRecordDetailsShape } from '../shapes/trail-record-shape.js';
import { OrderedRecordFilters, recordsRequest, trailWish } from '../shapes/trail-request.js';
import { TrailShape } from '../shapes/trail-shape.js';
import {
  AFTER,
  connection,
  ConnectionArguments,
  connectionOf,
  FIRST,
  PageInfo,
  pageOfConnection,
  type Connection,
} from './connection.js';
import { Query, ResolveField } from './fields.js';

@ObjectType('TrailRecordEdge', { description: 'An item of a list, with its cursor.' })
class TrailRecordEdge {
  @Field(() => TrailRecordDetailsShape, { description: 'The item.' })
  node!: Plain<TrailRecordDetailsShape>;

  @Field(() => String, { description: 'Opaque; for `after`.' })
  cursor!: string;
}

@ObjectType('TrailRecordConnection', { description: 'Records of trails. Nobody counts them: there may be millions.' })
class TrailRecordConnection {
  @Field(() => [TrailRecordEdge], { description: 'The items of this page, with their cursors.' })
  edges!: Plain<TrailRecordEdge>[];

  @Field(() => [TrailRecordDetailsShape], { description: 'The nodes of the edges, for those who need no cursors.' })
  nodes!: Plain<TrailRecordDetailsShape>[];

  @Field(() => PageInfo, { description: 'Where this page lies in the list.' })
  pageInfo!: Plain<PageInfo>;
}

@ObjectType({ description: 'Trails by cluster; the oldest of a name first.' })
class TrailConnection extends connectionOf(TrailShape, 'Trail') {}

@ArgsType()
class TaintTrailArguments {
  @Given({ type: 'string', description: 'The name of the cluster, which need not be there any more.' })
  cluster!: string;

  @Given(TRAIL)
  trail?: number;
}

@ArgsType()
class RecordsArguments extends OrderedRecordFilters {
  @Given(FIRST)
  first?: number;

  @Given(AFTER)
  after?: string;
}

@ArgsType()
class RecordsAcrossArguments extends RecordsArguments {
  @Given(TRAIL_CLUSTERS)
  clusterSelector?: string;
}

@ArgsType()
class RecordArguments {
  @Given({ type: 'int64', description: 'The number of the record.' })
  sequence!: number;

  @Given({
    type: 'boolean',
    optional: true,
    description: 'Say what the change did to pods and workloads at its time; false by default.',
  })
  effects?: boolean;
}

/** The trails, and the records in them. */
@Resolver(() => TrailShape)
export class TaintTrailResolver {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly listTrails: ListTrails,
    private readonly listRecords: ListRecords,
    private readonly getRecord: GetRecord,
    private readonly listRecordsAcross: ListRecordsAcross,
  ) {}

  @Query(() => TrailShape, { description: 'The trail of a cluster, which need not be there any more.' })
  @RequirePermission('audit')
  async taintTrail(@Args() { cluster, trail }: TaintTrailArguments): Promise<Plain<TrailShape>> {
    return this.selectTrail.run(trailWish(cluster, trail));
  }

  @Query(() => TrailConnection, {
    description: 'Every trail that the caller may audit, those of deleted clusters too.',
  })
  @RequirePermission('audit', 'each')
  async taintTrails(
    @Args() args: ConnectionArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Connection<Plain<TrailShape>>> {
    return connection(await this.listTrails.run(pageOfConnection(args), edge), args, (trail) => trail);
  }

  @Query(() => TrailRecordConnection, {
    description: 'The records of every trail that the caller may audit, by when things happened, newest first.',
  })
  @RequirePermission('audit', 'each')
  async taintTrailRecords(
    @Args() args: RecordsAcrossArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailRecordConnection>> {
    const { clusterSelector } = args;
    const request = {
      ...defined({ clusterSelector }),
      ...recordsRequest(args),
      page: pageOfConnection(args),
    };
    return recordConnection(await this.listRecordsAcross.run(request, edge), args, edge);
  }

  @ResolveField(() => TrailRecordConnection, { description: 'Its records, newest first by default.' })
  @InheritPermission()
  async records(
    @Parent() { cluster, clusterId }: TrailShape,
    @Args() args: RecordsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailRecordConnection>> {
    const request = { cluster, trail: Number(clusterId), ...recordsRequest(args), page: pageOfConnection(args) };
    const { page } = await this.listRecords.run(request);
    return recordConnection(page, args, edge);
  }

  @ResolveField(() => TrailRecordDetailsShape, { description: 'One of its records.' })
  @InheritPermission()
  async record(
    @Parent() { cluster, clusterId }: TrailShape,
    @Args() { sequence, effects = false }: RecordArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TrailRecordDetailsShape>> {
    const found = await this.getRecord.run({ cluster, trail: Number(clusterId), sequence, effects }, edge);
    edge.withheld.addTold(found);
    return trailRecordDetailsShape(found, edge.access.seesTaintValues(cluster));
  }
}

/** The trail of a cluster that is there. */
@Resolver(() => ClusterShape)
export class ClusterTrailResolver {
  constructor(private readonly selectTrail: SelectTrail) {}

  @ResolveField(() => TrailShape, { description: 'Who changed which taint, when and why.' })
  @RequirePermission('audit', 'parent')
  async taintTrail(@Parent() { name }: ClusterShape): Promise<Plain<TrailShape>> {
    return this.selectTrail.run({ cluster: name });
  }
}

function recordConnection(
  page: UncountedPage<WrittenRecord>,
  { after }: Pick<RecordsArguments, 'after'>,
  { access, withheld }: RequestContext,
): Plain<TrailRecordConnection> {
  withheld.addTold(page.items);
  const edges = page.items.map(({ item, token }) => ({
    node: trailRecordDetailsShape({ ...explained(item), effects: null }, access.seesTaintValues(item.record.cluster)),
    cursor: token,
  }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: page.hasMore,
      hasPreviousPage: after !== undefined,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
