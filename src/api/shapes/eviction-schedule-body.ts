import { defined } from '../../core/collections/defined.js';
import { InputType } from '@nestjs/graphql';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import { furtherScheduleFaults } from '../../app/evictions/further-faults.js';
import { EVENT_WORDS, MOST_EVENTS, type EventWord } from '../../app/evictions/given-events.js';
import { OUTAGE_WORDS, type GivenOutage } from '../../app/evictions/given-outages.js';
import { LONGEST_HORIZON } from '../../app/evictions/read-question.js';
import type { ScheduleRequest } from '../../app/evictions/schedule-request.js';
import type { PageRequest } from '../../app/paging/page.js';
import type { ReadAt } from '../../app/reads/read-at.js';
import { POD_ACTIONS, type PodAction } from '../../core/eviction-schedule/pod-action.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { wordsType } from './property-type.js';
import { Given } from './property.js';

export const POD_ACTION = wordsType(
  'PodAction',
  'marked: its deletion has been asked for already; now: it is marked for deletion by now, or should be; at: it will be; never: it stays.',
  POD_ACTIONS,
);

const EVENT = wordsType('EvictionEventKind', 'What an event does.', EVENT_WORDS);
const OUTAGE = wordsType(
  'OutageKind',
  'silent: the kubelet answers no more, neither status nor lease comes; notReady: it says itself that it is not ready.',
  OUTAGE_WORDS,
);

const MOST_OUTAGES = 100;
const MOST_NAMES = 10_000;
const DEFAULT_HORIZON = 4 * 3600;

@InputType('EvictionEventInput', {
  description: 'Something that happens after the moment from which the schedule is asked for.',
})
export class EvictionEventBody {
  @Given({ type: 'time', description: 'When; events are given in order.', example: '2026-05-04T12:00:00Z' })
  at!: string | Date;

  @Given({ type: EVENT, description: 'What happens.', example: 'setTaints' })
  do!: EventWord;

  @Given({
    type: 'string',
    optional: true,
    description: 'The node: of setTaints, deleteNode and createPod.',
    example: 'node-1',
  })
  node?: string;

  @Given({
    type: 'string',
    optional: true,
    description: 'The pod, as namespace/name: of setTolerations and deletePod.',
  })
  pod?: string;

  @Given({
    type: 'json',
    list: true,
    optional: true,
    maximumLength: 1000,
    description: "The node's whole list of taints from then on: words of `kubectl taint`, or objects. Of setTaints.",
    example: ['maintenance=true:NoExecute'],
  })
  taints?: JsonValue[];

  @Given({
    type: 'json',
    list: true,
    optional: true,
    maximumLength: 1000,
    description: "The pod's whole list of tolerations from then on. Of setTolerations.",
  })
  tolerations?: JsonValue[];

  @Given({
    type: 'kubernetesObject',
    optional: true,
    description: 'The manifest of the Pod that is bound to the node then. Of createPod.',
  })
  manifest?: JsonObject;
}

@InputType('NodeOutageInput', {
  description:
    'Nodes that fail together: exactly one of `nodes`, `labelSelector`, `zone` and `allNodes`. What the node lifecycle controller makes of it is worked out.',
})
export class NodeOutageBody {
  @Given({ type: 'string', list: true, optional: true, maximumLength: MOST_NAMES, description: 'Nodes by name.' })
  nodes?: string[];

  @Given({ type: 'string', optional: true, description: "Nodes with these labels, in kubectl's syntax." })
  labelSelector?: string;

  @Given({
    type: 'string',
    optional: true,
    description: 'Nodes whose label topology.kubernetes.io/zone has this value.',
    example: 'zone-b',
  })
  zone?: string;

  @Given({ type: 'boolean', optional: true, description: 'Every node.' })
  allNodes?: boolean;

  @Given({ type: OUTAGE, optional: true, defaultsTo: 'silent', description: 'How they fail.' })
  how?: GivenOutage['how'];

  @Given({ type: 'time', optional: true, description: 'When; unless told, `asOf`.' })
  from?: string | Date;

  @Given({ type: 'time', optional: true, description: 'When they work again; never unless told, nor `forSeconds`.' })
  until?: string | Date;

  @Given({ type: 'number', optional: true, minimum: 0, description: 'For how long they fail.', example: 600 })
  forSeconds?: number;
}

const FLAG = { type: 'number', optional: true } as const;

@InputType('NodeLifecycleInput', {
  description: "Flags of the cluster's kube-controller-manager, where they differ from v1.36's defaults.",
})
export class NodeLifecycleBody {
  @Given({ ...FLAG, defaultsTo: 5, description: '--node-monitor-period.' })
  nodeMonitorPeriodSeconds?: number;

  @Given({ ...FLAG, defaultsTo: 50, description: '--node-monitor-grace-period.' })
  nodeMonitorGracePeriodSeconds?: number;

  @Given({ ...FLAG, defaultsTo: 60, description: '--node-startup-grace-period.' })
  nodeStartupGracePeriodSeconds?: number;

