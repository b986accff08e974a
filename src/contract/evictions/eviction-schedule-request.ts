import { FIELD_VALIDATION, POD_SUBJECT } from '../common/pod-subject.js';
import { GIVEN_TAINT, GIVEN_TOLERATION } from '../common/given.js';
import { object, enumType } from '../schema.js';
import { EVICTION_EVENT_KINDS, MAX_EVENTS } from '../limits.js';
import { OUTAGE_KINDS } from '../limits.js';
import { MAX_HORIZON } from '../limits.js';
import { POD_ACTIONS } from '../../core/eviction-schedule/pod-action.js';

export const POD_ACTION = enumType(
  'PodAction',
  'marked: already marked for deletion; now: marked for deletion by `asOf`, or should be; at: will be marked for deletion later; never: stays.',
  POD_ACTIONS,
);

export const EVENT = enumType('EvictionEventKind', 'Kind of event.', EVICTION_EVENT_KINDS);

export const OUTAGE = enumType(
  'OutageKind',
  'silent: the kubelet stops updating its status and lease; notReady: the kubelet reports that it is not ready.',
  OUTAGE_KINDS,
);

export const MAX_OUTAGES = 100;

export const MAX_NAMES = 10_000;

export const DEFAULT_HORIZON = 4 * 3600;

export const evictionEventInput = object(
  'EvictionEventInput',
  'Something that happens after the start of the schedule.',
  {
    at: {
      type: 'time',
      description: 'When it happens. Events are in order of time.',
      example: '2026-05-04T12:00:00Z',
    },
    do: { type: EVENT, description: 'Kind of event.', example: 'setTaints' },
    node: {
      type: 'identifier',
      optional: true,
      description: 'Name of the node. For setTaints, deleteNode and createPod.',
      example: 'node-1',
    },
    pod: {
      type: 'identifier',
      optional: true,
      description: 'The pod as namespace/name. For setTolerations and deletePod.',
    },
    taints: {
      type: GIVEN_TAINT,
      list: true,
      optional: true,
      maximumLength: 1000,
      description: 'All taints of the node from then on: `kubectl taint` syntax, or objects. For setTaints.',
      example: ['maintenance=true:NoExecute'],
    },
    tolerations: {
      type: GIVEN_TOLERATION,
      list: true,
      optional: true,
      maximumLength: 1000,
      description: 'All tolerations of the pod from then on. For setTolerations.',
    },
    manifest: {
      type: 'kubernetesObject',
      manifest: true,
      optional: true,
      description: 'Manifest of the Pod that is bound to the node. For createPod.',
    },
  },
  { openApiName: 'EvictionEvent' },
);

export const nodeOutageInput = object(
  'NodeOutageInput',
  'Nodes that fail together: exactly one of `nodes`, `labelSelector`, `zone` and `allNodes`. The reaction of the ' +
    'node lifecycle controller is computed.',
  {
    nodes: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: MAX_NAMES,
      description: 'Node names.',
    },
    labelSelector: { type: 'string', optional: true, description: 'Label selector for nodes, in kubectl syntax.' },
    zone: {
      type: 'identifier',
      optional: true,
      description: 'Nodes whose label topology.kubernetes.io/zone has this value.',
      example: 'zone-b',
    },
    allNodes: { type: 'boolean', optional: true, description: 'All nodes.' },
    how: { type: OUTAGE, optional: true, defaultsTo: 'silent', description: 'How they fail.' },
    from: { type: 'time', optional: true, description: 'Start of the outage. Default: `asOf`.' },
    until: {
      type: 'time',
      optional: true,
      description: 'End of the outage. Default: never, unless `forSeconds` is set.',
    },
    forSeconds: {
      type: 'number',
      optional: true,
      minimum: 0,
      description: 'Duration of the outage in seconds.',
      example: 600,
    },
  },
  { openApiName: 'NodeOutage' },
);

export const FLAG = { type: 'number', optional: true } as const;

