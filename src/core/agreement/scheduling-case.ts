import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf, THE_ONE } from '../cluster/setting.js';
import { stepSmallestPart } from '../collections/smallest-part.js';
import type { JsonObject } from '../json/json-value.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { decisionAbout, type PodDecision } from './decision.js';
import { judgeDecision } from './judge-decision.js';
import type { AgreementRule, Judgement } from './judgement.js';

/**
 * A decision that disagrees, in the form of the recorded scheduling cases that the conformance runner takes. Objects are as they were
 * stored: `podsStored` and `storedPod` are not admitted again.
 */
export interface SchedulingCase {
  readonly name: string;
  readonly k8sVersion: 'v1.36.2';
  readonly profile: 'default';
  readonly recordedAt: string;
  readonly input: {
    readonly pending: readonly Pod[];
    readonly extras: readonly KubernetesObject[];
    readonly loadedKinds: readonly KeptKind[];
    readonly schedulerConfiguration?: JsonObject;
  };
  readonly observed: {
    readonly nodesStored: readonly Node[];
    readonly podsStored: readonly Pod[];
    readonly decisions: readonly [
      {
        readonly pod: string;
        readonly storedPod: Pod;
        readonly nodeName?: string;
        readonly podScheduled: { readonly status: string; readonly reason?: string; readonly message?: string };
        readonly nominatedNodeName?: string;
      },
    ];
    readonly deletedPods: readonly string[];
    readonly podsAfter: readonly [];
  };
}

/** The objects of a state that may have a part in a decision. */
interface Parts {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly extras: readonly KubernetesObject[];
}

