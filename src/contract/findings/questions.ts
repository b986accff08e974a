import { ADMISSION } from '../common/admission-mode.js';
import { answerBasis } from '../common/basis.js';
import { FINDING_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { across, list, question } from '../question.js';
import {
  clusterManifestFindingsRequest,
  finding,
  findingCounts,
  findingGroup,
  FINDINGS_VIEW,
  manifestFindings,
  manifestFindingsRequest,
} from './finding.js';

const findings = list({
  name: 'FindingList',
  item: finding,
  itemsDescription: 'The findings, errors first.',
  head: {
    basis: { type: answerBasis, description: 'The state that the findings are based on.' },
    counts: { type: findingCounts, description: 'The number of findings of each severity, over all pages.' },
  },
  groups: {
    view: FINDINGS_VIEW,
    item: findingGroup,
    description: 'The findings in groups by cause, errors first, then most findings first.',
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
const MANIFEST_DESCRIPTION =
  'The manifest. If the API server would refuse it, the response has findings, not an error.';

export const listFindings = question({
  id: 'findings.list',
  summary: 'List likely mistakes in tolerations and taints',
  description:
    'The findings on a revision, errors first, in groups by cause: tolerations that match nothing, that tolerate more than was likely meant, or that do not keep pods on their pool; legacy keys; early evictions; pods whose node is absent; nodes without a status.',
  method: 'GET',
  path: 'clusters/{cluster}/findings',
  permission: 'read',
  readsRevision: true,
  query: FINDING_FILTERS,
  response: findings,
  csv: {},
  statuses: { 200: 'A page of findings.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', severity: 'warning' } },
  graphql: {
    on: 'Cluster',
    name: 'findings',
    description: 'Likely mistakes in tolerations and taints.',
  },
});

export const listFindingsOfClusters = question({
  id: 'findings.across',
  summary: 'List likely mistakes in tolerations and taints of several clusters',
  description: 'The findings of each cluster that a selector matches, with its own basis or error.',
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
      description: 'The findings of one cluster, or its error.',
      member: 'findings',
    },
  }),
  statuses: { 200: 'A page of clusters.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { clusterSelector: 'env=prod', severity: 'warning' } },
  graphql: { on: 'Query', name: 'findings', description: 'The findings of each cluster that a selector matches.' },
});

export const findManifestFindings = question({
  id: 'findings.ofManifest',
  summary: 'Find likely mistakes in a manifest for a cluster',
  description: 'The findings on the manifest of a pod or workload, checked against the taints and labels of a cluster.',
  method: 'POST',
  path: 'clusters/{cluster}/findings',
  permission: 'evaluate',
  readsRevision: true,
  restQuery: { admission: ADMISSION },
  body: { type: clusterManifestFindingsRequest, description: MANIFEST_DESCRIPTION, manifest: { member: 'manifest' } },
  response: manifestFindings,
  statuses: { 200: 'All findings.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example' }, body: MANIFEST },
  graphql: {
    on: 'Query',
    name: 'manifestFindings',
    description:
      'The findings on a manifest. If the API server would refuse it, the response has findings, not an error.',
    cluster: {
      argument: 'cluster',
      optional: true,
      description: 'The cluster to check against; without one, only the manifest is checked.',
    },
  },
});

export const findManifestFindingsAlone = question({
  id: 'findings.ofManifestAlone',
  summary: 'Find likely mistakes in a manifest',
  description: 'The findings on the manifest of a pod or workload, without a cluster.',
  method: 'POST',
  path: 'findings',
  permission: 'any caller',
  body: { type: manifestFindingsRequest, description: MANIFEST_DESCRIPTION, manifest: { member: 'manifest' } },
  response: manifestFindings,
  statuses: { 200: 'All findings.' },
  errors: [],
  examples: { body: MANIFEST, response: { basis: null } },
});
