import type { Condition } from '../../../src/core/kubernetes/objects/pod.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import type { LifecycleParameters } from '../../../src/core/node-lifecycle/lifecycle-parameters.js';
import type { LifecycleEvent, LifecycleNode } from '../../../src/core/node-lifecycle/lifecycle-timeline.js';
import { zoneKey } from '../../../src/core/node-lifecycle/zone-key.js';
import {
  doneSteps,
  isControllersOwn,
  seenReady,
  type DoneStep,
  type RecordedConditions,
  type SeenNode,
} from './conditions-recording.js';

/** Seconds within which a watch shows what the driver did. */
const SEEN_WITHIN = 1;
/** Ready becomes Unknown at the earliest so long before, at the latest so long after (last heartbeat + grace), in seconds. */
const LEASE_UNSEEN = 10;
const UNKNOWN_LATE = 11;

/** A moment at which a node gave a sign of life, in seconds from the start; `lease` where renewals ended about then. */
interface Sign {
  readonly at: number;
  readonly lease: boolean;
}

/** What surrounds the events of a recording: its start in ms, the settings, and the pass (ms) that was the last one at a moment (ms). */
export interface EventContext {
  readonly startAt: number;
  readonly parameters: LifecycleParameters;
  readonly lastPassAt: (at: number) => number;
}

/** Everything that the driver did, as events of a simulation in the order of time. A step that is not known is an error. */
export function eventsOf(recording: RecordedConditions, context: EventContext): readonly LifecycleEvent[] {
  const steps = doneSteps(recording);
  for (const { action } of steps) checkStep(action);
  return recording.input.nodes
    .filter(({ metadata }) => isWatched(recording, metadata.name))
    .flatMap((node) => {
      const { name } = node.metadata;
      const own = steps.filter(
        (step) => step.node === name || (step.node === undefined && step.action.node === undefined),
      );
      return new NodeEvents(recording, node, own, context).all();
    })
    .sort((a, b) => a.at - b.at);
}

/** Whether the recording shows a node; those that it does not show were there all along. */
export const isWatched = ({ observed }: RecordedConditions, name: string): boolean =>
  Object.hasOwn(observed.nodeTimeline, name);

function checkStep({ do: what, spec, conditions }: DoneStep['action']): void {
  if (what === 'stopHeartbeat' || what === 'resumeHeartbeat') return;
  if (what === 'conditions' && conditions !== undefined) return;
  const parts = Object.keys(spec ?? {});
  if (what === 'patchSpec' && parts.length > 0 && parts.every((part) => part === 'taints' || part === 'unschedulable'))
    return;
  throw new Error(`a step that is not known: ${what}`);
}

/** The events of one node of a recording. */
class NodeEvents {
  private readonly name: string;
  private readonly seen: readonly SeenNode[];
  private readonly events: LifecycleEvent[] = [];
  private readonly signs: Sign[] = [];
  private conditions: readonly Condition[] = [];

  constructor(
    private readonly recording: RecordedConditions,
    private readonly node: Node,
    private readonly steps: readonly DoneStep[],
    private readonly context: EventContext,
  ) {
    this.name = node.metadata.name;
    this.seen = recording.observed.nodeTimeline[this.name] ?? [];
  }

  all(): readonly LifecycleEvent[] {
    const [first] = this.seen;
    if (first === undefined) throw new Error(`nothing of ${this.name} was seen`);
    const { leaseRenewed = true, statusPosted = true } = this.recording.input;
    this.events.push({ kind: 'added', at: this.ms(first.at), node: this.asFirstSeen(first, leaseRenewed) });
    const posted = statusPosted ? this.seen.find((seen) => hasConditions(seen)) : undefined;
    if (posted !== undefined) this.post(posted.at, this.node.status?.conditions ?? []);
    const deleted = this.seen.find(({ event }) => event === 'DELETED');
    if (deleted !== undefined) this.events.push({ kind: 'deleted', at: this.ms(deleted.at), node: this.name });
    let renewed = leaseRenewed;
    for (const { action, sentAt, code } of this.steps) {
      if (code !== 200 && code !== 0) continue;
      if (action.do === 'conditions') this.post(sentAt, this.conditionsAfter(action.conditions ?? [], sentAt), renewed);
      else if (action.do === 'patchSpec') this.patch(action.spec ?? {}, sentAt);
      else {
        renewed = action.do === 'resumeHeartbeat';
        this.signs.push({ at: sentAt, lease: true });
        if (renewed) this.resume(sentAt);
        else this.events.push({ kind: 'silent', at: this.ms(sentAt), node: this.name });
      }
    }
    return this.withSightings();
  }

