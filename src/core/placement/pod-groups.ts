import type { ClusterState } from '../cluster/cluster-state.js';
import { isJsonObject, type JsonValue } from '../json/json-value.js';
import { GROUP_FIELDS } from '../kubernetes/disabled-fields.js';
import type { ObjectMeta } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { CoschedulingPodGroup, PodGroup } from '../kubernetes/objects/pod-group.js';
import { podField, podMapField, type FieldReference, type Reason } from './reason.js';

export const GROUP_SOURCES = ['GangScheduling', 'Coscheduling', 'Kueue', 'Workload'] as const;
export const GROUP_TREATMENTS = ['allOrNothing', 'independent', 'unknown'] as const;

/** The group that a pod belongs to. */
export interface GroupOfPod {
  /** Which scheduler feature, plugin or controller the group belongs to. */
  readonly source: (typeof GROUP_SOURCES)[number];
  readonly namespace: string;
  readonly name: string;
  /** How many pods are placed at once, or none; undefined if that is not known. */
  readonly minimum: number | undefined;
  /** `unknown`: whether the pods are placed together is not known, or not modelled. */
  readonly treatment: (typeof GROUP_TREATMENTS)[number];
  /** Why it is treated so, as a sentence without a full stop. */
  readonly note: string;
  /** What the scheduler says of the pod while it waits for an object that does not exist. */
  readonly waits?: string;
}

const COSCHEDULING_LABEL = 'scheduling.x-k8s.io/pod-group';
const KUEUE_QUEUE = 'kueue.x-k8s.io/queue-name';
const KUEUE_GROUP = 'kueue.x-k8s.io/pod-group-name';
const KUEUE_GATES = 'kueue.x-k8s.io/';
const KUEUE_COUNT = 'kueue.x-k8s.io/pod-group-total-count';

/** What of a profile decides about groups. */
export interface GroupRules {
  /** Whether the profile has the coscheduling plugin. */
  readonly coscheduling?: boolean;
}

/**
 * The group of a pod; undefined for one that is placed alone.
 *
 * Sources: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/gangscheduling; kubernetes-sigs/scheduler-plugins v0.35.4,
 * pkg/coscheduling; kubernetes-sigs/kueue, pkg/controller/constants, pkg/controller/jobs/pod.
 */
export function groupOfPod(state: ClusterState, pod: Pod, rules: GroupRules = {}): GroupOfPod | undefined {
  const { metadata, spec } = pod;
  const namespace = metadata.namespace ?? 'default';
  const { labels = {}, annotations = {} } = metadata;
  const { minor, featureGates } = state.rules;
  const areGangsOn = featureGates.GenericWorkload && featureGates.GangScheduling;
  const name = spec.schedulingGroup?.podGroupName;
  // With the gate off, the API server drops these fields from new pods, and the scheduler does not read those of older ones.
  if (name !== undefined && minor === GROUP_FIELDS.schedulingGroup && featureGates.GenericWorkload) {
    return gang(state, namespace, name);
  }
  // Only the plugin GangScheduling reads it.
  if (spec.workloadRef !== undefined && minor === GROUP_FIELDS.workloadRef && areGangsOn) {
    return {
      ...{ source: 'Workload', namespace, name: nameIn(spec.workloadRef), minimum: undefined, treatment: 'unknown' },
      note: 'spec.workloadRef names a Workload of Kubernetes 1.35, whose gangs are not modelled',
    };
  }
  const coscheduled = labels[COSCHEDULING_LABEL];
  if (coscheduled !== undefined && coscheduled !== '') {
    return coscheduling(state, namespace, coscheduled, rules.coscheduling === true);
  }
  const queue = labels[KUEUE_QUEUE];
  const kueue = labels[KUEUE_GROUP] ?? queue;
  if (kueue === undefined) return undefined;
  const count = Number(annotations[KUEUE_COUNT]);
  const common = {
    source: 'Kueue',
    namespace,
    name: kueue,
    minimum: Number.isInteger(count) && count > 0 ? count : undefined,
  } as const;
  const by = queue === undefined ? 'their queue' : `queue ${queue}`;
  if ((spec.schedulingGates ?? []).some(({ name }) => name.startsWith(KUEUE_GATES))) {
    return { ...common, treatment: 'independent', note: `the pods wait until Kueue admits them by the quota of ${by}` };
  }
  // Kueue gates a pod, or suspends its Job, when it is created; so the scheduler already has one that exists without a gate.
  return metadata.uid === undefined
    ? {
        ...common,
        treatment: 'unknown',
        note: `when the pod is created, Kueue admits it by the quota of ${by}, which is not modelled`,
      }
    : {
        ...common,
        treatment: 'independent',
        note: 'the pods have no scheduling gate, so Kueue does not hold them back',
      };
}

