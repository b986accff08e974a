import { Args, ArgsType, Field, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import { ListPodsAllowed, type ListPodsAllowedRequest } from '../../app/pods/list-pods-allowed.js';
import { ListTolerationSets } from '../../app/pods/list-toleration-sets.js';
import type { RequestContext } from '../../app/request-context.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import { ALLOWED_FILTERS } from '../shapes/filter-options.js';
import type { Plain } from '../shapes/plain.js';
import { TolerationSetShape } from '../shapes/pod-shape.js';
import { AllowedCountsShape, AllowedEntryShape } from '../shapes/pods-allowed-shape.js';
import { Given } from '../shapes/property.js';
import { TaintShape } from '../shapes/taint-shape.js';
import {
  readConnection,
  ReadConnectionArguments,
  readConnectionOf,
  readRequest,
  type ReadConnection,
} from './read-connection.js';

@ObjectType({ description: 'Distinct lists of tolerations, the most frequent first.' })
class TolerationSetConnection extends readConnectionOf(TolerationSetShape, 'TolerationSet') {}

@ObjectType({ description: 'Pods by workload, apart for what they lack.' })
class AllowedPodsConnection extends readConnectionOf(AllowedEntryShape, 'AllowedPods') {
  @Field(() => [TaintShape], { description: 'What the pods were held against, the taint of a cordon included.' })
  taints!: readonly Plain<TaintShape>[];

  @Field(() => AllowedCountsShape, { description: 'Pods, whatever the filters.' })
  pods!: Plain<AllowedCountsShape>;

  @Field(() => AllowedCountsShape, { description: 'Workloads, whatever the filters.' })
  workloads!: Plain<AllowedCountsShape>;
}

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

/** Taints, and who tolerates them. */
@Resolver(() => ClusterShape)
export class TaintsResolver {
  constructor(
    private readonly listTolerationSets: ListTolerationSets,
    private readonly listPodsAllowed: ListPodsAllowed,
  ) {}

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

function heldAgainst({ node, taints }: PodsAllowedArguments): ListPodsAllowedRequest['on'] {
  if (node !== undefined && taints === undefined) return { node };
  if (taints !== undefined && node === undefined) return { taints };
  throw new InvalidRequestError([{ field: 'node', code: 'one-of', message: 'give either node or taints' }]);
}
