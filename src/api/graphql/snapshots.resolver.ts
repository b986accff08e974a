import { Args, ArgsType, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import { manifestChecksOf } from '../../app/manifests/manifest-checks.js';
import type { RequestContext } from '../../app/request-context.js';
import { DiffRevisions, type RevisionsDifference } from '../../app/snapshots/diff-revisions.js';
import {
  budgetDifferences,
  differenceHeadResponse,
  nodeDifferences,
  quotaDifferences,
  tolerationDifferenceResponse,
  tolerationDifferences,
  workloadDifferences,
} from '../../app/snapshots/difference-pages.js';
import { TakeSnapshot } from '../../app/snapshots/take-snapshot.js';
import { cluster } from '../../contract/clusters/cluster.js';
import type { Request, Response } from '../../contract/schema.js';
import {
  budgetDifference,
  difference,
  differenceHead,
  nodeDifference,
  quotaDifference,
  tolerationDifference,
  workloadDifference,
} from '../../contract/snapshots/difference.js';
import { diffArguments } from '../../contract/snapshots/questions.js';
import { takenSnapshot } from '../../contract/snapshots/snapshot.js';
import { takeSnapshotInput } from '../../contract/snapshots/take-snapshot.js';
import { defined } from '../../core/collections/defined.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { requestClass, responseClass } from '../contract/object-classes.js';
import { Ctx } from '../http/request-context.decorator.js';
import { InheritPermission, RequirePermission } from '../access/require-permission.js';
import type { Plain } from '../contract/plain.js';
import { RequestField } from '../contract/field-decorators.js';
import { connection, ConnectionArguments, connectionOf, pageOfConnection, type Connection } from './connection.js';
import { singleChunk } from './single-chunk.js';
import { Mutation, ResolveField } from './fields.js';

// Evaluated immediately: Nest collects the types before it reads them.
const ClusterResponse = responseClass(cluster);
const NodeDifferenceResponse = responseClass(nodeDifference);
const WorkloadDifferenceResponse = responseClass(workloadDifference);
const TolerationDifferenceResponse = responseClass(tolerationDifference);
const QuotaDifferenceResponse = responseClass(quotaDifference);
const BudgetDifferenceResponse = responseClass(budgetDifference);
const TakenSnapshotResponse = responseClass(takenSnapshot);

@ObjectType({ description: 'Changed nodes, sorted by name.' })
class NodeDifferenceConnection extends connectionOf(NodeDifferenceResponse, 'NodeDifference') {}

@ObjectType({ description: 'Workloads with changed pods, sorted by namespace, kind and name.' })
class WorkloadDifferenceConnection extends connectionOf(WorkloadDifferenceResponse, 'WorkloadDifference') {}

@ObjectType({ description: 'Differing tolerations, sorted by namespace, kind and name.' })
class TolerationDifferenceConnection extends connectionOf(TolerationDifferenceResponse, 'TolerationDifference') {}

@ObjectType({ description: 'Changed ResourceQuotas, sorted by namespace and name.' })
class QuotaDifferenceConnection extends connectionOf(QuotaDifferenceResponse, 'QuotaDifference') {}

@ObjectType({ description: 'Changed PodDisruptionBudgets, sorted by namespace and name.' })
class BudgetDifferenceConnection extends connectionOf(BudgetDifferenceResponse, 'BudgetDifference') {}

@ObjectType('Difference', { description: difference.description })
class DifferenceResponse extends responseClass(differenceHead) {
  /** The difference that the connections page through. */
  found!: RevisionsDifference;
}

@ArgsType()
class DiffArguments extends requestClass(diffArguments) {}

@ArgsType()
class TakeSnapshotArguments {
  @RequestField({ type: takeSnapshotInput, description: 'The snapshot.' })
  input!: Request<typeof takeSnapshotInput>;
}

/**
 * Fields that are not part of the contract: snapshots sent as one value, and comparisons whose lists are resolved on
 * request.
 */
@Resolver(() => ClusterResponse)
export class SnapshotsResolver {
  constructor(
    private readonly takeSnapshotCase: TakeSnapshot,
    private readonly diffRevisions: DiffRevisions,
  ) {}

  @ResolveField(() => DifferenceResponse, { description: difference.description })
  @RequirePermission('read', 'parent')
  async diff(
    @Parent() { name }: Response<typeof cluster>,
    @Args() args: DiffArguments,
    @Ctx() requestContext: RequestContext,
  ): Promise<Plain<DifferenceResponse>> {
    const given: Request<typeof diffArguments> = args;
    const manifests = manifestChecksOf(args);
    const found = await this.diffRevisions.all({ ...given, ...defined({ manifests }), cluster: name }, requestContext);
    return { ...differenceHeadResponse(found), found };
  }

  @Mutation(() => TakenSnapshotResponse, { description: 'Stores a small dump of a cluster as its next revision.' })
  @RequirePermission('change', 'input.cluster')
  async takeSnapshot(
    @Args() { input }: TakeSnapshotArguments,
    @Ctx() requestContext: RequestContext,
  ): Promise<Response<typeof takenSnapshot>> {
    const body = { bytes: singleChunk(textOf(input)), signal: requestContext.signal };
    return this.takeSnapshotCase.run({ ...input, body }, requestContext);
  }
}

@Resolver(() => DifferenceResponse)
export class DifferenceResolver {
  @ResolveField(() => NodeDifferenceConnection, { description: 'Changed nodes, sorted by name.' })
  @InheritPermission()
  nodes(
    @Parent() { found }: DifferenceResponse,
    @Args() args: ConnectionArguments,
  ): Connection<Response<typeof nodeDifference>> {
    return connection(nodeDifferences(found, pageOfConnection(args)), args, (node) => node);
  }

  @ResolveField(() => WorkloadDifferenceConnection, {
    description: 'Workloads with changed pods, sorted by namespace, kind and name.',
  })
  @InheritPermission()
  workloads(
    @Parent() { found }: DifferenceResponse,
    @Args() args: ConnectionArguments,
  ): Connection<Response<typeof workloadDifference>> {
    return connection(workloadDifferences(found, pageOfConnection(args)), args, (workload) => workload);
  }

  @ResolveField(() => TolerationDifferenceConnection, {
    description: 'Differing tolerations, sorted by namespace, kind and name.',
  })
  @InheritPermission()
  tolerations(
    @Parent() { found }: DifferenceResponse,
    @Args() args: ConnectionArguments,
  ): Connection<Response<typeof tolerationDifference>> {
    const page = tolerationDifferences(found, pageOfConnection(args));
    return connection(page, args, ({ toleration }) => tolerationDifferenceResponse(toleration));
  }

  @ResolveField(() => QuotaDifferenceConnection, {
    description: 'Changed ResourceQuotas, sorted by namespace and name.',
  })
  @InheritPermission()
  quotas(
    @Parent() { found }: DifferenceResponse,
    @Args() args: ConnectionArguments,
  ): Connection<Response<typeof quotaDifference>> {
    return connection(quotaDifferences(found, pageOfConnection(args)), args, (quota) => quota);
  }

  @ResolveField(() => BudgetDifferenceConnection, {
    description: 'Changed PodDisruptionBudgets, sorted by namespace and name.',
  })
  @InheritPermission()
  budgets(
    @Parent() { found }: DifferenceResponse,
    @Args() args: ConnectionArguments,
  ): Connection<Response<typeof budgetDifference>> {
    return connection(budgetDifferences(found, pageOfConnection(args)), args, (budget) => budget);
  }
}

function textOf({ manifests, text }: Request<typeof takeSnapshotInput>): string {
  if ((manifests === undefined) === (text === undefined)) {
    throw new InvalidRequestError([
      { pointer: '/input', field: 'input', code: 'required', message: 'give either manifests or text' },
    ]);
  }
  if (text !== undefined) return text;
  const objects = Array.isArray(manifests) ? manifests : [manifests];
  return objects.map((object) => stringifyJson(object)).join('\n');
}
