import { BASIS, END } from './inventory-examples.js';

/** Answers as the documentation shows them. */
const RESOURCE = {
  resource: 'requests.cpu',
  hard: '10',
  enforced: '10',
  used: '9500m',
  reported: '10',
  left: '0',
  percent: 100,
  standing: 'full',
  difference: '500m',
  reason: 'finished',
  why: 'status.used still counts pods that have ended: 500m',
  finished: '500m',
  overdue: '0',
  deleting: '0',
  beyondSpec: '0',
};

export const QUOTA = {
  namespace: 'default',
  name: 'team-quota',
  standing: 'full',
  scopes: [
    {
      scope: 'PriorityClass',
      operator: 'In',
      values: ['high'],
      text: '{PriorityClass In [high]}',
      takesIn: 'pods',
      meaning: 'pods whose priorityClassName is one of high',
    },
  ],
  pods: 12,
  resources: [RESOURCE],
};

export const QUOTAS = { basis: BASIS, notLoaded: [], items: [QUOTA], ...END };

export const ONE_QUOTA = {
  basis: BASIS,
  notLoaded: [],
  quota: QUOTA,
  items: [
    {
      name: 'web-0',
      phase: 'Running',
      counting: 'counts',
      why: 'it is charged what it asks for',
      countsUntil: null,
      outside: [],
      charged: { 'requests.cpu': '500m' },
      released: {},
      beyondSpec: {},
    },
  ],
  ...END,
};

export const REVIEW_BODY = {
  items: [
    {
      id: 'a',
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'batch' },
        spec: { containers: [{ name: 'batch', image: 'batch', resources: { requests: { cpu: '250m' } } }] },
      },
      replicas: 50,
    },
  ],
};

export const REVIEW_ANSWER = {
  basis: BASIS,
  items: [
    {
      id: 'a',
      review: {
        kind: 'Pod',
        namespace: 'default',
        name: 'batch',
        outcome: 'partly',
        wanted: 50,
        admitted: 40,
        fits: 40,
        refusal: {
          by: 'ResourceQuota',
          status: 403,
          message:
            'pods "batch" is forbidden: exceeded quota: team-quota, requested: requests.cpu=250m, used: requests.cpu=10, limited: requests.cpu=10',
          causes: [],
        },
        raises: [
          {
            quota: 'team-quota',
            resource: 'requests.cpu',
            from: '10',
            to: '12500m',
            text: 'team-quota requests.cpu 10 -> 12500m',
          },
        ],
        rooms: [{ quota: 'team-quota', resource: 'requests.cpu', hard: '10', used: '0', perPod: '250m', fits: 40 }],
        charges: [{ quota: 'team-quota', resource: 'requests.cpu', before: '0', after: '10' }],
        notJudged: [],
        notes: [],
      },
      error: null,
    },
  ],
};

export const CAPACITY = {
  basis: BASIS,
  notLoaded: [],
  assumptions: ['limits are not bounded by nodes, and are left out'],
  items: [
    {
      namespace: 'default',
      holds: 'beyond',
      nodes: 1,
      groups: [{ of: 'stored', pods: 12, tolerations: [], nodeSelector: {}, nodes: 1 }],
      resources: [
        {
          quota: 'team-quota',
          resource: 'requests.cpu',
          hard: '10',
          used: '4',
          quotaFree: '6',
          allocatable: '4',
          free: '0',
          holds: 'beyond',
          text: 'team-quota allows 10 requests.cpu, and the 1 nodes that its pods can use have 4',
        },
      ],
      waiting: 3,
      waitingPods: [
        { pods: 3, example: 'web-7', feasibleNodes: 0, message: '0/1 nodes are available: 1 Insufficient cpu.' },
      ],
      refusal: null,
      notJudged: [],
    },
  ],
  ...END,
};
