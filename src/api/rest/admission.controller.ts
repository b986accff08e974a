import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { DeclareAdmissionConfiguration } from '../../app/admission/declare-admission-configuration.js';
import { ReadAdmissionConfiguration } from '../../app/admission/read-admission-configuration.js';
import { TryAdmission } from '../../app/admission/try-admission.js';
import type { ErrorCode } from '../../contract/error-code.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import {
  AdmissionConfigurationBody,
  AdmissionConfigurationShape,
  DeclaredAdmissionConfigurationShape,
  givenAdmission,
} from '../shapes/admission-configuration-shape.js';
import {
  admissionQuestion,
  TryAdmissionBody,
  TriedAdmissionShape,
  triedAdmissionShape,
} from '../shapes/tried-admission-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import * as examples from './admission-examples.js';
import { API_PREFIX } from './api-prefix.js';
import { readAtOf, ReadQuery, StateQuery } from './read-at-query.js';
import { READ_ERRORS } from './read-errors.js';

class DryRunQuery {
  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Only say what it would be: nothing is stored.',
  })
  dryRun?: boolean;
}

interface ConditionHeaders {
  readonly 'if-match'?: string;
}

const HEADERS = [
  { name: 'If-Match', description: 'Refuse with 412 unless the cluster is at this revision (`"7"`).' },
] as const;

const DECLARE_ERRORS: readonly ErrorCode[] = ['cluster-not-found', 'no-snapshot', 'precondition-failed'];

/** How the API server of a cluster admits pods, and what it would do with one. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class AdmissionController {
  constructor(
    private readonly readConfiguration: ReadAdmissionConfiguration,
    private readonly declareConfiguration: DeclareAdmissionConfiguration,
    private readonly tryAdmission: TryAdmission,
  ) {}

  @Get('admission-configuration')
  @RequirePermission('read')
  @Operation({
    summary: 'Read how the API server admits pods',
    description:
      'Which admission plugins are on, and what they were told: stock (Kubernetes v1.36) until it is declared. It is part of the stored state, so any revision has its own.',
    query: ReadQuery,
    parameters: { cluster: 'example' },
    answers: [
      {
        status: 200,
        description: 'The configuration.',
        shape: AdmissionConfigurationShape,
        example: examples.CONFIGURATION,
      },
    ],
    errors: READ_ERRORS,
  })
  async configuration(
    @Param('cluster') cluster: string,
    @Query() query: ReadQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AdmissionConfigurationShape>> {
    return this.readConfiguration.run(cluster, readAtOf(query), edge);
  }

  @Put('admission-configuration')
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Declare how the API server admits pods',
    description:
      'Says which admission plugins are on and what they were told, as the flags and the configuration file of kube-apiserver do; what is left out is stock. It makes a revision of the kind `settings`. A dry run needs the right `evaluate` alone, a declaration needs `change`.',
    parameters: { cluster: 'example' },
    headers: HEADERS,
    body: {
      shape: AdmissionConfigurationBody,
      description: 'The whole of it: nothing is kept of what was declared before.',
      example: examples.CONFIGURATION_BODY,
    },
    answers: [
      {
        status: 200,
        description: 'The configuration from now on.',
        shape: DeclaredAdmissionConfigurationShape,
        example: examples.DECLARED,
      },
    ],
    errors: DECLARE_ERRORS,
  })
  async declare(
    @Param('cluster') cluster: string,
    @Body() body: AdmissionConfigurationBody,
    @Headers() headers: ConditionHeaders,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredAdmissionConfigurationShape>> {
    const { dryRun = false } = body;
    const declaration = givenAdmission(body);
    return this.declareConfiguration.run(
      { cluster, declaration, dryRun, ifMatch: headers['if-match'], root: '' },
      edge,
    );
  }

  @Delete('admission-configuration')
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Declare that the API server admits pods as stock',
    description: 'Takes back what was declared, in a revision of its own.',
    query: DryRunQuery,
    parameters: { cluster: 'example', dryRun: true },
    headers: HEADERS,
    answers: [
      {
        status: 200,
        description: 'The configuration from now on.',
        shape: DeclaredAdmissionConfigurationShape,
        example: { ...examples.DECLARED, declared: false },
      },
    ],
    errors: DECLARE_ERRORS,
  })
  async reset(
    @Param('cluster') cluster: string,
    @Query() { dryRun = false }: DryRunQuery,
    @Headers() headers: ConditionHeaders,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredAdmissionConfigurationShape>> {
    return this.declareConfiguration.run(
      { cluster, declaration: null, dryRun, ifMatch: headers['if-match'], root: '' },
      edge,
    );
  }

  @Post('admission-reviews')
  @RouteConfig({ beyondRevision: true })
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Ask what the API server would do with a pod',
    description:
      "Takes a pod, or the pod of a workload, through the API server's admission: its defaults, the plugins that change it, validation, the plugins that judge it. Tells each station with its change as a JSON Patch and the reasons, the pod as Kubernetes would store it, or the refusal to the letter with its HTTP status. What is not known, and what is not run here, is named. Nothing is stored.",
    query: StateQuery,
    parameters: { cluster: 'example' },
    body: { shape: TryAdmissionBody, description: 'The pod, and what is asked.', example: examples.REVIEW_BODY },
    answers: [{ status: 200, description: 'What would happen.', shape: TriedAdmissionShape, example: examples.REVIEW }],
    errors: [...READ_ERRORS, 'object-not-found', 'invalid-scenario'],
  })
  async review(
    @Param('cluster') cluster: string,
    @Query() query: StateQuery,
    @Body() body: TryAdmissionBody,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TriedAdmissionShape>> {
    const request = { cluster, readAt: readAtOf(query, body.scenario), root: '' as const, ...admissionQuestion(body) };
    return triedAdmissionShape(await this.tryAdmission.run(request, edge));
  }
}