  private asFirstSeen(first: SeenNode, heartbeats: boolean): LifecycleNode {
    const { metadata, spec } = this.node;
    const taints = spec?.taints ?? [];
    // Admission (NodeTaint) gives every new node this taint.
    const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
    const marked = taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect);
    return {
      name: this.name,
      zone: zoneKey(metadata.labels ?? {}),
      createdAt: this.ms(first.at),
      conditions: [],
      // Where the recording begins after the node did, its taints are what is seen.
      taints: first.event !== 'ADDED' ? (first.taints ?? []) : marked ? taints : [...taints, notReady],
      unschedulable: spec?.unschedulable ?? false,
      heartbeats,
      excluded: Object.hasOwn(metadata.labels ?? {}, 'node.kubernetes.io/exclude-disruption'),
    };
  }

  private post(at: number, conditions: readonly Condition[], renewed = false): void {
    this.conditions = conditions;
    this.events.push({ kind: 'conditions', at: this.ms(at), node: this.name, conditions });
    if (!renewed) this.signs.push({ at, lease: false });
  }

  /** The list after a step: as a watch saw it, for the driver's way of patching is its own; else the step laid over what was there. */
  private conditionsAfter(given: readonly (readonly [string, string])[], at: number): readonly Condition[] {
    const shown = this.seen.find(
      (seen) =>
        seen.at >= at &&
        seen.at < at + SEEN_WITHIN &&
        seen.conditions !== undefined &&
        given.every(([type, status]) => seen.conditions?.[type] === status),
    );
    if (shown?.conditions !== undefined) return listOf(shown.conditions);
    const before = this.seen.findLast((seen) => seen.at < at && seen.conditions !== undefined)?.conditions;
    const merged = new Map(
      (before === undefined ? this.conditions : listOf(before)).map(({ type, status }) => [type, status]),
    );
    for (const [type, status] of given) merged.set(type, status);
    return [...merged].map(([type, status]) => ({ type, status }));
  }

  private patch({ taints, unschedulable }: NonNullable<DoneStep['action']['spec']>, sentAt: number): void {
    const at = this.ms(sentAt);
    // One request: the cordon and the taints are there before the controller looks.
    if (unschedulable !== undefined) {
      this.events.push({ kind: 'unschedulable', at, node: this.name, unschedulable: unschedulable ?? false });
    }
    if (taints !== undefined) this.events.push({ kind: 'taints', at, node: this.name, taints: taints ?? [] });
  }

  /** The lease is renewed again; a status that the driver posts with it is told by the watch alone. */
  private resume(at: number): void {
    this.events.push({ kind: 'resumed', at: this.ms(at), node: this.name });
    const until = this.steps.find(({ sentAt, action }) => sentAt > at && action.do !== 'patchSpec')?.sentAt ?? Infinity;
    const post = this.seen.find(
      (seen) =>
        seen.at >= at &&
        seen.at < until &&
        seen.conditions !== undefined &&
        !isControllersOwn(seen) &&
        seenReady(seen) !== 'Unknown',
    );
    const before = this.seen.findLast((seen) => seen.at < at);
    if (post?.conditions !== undefined && before !== undefined && seenReady(before) !== seenReady(post)) {
      this.post(post.at, listOf(post.conditions), true);
    }
  }

  /**
   * The events, with the last heartbeats where the controller must have seen them: the last renewal before silence is not recorded, and which pass
   * sees a heartbeat is the controller's. What Ready's turning Unknown tells of it counts if it keeps within the bounds.
   */
  private withSightings(): readonly LifecycleEvent[] {
    let events = [...this.events];
    for (const [index, seen] of this.seen.entries()) {
      const before = this.seen[index - 1];
      if (before === undefined || seenReady(seen) !== 'Unknown' || seenReady(before) === 'Unknown') continue;
      if (seenReady(before) === undefined || this.steps.some((step) => setsUnknown(step, seen.at))) continue;
      const sign = this.signs.findLast(({ at }) => at < seen.at);
      if (sign === undefined) continue;
      const grace = this.context.parameters.nodeMonitorGracePeriodSeconds;
      const due = sign.at + grace;
      if (seen.at < due - (sign.lease ? LEASE_UNSEEN : 0) || seen.at > due + UNKNOWN_LATE) continue;
      const sightedAt = this.context.lastPassAt(this.ms(seen.at)) - grace * 1000;
      const silentAt = this.ms(sign.at);
      events = sign.lease
        ? events.map((event) =>
            event.kind === 'silent' && event.at === silentAt ? { ...event, lastHeartbeatAt: sightedAt } : event,
          )
        : [...events, { kind: 'heartbeat', at: Math.max(sightedAt, silentAt), node: this.name }];
    }
    return events;
  }

  private ms(seconds: number): number {
    return this.context.startAt + Math.round(seconds * 1000);
  }
}

const setsUnknown = ({ action, sentAt }: DoneStep, at: number): boolean =>
  sentAt <= at &&
  at < sentAt + SEEN_WITHIN &&
  (action.conditions ?? []).some(([type, status]) => type === 'Ready' && status === 'Unknown');

const hasConditions = ({ conditions, ready }: SeenNode): boolean =>
  conditions === undefined ? ready !== null && ready !== undefined : Object.keys(conditions).length > 0;

const listOf = (conditions: Readonly<Record<string, string>>): readonly Condition[] =>
  Object.entries(conditions).map(([type, status]) => ({ type, status }));
