import { GIVEN_TAINT, GIVEN_TOLERATION } from '../common/given.js';
import { object, enumType } from '../schema.js';
import { EVENT_WORDS, MOST_EVENTS } from '../limits.js';
import { OUTAGE_WORDS } from '../limits.js';
import { LONGEST_HORIZON } from '../limits.js';
import { POD_ACTIONS } from '../../core/eviction-schedule/pod-action.js';

export const POD_ACTION = enumType(
  'PodAction',
  'marked: its deletion has been asked for already; now: it is marked for deletion by now, or should be; at: it will be; never: it stays.',
  POD_ACTIONS,
);

export const EVENT = enumType('EvictionEventKind', 'What an event does.', EVENT_WORDS);

export const OUTAGE = enumType(
  'OutageKind',
  'silent: the kubelet answers no more, neither status nor lease comes; notReady: it says itself that it is not ready.',
  OUTAGE_WORDS,
);

export const MOST_OUTAGES = 100;

export const MOST_NAMES = 10_000;

export const DEFAULT_HORIZON = 4 * 3600;

export const evictionEventInput = object(
  'EvictionEventInput',
  'Something that happens after the moment from which the schedule is asked for.',
  {
    at: { type: 'time', description: 'When; events are given in order.', example: '2026-05-04T12:00:00Z' },
    do: { type: EVENT, description: 'What happens.', example: 'setTaints' },
    node: {
      type: 'string',
      optional: true,
      description: 'The node: of setTaints, deleteNode and createPod.',
      example: 'node-1',
    },
    pod: {
      type: 'string',
      optional: true,
      description: 'The pod, as namespace/name: of setTolerations and deletePod.',
    },
    taints: {
      type: GIVEN_TAINT,
      list: true,
      optional: true,
      maximumLength: 1000,
      description: "The node's whole list of taints from then on: words of `kubectl taint`, or objects. Of setTaints.",
      example: ['maintenance=true:NoExecute'],
    },
    tolerations: {
      type: GIVEN_TOLERATION,
      list: true,
      optional: true,
      maximumLength: 1000,
      description: "The pod's whole list of tolerations from then on. Of setTolerations.",
    },
    manifest: {
      type: 'kubernetesObject',
      optional: true,
      description: 'The manifest of the Pod that is bound to the node then. Of createPod.',
    },
  },
  { openApiName: 'EvictionEvent' },
);

export const nodeOutageInput = object(
  'NodeOutageInput',
  'Nodes that fail together: exactly one of `nodes`, `labelSelector`, `zone` and `allNodes`. What the node lifecycle controller makes of it is worked out.',
  {
    nodes: { type: 'string', list: true, optional: true, maximumLength: MOST_NAMES, description: 'Nodes by name.' },
    labelSelector: { type: 'string', optional: true, description: "Nodes with these labels, in kubectl's syntax." },
    zone: {
      type: 'string',
      optional: true,
      description: 'Nodes whose label topology.kubernetes.io/zone has this value.',
      example: 'zone-b',
    },
    allNodes: { type: 'boolean', optional: true, description: 'Every node.' },
    how: { type: OUTAGE, optional: true, defaultsTo: 'silent', description: 'How they fail.' },
    from: { type: 'time', optional: true, description: 'When; by default `asOf`.' },
    until: {
      type: 'time',
      optional: true,
      description: 'When they work again; never by default, unless `forSeconds` says so.',
    },
    forSeconds: { type: 'number', optional: true, minimum: 0, description: 'For how long they fail.', example: 600 },
  },
  { openApiName: 'NodeOutage' },
);

export const FLAG = { type: 'number', optional: true } as const;

export const nodeLifecycleInput = object(
  'NodeLifecycleInput',
  "Flags of the cluster's kube-controller-manager, where they differ from v1.36's defaults.",
  {
    nodeMonitorPeriodSeconds: { ...FLAG, defaultsTo: 5, description: '--node-monitor-period.' },
    nodeMonitorGracePeriodSeconds: { ...FLAG, defaultsTo: 50, description: '--node-monitor-grace-period.' },
    nodeStartupGracePeriodSeconds: { ...FLAG, defaultsTo: 60, description: '--node-startup-grace-period.' },
    nodeEvictionRate: { ...FLAG, defaultsTo: 0.1, description: '--node-eviction-rate: nodes a second and zone.' },
    secondaryNodeEvictionRate: { ...FLAG, defaultsTo: 0.01, description: '--secondary-node-eviction-rate.' },
    largeClusterSizeThreshold: { ...FLAG, defaultsTo: 50, description: '--large-cluster-size-threshold.' },
    unhealthyZoneThreshold: { ...FLAG, defaultsTo: 0.55, description: '--unhealthy-zone-threshold.' },
  },
  { openApiName: 'NodeLifecycle' },
);

export const scheduledPodsInput = object(
  'ScheduledPodsInput',
  'Which pods are listed; the counts are of all.',
  {
    namespace: { type: 'string', optional: true, description: 'Only pods of this namespace.' },
    labelSelector: { type: 'string', optional: true, description: "Only pods with these labels, in kubectl's syntax." },
    workload: { type: 'string', optional: true, description: 'Only pods of the workload with this name.' },
    workloadKind: { type: 'string', optional: true, description: 'Only pods of workloads of this kind.' },
    actions: { type: POD_ACTION, list: true, optional: true, description: 'Only pods of which this is to be said.' },
  },
  { openApiName: 'ScheduledPods' },
);

export const evictionScheduleInput = object(
  'EvictionScheduleInput',
  'Which part of the schedule, and what is to happen.',
  {
    nodes: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: MOST_NAMES,
      description: 'Only the pods of these nodes; of all nodes by default.',
      example: ['node-1'],
    },
    nodeSelector: {
      type: 'string',
      optional: true,
      description: "Only the pods of nodes with these labels, in kubectl's syntax.",
    },
    asOf: {
      type: 'time',
      optional: true,
      description:
        'From which moment it is asked: what is to happen by then is `now`, and the changes of a scenario are made then. By default the time of the request; for a past state, its own.',
    },
    pods: { type: scheduledPodsInput, optional: true, description: 'Which pods are listed.' },
    events: {
      type: evictionEventInput,
      list: true,
      optional: true,
      maximumLength: MOST_EVENTS,
      description: 'What happens from `asOf` on, in order of time.',
    },
    outages: {
      type: nodeOutageInput,
      list: true,
      optional: true,
      maximumLength: MOST_OUTAGES,
      description: 'Nodes that fail.',
    },
    lifecycle: {
      type: nodeLifecycleInput,
      optional: true,
      description: 'How the node lifecycle controller is set up.',
    },
    controllerStartedAt: {
      type: 'time',
      optional: true,
      description:
        'When the controller manager was started last; by default what its stored lease says. All timers restart with it.',
    },
    horizonSeconds: {
      type: 'number',
      optional: true,
      minimum: 0,
      defaultsTo: DEFAULT_HORIZON,
      description: `For how long failures of nodes are followed, in seconds; at most ${LONGEST_HORIZON}.`,
      example: DEFAULT_HORIZON,
    },
    landing: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Plan where the pods that leave could land, and which find no node.',
    },
  },
  { openApiName: 'EvictionSchedule' },
);
