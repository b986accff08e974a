import { Args, ArgsType, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../../app/request-context.js';
import { ListRecordsAcross } from '../../app/taint-trail/list-records-across.js';
import { ListRecords } from '../../app/taint-trail/list-records.js';
import { presentRecordDetails } from '../../app/taint-trail/present-record.js';
import type { WrittenRecord } from '../../app/taint-trail/record-response.js';
import { SelectTrail } from '../../app/taint-trail/select-trail.js';
import { VerifyTrail } from '../../app/taint-trail/verify-trail.js';
import { cluster as clusterResponse } from '../../contract/clusters/cluster.js';
import { TRAIL, TRAIL_CLUSTERS } from '../../contract/common/filter-options.js';
import type { UncountedPage } from '../../contract/page.js';
import type { Response } from '../../contract/schema.js';
import { checkpointArgumentsRequest, orderedRecordFiltersRequest } from '../../contract/taint-trail/trail-request.js';
import { trailRecordDetailsResponse } from '../../contract/taint-trail/trail-record.js';
import { trail as trailResponse, trailVerification } from '../../contract/taint-trail/trail.js';
import { requestClass, responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import { RequirePermission, InheritPermission } from '../access/require-permission.js';
import type { Plain } from '../contract/plain.js';
import { RequestField } from '../contract/field-decorators.js';
import {
  AFTER,
  FIRST,
  pageOfConnection,
  uncountedConnection,
  uncountedConnectionOf,
  type UncountedConnection,
} from './connection.js';
import { Query, ResolveField } from './fields.js';

const ClusterResponse = responseClass(clusterResponse);
type ClusterResponse = Response<typeof clusterResponse>;
const TrailResponse = responseClass(trailResponse);
type TrailResponse = Response<typeof trailResponse>;
const TrailRecordDetailsResponse = responseClass(trailRecordDetailsResponse);
type Records = UncountedConnection<Response<typeof trailRecordDetailsResponse>>;
const TrailVerificationResponse = responseClass(trailVerification);

@ObjectType('TrailRecordConnection', { description: 'Audit records, without a total count: there may be millions.' })
class TrailRecordConnection extends uncountedConnectionOf(TrailRecordDetailsResponse, 'TrailRecord') {}

@ArgsType()
class TaintTrailArguments {
  @RequestField({ type: 'string', description: 'Name of the cluster, which may have been deleted.' })
  cluster!: string;

  @RequestField(TRAIL)
  trail?: number;
}

@ArgsType()
class RecordsArguments extends requestClass(orderedRecordFiltersRequest) {
  @RequestField(FIRST)
  first?: number;

  @RequestField(AFTER)
  after?: string;
}

@ArgsType()
class RecordsAcrossArguments extends RecordsArguments {
  @RequestField(TRAIL_CLUSTERS)
  clusterSelector?: string;
}

@ArgsType()
class VerificationArguments extends requestClass(checkpointArgumentsRequest) {
  @RequestField({ type: 'string', description: 'The cluster, which may have been deleted.' })
  cluster!: string;

  @RequestField(TRAIL)
  trail?: number;
}

/** Resolves audit trails and their records. */
@Resolver(() => TrailResponse)
export class TaintTrailResolver {
  constructor(
    private readonly selectTrail: SelectTrail,
    private readonly listRecords: ListRecords,
    private readonly listRecordsAcross: ListRecordsAcross,
    private readonly verifyTrail: VerifyTrail,
  ) {}

  @Query(() => TrailResponse, { description: 'The audit trail of a cluster, which may have been deleted.' })
  @RequirePermission('audit')
  async taintTrail(@Args() args: TaintTrailArguments): Promise<TrailResponse> {
    return this.selectTrail.run(args);
  }

  @Query(() => TrailVerificationResponse, {
    description: 'Verifies an audit trail; with a checkpoint, also one that no longer exists.',
  })
  @RequirePermission('audit')
  async taintTrailVerification(
    @Args() args: VerificationArguments,
    @Ctx() context: RequestContext,
  ): Promise<Response<typeof trailVerification>> {
    const given: Plain<VerificationArguments> = args;
    return this.verifyTrail.run({ ...given, root: '' }, context);
  }

  @Query(() => TrailRecordConnection, {
    description: 'The records of every trail that the caller may audit, newest event first.',
  })
  @RequirePermission('audit', 'each')
  async taintTrailRecords(@Args() args: RecordsAcrossArguments, @Ctx() context: RequestContext): Promise<Records> {
    const given: Plain<RecordsAcrossArguments> = args;
    const request = { ...given, page: pageOfConnection(args), root: '' };
    return recordConnection(await this.listRecordsAcross.run(request, context), args, context);
  }

  @ResolveField(() => TrailRecordConnection, { description: 'Records of the trail, newest first by default.' })
  @InheritPermission()
  async records(
    @Parent() { cluster, clusterId }: TrailResponse,
    @Args() args: RecordsArguments,
    @Ctx() context: RequestContext,
  ): Promise<Records> {
    const given: Plain<RecordsArguments> = args;
    const request = { ...given, cluster, trail: clusterId, page: pageOfConnection(args), root: '' };
    const { page } = await this.listRecords.run(request);
    return recordConnection(page, args, context);
  }
}

/** Resolves the audit trail of an existing cluster. */
@Resolver(() => ClusterResponse)
export class ClusterTrailResolver {
  constructor(private readonly selectTrail: SelectTrail) {}

  @ResolveField(() => TrailResponse, { description: 'Who changed which taint, when and why.' })
  @RequirePermission('audit', 'parent')
  async taintTrail(@Parent() { name }: ClusterResponse): Promise<TrailResponse> {
    return this.selectTrail.run({ cluster: name });
  }
}

function recordConnection(
  page: UncountedPage<WrittenRecord>,
  args: Pick<RecordsArguments, 'after'>,
  context: RequestContext,
): Records {
  context.withheld.addSource(page.items);
  return uncountedConnection(page, args, (item) => presentRecordDetails(item, null, context));
}
