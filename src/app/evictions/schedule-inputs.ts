import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { PodEvent } from '../../core/eviction-schedule/fold-pod.js';
import { boundMoment } from '../../core/eviction-schedule/node-memory.js';
import type { NodeTimeline, Situation } from '../../core/eviction-schedule/node-timeline.js';
import type { PodHistory, ScheduleQuestion } from '../../core/eviction-schedule/step-schedule.js';
import { defined } from '../../core/collections/defined.js';
import { exactly, type KnownMoment } from '../../core/eviction/known-moment.js';
import { millisecondsOf } from '../../core/kubernetes/moment.js';
import type { Lease } from '../../core/kubernetes/objects/lease.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { gatesOf, type TolerationGates } from '../../core/kubernetes/toleration.js';
import { noExecuteOf, type RememberedPast } from './eviction-memory.js';
import type { ReadEvent } from './given-events.js';

/** A start of the controller manager, and how it is known. */
export interface ControllerStart {
  readonly at: number;
  readonly known: 'lease' | 'request';
}

export interface ScheduleInputs {
  /** The stored state. */
  readonly stored: ClusterState;
  /** With the hypothetical changes, and the pods that events create. */
  readonly state: ClusterState;
  readonly nodes: readonly number[];
  readonly seenAt: number;
  readonly asOf: number;
  readonly past: RememberedPast;
  readonly events: readonly ReadEvent[];
  /** The node changes caused by failures, in order. */
  readonly failures: readonly NodeChange[];
  readonly controllerStart: ControllerStart | undefined;
  /** Those of the state's rules by default. */
  readonly gates?: TolerationGates;
  /** Evictions by device taints, by pod; none by default. */
  readonly devices?: ScheduleQuestion['devices'];
}

/** A new taint list of a node from a given time on, as the request specifies it. */
export interface NodeChange {
  /** The assumed time of the change. */
  readonly at: number;
  /** The known bounds of that time. */
  readonly moment: KnownMoment;
  readonly known: 'question' | 'nodeLifecycle';
  readonly node: number;
  /** All taints of the node. */
  readonly taints: readonly Taint[];
  readonly gone: boolean;
  /** True if it is uncertain whether the change occurs at all. */
  readonly perhaps?: boolean;
  /** A sentence. */
  readonly why: string;
}

/** The input of the schedule, and the node changes from the request, in order. */
export function* stepScheduleQuestion(inputs: ScheduleInputs): Generator<
  undefined,
  {
    readonly question: ScheduleQuestion;
    readonly changes: readonly NodeChange[];
  }
> {
  const { state, nodes, seenAt } = inputs;
  const timelines = yield* NodeTimelines.stepOf(inputs);
  const bound = new BoundMoments(inputs);
  const question: ScheduleQuestion = {
    state,
    gates: inputs.gates ?? gatesOf(state.rules),
    nodes,
    seenAt,
    timelineOf: (node) => timelines.of(node),
    boundAt: (pod) => bound.of(pod),
    controller: controllerEvents(inputs),
    histories: podHistories(inputs),
    ...defined({ devices: inputs.devices }),
  };
  return { question, changes: timelines.changes };
}

/** When the current leader of the controller managers was elected: its controllers started then, without any timers. */
export function controllerStartIn(state: ClusterState): ControllerStart | undefined {
  const lease = state.find('Lease', 'kube-system', 'kube-controller-manager') as Lease | undefined;
  const at = millisecondsOf(lease?.spec?.acquireTime);
  return at === undefined ? undefined : { at, known: 'lease' };
}

/** Events that are read in one step. */
const STEP = 512;

class NodeTimelines {
  private readonly known = new Map<string, NodeTimeline>();

  private constructor(
    private readonly inputs: ScheduleInputs,
    readonly changes: readonly NodeChange[],
    private readonly changesOf: ReadonlyMap<number, readonly NodeChange[]>,
  ) {}

  static *stepOf(inputs: ScheduleInputs): Generator<undefined, NodeTimelines> {
    const { state, events, failures } = inputs;
    const given: NodeChange[] = [];
    for (const [index, event] of events.entries()) {
      if (index % STEP === STEP - 1) yield undefined;
      if (event.do !== 'setTaints' && event.do !== 'deleteNode') continue;
      const { at } = event;
      const node = state.nodes.indexOf(event.node);
      const gone = event.do === 'deleteNode';
      const taints = event.do === 'setTaints' ? event.taints : [];
      const why = gone ? 'The node is deleted.' : 'Specified by the request.';
      given.push({ at, moment: exactly(at), known: 'question', node, taints, gone, why });
    }
    yield undefined;
    const changes = [...given, ...failures].sort((a, b) => a.at - b.at);
    const changesOf = new Map<number, NodeChange[]>();
    for (const [index, change] of changes.entries()) {
      if (index % STEP === STEP - 1) yield undefined;
      const ofNode = changesOf.get(change.node);
      if (ofNode === undefined) changesOf.set(change.node, [change]);
      else ofNode.push(change);
    }
    return new NodeTimelines(inputs, changes, changesOf);
  }