/** Kinds of objects that have a part in scheduling, besides nodes and pods. */
const KINDS: readonly KeptKind[] = [
  ...(['Namespace', 'Service', 'ReplicationController', 'ReplicaSet', 'StatefulSet', 'PodDisruptionBudget'] as const),
  ...(['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'CSINode', 'CSIDriver'] as const),
  ...(['CSIStorageCapacity', 'VolumeAttachment', 'DeviceClass', 'ResourceClaim', 'ResourceSlice'] as const),
  'DeviceTaintRule',
];

/**
 * Makes a case of a decision that disagrees, and leaves out what does not matter: whatever can be left out with our answer being the
 * same. Words count nodes, so there no node is left out.
 *
 * @param state the one on which the decision was judged
 * @param isOverdue whether the time for leaving things out is over
 */
export function* stepSchedulingCase(
  state: ClusterState,
  decision: PodDecision,
  rule: AgreementRule,
  { now, isOverdue }: { readonly now: number; readonly isOverdue: () => boolean },
): Generator<undefined, SchedulingCase | undefined> {
  const loaded = new Set(state.loadedKinds);
  const setting = state.setting('SchedulerConfiguration', THE_ONE);
  const settings: readonly KubernetesObject[] = setting === undefined ? [] : [setting];
  const answerOn = (parts: Parts): string | undefined => {
    const objects = [...parts.nodes, ...parts.pods, ...parts.extras, ...settings];
    return answerText(judgeDecision(ClusterState.build(objects, loaded), decision, now), rule);
  };
  const whole: Parts = {
    nodes: state.objects('Node') as readonly Node[],
    pods: boundPods(state, decision),
    extras: KINDS.flatMap((kind) => state.objects(kind)),
  };
  const answer = answerOn(whole);
  yield;
  if (answer === undefined) return undefined;
  let parts = whole;
  const isSame: IsSame = (some) => answerOn(some) === answer;
  if (rule === 'filter' || rule === 'score') {
    const names = namesIn(decision, answer);
    parts = yield* stepCut(parts, 'nodes', isSame, isOverdue, ({ metadata }) => names.has(metadata.name));
    const left = new Set(parts.nodes.map(({ metadata }) => metadata.name));
    const there = { ...parts, pods: parts.pods.filter(({ spec }) => left.has(spec.nodeName ?? '')) };
    if (isSame(there)) parts = there;
    yield;
  }
  parts = yield* stepCut(parts, 'pods', isSame, isOverdue);
  parts = yield* stepCut(parts, 'extras', isSame, isOverdue);
  return caseOf(parts, decision, rule, {
    loadedKinds: [...loaded],
    now,
    ...(setting && { configuration: setting.content }),
  });
}

/** Whether the answer is the same on these parts. */
type IsSame = (parts: Parts) => boolean;

/** The parts with the fewest objects of one of them that leave the answer as it is. @param pinned objects to keep */
function* stepCut<Name extends keyof Parts>(
  parts: Parts,
  name: Name,
  isSame: IsSame,
  isOverdue: () => boolean,
  pinned: (one: Parts[Name][number]) => boolean = () => false,
): Generator<undefined, Parts> {
  const items: readonly Parts[Name][number][] = parts[name];
  const kept = items.filter(pinned);
  const withSome = (some: readonly Parts[Name][number][]): Parts => ({ ...parts, [name]: [...kept, ...some] });
  const same = (some: readonly Parts[Name][number][]) => stepIsSame(withSome(some), isSame);
  // Mostly nothing of it matters.
  if (yield* same([])) return withSome([]);
  const { items: left } = yield* stepSmallestPart(
    items.filter((one) => !pinned(one)),
    same,
    isOverdue,
  );
  return withSome(left);
}

function* stepIsSame(parts: Parts, isSame: IsSame): Generator<undefined, boolean> {
  yield;
  return isSame(parts);
}

/** The nodes that an answer is about. */
function namesIn({ node }: PodDecision, answer: string): ReadonlySet<string> {
  const { best = [] } = JSON.parse(answer) as { readonly best?: readonly string[] };
  return new Set([node, ...best.slice(0, 1)]);
}

/** Pods that count for others: those with a node, also a nominated one. */
function boundPods({ pods }: ClusterState, { pod }: PodDecision): readonly Pod[] {
  const found: Pod[] = [];
  const own = pods.indexOf(pod.metadata.namespace ?? '', pod.metadata.name);
  for (let index = 0; index < pods.count; index++) {
    const counts = pods.nodeName(index) !== '' || pods.nominatedNodeName(index) !== '';
    if (index !== own && counts && pods.active(index)) found.push(pods.pod(index));
  }
  return found;
}

/** Our answer, as far as the rule is about it; undefined if it does not disagree. */
function answerText(judgements: readonly Judgement[], rule: AgreementRule): string | undefined {
  const found = judgements.find((one) => one.rule === rule);
  if (found?.outcome !== 'disagreed') return undefined;
  const { refusals, scores, total, bestTotal, best = [], ours } = found.difference;
  switch (rule) {
    case 'filter':
      return JSON.stringify({ refusals });
    case 'score':
      return JSON.stringify({ scores, total, bestTotal, best: best.slice(0, 1) });
    default:
      return JSON.stringify({ ours, best });
  }
}

function caseOf(
  { nodes, pods, extras }: Parts,
  { asked, node, told, nominated }: PodDecision,
  rule: AgreementRule,
  given: {
    readonly loadedKinds: readonly KeptKind[];
    readonly now: number;
    readonly configuration?: JsonObject;
  },
): SchedulingCase {
  const { name } = asked.metadata;
  const storedPod: Pod = { ...withoutIds(asked), kind: 'Pod' };
  return {
    name: `disagreement-${rule}`,
    k8sVersion: 'v1.36.2',
    profile: 'default',
    recordedAt: new Date(given.now).toISOString(),
    input: {
      pending: [storedPod],
      extras: extras.map(withoutIds),
      loadedKinds: [...given.loadedKinds].sort(),
      ...(given.configuration && { schedulerConfiguration: given.configuration }),
    },
    observed: {
      nodesStored: nodes.map(withoutIds),
      podsStored: pods.map(withoutIds),
      decisions: [
        {
          pod: name,
          storedPod,
          ...(node !== '' && { nodeName: node }),
          podScheduled: told === undefined ? { status: 'True' } : { status: 'False', ...told },
          ...(nominated !== undefined && { nominatedNodeName: nominated }),
        },
      ],
      deletedPods: [],
      podsAfter: [],
    },
  };
}

/** An object without what decides nothing: ids, versions, who owns its fields. */
function withoutIds<Kind extends KubernetesObject>(object: Kind): Kind {
  const { metadata } = object;
  const { name, namespace, labels, annotations, ownerReferences, creationTimestamp, deletionTimestamp } = metadata;
  const kept = { name, namespace, labels, annotations, ownerReferences, creationTimestamp, deletionTimestamp };
  const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { ...object, metadata: known };
}

/** What a case comes to by the rules here: the state, the decision and the judgements. */
export function judgeCase(found: SchedulingCase): readonly Judgement[] {
  const { input, observed } = found;
  const { schedulerConfiguration } = input;
  const settings: readonly KubernetesObject[] =
    schedulerConfiguration === undefined ? [] : [settingOf('SchedulerConfiguration', THE_ONE, schedulerConfiguration)];
  const [{ storedPod, nodeName, podScheduled, nominatedNodeName }] = observed.decisions;
  const objects = [...observed.nodesStored, ...observed.podsStored, ...input.extras, ...settings, storedPod];
  const state = ClusterState.build(objects, input.loadedKinds);
  const { spec, status = {} } = storedPod;
  const decided: Pod = {
    ...storedPod,
    spec: { ...spec, ...(nodeName !== undefined && { nodeName }) },
    status: {
      ...status,
      conditions: [{ type: 'PodScheduled', ...podScheduled }],
      ...(nominatedNodeName !== undefined && { nominatedNodeName }),
    },
  };
  const decision = decisionAbout(state, decided);
  return decision === undefined ? [] : judgeDecision(state, decision, Date.parse(found.recordedAt));
}
