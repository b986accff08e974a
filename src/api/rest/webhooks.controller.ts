import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { RequestContext } from '../../app/request-context.js';
import { ReviewAdmission } from '../../app/webhooks/review-admission.js';
import { admissionReview, reviewParameters } from '../../contract/admission/admission-review.js';
import { exampleOf } from '../../contract/example-of.js';
import type { Response } from '../../contract/schema.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { requestClass, responseClass } from '../contract/object-classes.js';
import { Operation } from '../docs/operation.js';
import { Ctx } from '../http/request-context.decorator.js';
import { RequirePermission } from '../access/require-permission.js';
import { webhookTimeoutMs } from './webhook-timeout.js';
import { API_PREFIX } from './api-prefix.js';

class ReviewQuery extends requestClass(reviewParameters) {}

const AdmissionReviewResponse = responseClass(admissionReview);

const UID = '705ab4f5-6393-11e8-b7cc-42010a800002';

const EXAMPLE = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: UID,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    name: 'trainer',
    namespace: 'ml',
    operation: 'CREATE',
    userInfo: { username: 'alice' },
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'trainer', namespace: 'ml' },
      spec: { containers: [{ name: 'c', image: 'trainer:1' }] },
    },
    oldObject: null,
    dryRun: true,
  },
};

const ADDED = {
  ...exampleOf(admissionReview),
  response: {
    uid: UID,
    allowed: true,
    patchType: 'JSONPatch',
    patch: 'W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvdG9sZXJhdGlvbnMiLCJ2YWx1ZSI6W119XQ==',
    auditAnnotations: { pools: 'ml' },
  },
};

const REFUSED = {
  ...exampleOf(admissionReview),
  response: {
    uid: UID,
    allowed: false,
    status: {
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message:
        'pool "ml" is not open to pods of namespace "web" that run as service account "default": spec.tolerations[0] ' +
        '(Exists without a key, for every taint) tolerates dedicated=ml:NoSchedule',
    },
    auditAnnotations: { pools: 'ml' },
  },
};

const REVIEW_ERRORS = [
  'cluster-not-found',
  'no-snapshot',
  'body-required',
  'webhook-timeout',
  'too-many-changes',
] as const;

const BODY = {
  description: 'An `admission.k8s.io/v1` AdmissionReview, as an API server sends it; of up to 16 MiB.',
  example: EXAMPLE,
  mediaTypes: ['application/json'],
};

/** Handles admission webhook calls of API servers. */
@Controller(`${API_PREFIX}/clusters/:cluster/webhooks`)
export class WebhooksController {
  constructor(private readonly reviewAdmission: ReviewAdmission) {}

  @Post('mutate-pods')
  @HttpCode(200)
  @RouteConfig({ fromApiServer: true, jsonOnly: true })
  @RequirePermission('admit')
  @Operation({
    summary: 'Answer a mutating webhook call',
    description:
      'Adds what the permitted pools require to a new pod: a toleration for each taint, and the labels as required node ' +
      'affinity in every term. Objects that are not pods and operations other than CREATE are admitted unchanged. An error ' +
      'returns a status other than 200, which the API server treats as a failed call, so the `failurePolicy` applies. The ' +
      'mutation is recorded before the response is sent, unless the request is a dry run.',
    query: ReviewQuery,
    parameters: { cluster: 'example' },
    body: BODY,
    answers: [{ status: 200, description: 'The admission response.', schema: AdmissionReviewResponse, example: ADDED }],
    errors: REVIEW_ERRORS,
  })
  async mutate(
    @Param('cluster') cluster: string,
    @Body() review: unknown,
    @Query() { timeout }: ReviewQuery,
    @Ctx() requestContext: RequestContext,
  ): Promise<Response<typeof admissionReview>> {
    const timeoutMs = webhookTimeoutMs(timeout);
    return this.reviewAdmission.run(
      { cluster, webhook: 'mutate', review: review as JsonValue, timeoutMs },
      requestContext,
    );
  }

  @Post('validate-pods')
  @HttpCode(200)
  @RouteConfig({ fromApiServer: true, jsonOnly: true })
  @RequirePermission('admit')
  @Operation({
    summary: 'Answer a validating webhook call',
    description:
      "Rejects a pod that may not use a pool but could run on its nodes: a pod that tolerates the pool's taints by itself, " +
      'for example with a broad `Exists`, or that names one of the nodes in `nodeName`. An updated pod is rejected only for ' +
      'violations that it did not have before. Pods of DaemonSets, static pods and their mirror pods, and pods in exempt ' +
      'namespaces are admitted.',
    query: ReviewQuery,
    parameters: { cluster: 'example' },
    body: BODY,
    answers: [
      { status: 200, description: 'The admission response.', schema: AdmissionReviewResponse, example: REFUSED },
    ],
    errors: REVIEW_ERRORS,
  })
  async validate(
    @Param('cluster') cluster: string,
    @Body() review: unknown,
    @Query() { timeout }: ReviewQuery,
    @Ctx() requestContext: RequestContext,
  ): Promise<Response<typeof admissionReview>> {
    const timeoutMs = webhookTimeoutMs(timeout);
    return this.reviewAdmission.run(
      { cluster, webhook: 'validate', review: review as JsonValue, timeoutMs },
      requestContext,
    );
  }
}
