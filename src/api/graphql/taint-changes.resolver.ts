import { Args, ArgsType, InputType, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../../app/request-context.js';
import { AnswerChange } from '../../app/taint-changes/answer-change.js';
import { ChangeTaints } from '../../app/taint-changes/change-taints.js';
import { ListTaintChanges } from '../../app/taint-changes/list-taint-changes.js';
import type { TaintChangeAnswer } from '../../app/taint-changes/taint-change-view.js';
import { RevertTaintChange } from '../../app/taint-changes/revert-taint-change.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import {
  type ChangeConditions,
  changeTaintsRequest,
  RevertBody,
  revertRequest,
  TaintChangeBody,
} from '../shapes/taint-change-body.js';
import {
  TaintChangeAnswerShape,
  taintChangeAnswerShape,
  TaintChangeShape,
  taintChangeShape,
} from '../shapes/taint-change-shape.js';
import { connection, ConnectionArguments, connectionOf, pageOfConnection, type Connection } from './connection.js';
import { Mutation, ResolveField } from './fields.js';

@ObjectType({ description: 'Changes of taints that were made here, newest first.' })
class TaintChangeConnection extends connectionOf(TaintChangeShape, 'TaintChange') {}

const CLUSTER = { type: 'string', description: 'The cluster.' } as const;

const IF_MATCH = {
  type: 'string',
  optional: true,
  description: 'As the header `If-Match` of REST: `"7"` for a revision, or the version of a node, in double quotes.',
} as const;

const IDEMPOTENCY_KEY = {
  type: 'string',
  optional: true,
  description: 'The same input said again under the same key is answered as it was, and made once.',
} as const;

@InputType('TaintChangeInput', { description: 'Which nodes of which cluster are changed, how, and why.' })
class TaintChangeInput extends TaintChangeBody {
  @Given(CLUSTER)
  cluster!: string;

  @Given(IF_MATCH)
  ifMatch?: string;

  @Given(IDEMPOTENCY_KEY)
  idempotencyKey?: string;
}

@InputType('RevertTaintChangeInput', { description: 'Which change of taints is taken back, and why.' })
class RevertTaintChangeInput extends RevertBody {
  @Given(CLUSTER)
  cluster!: string;

  @Given({ type: 'id', description: 'The change to take back.' })
  id!: string;

  @Given(IF_MATCH)
  ifMatch?: string;

  @Given(IDEMPOTENCY_KEY)
  idempotencyKey?: string;
}

@ArgsType()
class ChangeTaintsArguments {
  @Given({ type: () => TaintChangeInput, description: 'Which nodes, and what to make of them.' })
  input!: TaintChangeInput;
}

@ArgsType()
class RevertTaintChangeArguments {
  @Given({ type: () => RevertTaintChangeInput, description: 'Which change, and why.' })
  input!: RevertTaintChangeInput;
}

@ArgsType()
class TaintChangeArguments {
  @Given({ type: 'id', description: 'The change.' })
  id!: string;
}

@Resolver(() => ClusterShape)
export class TaintChangesResolver {
  constructor(
    private readonly changeTaintsCase: ChangeTaints,
    private readonly revertTaintChangeCase: RevertTaintChange,
    private readonly listTaintChanges: ListTaintChanges,
    private readonly answerChange: AnswerChange,
  ) {}

  @ResolveField(() => TaintChangeConnection, { description: 'Changes of taints that were made here, newest first.' })
  @RequirePermission('read', 'parent')
  async taintChanges(
    @Parent() { name }: ClusterShape,
    @Args() args: ConnectionArguments,
  ): Promise<Connection<Plain<TaintChangeShape>>> {
    const page = await this.listTaintChanges.run({ cluster: name, page: pageOfConnection(args) });
    return connection(page, args, taintChangeShape);
  }

  @ResolveField(() => TaintChangeAnswerShape, { description: 'One change of taints, with what became of each node.' })
  @RequirePermission('read', 'parent')
  async taintChange(
    @Parent() { name }: ClusterShape,
    @Args() { id }: TaintChangeArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintChangeAnswerShape>> {
    return answered(await this.answerChange.stored(name, id, edge), edge);
  }

  @Mutation(() => TaintChangeAnswerShape, {
    description: 'Changes taints, cordons and labels as kubectl would, on the record; or says what that would do.',
  })
  @RequirePermission('evaluate', 'input.cluster')
  async changeTaints(
    @Args() { input }: ChangeTaintsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintChangeAnswerShape>> {
    const request = changeTaintsRequest(input.cluster, input, conditionsOf(input));
    return answered(await this.changeTaintsCase.run(request, edge), edge);
  }

  @Mutation(() => TaintChangeAnswerShape, { description: 'Makes the inverse of a change of taints, on the record.' })
  @RequirePermission('evaluate', 'input.cluster')
  async revertTaintChange(
    @Args() { input }: RevertTaintChangeArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TaintChangeAnswerShape>> {
    const request = revertRequest(input.cluster, input.id, input, conditionsOf(input));
    return answered(await this.revertTaintChangeCase.run(request, edge), edge);
  }
}

function answered(answer: TaintChangeAnswer, { withheld }: RequestContext): Plain<TaintChangeAnswerShape> {
  withheld.addTold(answer.nodes);
  return taintChangeAnswerShape(answer);
}

function conditionsOf({ ifMatch, idempotencyKey }: TaintChangeInput | RevertTaintChangeInput): ChangeConditions {
  return { ifMatch, idempotencyKey, root: 'input' };
}
