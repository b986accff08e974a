import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { ExplainPreemption } from '../../app/preemption/explain-preemption.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import { ADMISSION } from '../shapes/admission-mode.js';
import type { Plain } from '../shapes/plain.js';
import { PreemptionQuestionBody, preemptionQuestionOf, PreemptionShape } from '../shapes/preemption-shape.js';
import { Given } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { API_PREFIX } from './api-prefix.js';
import { BASIS } from './inventory-examples.js';
import { readAtOf, StateQuery } from './read-at-query.js';
import { READ_ERRORS } from './read-errors.js';

class PreemptionBody extends PreemptionQuestionBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

class PreemptionQuery extends StateQuery {
  @Given(ADMISSION)
  admission?: AdmissionMode;
}

const QUESTION = {
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'urgent', namespace: 'default' },
    spec: {
      priority: 1000,
      containers: [{ name: 'main', image: 'main:1', resources: { requests: { cpu: '100' } } }],
    },
  },
  admission: 'skip',
};

const ANSWER = {
  basis: BASIS,
  namespace: 'default',
  name: 'urgent',
  source: 'manifest',
  priority: 1000,
  preemptionPolicy: 'PreemptLowerPriority',
  added: [],
  scheduler: null,
  outcome: 'unschedulable',
  why: 'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  message:
    '0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  nominatedNodeName: null,
  victims: [],
  tied: [],
  decidedBy: null,
  clearsNomination: true,
  potentialNodes: 0,
  candidateCount: 0,
  candidates: [],
  assumptions: [],
};

/** Whom the scheduler would take away. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class PreemptionsController {
  constructor(private readonly explainPreemption: ExplainPreemption) {}

  @Post('preemptions')
  @HttpCode(200)
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask whom the scheduler would take away for a pod that fits nowhere',
    description:
      "Every node where removing pods of a lower priority may help is tried, with every filter: which pods would go, which of them a budget protects, which node is chosen and by what; and the pod's message, complete and to the letter. Nothing is stored, and nobody goes.",
    query: PreemptionQuery,
    parameters: { cluster: 'example' },
    body: { shape: PreemptionBody, description: 'Which pod.', example: QUESTION },
    answers: [{ status: 200, description: 'Who would go.', shape: PreemptionShape, example: ANSWER }],
    errors: [...READ_ERRORS, 'invalid-object', 'object-not-found', 'admission-refused'],
  })
  async preemption(
    @Param('cluster') cluster: string,
    @Query() query: PreemptionQuery,
    @Body() body: PreemptionBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<PreemptionShape>> {
    const request = { cluster, readAt: readAtOf(query, body.scenario), ...preemptionQuestionOf(body, query) };
    return this.explainPreemption.run(request, edge);
  }
}
