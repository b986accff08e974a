import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import type { JsonValue } from '../../core/json/json-value.js';
import { DeclareSchedulerConfiguration } from '../../app/schedulers/declare-scheduler-configuration.js';
import { ReadSchedulerConfiguration } from '../../app/schedulers/read-scheduler-configuration.js';
import { ReviewSchedulerConfiguration } from '../../app/schedulers/review-scheduler-configuration.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import {
  DeclaredSchedulerConfigurationShape,
  SchedulerConfigurationReviewShape,
  SchedulerConfigurationShape,
} from '../shapes/scheduler-configuration-shape.js';
import { API_PREFIX } from './api-prefix.js';
import { readAtOf, ReadQuery } from './read-at-query.js';
import { READ_ERRORS } from './read-errors.js';
import * as examples from './scheduler-configuration-examples.js';

class DryRunQuery {
  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Only say what it would be: nothing is stored.',
  })
  dryRun?: boolean;
}

const HEADERS = [
  { name: 'If-Match', description: 'Refuse with 412 unless the cluster is at this revision (`"7"`).' },
] as const;

const BODY = {
  description:
    'A KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, a legacy Policy, or a ConfigMap that holds one of them; at most 1 MiB.',
  example: examples.DOCUMENT,
};

const CHANGE_ERRORS = ['cluster-not-found', 'no-snapshot', 'precondition-failed', 'too-many-changes'] as const;

/** How the scheduler of a cluster is configured. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class SchedulerConfigurationController {
  constructor(
    private readonly readConfiguration: ReadSchedulerConfiguration,
    private readonly declareConfiguration: DeclareSchedulerConfiguration,
    private readonly reviewConfiguration: ReviewSchedulerConfiguration,
  ) {}

  @Get('scheduler-configuration')
  @RequirePermission('read')
  @Operation({
    summary: 'Read how the scheduler is configured',
    description:
      'The profiles of the scheduler with their filters, scores and arguments: those of a kube-scheduler v1.36 that was told nothing, until it is declared. It is part of the stored state, so any revision has its own.',
    query: ReadQuery,
    parameters: { cluster: 'example' },
    answers: [
      {
        status: 200,
        description: 'The configuration.',
        shape: SchedulerConfigurationShape,
        example: examples.CONFIGURATION,
      },
    ],
    errors: READ_ERRORS,
  })
  async read(
    @Param('cluster') cluster: string,
    @Query() query: ReadQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<SchedulerConfigurationShape>> {
    return this.readConfiguration.run(cluster, readAtOf(query), edge);
  }

  @Put('scheduler-configuration')
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Declare how the scheduler is configured',
    description:
      'Takes the configuration that kube-scheduler is started with, or a legacy Policy (removed in Kubernetes 1.23), whose predicates and priorities are mapped to plugins. What is wrong with it is named at once, in the words of Kubernetes. It makes a revision of the kind `settings`. A dry run needs the right `evaluate` alone, a declaration needs `change`.',
    query: DryRunQuery,
    parameters: { cluster: 'example', dryRun: true },
    headers: HEADERS,
    body: BODY,
    answers: [
      {
        status: 200,
        description: 'The configuration from now on.',
        shape: DeclaredSchedulerConfigurationShape,
        example: examples.DECLARED,
      },
    ],
    errors: CHANGE_ERRORS,
  })
  async declare(
    @Param('cluster') cluster: string,
    @Query() { dryRun = false }: DryRunQuery,
    @Body() configuration: JsonValue | undefined,
    @Headers('if-match') ifMatch: string | undefined,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredSchedulerConfigurationShape>> {
    // A body of null is no taking back.
    const given = configuration ?? undefined;
    return this.declareConfiguration.run({ cluster, configuration: given, dryRun, ifMatch, at: '' }, edge);
  }

  @Delete('scheduler-configuration')
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Take back how the scheduler is configured',
    description: 'From then on it is a scheduler that was told nothing, in a revision of its own.',
    query: DryRunQuery,
    parameters: { cluster: 'example', dryRun: true },
    headers: HEADERS,
    answers: [
      {
        status: 200,
        description: 'The configuration from now on.',
        shape: DeclaredSchedulerConfigurationShape,
        example: { ...examples.DECLARED, declared: false, document: null, warnings: [] },
      },
    ],
    errors: CHANGE_ERRORS,
  })
  async reset(
    @Param('cluster') cluster: string,
    @Query() { dryRun = false }: DryRunQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredSchedulerConfigurationShape>> {
    return this.declareConfiguration.run({ cluster, configuration: null, dryRun, ifMatch, at: '' }, edge);
  }

  @Post('scheduler-configuration-reviews')
  @HttpCode(200)
  @RequirePermission('evaluate')
  @Operation({
    summary: 'Check the configuration of a scheduler',
    description:
      'Says whether kube-scheduler would start with it, everything that is wrong with it, what it comes to, and which pods of the cluster it would schedule. Nothing is stored.',
    query: ReadQuery,
    parameters: { cluster: 'example' },
    body: BODY,
    answers: [
      {
        status: 200,
        description: 'What there is to say of it, also where it is refused.',
        shape: SchedulerConfigurationReviewShape,
        example: examples.REVIEW,
      },
    ],
    errors: READ_ERRORS,
  })
  async review(
    @Param('cluster') cluster: string,
    @Query() query: ReadQuery,
    @Body() configuration: JsonValue | undefined,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<SchedulerConfigurationReviewShape>> {
    const given = { configuration: configuration ?? undefined, at: '' };
    return this.reviewConfiguration.run(cluster, given, readAtOf(query), edge);
  }
}