function nameIn(reference: JsonValue): string {
  if (!isJsonObject(reference)) return '';
  return [reference['name'], reference['podGroup']].filter((part) => typeof part === 'string').join('/');
}

function gang(state: ClusterState, namespace: string, name: string): GroupOfPod {
  const group = state.find('PodGroup', namespace, name) as PodGroup | undefined;
  const policy = group?.spec?.schedulingPolicy;
  const minimum = policy?.gang?.minCount;
  const common = { source: 'GangScheduling', namespace, name, minimum } as const;
  if (!state.rules.featureGates.GangScheduling) {
    const note =
      'the feature gate GenericWorkload is on without GangScheduling, and how the scheduler tries the pods of a group then is not modelled';
    return { ...common, treatment: 'unknown', note };
  }
  if (group === undefined) {
    return state.loadedKinds.has('PodGroup')
      ? {
          ...common,
          treatment: 'allOrNothing',
          note: 'the PodGroup does not exist, so its pods wait',
          waits: `waiting for pods's pod group ${JSON.stringify(name)} to appear in scheduling queue`,
        }
      : { ...common, treatment: 'unknown', note: 'no snapshot has contained PodGroups' };
  }
  if ((group.spec?.schedulingConstraints?.topology ?? []).length > 0) {
    const note = 'the topology constraints of the PodGroup are not modelled';
    return { ...common, treatment: 'unknown', note };
  }
  return minimum === undefined
    ? { ...common, treatment: 'independent', note: 'the PodGroup has the policy basic' }
    : { ...common, treatment: 'allOrNothing', note: `at least ${minimum} pods are placed, or none` };
}

function coscheduling(state: ClusterState, namespace: string, name: string, isEnabled: boolean): GroupOfPod {
  const group = state.find('CoschedulingPodGroup', namespace, name) as CoschedulingPodGroup | undefined;
  const minimum = group === undefined ? undefined : (group.spec?.minMember ?? 0);
  const common = { source: 'Coscheduling', namespace, name, minimum } as const;
  if (!isEnabled) {
    const note = 'the profile does not have the plugin Coscheduling, so the scheduler places the pods one by one';
    return { ...common, treatment: 'independent', note };
  }
  if (group !== undefined) {
    if (group.spec?.minResources !== undefined) {
      return { ...common, treatment: 'unknown', note: 'the minResources of the PodGroup are not modelled' };
    }
    return { ...common, treatment: 'allOrNothing', note: `at least ${minimum ?? 0} pods are placed, or none` };
  }
  return state.loadedKinds.has('CoschedulingPodGroup')
    ? {
        ...common,
        treatment: 'allOrNothing',
        note: 'the PodGroup does not exist, so its pods wait',
        waits: 'PodGroup not found',
      }
    : { ...common, treatment: 'unknown', note: 'no snapshot has contained PodGroups of the plugin' };
}

/** Whether a pod names a PodGroup, so that it may be placed only together with others. */
export const namesPodGroup = ({ metadata, spec }: Pod): boolean =>
  spec.schedulingGroup?.podGroupName !== undefined || (metadata.labels?.[COSCHEDULING_LABEL] ?? '') !== '';

