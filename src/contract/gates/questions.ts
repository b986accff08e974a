import { CONFIRM_ERRORS, READ_ERRORS } from '../errors.js';
import { question } from '../question.js';
import { gateAcrossInput, gateInput } from './gate-request.js';
import { clusterGates, gate } from './gate.js';

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '250m' } } }] },
    },
  },
};

const ERRORS = ['malformed-yaml', 'budget-exceeded'] as const;

export const askGate = question({
  id: 'gates.ask',
  summary: 'May these manifests be deployed, and will they run',
  description:
    'Takes manifests as they are through the API server, the controllers and the scheduler of a cluster: every object is admitted or refused, replicas are created and placed one after another, and an existing workload is replaced as its strategy says. Returns a verdict, the reasons in the order in which to fix them, and the smallest set of changes that makes the verdict `yes`. The body is a request, or the manifests themselves as YAML or JSON; its options are then query parameters. With `Accept: text/plain`, the response is for a log; `application/sarif+json` and `application/junit+xml` are for CI. Nothing is deployed.',
  method: 'POST',
  path: 'clusters/{cluster}/gates',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: gateInput, description: 'The manifests.', manifest: { member: 'manifests', all: true } },
  response: gate,
  statuses: { 200: 'The answer, whatever the verdict.' },
  errors: [...READ_ERRORS, ...ERRORS, ...CONFIRM_ERRORS],
  examples: { parameters: { cluster: 'example' }, body: { manifests: [DEPLOYMENT] } },
  graphql: {
    on: 'Cluster',
    name: 'gate',
    description: 'Whether manifests can be deployed and run, and what keeps them from it.',
    input: { description: 'The manifests.' },
  },
});

export const askGateAcross = question({
  id: 'gates.askAcross',
  summary: 'Where manifests can be deployed and run',
  description: 'Asks the gate of every cluster that a selector matches. Each cluster has an answer or an error.',
  method: 'POST',
  path: 'gates',
  permission: 'evaluate',
  clusters: 'each',
  readsRevision: true,
  beyondRevision: true,
  body: {
    type: gateAcrossInput,
    description: 'The clusters and the manifests.',
    hasPage: true,
    manifest: { member: 'manifests', all: true },
  },
  response: clusterGates,
  statuses: { 200: 'The answers.' },
  errors: [...ERRORS, 'invalid-continue-token'],
  examples: { body: { clusterSelector: 'env=prod', manifests: [DEPLOYMENT] } },
  graphql: {
    on: 'Query',
    name: 'gates',
    description: 'Where manifests can be deployed and run, cluster by cluster.',
    input: { description: 'The manifests, and the clusters to ask.' },
  },
});