export const nodeLifecycleInput = object(
  'NodeLifecycleInput',
  "Flags of the cluster's kube-controller-manager that differ from the defaults of v1.36.",
  {
    nodeMonitorPeriodSeconds: { ...FLAG, defaultsTo: 5, description: '--node-monitor-period, in seconds.' },
    nodeMonitorGracePeriodSeconds: { ...FLAG, defaultsTo: 50, description: '--node-monitor-grace-period, in seconds.' },
    nodeStartupGracePeriodSeconds: { ...FLAG, defaultsTo: 60, description: '--node-startup-grace-period, in seconds.' },
    nodeEvictionRate: { ...FLAG, defaultsTo: 0.1, description: '--node-eviction-rate: nodes per second in each zone.' },
    secondaryNodeEvictionRate: {
      ...FLAG,
      defaultsTo: 0.01,
      description: '--secondary-node-eviction-rate: nodes per second in each zone.',
    },
    largeClusterSizeThreshold: {
      ...FLAG,
      defaultsTo: 50,
      description: '--large-cluster-size-threshold: number of nodes.',
    },
    unhealthyZoneThreshold: {
      ...FLAG,
      defaultsTo: 0.55,
      description: '--unhealthy-zone-threshold: share of nodes, 0 to 1.',
    },
  },
  { openApiName: 'NodeLifecycle' },
);

export const scheduledPodsInput = object(
  'ScheduledPodsInput',
  'Which pods are listed. The counts always include all pods.',
  {
    namespace: { type: 'identifier', optional: true, description: 'Only pods in this namespace.' },
    labelSelector: { type: 'string', optional: true, description: 'Label selector for pods, in kubectl syntax.' },
    workload: { type: 'identifier', optional: true, description: 'Only pods of the workload with this name.' },
    workloadKind: { type: 'identifier', optional: true, description: 'Only pods of workloads of this kind.' },
    actions: { type: POD_ACTION, list: true, optional: true, description: 'Only pods with these actions.' },
  },
  { openApiName: 'ScheduledPods' },
);

export const evictionScheduleInput = object(
  'EvictionScheduleInput',
  'What to return, and what happens.',
  {
    nodes: {
      type: 'identifier',
      list: true,
      optional: true,
      maximumLength: MAX_NAMES,
      description: 'Only pods on these nodes. Default: all nodes.',
      example: ['node-1'],
    },
    nodeSelector: {
      type: 'identifier',
      optional: true,
      description: 'Label selector for the nodes of the pods, in kubectl syntax.',
    },
    asOf: {
      type: 'time',
      optional: true,
      description:
        'Start of the schedule: evictions due by then are `now`, and the changes of a scenario happen then. Default: ' +
        'the time of the request or, for a past state, the time of that state.',
    },
    pods: { type: scheduledPodsInput, optional: true, description: 'Which pods are listed.' },
    events: {
      type: evictionEventInput,
      list: true,
      optional: true,
      maximumLength: MAX_EVENTS,
      description: 'What happens from `asOf` on, in order of time.',
    },
    outages: {
      type: nodeOutageInput,
      list: true,
      optional: true,
      maximumLength: MAX_OUTAGES,
      description: 'Nodes that fail.',
    },
    lifecycle: {
      type: nodeLifecycleInput,
      optional: true,
      description: 'Configuration of the node lifecycle controller.',
    },
    controllerStartedAt: {
      type: 'time',
      optional: true,
      description:
        'Last start of the controller manager, which restarts all timers. Default: the time in its stored lease.',
    },
    horizonSeconds: {
      type: 'number',
      optional: true,
      minimum: 0,
      defaultsTo: DEFAULT_HORIZON,
      description: `Period for which outages are simulated, in seconds; at most ${MAX_HORIZON}.`,
      example: DEFAULT_HORIZON,
    },
    landing: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Plan where replacement pods are scheduled, and which find no node.',
    },
    featureGates: POD_SUBJECT.featureGates,
    fieldValidation: FIELD_VALIDATION,
  },
  { openApiName: 'EvictionSchedule' },
);