/** Equal for the pods of one group. */
export const groupKey = ({ source, namespace, name }: GroupOfPod): string => JSON.stringify([source, namespace, name]);

/** Whether a pod belongs to a group. */
export function isOfGroup({ metadata, spec }: Pod, { source, namespace, name }: GroupOfPod): boolean {
  if ((metadata.namespace ?? 'default') !== namespace) return false;
  return source === 'GangScheduling'
    ? spec.schedulingGroup?.podGroupName === name
    : metadata.labels?.[COSCHEDULING_LABEL] === name;
}

/**
 * What there is to say of a pod that is asked about alone, because of its group: that its PodGroup does not exist, or that something decides
 * about it that is not known or not asked. Undefined for a pod that the scheduler places alone.
 */
export function groupReason(state: ClusterState, pod: Pod, rules: GroupRules = {}): Reason | undefined {
  const group = groupOfPod(state, pod, rules);
  if (group === undefined || group.treatment === 'independent') return undefined;
  const { source, namespace, name, treatment, waits } = group;
  const fields = [fieldOf(pod, source)];
  if (waits !== undefined) {
    return {
      plugin: source,
      code: 'PodGroupNotFound',
      status: 'UnschedulableAndUnresolvable',
      message: waits,
      facts: { podGroup: `${namespace}/${name}` },
      fields,
    };
  }
  const message =
    treatment === 'unknown'
      ? whyUnknown(group)
      : `${whyUnknown(group)}; whether the others find a node is not asked here, but in a queue run`;
  return { plugin: source, code: 'NotImplemented', status: 'Unknown', message, facts: {}, fields };
}

/** Why it is not known what becomes of a pod of a group, without a full stop. */
export const whyUnknown = ({ source, namespace, name, note }: GroupOfPod): string =>
  source === 'Kueue' ? note : `the pod belongs to PodGroup ${namespace}/${name}: ${note}`;

/** What is not known of a pod of a manifest because of the labels of its workload, which Kueue reads, too. */
export function unknownsOfGroup(state: ClusterState, workload: Labelled, pod: Pod): readonly Reason[] {
  const [ofPod, ofWorkload] = [pod.metadata.labels?.[KUEUE_QUEUE], workload.metadata.labels?.[KUEUE_QUEUE]];
  if (ofPod !== undefined || ofWorkload === undefined) return [];
  const reason = groupReason(state, withLabelsOf(workload, pod));
  return reason?.status === 'Unknown' ? [reason] : [];
}

interface Labelled {
  readonly metadata: Pick<ObjectMeta, 'labels' | 'annotations'>;
}

/** The pod with the labels and annotations of its workload, too, for {@link unknownsOfGroup}. */
export const withLabelsOf = ({ metadata: { labels, annotations } }: Labelled, pod: Pod): Pod => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    labels: { ...labels, ...pod.metadata.labels },
    annotations: { ...annotations, ...pod.metadata.annotations },
  },
});

function fieldOf({ spec, metadata }: Pod, source: GroupOfPod['source']): FieldReference {
  if (spec.schedulingGroup !== undefined && source === 'GangScheduling') return podField('spec', 'schedulingGroup');
  if (source === 'Workload') return podField('spec', 'workloadRef');
  const label = source === 'Coscheduling' ? COSCHEDULING_LABEL : KUEUE_QUEUE;
  const isNamed = metadata.labels?.[label] !== undefined;
  return podMapField(['metadata', 'labels'], isNamed ? label : KUEUE_GROUP);
}

/** Whether anything of a pod may put it into a group. */
export const mayBeGrouped = ({ metadata: { labels }, spec }: Pod): boolean =>
  spec.schedulingGroup !== undefined ||
  spec.workloadRef !== undefined ||
  (labels !== undefined && GROUP_LABELS.some((label) => labels[label] !== undefined));

const GROUP_LABELS = [COSCHEDULING_LABEL, KUEUE_QUEUE, KUEUE_GROUP];
