import { ADMISSION } from '../common/admission-mode.js';
import { answerBasis } from '../common/basis.js';
import { FINDING_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { across, list, question } from '../question.js';
import {
  clusterManifestFindingsRequest,
  finding,
  findingCounts,
  manifestFindings,
  manifestFindingsRequest,
} from './finding.js';

const findings = list({
  name: 'FindingList',
  item: finding,
  itemsDescription: 'The findings, errors first.',
  head: {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    counts: { type: findingCounts, description: 'How many of each severity, on all pages together.' },
  },
  connection: { name: 'Finding', description: 'Findings, errors first.' },
});

const MANIFEST = {
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'job' },
    spec: { containers: [{ name: 'main', image: 'busybox' }], tolerations: [{ operator: 'Exists' }] },
  },
};
const MANIFEST_DESCRIPTION = 'The manifest. What the API server would refuse is explained, not refused.';

export const listFindings = question({
  id: 'findings.list',
  summary: 'Find what tolerations and taints say that was likely not meant',
  description:
    'The findings on a revision, errors first, by workload: tolerations that match nothing, that tolerate more than was likely meant, that attract no pod to its pool, legacy keys, early evictions; pods whose node is absent, and nodes without a status.',
  method: 'GET',
  path: 'clusters/{cluster}/findings',
  permission: 'read',
  readsRevision: true,
  query: FINDING_FILTERS,
  response: findings,
  statuses: { 200: 'A page of findings.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', severity: 'warning' } },
  graphql: {
    on: 'Cluster',
    name: 'findings',
    description: 'What its tolerations and taints say that was likely not meant.',
  },
});

export const listFindingsOfClusters = question({
  id: 'findings.across',
  summary: 'Find what tolerations and taints of several clusters say',
  description: 'The findings of each cluster that a selector picks, with its own basis, or with its own error.',
  method: 'GET',
  path: 'findings',
  permission: 'read',
  clusters: 'each',
  readsRevision: true,
  query: FINDING_FILTERS,
  response: across({
    name: 'FindingsAcross',
    each: findings,
    cluster: {
      name: 'ClusterFindings',
      description: "One cluster's findings, or why it has no answer.",
      member: 'findings',
    },
  }),
  statuses: { 200: 'A page of clusters.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { clusterSelector: 'env=prod', severity: 'warning' } },
  graphql: { on: 'Query', name: 'findings', description: 'The findings of each cluster of a selector.' },
});

export const findManifestFindings = question({
  id: 'findings.ofManifest',
  summary: 'Find what a manifest says that was likely not meant, in a cluster',
  description: 'The findings on a manifest of a pod or of a workload, held against the taints and labels of a cluster.',
  method: 'POST',
  path: 'clusters/{cluster}/findings',
  permission: 'evaluate',
  readsRevision: true,
  restQuery: { admission: ADMISSION },
  body: { type: clusterManifestFindingsRequest, description: MANIFEST_DESCRIPTION },
  response: manifestFindings,
  statuses: { 200: 'All of them.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, body: MANIFEST },
  graphql: {
    on: 'Query',
    name: 'manifestFindings',
    description: 'The findings on a manifest; what the API server would refuse is explained, not refused.',
    cluster: {
      argument: 'cluster',
      optional: true,
      description: 'The cluster that it is for; without one it is judged alone.',
    },
  },
});

export const findManifestFindingsAlone = question({
  id: 'findings.ofManifestAlone',
  summary: 'Find what a manifest says that was likely not meant',
  description: 'The findings on a manifest of a pod or of a workload by itself, without a cluster.',
  method: 'POST',
  path: 'findings',
  permission: 'any caller',
  body: { type: manifestFindingsRequest, description: MANIFEST_DESCRIPTION },
  response: manifestFindings,
  statuses: { 200: 'All of them.' },
  errors: [],
  examples: { body: MANIFEST, response: { basis: null } },
});
