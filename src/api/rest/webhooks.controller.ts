import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { RequestContext } from '../../app/request-context.js';
import { ConfigureWebhooks } from '../../app/webhooks/configure-webhooks.js';
import { ListAdmissionRecords } from '../../app/webhooks/list-admission-records.js';
import { ReviewAdmission } from '../../app/webhooks/review-admission.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { Operation } from '../operation.js';
import {
  admissionRecordFilter,
  AdmissionRecordFilters,
  AdmissionRecordShape,
  admissionRecordShape,
} from '../shapes/admission-record-shape.js';
import { AdmissionReviewShape, admissionReviewShape } from '../shapes/admission-review-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';
import { configureWebhooksRequest, WEBHOOK_OPTIONS } from '../shapes/webhook-options.js';
import { webhookTimeoutMs } from '../webhook-timeout.js';
import { API_PREFIX } from './api-prefix.js';
import { CONTINUE, LIMIT, pageRequest } from './page-query.js';
import { READ_ERRORS } from './read-errors.js';
import { UncountedPageShape, uncountedPageShape } from './uncounted-page.js';
import * as examples from './webhook-examples.js';

class ReviewQuery {
  @Given({
    type: 'string',
    optional: true,
    maximumLength: 40,
    description: 'How long the API server waits, as it says it: `10s`. At most 30 seconds; 10 by default.',
  })
  timeout?: string;
}

class AdmissionRecordsQuery extends AdmissionRecordFilters {
  @Given(LIMIT)
  limit?: number;

  @Given(CONTINUE)
  continue?: string;
}

class ConfigurationQuery {
  @Given(WEBHOOK_OPTIONS.url)
  url?: string;

  @Given(WEBHOOK_OPTIONS.service)
  service?: string;

  @Given(WEBHOOK_OPTIONS.failurePolicy)
  failurePolicy?: string;

  @Given(WEBHOOK_OPTIONS.timeoutSeconds)
  timeoutSeconds?: number;
}

class AdmissionRecordListShape extends UncountedPageShape {
  @Shown({ type: () => AdmissionRecordShape, list: true, description: 'The records, newest first.' })
  items!: Plain<AdmissionRecordShape>[];
}

class ManifestListShape {
  @Shown({ type: 'string', description: '`v1`.', example: 'v1' })
  apiVersion!: string;

  @Shown({ type: 'string', description: '`List`.', example: 'List' })
  kind!: string;

  @Shown({ type: 'kubernetesObject', list: true, description: 'To be applied: `kubectl apply -f -`.' })
  items!: readonly JsonObject[];
}

const REVIEW_ERRORS = [
  'cluster-not-found',
  'no-snapshot',
  'body-required',
  'webhook-timeout',
  'too-many-changes',
] as const;

const BODY = {
  description: 'An `admission.k8s.io/v1` AdmissionReview, as an API server sends it; of up to 16 MiB.',
  example: examples.REVIEW,
  mediaTypes: ['application/json'],
};

/** What a real API server asks on a pod's way in, and what was answered. */
@Controller(`${API_PREFIX}/clusters/:cluster`)
export class WebhooksController {
  constructor(
    private readonly reviewAdmission: ReviewAdmission,
    private readonly configureWebhooks: ConfigureWebhooks,
    private readonly listAdmissionRecords: ListAdmissionRecords,
  ) {}

