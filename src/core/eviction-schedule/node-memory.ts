import type { When } from '../audit/attributed-change.js';
import type { TaintInterval } from '../audit/node-history.js';
import type { KnownMoment } from '../eviction/known-moment.js';
import { millisecondsOf } from '../kubernetes/moment.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { NodeTimeline, Situation, SituationKnown } from './node-timeline.js';

/** The NoExecute taints that the node lifecycle controller sets itself, with a correct `timeAdded`. */
const NODE_CONTROLLER_KEYS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);
const SECOND_MS = 1_000;

/** The known past of a node's taints. */
export interface NodePast {
  /** The result of `nodeHistory`. */
  readonly intervals: readonly TaintInterval[];
  /** The channel of a record, by its sequence number. */
  readonly channelOf: (sequence: number) => string | undefined;
  /** In milliseconds since the epoch; -Infinity if unknown. */
  readonly createdAt: number;
  /** When the node had `taints`, in milliseconds since the epoch; later changes are ignored. */
  readonly until: number;
  /** The NoExecute taints of the node, in its order. */
  readonly taints: readonly Taint[];
}

/**
 * The NoExecute taints of a node over its past, from the last moment at which it had none: no timer survives such a moment.
 *
 * Anybody can write `timeAdded`, and the taint eviction controller ignores it. It counts only for the keys of the node
 * lifecycle controller, and only if it lies between the last observation without the taint and the first one with it.
 *
 * If the records do not lead to the taints that the node has, the taints begin at an unknown time after the node's creation.
 */
export function pastTimeline({ intervals, channelOf, createdAt, until, taints }: NodePast): NodeTimeline {
  if (taints.length === 0) return [];
  const unknown: Situation = {
    moment: { earliest: Math.min(createdAt, until), latest: until },
    known: 'firstSeen',
    taints,
  };
  const edges = edgesBy(until, edgesOf(intervals, channelOf, createdAt), taints);
  const situations: Situation[] = [];
  const present = new Map<string, Taint>();
  for (let index = 0; index < edges.length;) {
    const { latest } = edges[index]!.moment;
    let { earliest } = edges[index]!.moment;
    let { known } = edges[index]!;
    for (; index < edges.length && edges[index]!.moment.latest === latest; index++) {
      const { taint, begins, moment, known: byWhat } = edges[index]!;
      if (moment.earliest > earliest) [earliest, known] = [moment.earliest, byWhat];
      if (begins) present.set(identityOf(taint), taint);
      else present.delete(identityOf(taint));
    }
    if (present.size === 0) situations.length = 0;
    else situations.push({ moment: { earliest, latest }, known, taints: [...present.values()] });
  }
  const last = situations.at(-1);
  if (last === undefined || !sameTaints(last.taints, taints)) return [unknown];
  situations[situations.length - 1] = { ...last, taints };
  return situations;
}

/**
 * When a pod was bound to its node, from its object. @param seenAt when it was observed on the node, in milliseconds since the
 * epoch
 */
export function boundMoment({ metadata, status }: Pick<Pod, 'metadata' | 'status'>, seenAt: number): KnownMoment {
  const created = millisecondsOf(metadata.creationTimestamp);
  const scheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'True');
  const bound = millisecondsOf(scheduled?.lastTransitionTime);
  if (bound !== undefined) return { earliest: bound, latest: bound + SECOND_MS };
  const started = millisecondsOf(status?.startTime);
  return {
    earliest: created ?? -Infinity,
    latest: started === undefined ? seenAt : started + SECOND_MS,
  };
}

/** The addition or removal of a taint. At equal times, removals come before additions. */
interface Edge {
  readonly moment: KnownMoment;
  readonly known: SituationKnown;
  readonly taint: Taint;
  readonly begins: boolean;
}

/**
 * The edges up to a moment, in order. An edge that may be before or after the moment counts only if the taints at that moment
 * show it: a snapshot without a taint does not end the taint in the state of the previous snapshot.
 */
function edgesBy(until: number, edges: readonly Edge[], taints: readonly Taint[]): readonly Edge[] {
  const sure = edges.filter(({ moment }) => moment.latest <= until).sort(inOrder);
  const present = new Map<string, Taint>();
  for (const { taint, begins } of sure) {
    if (begins) present.set(identityOf(taint), taint);
    else present.delete(identityOf(taint));
  }
  const had = new Set([...present.values()].map(versionOf));
  const has = new Set(taints.map(versionOf));
  const unsure = edges
    .filter(({ moment }) => moment.earliest <= until && moment.latest > until)
    .filter(({ taint, begins }) => had.has(versionOf(taint)) !== begins && has.has(versionOf(taint)) === begins)
    .map((edge) => ({ ...edge, moment: { ...edge.moment, latest: until } }));
  return [...sure, ...unsure].sort(inOrder);
}

/** The additions and removals of taints. */
function edgesOf(
  intervals: readonly TaintInterval[],
  channelOf: NodePast['channelOf'],
  createdAt: number,
): readonly Edge[] {
  const edges: Edge[] = [];
  for (const { what, from, setBy, to, removedBy } of intervals) {
    if (what === 'cordon' || what.effect !== 'NoExecute') continue;
    // If only the end of a taint is known, its beginning is left out: it affected no pod of the current state.
    if (setBy !== null) {
      edges.push({
        ...known(from, channelOf(setBy.carriedOutBy ?? setBy.sequence), what, createdAt),
        taint: what,
        begins: true,
      });
    }
    if (to !== null) {
      const { moment, known: how } = known(
        to,
        removedBy === null ? undefined : channelOf(removedBy.sequence),
        undefined,
        createdAt,
      );
      edges.push({ moment, known: how, taint: what, begins: false });
    }
  }
  return edges;
}

const inOrder = (a: Edge, b: Edge): number => a.moment.latest - b.moment.latest || Number(a.begins) - Number(b.begins);

function known(
  when: When,
  channel: string | undefined,
  added: Taint | undefined,
  createdAt: number,
): { readonly moment: KnownMoment; readonly known: SituationKnown } {
  if (when.kind === 'point') {
    const at = millisecondsOf(when.at) ?? createdAt;
    return { moment: { earliest: at, latest: at }, known: channel === 'api' ? 'recordedChange' : 'auditEvent' };
  }
  const from = millisecondsOf(when.from);
  const moment = { earliest: Math.max(from ?? createdAt, createdAt), latest: millisecondsOf(when.to) ?? createdAt };
  const written =
    added !== undefined && NODE_CONTROLLER_KEYS.has(added.key) ? millisecondsOf(added.timeAdded) : undefined;
  // `timeAdded` is truncated to whole seconds.
  if (written !== undefined && written + SECOND_MS > moment.earliest && written <= moment.latest) {
    const earliest = Math.max(moment.earliest, written);
    return { moment: { earliest, latest: Math.min(moment.latest, written + SECOND_MS) }, known: 'timeAdded' };
  }
  if (channel === 'api') return { moment, known: 'recordedChange' };
  return { moment, known: from === undefined ? 'firstSeen' : 'snapshots' };
}

const identityOf = ({ key }: Taint): string => key;
const versionOf = ({ key, value }: Taint): string => JSON.stringify([key, value ?? '']);

function sameTaints(a: readonly Taint[], b: readonly Taint[]): boolean {
  const textOf = (taints: readonly Taint[]): string => taints.map(versionOf).sort().join();
  return textOf(a) === textOf(b);
}
