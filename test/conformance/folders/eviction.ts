import {
  type Eviction,
  type EvictionEvent,
  type EvictionState,
  NO_EVICTIONS,
  stepTaintEviction,
} from '../../../src/core/eviction/taint-eviction.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { gatesOf } from '../../../src/core/kubernetes/toleration.js';
import type { Taint, Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import { rulesOfRecording } from './rules-of-recording.js';

/** How far apart a computed and a recorded moment may be, in milliseconds; and from when on their order counts. */
const TOLERANCE = 1_000;

/** The longest that a pass of the node lifecycle controller is away, in milliseconds. */
const MAX_PASS = 5_000;

/** Seconds after which no recorded pod is still waiting. */
const LONG = 3_600;

/** Taints that the node lifecycle controller takes off a node whose Ready condition does not call for them. */
const MANAGED = new Map([
  ['node.kubernetes.io/not-ready', 'False'],
  ['node.kubernetes.io/unreachable', 'Unknown'],
]);

interface RecordedAction {
  readonly action: {
    readonly do: string;
    readonly taints?: readonly Taint[];
    readonly tolerations?: readonly Toleration[];
    readonly pod?: string | RecordedPod;
    readonly gracePeriodSeconds?: number;
  };
  readonly sentAt: number;
  readonly code?: number | null;
  readonly response?: RecordedPod | null;
  readonly resultTaints?: readonly Taint[] | null;
  readonly resultTolerations?: readonly Toleration[] | null;
}

interface RecordedEnd {
  readonly markedAt?: number;
  /** The mark of a pod that ends immediately may not have been recorded. */
  readonly deletedAt?: number;
  readonly survivedUntil?: number;
}

interface RecordedPod {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec?: { readonly tolerations?: readonly Toleration[] };
}

interface RecordedNode {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface RecordedTimeline {
  readonly profile: string;
  readonly input: {
    readonly node: RecordedNode;
    readonly pods?: readonly RecordedPod[];
    /** In seconds; absent if every pod ends. */
    readonly observeUntil?: number;
  };
  readonly observed: {
    /** Absent if the file has the pods only as they were sent. */
    readonly podsStored?: readonly RecordedPod[];
    readonly actions: readonly RecordedAction[];
    readonly pods: Readonly<Record<string, RecordedEnd>>;
    readonly eventsWatch?: readonly { readonly seenAt: number; readonly message: string }[];
  };
}

/** Holds the fold over a recorded timeline against when each pod was really marked for deletion. */
export function judgeEviction(file: JsonObject): readonly string[] {
  const recorded = file as unknown as RecordedTimeline;
  const until = (recorded.input.observeUntil ?? LONG) * 1_000;
  const { events, faults } = eventsOf(recorded);
  const marked = new Map<string, number>();
  const gates = gatesOf(rulesOfRecording(file), recorded.profile !== 'default');
  let state: EvictionState = NO_EVICTIONS;
  const take = (evictions: readonly Eviction[]): void => {
    for (const { name, at } of evictions) if (!marked.has(name)) marked.set(name, at);
  };
  for (const event of [...events, { at: until, do: 'wait' } as const]) {
    if (event.do === 'markPod' || event.do === 'deletePod') {
      if (!marked.has(event.name)) marked.set(event.name, event.at);
    }
    const next = stepTaintEviction(state, event, gates);
    state = next.state;
    take(next.evictions);
  }
  return [...faults, ...timeDifferences(recorded, marked), ...orderDifferences(recorded, marked)];
}

function timeDifferences({ observed }: RecordedTimeline, marked: ReadonlyMap<string, number>): string[] {
  return Object.entries(observed.pods).flatMap(([name, end]) => {
    const { survivedUntil } = end;
    const markedAt = end.markedAt ?? end.deletedAt;
    const at = marked.get(name);
    if (markedAt === undefined) {
      if (survivedUntil === undefined) return [`pod ${name}: the file says neither that it went nor that it stayed`];
      // What happens in the last second may have been seen, or not.
      const stayed = at === undefined || at > survivedUntil * 1_000 - TOLERANCE;
      return stayed ? [] : [`pod ${name}: computed to go at ${at / 1_000}, and it survived until ${survivedUntil}`];
    }
    if (at === undefined) return [`pod ${name}: computed to stay, and it was marked at ${markedAt}`];
    return Math.abs(at - markedAt * 1_000) <= TOLERANCE
      ? []
      : [`pod ${name}: computed to go at ${at / 1_000}, and it was marked at ${markedAt}`];
  });
}

function orderDifferences({ observed }: RecordedTimeline, marked: ReadonlyMap<string, number>): string[] {
  const both = Object.entries(observed.pods).flatMap(([name, { markedAt, deletedAt }]) => {
    const at = marked.get(name);
    const goneAt = markedAt ?? deletedAt;
    return goneAt === undefined || at === undefined ? [] : [{ name, markedAt: goneAt, at }];
  });
  return both.flatMap((a) =>
    both
      .filter((b) => b.at - a.at > TOLERANCE && b.markedAt < a.markedAt)
      .map((b) => `pod ${a.name} was computed to go before ${b.name}, and went after it`),
  );
}

function eventsOf({ input, observed }: RecordedTimeline): {
  readonly events: readonly EvictionEvent[];
  readonly faults: readonly string[];
} {
  const node = input.node.metadata.name;
  const events: EvictionEvent[] = [{ at: -2_000, do: 'setNode', node, taints: input.node.spec?.taints ?? [] }];
  const faults: string[] = [];
  const namespaces = new Map<string, string>();
  const setPod = (at: number, pod: RecordedPod): void => {
    const { name = '', namespace = 'default' } = pod.metadata ?? {};
    namespaces.set(name, namespace);
    events.push({ at, do: 'setPod', namespace, name, node, tolerations: pod.spec?.tolerations ?? [] });
  };
  // Pods that a step makes are stored too: those come in with their step.
  const madeBySteps = new Set(
    observed.actions.flatMap(({ action }) => (action.do === 'createPod' ? nameOf(action.pod) : [])),
  );
  // Admission adds tolerations of the managed taints only.
  const stored = observed.podsStored ?? input.pods ?? [];
  for (const pod of stored) if (!madeBySteps.has(pod.metadata?.name ?? '')) setPod(-1_000, pod);
  for (const { action, sentAt, code, response, resultTaints, resultTolerations } of observed.actions) {
    if (typeof code === 'number' && code >= 300) continue;
    const at = sentAt * 1_000;
    const [name = ''] = nameOf(action.pod);
    const pod = { namespace: namespaces.get(name) ?? 'default', name };
    switch (action.do) {
      case 'setTaints': {
        const taints = resultTaints ?? action.taints ?? [];
        events.push({ at, do: 'setNode', node, taints });
        const removal = removalOfManaged(taints, input.node, at, observed.eventsWatch ?? []);
        if (removal !== undefined) events.push({ at: removal.at, do: 'setNode', node, taints: removal.taints });
        break;
      }
      case 'setTolerations':
        events.push({ at, do: 'setPod', ...pod, node, tolerations: resultTolerations ?? action.tolerations ?? [] });
        break;
      case 'createPod': {
        const found = stored.find(({ metadata }) => metadata?.name === name);
        setPod(at, found ?? response ?? (action.pod as RecordedPod));
        break;
      }
      case 'deletePod':
        events.push({ at, do: action.gracePeriodSeconds === 0 ? 'deletePod' : 'markPod', ...pod });
        break;
      case 'deleteNode':
        events.push({ at, do: 'deleteNode', node });
        break;
      case 'stopController':
      case 'startController':
        events.push({ at, do: action.do });
        break;
      case 'labelNode':
        break;
      default:
        faults.push(`step ${action.do} is not known`);
    }
  }
  return {
    events: events
      .map((event, index) => ({ event, index }))
      .sort(byTime)
      .map(({ event }) => event),
    faults,
  };
}

interface Placed {
  readonly event: EvictionEvent;
  readonly index: number;
}

const byTime = (a: Placed, b: Placed): number => a.event.at - b.event.at || a.index - b.index;

const nameOf = (pod: RecordedAction['action']['pod']): readonly string[] =>
  pod === undefined ? [] : [typeof pod === 'string' ? pod : (pod.metadata?.name ?? '')];

/**
 * When the node lifecycle controller takes its own taints off a node that is Ready, and what it leaves. Its pass is where the watch
 * of events shows that deletions were cancelled.
 */
function removalOfManaged(
  taints: readonly Taint[],
  { status }: RecordedNode,
  setAt: number,
  eventsWatch: readonly { readonly seenAt: number; readonly message: string }[],
): { readonly at: number; readonly taints: readonly Taint[] } | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const taken = ({ key, effect }: Taint): boolean =>
    effect === 'NoExecute' && MANAGED.has(key) && MANAGED.get(key) !== ready && ready === 'True';
  if (!taints.some(taken)) return undefined;
  const seen = eventsWatch
    .filter(({ message }) => message.startsWith('Cancelling deletion'))
    .map(({ seenAt }) => seenAt * 1_000)
    .find((seenAt) => seenAt >= setAt);
  const at = seen !== undefined && seen - setAt <= MAX_PASS + TOLERANCE ? seen : setAt + MAX_PASS;
  return { at, taints: taints.filter((taint) => !taken(taint)) };
}
