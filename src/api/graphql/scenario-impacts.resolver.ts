import { Args, ArgsType, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Intents } from '../../app/reads/read-at.js';
import type { RequestContext } from '../../app/request-context.js';
import { CompareScenario } from '../../app/scenarios/compare-scenario.js';
import type { ImpactKind } from '../../core/scenario-impact/step-scenario-impacts.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { AT, INTENTS, MAX_AGE, readAtOf, REVISION } from '../rest/read-at-query.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { ScenarioBody, scenarioOf } from '../shapes/scenario-body.js';
import {
  IMPACT_KINDS_FILTER,
  ScenarioImpactCountsShape,
  ScenarioImpactShape,
} from '../shapes/scenario-impact-shape.js';
import { ConnectionArguments, pageOfConnection } from './connection.js';
import { readConnection, readConnectionOf, type ReadConnection } from './read-connection.js';

@ObjectType({ description: 'What hypothetical changes make worse, by kind, namespace and name.' })
class ScenarioImpactConnection extends readConnectionOf(ScenarioImpactShape, 'ScenarioImpact') {
  @Shown({ type: () => ScenarioImpactCountsShape, description: 'How many there are of each kind.' })
  counts!: Plain<ScenarioImpactCountsShape>;
}

@ArgsType()
class ScenarioImpactsArguments extends ConnectionArguments {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given({ type: () => ScenarioBody, description: 'The changes.' })
  scenario!: ScenarioBody;

  @Given(IMPACT_KINDS_FILTER)
  kinds?: ImpactKind[];
}

/** What hypothetical changes make worse. */
@Resolver(() => ClusterShape)
export class ScenarioImpactsResolver {
  constructor(private readonly compareScenario: CompareScenario) {}

  @ResolveField(() => ScenarioImpactConnection, {
    description: 'What hypothetical changes make worse than it is: pods, nodes and quotas.',
  })
  @RequirePermission('evaluate', 'parent')
  async scenarioImpacts(
    @Parent() { name: cluster }: ClusterShape,
    @Args() args: ScenarioImpactsArguments,
    @Ctx() edge: RequestContext,
  ): Promise<ReadConnection<Plain<ScenarioImpactShape>> & { readonly counts: Plain<ScenarioImpactCountsShape> }> {
    const readAt = { ...readAtOf(args), scenario: scenarioOf(args.scenario) };
    const request = { cluster, readAt, kinds: args.kinds, page: pageOfConnection(args) };
    const { counts, ...answer } = await this.compareScenario.run(request, edge);
    return { ...readConnection(answer, args), counts };
  }
}
