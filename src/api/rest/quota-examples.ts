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
