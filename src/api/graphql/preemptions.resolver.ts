import { Args, ArgsType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ExplainPreemption } from '../../app/preemption/explain-preemption.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { PreemptionQuestionBody, preemptionQuestionOf, PreemptionShape } from '../shapes/preemption-shape.js';
import { Given } from '../shapes/property.js';
import { ReadArguments } from './read-connection.js';

@ArgsType()
class PreemptionArguments extends ReadArguments {
  @Given({ type: () => PreemptionQuestionBody, description: 'Which pod.' })
  question!: PreemptionQuestionBody;
}

/** Whom the scheduler would take away. */
@Resolver(() => ClusterShape)
export class PreemptionsResolver {
  constructor(private readonly explainPreemption: ExplainPreemption) {}

  @ResolveField(() => PreemptionShape, {
    description: 'Whom the scheduler would take away for a pod that fits nowhere, and from which node.',
  })
  @RequirePermission('evaluate', 'parent')
  async preemption(
    @Parent() { name }: ClusterShape,
    @Args() args: PreemptionArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PreemptionShape>> {
    const request = { cluster: name, readAt: readAtOf(args), ...preemptionQuestionOf(args.question) };
    return this.explainPreemption.run(request, edge);
  }
}