  @Post('webhooks/mutate-pods')
  @HttpCode(200)
  @RouteConfig({ fromApiServer: true, jsonOnly: true })
  @RequirePermission('admit')
  @Operation({
    summary: 'Answer a mutating webhook call',
    description:
      'Adds to a new pod what the pools that it may use ask for: a toleration for each taint, and the labels as required node ' +
      'affinity in every term. What is no pod, or no creation, is let pass as it is. A fault is answered with another status than ' +
      '200, which the API server takes for a failed call: the `failurePolicy` decides then. What was added is on the record ' +
      'before it is answered, unless the request is a dry run.',
    query: ReviewQuery,
    parameters: { cluster: 'example' },
    body: BODY,
    answers: [{ status: 200, description: 'The answer.', shape: AdmissionReviewShape, example: examples.ADDED }],
    errors: REVIEW_ERRORS,
  })
  async mutate(
    @Param('cluster') cluster: string,
    @Body() review: unknown,
    @Query() { timeout }: ReviewQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AdmissionReviewShape>> {
    const request = {
      cluster,
      webhook: 'mutate' as const,
      review: review as JsonValue,
      timeoutMs: webhookTimeoutMs(timeout),
    };
    return admissionReviewShape(await this.reviewAdmission.run(request, edge));
  }

  @Post('webhooks/validate-pods')
  @HttpCode(200)
  @RouteConfig({ fromApiServer: true, jsonOnly: true })
  @RequirePermission('admit')
  @Operation({
    summary: 'Answer a validating webhook call',
    description:
      'Refuses a pod that may not use a pool and would get onto its nodes all the same: one that tolerates its taints by itself, ' +
      'with a wide `Exists` too, or that names one of its nodes as its own. A pod that is changed is refused only for what it was ' +
      'not before. Pods of DaemonSets, static pods and their mirrors, and pods of exempt namespaces are let pass.',
    query: ReviewQuery,
    parameters: { cluster: 'example' },
    body: BODY,
    answers: [{ status: 200, description: 'The answer.', shape: AdmissionReviewShape, example: examples.REFUSED }],
    errors: REVIEW_ERRORS,
  })
  async validate(
    @Param('cluster') cluster: string,
    @Body() review: unknown,
    @Query() { timeout }: ReviewQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AdmissionReviewShape>> {
    const request = {
      cluster,
      webhook: 'validate' as const,
      review: review as JsonValue,
      timeoutMs: webhookTimeoutMs(timeout),
    };
    return admissionReviewShape(await this.reviewAdmission.run(request, edge));
  }

  @Get('webhooks/configuration')
  @RouteConfig({ beyondRevision: true })
  @RequirePermission('read')
  @Operation({
    summary: 'Write the configuration of the webhooks',
    description:
      'A MutatingWebhookConfiguration and a ValidatingWebhookConfiguration for `kubectl apply -f -`, with the certificates that the ' +
      'API server is to trust, and without the namespaces that all pools exempt.',
    query: ConfigurationQuery,
    parameters: { cluster: 'example', url: 'https://placement.example.com' },
    answers: [
      { status: 200, description: 'The manifests.', shape: ManifestListShape, example: examples.CONFIGURATION },
    ],
    errors: READ_ERRORS,
  })
  async configuration(
    @Param('cluster') cluster: string,
    @Query() query: ConfigurationQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<ManifestListShape>> {
    const request = configureWebhooksRequest(cluster, query);
    return (await this.configureWebhooks.run(request, edge)) as unknown as Plain<ManifestListShape>;
  }

  @Get('admission-records')
  @RequirePermission('audit')
  @Operation({
    summary: 'List what the webhooks did',
    description:
      'What was added to which pod, and who was refused and why, newest first. The records are only added to, and outlive their ' +
      'cluster; dry runs leave none.',
    query: AdmissionRecordsQuery,
    parameters: { cluster: 'example', limit: 10 },
    answers: [
      { status: 200, description: 'A page of records.', shape: AdmissionRecordListShape, example: examples.RECORDS },
    ],
    errors: ['cluster-not-found', 'invalid-continue-token'],
  })
  async records(
    @Param('cluster') cluster: string,
    @Query() query: AdmissionRecordsQuery,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AdmissionRecordListShape>> {
    const page = pageRequest(query);
    const found = await this.listAdmissionRecords.run({ cluster, filter: admissionRecordFilter(query), page }, edge);
    return uncountedPageShape(found, admissionRecordShape);
  }
}
