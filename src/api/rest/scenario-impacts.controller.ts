import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { RequestContext } from '../../app/request-context.js';
import { CompareScenario } from '../../app/scenarios/compare-scenario.js';
import type { ImpactKind } from '../../core/scenario-impact/step-scenario-impacts.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { ScenarioBody, scenarioOf } from '../shapes/scenario-body.js';
import {
  IMPACT_KINDS_FILTER,
  ScenarioImpactCountsShape,
  ScenarioImpactShape,
} from '../shapes/scenario-impact-shape.js';
import { API_PREFIX } from './api-prefix.js';
import { BASIS, END } from './inventory-examples.js';
import { pageShape } from './page-query.js';
import { listRequest, StatePageQuery } from './read-at-query.js';
import { LIST_ERRORS } from './read-errors.js';
import { ReadPageShape } from './read-page-shape.js';

class ScenarioImpactsBody {
  @Given({ type: () => ScenarioBody, description: 'The changes.' })
  scenario!: ScenarioBody;

  @Given(IMPACT_KINDS_FILTER)
  kinds?: ImpactKind[];
}

class ScenarioImpactListShape extends ReadPageShape {
  @Shown({ type: () => ScenarioImpactCountsShape, description: 'How many there are of each kind.' })
  counts!: Plain<ScenarioImpactCountsShape>;

  @Shown({ type: () => ScenarioImpactShape, list: true, description: 'By kind, namespace and name.' })
  items!: Plain<ScenarioImpactShape>[];
}

const EXAMPLE = {
  basis: BASIS,
  counts: { podRefused: 0, podDoesNotFit: 0, nodeOvercommitted: 1, quotaOverflows: 0 },
  items: [
    {
      kind: 'nodeOvercommitted',
      namespace: null,
      name: 'node-1',
      node: 'node-1',
      by: 'cpu',
      before: '3',
      after: '3',
      limit: '2',
      message: 'its pods request 3 cpu, and it has 2; before they requested 3',
    },
  ],
  ...END,
};

/** What hypothetical changes make worse. */
@Controller(`${API_PREFIX}/clusters/:cluster/scenario-impacts`)
export class ScenarioImpactsController {
  constructor(private readonly compareScenario: CompareScenario) {}

  @Post()
  @HttpCode(200)
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask what hypothetical changes make worse',
    description:
      'Compares a state with what a scenario makes of it: pods that admission would refuse now, pods that would not be placed on their node any more with the reason of the filter, nodes that are overcommitted and quotas that overflow, before and after. What was as bad before is left out. Nothing is stored.',
    query: StatePageQuery,
    parameters: { cluster: 'example', limit: 10 },
    body: {
      shape: ScenarioImpactsBody,
      description: 'The changes.',
      example: { scenario: { changes: [{ resizeNodes: { nodes: ['node-1'], allocatable: { cpu: '2' } } }] } },
    },
    answers: [{ status: 200, description: 'What is worse.', shape: ScenarioImpactListShape, example: EXAMPLE }],
    errors: [...LIST_ERRORS, 'budget-exceeded'],
  })
  async impacts(
    @Param('cluster') cluster: string,
    @Query() query: StatePageQuery,
    @Body() body: ScenarioImpactsBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<ScenarioImpactListShape>> {
    const { readAt, page: wanted } = listRequest(cluster, query, body.scenario);
    const request = {
      cluster,
      readAt: { ...readAt, scenario: scenarioOf(body.scenario) },
      kinds: body.kinds,
      page: wanted,
    };
    const { page, ...head } = await this.compareScenario.run(request, edge);
    return { ...head, ...pageShape(page, (impact) => impact) };
  }
}
