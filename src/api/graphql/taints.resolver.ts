import { Args, ArgsType, Field, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { AcrossClusters } from '../../app/across-clusters.js';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import { ListPodsAllowed, type ListPodsAllowedRequest } from '../../app/pods/list-pods-allowed.js';
import { ListTolerationSets } from '../../app/pods/list-toleration-sets.js';
import type { RequestContext } from '../../app/request-context.js';
import { ListTaintSets } from '../../app/taints/list-taint-sets.js';
import { ReadTaintCatalogue } from '../../app/taints/read-taint-catalogue.js';
import { TakeTaintInventory } from '../../app/taints/take-taint-inventory.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission, RequireCaller } from '../require-permission.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { ALLOWED_FILTERS } from '../shapes/filter-options.js';
import { PartErrorShape } from '../shapes/part-error-shape.js';
import type { Plain } from '../shapes/plain.js';
import { TolerationSetShape } from '../shapes/pod-shape.js';
import { AllowedCountsShape, AllowedEntryShape } from '../shapes/pods-allowed-shape.js';
import { Given, Shown } from '../shapes/property.js';
import { TaintKeyShape, TaintSetShape, TaintShape } from '../shapes/taint-shape.js';
import { WellKnownTaintShape, wellKnownTaintShape } from '../shapes/well-known-taint-shape.js';
import { acrossClusters, AcrossArguments } from './across-connection.js';
import { connection, ConnectionArguments, connectionOf, pageOfConnection, type Connection } from './connection.js';
import {
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  type ReadConnection,
} from './read-connection.js';

@ObjectType({ description: 'Distinct lists of taints, the most frequent first.' })
class TaintSetConnection extends readConnectionOf(TaintSetShape, 'TaintSet') {}

@ObjectType({ description: 'Distinct lists of tolerations, the most frequent first.' })
class TolerationSetConnection extends readConnectionOf(TolerationSetShape, 'TolerationSet') {}

@ObjectType({ description: 'Taint keys.' })
class TaintKeyConnection extends readConnectionOf(TaintKeyShape, 'TaintKey') {}

@ObjectType({ description: 'Entries of the catalogue of well-known taints.' })
class WellKnownTaintConnection extends connectionOf(WellKnownTaintShape, 'WellKnownTaint') {}

@ObjectType({ description: 'Pods by workload, apart for what they lack.' })
class AllowedPodsConnection extends readConnectionOf(AllowedEntryShape, 'AllowedPods') {
  @Field(() => [TaintShape], { description: 'What the pods were held against, the taint of a cordon included.' })
  taints!: readonly Plain<TaintShape>[];

  @Field(() => AllowedCountsShape, { description: 'Pods, whatever the filters.' })
  pods!: Plain<AllowedCountsShape>;

  @Field(() => AllowedCountsShape, { description: 'Workloads, whatever the filters.' })
  workloads!: Plain<AllowedCountsShape>;
}

@ObjectType('ClusterTaints', { description: "One cluster's taints, or why it has no answer." })
class ClusterTaintsShape {
  @Shown({ type: 'string', description: 'The cluster.' })
  cluster!: string;

  @Field(() => TaintKeyConnection, { nullable: true, description: 'What it says; null with an error.' })
  taints!: ReadConnection<Plain<TaintKeyShape>> | null;

  @Field(() => PartErrorShape, { nullable: true, description: 'Why it has no answer; null with one.' })
  error!: Plain<PartErrorShape> | null;
}

@ObjectType({ description: 'Cluster by cluster, by name.' })
class ClusterTaintsConnection extends connectionOf(ClusterTaintsShape, 'ClusterTaints') {}

@ArgsType()
class PodsAllowedArguments extends ReadConnectionArguments {
  @Given({ type: 'string', optional: true, description: 'A stored node; or give taints.' })
  node?: string;

  @Given({
    type: 'json',
    list: true,
    optional: true,
    maximumLength: 100,
    description: "Taints, in kubectl's syntax or as objects with key, value and effect; or give a node.",
  })
  taints?: JsonValue[];

  @Given(ALLOWED_FILTERS.allowed)
  allowed?: boolean;

  @Given(ALLOWED_FILTERS.namespace)
  namespace?: string;
}

@ArgsType()
class CatalogueArguments extends ConnectionArguments {
  @Given({ type: 'string', optional: true, description: 'Only what explains this key.' })
  key?: string;
}

/** Taints, and who tolerates them. */
@Resolver(() => ClusterShape)
export class TaintsResolver {
  constructor(
    private readonly listTaintSets: ListTaintSets,
    private readonly listTolerationSets: ListTolerationSets,
    private readonly takeTaintInventory: TakeTaintInventory,
    private readonly listPodsAllowed: ListPodsAllowed,
  ) {}

  @ResolveField(() => TaintSetConnection, { description: 'Each distinct list of taints, and the nodes that carry it.' })
  @RequirePermission('read', 'parent')
  async taintSets(
    @Parent() { name }: ClusterShape,
    @Args() args: ReadConnectionArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<TaintSetShape>>> {
    return readConnection(await this.listTaintSets.run(readRequest(name, args), edge), args);
  }

  @ResolveField(() => TolerationSetConnection, {
    description: 'Each distinct list of tolerations, and the pods that have it.',
  })
  @RequirePermission('read', 'parent')
  async tolerationSets(
    @Parent() { name }: ClusterShape,
    @Args() args: ReadConnectionArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<TolerationSetShape>>> {
    return readConnection(await this.listTolerationSets.run(readRequest(name, args), edge), args);
  }

  @ResolveField(() => TaintKeyConnection, { description: 'The inventory of its taints by key.' })
  @RequirePermission('read', 'parent')
  async taints(
    @Parent() { name }: ClusterShape,
    @Args() args: ReadConnectionArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<TaintKeyShape>>> {
    return readConnection(await this.takeTaintInventory.run(readRequest(name, args), edge), args);
  }

  @ResolveField(() => AllowedPodsConnection, {
    description: 'Which of its pods tolerate a node, or taints before anybody sets them, and what the others lack.',
  })
  @RequirePermission('read', 'parent')
  async podsAllowed(
    @Parent() { name }: ClusterShape,
    @Args() args: PodsAllowedArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AllowedPodsConnection>> {
    const { allowed, namespace } = args;
    const request = { ...readRequest(name, args), on: heldAgainst(args), allowed, namespace };
    const { page, basis, ...head } = await this.listPodsAllowed.run(request, edge);
    return { ...readConnection({ page, basis }, args), ...head };
  }
}

/** The same of several clusters, and what holds for all of them. */
@Resolver()
export class AllTaintsResolver {
  constructor(
    private readonly takeTaintInventory: TakeTaintInventory,
    private readonly readTaintCatalogue: ReadTaintCatalogue,
    private readonly across: AcrossClusters,
  ) {}

  @Query(() => ClusterTaintsConnection, { description: 'The inventory of taints of each cluster of a selector.' })
  @RequirePermission('read', 'each')
  async taints(
    @Args() args: AcrossArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Connection<Partial<Plain<ClusterTaintsShape>>>> {
    return acrossClusters(this.across, args, ['taints'], edge, async (cluster, each) => ({
      taints: readConnection(await this.takeTaintInventory.run({ cluster, ...each }, edge), {}),
    }));
  }

  @Query(() => WellKnownTaintConnection, { description: 'The catalogue of well-known taint keys.' })
  @RequireCaller()
  wellKnownTaints(@Args() args: CatalogueArguments): Connection<Plain<WellKnownTaintShape>> {
    const page = this.readTaintCatalogue.run({ key: args.key, page: pageOfConnection(args) });
    return connection(page, args, wellKnownTaintShape);
  }
}

function heldAgainst({ node, taints }: PodsAllowedArguments): ListPodsAllowedRequest['on'] {
  if (node !== undefined && taints === undefined) return { node };
  if (taints !== undefined && node === undefined) return { taints };
  throw new InvalidRequestError([{ field: 'node', code: 'one-of', message: 'give either node or taints' }]);
}
