import { BASIS } from './inventory-examples.js';

export const DOCUMENT = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  percentageOfNodesToScore: 50,
  profiles: [
    {
      schedulerName: 'default-scheduler',
      plugins: { score: { disabled: [{ name: 'NodeResourcesBalancedAllocation' }] } },
      pluginConfig: [
        {
          name: 'NodeResourcesFit',
          args: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
        },
      ],
    },
  ],
};

const READ = {
  source: 'KubeSchedulerConfiguration',
  profiles: [
    {
      schedulerName: 'default-scheduler',
      filters: ['NodeUnschedulable', 'NodeName', 'TaintToleration'],
      scores: [
        { plugin: 'TaintToleration', weight: 3 },
        { plugin: 'NodeResourcesFit', weight: 1 },
      ],
      points: [{ point: 'postFilter', plugins: ['DefaultPreemption'] }],
      arguments: {
        InterPodAffinity: {
          apiVersion: 'kubescheduler.config.k8s.io/v1',
          kind: 'InterPodAffinityArgs',
          hardPodAffinityWeight: 1,
          ignorePreferredTermsOfExistingPods: false,
        },
      },
      outOfTreePlugins: [],
      percentageOfNodesToScore: null,
    },
  ],
  warnings: [
    {
      code: 'PercentageOfNodesNotApplied',
      message: 'percentageOfNodesToScore of 50 is not applied: every node is looked at',
      pointer: '/percentageOfNodesToScore',
      plugin: null,
    },
  ],
  mapping: [],
};

export const CONFIGURATION = { basis: BASIS, declared: true, document: DOCUMENT, ...READ };

export const DECLARED = { ...CONFIGURATION, changed: true, dryRun: false };

export const REVIEW = {
  basis: BASIS,
  accepted: true,
  stage: null,
  message: null,
  faults: [],
  configuration: READ,
  pods: [{ schedulerName: 'default-scheduler', pods: 12, pending: 1, scheduled: true }],
};