  @Given({ ...FLAG, defaultsTo: 0.1, description: '--node-eviction-rate: nodes a second and zone.' })
  nodeEvictionRate?: number;

  @Given({ ...FLAG, defaultsTo: 0.01, description: '--secondary-node-eviction-rate.' })
  secondaryNodeEvictionRate?: number;

  @Given({ ...FLAG, defaultsTo: 50, description: '--large-cluster-size-threshold.' })
  largeClusterSizeThreshold?: number;

  @Given({ ...FLAG, defaultsTo: 0.55, description: '--unhealthy-zone-threshold.' })
  unhealthyZoneThreshold?: number;
}

@InputType('ScheduledPodsInput', { description: 'Which pods are listed; the counts are of all.' })
export class ScheduledPodsBody {
  @Given({ type: 'string', optional: true, description: 'Only pods of this namespace.' })
  namespace?: string;

  @Given({ type: 'string', optional: true, description: "Only pods with these labels, in kubectl's syntax." })
  labelSelector?: string;

  @Given({ type: 'string', optional: true, description: 'Only pods of the workload with this name.' })
  workload?: string;

  @Given({ type: 'string', optional: true, description: 'Only pods of workloads of this kind.' })
  workloadKind?: string;

  @Given({ type: POD_ACTION, list: true, optional: true, description: 'Only pods of which this is to be said.' })
  actions?: PodAction[];
}

@InputType('EvictionScheduleInput', { description: 'Which part of the schedule, and what is to happen.' })
export class EvictionScheduleInputBody {
  /** A caller with a misspelt field learns at once what of the rest is to be mended, too. */
  static furtherFaults(body: EvictionScheduleInputBody): readonly ErrorDetail[] {
    return furtherScheduleFaults(body, '');
  }

  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: MOST_NAMES,
    description: 'Only the pods of these nodes; of all nodes unless told.',
    example: ['node-1'],
  })
  nodes?: string[];

  @Given({
    type: 'string',
    optional: true,
    description: "Only the pods of nodes with these labels, in kubectl's syntax.",
  })
  nodeSelector?: string;

  @Given({
    type: 'time',
    optional: true,
    description:
      'From which moment it is asked: what is to happen by then is `now`, and the changes of a scenario are made then. Unless told the time of the request; for a past state, its own.',
  })
  asOf?: string | Date;

  @Given({ type: () => ScheduledPodsBody, optional: true, description: 'Which pods are listed.' })
  pods?: ScheduledPodsBody;

  @Given({
    type: () => EvictionEventBody,
    list: true,
    optional: true,
    maximumLength: MOST_EVENTS,
    description: 'What happens from `asOf` on, in order of time.',
  })
  events?: EvictionEventBody[];

  @Given({
    type: () => NodeOutageBody,
    list: true,
    optional: true,
    maximumLength: MOST_OUTAGES,
    description: 'Nodes that fail.',
  })
  outages?: NodeOutageBody[];

  @Given({ type: () => NodeLifecycleBody, optional: true, description: 'How the node lifecycle controller is set up.' })
  lifecycle?: NodeLifecycleBody;

  @Given({
    type: 'time',
    optional: true,
    description:
      'When the controller manager was started last; unless told what its stored lease says. All timers start anew with it.',
  })
  controllerStartedAt?: string | Date;

  @Given({
    type: 'number',
    optional: true,
    minimum: 0,
    defaultsTo: DEFAULT_HORIZON,
    description: `For how long failures of nodes are followed, in seconds; at most ${LONGEST_HORIZON}.`,
    example: DEFAULT_HORIZON,
  })
  horizonSeconds?: number;

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Plan where the pods that leave could land, and which find no node.',
  })
  landing?: boolean;
}

/** @param root where the members stand: `input` among the arguments of GraphQL, nothing in a body of REST */
export function scheduleRequest(
  cluster: string,
  readAt: ReadAt,
  body: EvictionScheduleInputBody,
  { page, root }: { readonly page: PageRequest; readonly root: '' | 'input' },
): ScheduleRequest {
  const { nodes, nodeSelector, asOf, controllerStartedAt } = body;
  return {
    cluster,
    readAt,
    ...(asOf !== undefined && { asOf: new Date(asOf) }),
    ...defined({ nodes, nodeSelector }),
    pods: body.pods ?? {},
    events: (body.events ?? []).map(({ at, ...event }) => ({ ...event, at: new Date(at) })),
    outages: (body.outages ?? []).map(({ how, from, until, ...outage }) => ({
      ...outage,
      how: how ?? 'silent',
      ...(from !== undefined && { from: new Date(from) }),
      ...(until !== undefined && { until: new Date(until) }),
    })),
    lifecycle: body.lifecycle ?? {},
    ...(controllerStartedAt !== undefined && { controllerStartedAt: new Date(controllerStartedAt) }),
    horizonSeconds: body.horizonSeconds ?? DEFAULT_HORIZON,
    landing: body.landing ?? false,
    page,
    root,
  };
}
