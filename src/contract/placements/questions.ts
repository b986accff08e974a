import { ADMISSION } from '../common/admission-mode.js';
import { READ_ERRORS } from '../errors.js';
import { question } from '../question.js';
import {
  placementAcrossRequest,
  placementBatchRequest,
  placementRequest,
  storedPodPlacementQuery,
} from './placement-request.js';
import { clusterPlacementsResponse, placementBatchResponse, placementResponse } from './placement.js';

const ERRORS = [...READ_ERRORS, 'budget-exceeded'] as const;

const EXPLANATION =
  'Evaluates the filters of the Kubernetes scheduler (v1.36) for every node, by the requested, stored or default profile. ' +
  'Returns a verdict, every reason with its facts and fields, the first failing filter, untolerated taints by name, which ' +
  'toleration matches which taint, changes that would admit the pod, and the Kubernetes message if no node is feasible. ';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'web', resources: { requests: { cpu: '500m', memory: '128Mi' } } }] },
};

/*
 * The fields of GraphQL, `placement`, `placements` and `placementsAcross`, are resolved by hand: groups, nodes, fixes and the ranking of
 * a placement are computed only if requested.
 */

export const placePod = question({
  id: 'placements.place',
  summary: 'Place a pod',
  description:
    EXPLANATION +
    'A manifest is first completed as the API server and its controllers would; the response lists what they add. Fields ' +
    'of the manifest that Kubernetes does not know are counted, not refused.',
  method: 'POST',
  path: 'clusters/{cluster}/placements',
  permission: 'evaluate',
  readsRevision: true,
  restQuery: { admission: ADMISSION },
  body: { type: placementRequest, description: 'The pod to place, and what to list.', manifest: { member: 'pod' } },
  response: placementResponse,
  statuses: { 200: 'The placement.' },
  errors: [...ERRORS, 'invalid-object', 'admission-refused', 'object-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example' }, body: { pod: POD, limit: 10 } },
});

export const placeStoredPod = question({
  id: 'placements.placeStored',
  summary: 'Place a stored pod',
  description: EXPLANATION + 'A bound pod is placed as if it were not bound: what it uses on its node counts as free.',
  method: 'GET',
  path: 'clusters/{cluster}/pods/{namespace}/{pod}/placement',
  variables: {
    namespace: { in: 'namespace', description: 'Pod namespace.' },
    name: { in: 'pod', description: 'Pod name.' },
  },
  permission: 'evaluate',
  readsRevision: true,
  query: storedPodPlacementQuery,
  response: placementResponse,
  statuses: { 200: 'The placement.' },
  errors: [...ERRORS, 'object-not-found', 'invalid-continue-token'],
  examples: { parameters: { cluster: 'example', namespace: 'default', pod: 'web', limit: 10 } },
});

export const placePods = question({
  id: 'placements.placeMany',
  summary: 'Place many pods',
  description:
    'Places many pods independently on one state of a cluster: an invalid item does not affect the others, and the pods do ' +
    'not count for each other. By default, the response has a summary of each.',
  method: 'POST',
  path: 'clusters/{cluster}/placements/batch',
  permission: 'evaluate',
  readsRevision: true,
  restQuery: { admission: ADMISSION },
  body: {
    type: placementBatchRequest,
    description: 'The placements to evaluate.',
    manifest: { member: 'pod', list: 'items' },
  },
  response: placementBatchResponse,
  statuses: { 200: 'The placements.' },
  errors: ERRORS,
  examples: {
    parameters: { cluster: 'example' },
    body: {
      items: [
        { id: 'a', pod: POD },
        { id: 'b', podRef: { namespace: 'default', name: 'gone' } },
      ],
    },
  },
});

export const placePodAcrossClusters = question({
  id: 'placements.placeAcross',
  summary: 'Place a pod in many clusters',
  description:
    'Places one pod in every cluster that a selector matches. Each cluster has a placement or an error. By default, the ' +
    'response has a summary of each.',
  method: 'POST',
  path: 'placements',
  permission: 'evaluate',
  clusters: 'each',
  readsRevision: true,
  restQuery: { admission: ADMISSION },
  body: {
    type: placementAcrossRequest,
    description: 'The clusters, the pod to place, and what to list.',
    hasPage: true,
    manifest: { member: 'pod' },
  },
  response: clusterPlacementsResponse,
  statuses: { 200: 'The placements.' },
  errors: ['invalid-continue-token', 'budget-exceeded'],
  examples: { body: { clusterSelector: 'env=prod', pod: POD } },
});
