import { BASIS } from './inventory-examples.js';

export const CONFIGURATION_BODY = {
  enablePlugins: ['PodTolerationRestriction'],
  defaultUnreachableTolerationSeconds: 60,
  podTolerationRestriction: { default: [{ key: 'team', operator: 'Exists', effect: 'NoSchedule' }] },
  dryRun: true,
};

export const CONFIGURATION = {
  basis: BASIS,
  declared: true,
  plugins: [
    { name: 'PodTolerationRestriction', on: true, onByDefault: false, run: true, toPods: null },
    {
      name: 'PodSecurity',
      on: true,
      onByDefault: true,
      run: false,
      toPods: "refuses what the namespace's pod security standard forbids",
    },
  ],
  defaultNotReadyTolerationSeconds: 300,
  defaultUnreachableTolerationSeconds: 60,
  podTolerationRestriction: {
    default: [
      {
        key: 'team',
        operator: 'Exists',
        value: '',
        effect: 'NoSchedule',
        tolerationSeconds: null,
        text: 'team Exists NoSchedule',
      },
    ],
    whitelist: [],
  },
  podNodeSelector: {},
  limitedResources: [],
};

export const DECLARED = { ...CONFIGURATION, changed: true, dryRun: true };

export const REVIEW_BODY = {
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
  },
};

const NOT_READY = {
  key: 'node.kubernetes.io/not-ready',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
};

export const REVIEW = {
  basis: BASIS,
  operation: 'create',
  outcome: 'admitted',
  workload: null,
  pod: {
    ...REVIEW_BODY.pod,
    spec: { ...REVIEW_BODY.pod.spec, tolerations: [NOT_READY] },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  },
  refusal: null,
  steps: [
    {
      by: 'DefaultTolerationSeconds',
      does: 'changes',
      outcome: 'passed',
      patch: [
        {
          op: 'add',
          path: '/spec/tolerations',
          value: [NOT_READY],
          why: 'a pod that sets no time to stay on a node that is not ready or unreachable gets the default time',
        },
      ],
      why: null,
    },
    {
      by: 'PodTolerationRestriction',
      does: 'changes',
      outcome: 'off',
      patch: [],
      why: "the cluster's configuration has it off",
    },
  ],
  notJudged: [],
  notRun: [{ plugin: 'PodSecurity', toPods: "refuses what the namespace's pod security standard forbids" }],
  webhooks: [
    {
      type: 'mutating',
      configuration: 'istio-sidecar-injector',
      name: 'sidecar-injector.istio.io',
      failurePolicy: 'Fail',
      certain: true,
    },
  ],
  webhooksNotLoaded: [],
  quotas: [{ name: 'team-a', hard: { pods: '10' }, usedBefore: { pods: '3' }, used: { pods: '4' }, charged: true }],
  unknownFields: [],
  notes: [],
};
