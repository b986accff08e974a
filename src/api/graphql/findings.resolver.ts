import { Args, ArgsType, Field, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import { AcrossClusters } from '../../app/across-clusters.js';
import { FindFindings, type FoundFindings } from '../../app/findings/find-findings.js';
import { FindManifestFindings } from '../../app/findings/find-manifest-findings.js';
import type { RequestContext } from '../../app/request-context.js';
import { defined } from '../../core/collections/defined.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import { manifestFindingsInput } from '../../contract/findings/finding.js';
import type { Request } from '../../contract/schema.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { FINDING_FILTERS } from '../shapes/filter-options.js';
import { FindingCountsShape, FindingShape, ManifestFindingsShape } from '../shapes/finding-shape.js';
import { PartErrorShape } from '../shapes/part-error-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { acrossClusters, AcrossArguments } from './across-connection.js';
import { connectionOf, type Connection, type ConnectionArguments } from './connection.js';
import {
  ReadArguments,
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
} from './read-connection.js';
import { Query, ResolveField } from './fields.js';

@ObjectType({ description: 'Findings, errors first.' })
class FindingConnection extends readConnectionOf(FindingShape, 'Finding') {
  @Field(() => FindingCountsShape, { description: 'How many of each severity, on all pages together.' })
  counts!: Plain<FindingCountsShape>;
}

@ObjectType('ClusterFindings', { description: "One cluster's findings, or why it has no answer." })
class ClusterFindingsShape {
  @Shown({ type: 'string', description: 'The cluster.' })
  cluster!: string;

  @Field(() => FindingConnection, { nullable: true, description: 'What it says; null with an error.' })
  findings!: Plain<FindingConnection> | null;

  @Field(() => PartErrorShape, { nullable: true, description: 'Why it has no answer; null with one.' })
  error!: Plain<PartErrorShape> | null;
}

@ObjectType({ description: 'Cluster by cluster, by name.' })
class ClusterFindingsConnection extends connectionOf(ClusterFindingsShape, 'ClusterFindings') {}

@ArgsType()
class FindingsArguments extends ReadConnectionArguments {
  @Given(FINDING_FILTERS.severity)
  severity?: string;

  @Given(FINDING_FILTERS.code)
  code?: string;

  @Given(FINDING_FILTERS.namespace)
  namespace?: string;

  @Given(FINDING_FILTERS.workload)
  workload?: string;

  @Given(FINDING_FILTERS.workloadKind)
  workloadKind?: string;
}

@ArgsType()
class FindingsAcrossArguments extends AcrossArguments {
  @Given(FINDING_FILTERS.severity)
  severity?: string;

  @Given(FINDING_FILTERS.code)
  code?: string;

  @Given(FINDING_FILTERS.namespace)
  namespace?: string;

  @Given(FINDING_FILTERS.workload)
  workload?: string;

  @Given(FINDING_FILTERS.workloadKind)
  workloadKind?: string;
}

@ArgsType()
class ManifestFindingsArguments extends ReadArguments {
  @Given({ type: 'string', optional: true, description: 'The cluster that it is for; without one it is judged alone.' })
  cluster?: string;

  @Given({ type: manifestFindingsInput, description: 'The manifest.' })
  input!: Request<typeof manifestFindingsInput>;
}

/** What tolerations and taints say that was likely not meant. */
@Resolver(() => ClusterShape)
export class FindingsResolver {
  constructor(
    private readonly findFindings: FindFindings,
    private readonly findManifestFindings: FindManifestFindings,
    private readonly across: AcrossClusters,
  ) {}

  @ResolveField(() => FindingConnection, {
    description: 'What its tolerations and taints say that was likely not meant.',
  })
  @RequirePermission('read', 'parent')
  async findings(
    @Parent() { name }: ClusterShape,
    @Args() args: FindingsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<FindingConnection>> {
    return findingConnection(await this.findFindings.run({ ...readRequest(name, args), filter: args }, edge), args);
  }

  @Query(() => ClusterFindingsConnection, {
    name: 'findings',
    description: 'The findings of each cluster of a selector.',
  })
  @RequirePermission('read', 'each')
  async findingsAcross(
    @Args() args: FindingsAcrossArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Connection<Partial<Plain<ClusterFindingsShape>>>> {
    const { severity, code, namespace, workload, workloadKind } = args;
    const name = ['findings', severity, code, namespace, workload, workloadKind];
    return acrossClusters(this.across, args, name, edge, async (cluster, each) => ({
      findings: findingConnection(await this.findFindings.run({ cluster, ...each, filter: args }, edge), {}),
    }));
  }

  @Query(() => ManifestFindingsShape, {
    description: 'The findings on a manifest; what the API server would refuse is explained, not refused.',
  })
  @RequirePermission('evaluate', 'cluster if given')
  async manifestFindings(
    @Args() args: ManifestFindingsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<ManifestFindingsShape>> {
    const {
      cluster,
      input: { manifest, admission },
    } = args;
    const request = { readAt: readAtOf(args), manifest, admission, ...defined({ cluster }) };
    return this.findManifestFindings.run(request, edge);
  }
}

function findingConnection(found: FoundFindings, args: Pick<ConnectionArguments, 'after'>): Plain<FindingConnection> {
  return { ...readConnection(found, args), counts: found.counts };
}