  /** Nodes with the same changes at the same times share a timeline. */
  of(node: number): NodeTimeline | undefined {
    const timeline = this.timelineOf(node);
    if (timeline === undefined) return undefined;
    const key = JSON.stringify(timeline);
    const same = this.known.get(key);
    if (same === undefined) this.known.set(key, timeline);
    return same ?? timeline;
  }

  private timelineOf(node: number): NodeTimeline | undefined {
    const { stored, state, asOf, past } = this.inputs;
    const name = state.nodes.name(node);
    const before = stored.nodes.indexOf(name);
    const was = before < 0 ? [] : noExecuteOf(stored, before);
    const is = state === stored ? was : noExecuteOf(state, node);
    const changes = this.changesOf.get(node) ?? [];
    const known = past.timelines.get(name) ?? [];
    if (known.length === 0 && is.length === 0 && changes.length === 0) return undefined;
    const timeline: Situation[] = [...known];
    if (!sameTaints(was, is)) timeline.push({ moment: exactly(asOf), known: 'question', taints: is });
    for (const { moment, known: how, taints, gone, perhaps } of changes) {
      const noExecute = taints.filter(({ effect }) => effect === 'NoExecute');
      const last = timeline.at(-1);
      if (!gone && last?.nodeGone !== true && sameTaints(last?.taints ?? [], noExecute)) continue;
      timeline.push({
        moment,
        known: how,
        taints: noExecute,
        ...(gone && { nodeGone: true }),
        ...(perhaps === true && noExecute.length > 0 && { perhaps }),
      });
    }
    return timeline;
  }
}

/** When pods were bound, with the times of pods that the request creates or moves. */
class BoundMoments {
  private readonly made = new Map<string, number>();

  constructor(private readonly inputs: ScheduleInputs) {
    for (const event of inputs.events) if (event.do === 'createPod') this.made.set(event.pod, event.at);
  }

  of(pod: number): KnownMoment {
    const { stored, state, asOf, seenAt } = this.inputs;
    const { pods } = state;
    const madeAt = this.made.get(pods.key(pod));
    if (madeAt !== undefined) return exactly(madeAt);
    const before = state === stored ? pod : stored.pods.indexOf(pods.namespace(pod), pods.name(pod));
    if (before < 0 || stored.pods.nodeName(before) !== pods.nodeName(pod)) return exactly(asOf);
    return boundMoment(pods.pod(pod), seenAt);
  }
}

type ControllerEvent = NonNullable<ScheduleQuestion['controller']>[number];

function controllerEvents({ events, controllerStart }: ScheduleInputs): readonly ControllerEvent[] {
  const started: ControllerEvent[] =
    controllerStart === undefined ? [] : [{ what: 'controllerStarts', moment: exactly(controllerStart.at) }];
  return events.reduce((all, event) => {
    if (event.do === 'stopController') all.push({ what: 'controllerStops', moment: exactly(event.at) });
    if (event.do === 'startController') all.push({ what: 'controllerStarts', moment: exactly(event.at) });
    return all;
  }, started);
}

/** The histories of single pods: the past from stored data, the future from events. */
function podHistories({ state, past, events }: ScheduleInputs): ReadonlyMap<number, PodHistory> {
  const { pods, tolerationSets } = state;
  const histories = new Map<number, { tolerations: PodHistory['tolerations']; events: PodEvent[] }>();
  const of = (key: string): { events: PodEvent[] } | undefined => {
    const [namespace = '', name = ''] = key.split('/');
    const pod = pods.indexOf(namespace, name);
    if (pod < 0) return undefined;
    let history = histories.get(pod);
    if (history === undefined) {
      histories.set(pod, (history = { tolerations: tolerationSets[pods.tolerationSetId(pod)]!, events: [] }));
    }
    return history;
  };
  for (const [key, { tolerations, events: seen }] of past.histories) {
    const history = of(key);
    if (history === undefined) continue;
    Object.assign(history, { tolerations });
    history.events.push(...seen);
  }
  for (const event of events) {
    if (event.do === 'setTolerations') {
      const moment = exactly(event.at);
      of(event.pod)?.events.push({ what: 'tolerations', moment, tolerations: event.tolerations, known: 'question' });
    } else if (event.do === 'deletePod') {
      of(event.pod)?.events.push({ what: 'removed', moment: exactly(event.at) });
    } else if (event.do === 'createPod') {
      of(event.pod);
    }
  }
  return histories;
}

function sameTaints(a: readonly Taint[], b: readonly Taint[]): boolean {
  if (a === b) return true;
  const textOf = (taints: readonly Taint[]): string =>
    JSON.stringify(taints.map(({ key, value }) => [key, value ?? '']));
  return a.length === b.length && textOf(a) === textOf(b);
}
