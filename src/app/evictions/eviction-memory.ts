import { millisecondsOf } from '../../core/kubernetes/moment.js';
import { nodeHistory, type NodeRecord } from '../../core/audit/node-history.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { evictionTime } from '../../core/eviction/eviction-time.js';
import type { PodEvent } from '../../core/eviction-schedule/fold-pod.js';
import { pastTimeline } from '../../core/eviction-schedule/node-memory.js';
import type { NodeTimeline } from '../../core/eviction-schedule/node-timeline.js';
import type { PodHistory } from '../../core/eviction-schedule/step-schedule.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { holdsFrom, type Revision } from '../../storage/revision.js';
import { TrailReader } from '../../storage/taint-trail/trail-reader.js';
import { type SeenTolerations, TolerationHistory } from '../../storage/toleration-history.js';
import type { Intents } from '../reads/read-at.js';
import { TimeSlices } from '../states/time-slices.js';
import { isReadable, recordResponse } from '../taint-trail/record-response.js';

/** The known past of a stored state, as far as it determines which eviction timers run. */
export interface RememberedPast {
  /** By node name; absent for nodes without NoExecute taints. */
  readonly timelines: ReadonlyMap<string, NodeTimeline>;
  /** By `namespace/name`, for pods whose tolerations have changed. */
  readonly histories: ReadonlyMap<string, PodHistory>;
}

/**
 * Maximum number of records to read for a node; if it has more, its taints are dated to some time after its creation.
 */
const MAX_RECORDS = 500;
/** Up to 50,000 records: while more are in memory, each collection of the young generation holds the event loop for longer. */
const NODES_AT_ONCE = 100;

/**
 * Determines from stored data since when the taints of nodes exist, and what else decides which eviction timers run.
 */
export class EvictionMemory {
  constructor(
    private readonly reader: Pick<TrailReader, 'ofNodes'>,
    private readonly tolerations: Pick<TolerationHistory, 'read'>,
  ) {}

  /** @param nodes indexes into the state */
  async of(
    revision: Revision,
    state: ClusterState,
    nodes: readonly number[],
    { intents, signal }: { readonly intents: Intents; readonly signal: AbortSignal },
  ): Promise<RememberedPast> {
    const slices = new TimeSlices({ signal });
    // A change made through this service counts from when it was made, although it is based on a state that was
    // captured before.
    const until = holdsFrom(revision).getTime();
    const tainted = nodes.filter((node) => noExecuteOf(state, node).length > 0);
    const timelines = new Map<string, NodeTimeline>();
    for (let start = 0; start < tainted.length; start += NODES_AT_ONCE) {
      const some = tainted.slice(start, start + NODES_AT_ONCE);
      const names = some.map((node) => state.nodes.name(node));
      const kinds = ['found', 'change', 'intent'] as const;
      const rows = await this.reader.ofNodes(revision.clusterId, names, { kinds, mostOfOne: MAX_RECORDS });
      const records = new Map<string, NodeRecord[]>(names.map((name) => [name, []]));
      const channels = new Map<number, string | null>();
      for (const row of rows) {
        if (slices.due()) await slices.pause();
        const view = recordResponse(row);
        if (!isReadable(view) || row.node === null) continue;
        records.get(row.node)?.push(view);
        channels.set(row.sequence, row.channel);
      }
      for (const [index, node] of some.entries()) {
        if (slices.due()) await slices.pause();
        const name = names[index]!;
        const ofNode = records.get(name)!;
        const past = pastTimeline({
          // If a node has more records than were read, its beginning is unknown.
          intervals: ofNode.length < MAX_RECORDS ? nodeHistory(ofNode, { intents }).intervals : [],
          channelOf: (sequence) => channels.get(sequence) ?? undefined,
          createdAt: millisecondsOf(state.nodes.node(node).metadata.creationTimestamp) ?? -Infinity,
          until,
          taints: noExecuteOf(state, node),
        });
        timelines.set(name, past);
      }
    }
    return { timelines, histories: await this.histories(revision, state, tainted, slices) };
  }

  /** The histories of pods for which a timer may run. */
  private async histories(
    { clusterId, number, capturedAt }: Revision,
    state: ClusterState,
    tainted: readonly number[],
    slices: TimeSlices,
  ): Promise<ReadonlyMap<string, PodHistory>> {
    const { pods } = state;
    const timed: { namespace: string; name: string }[] = [];
    for (const node of tainted) {
      if (slices.due()) await slices.pause();
      const taints = noExecuteOf(state, node);
      const isTimed = new Map<number, boolean>();
      for (const pod of state.nodes.podsOf(node)) {
        const setId = pods.tolerationSetId(pod);
        if (!isTimed.has(setId)) {
          const eviction = evictionTime(state.tolerationSets[setId]!, taints, gatesOf(state.rules));
          isTimed.set(setId, 'used' in eviction && eviction.action !== 'never');
        }
        if (isTimed.get(setId) === true) timed.push({ namespace: pods.namespace(pod), name: pods.name(pod) });
      }
    }
    if (timed.length === 0) return new Map();
    const seen = await this.tolerations.read(clusterId, { revision: number, capturedAt }, timed);
    return historiesOf(state, seen);
  }
}

/** The NoExecute taints of a node, in its order. */
export function noExecuteOf({ nodes, taintSets }: ClusterState, node: number): readonly Taint[] {
  return taintSets[nodes.taintSetId(node)]!.filter(({ effect }) => effect === 'NoExecute');
}

/** Dates each change of tolerations between the last observation with the old list and the first with the new one. */
function historiesOf(state: ClusterState, seen: readonly SeenTolerations[]): ReadonlyMap<string, PodHistory> {
  const histories = new Map<string, PodHistory>();
  for (let index = 0; index < seen.length;) {
    const { namespace, name } = seen[index]!;
    const ofPod: SeenTolerations[] = [];
    for (; seen[index]?.namespace === namespace && seen[index]?.name === name; index++) ofPod.push(seen[index]!);
    const pod = state.pods.indexOf(namespace, name);
    const uid = ofPod.at(-1)!.uid;
    // An earlier pod of the same name is a different pod.
    const same = ofPod.slice(ofPod.findLastIndex((version) => version.uid !== uid) + 1);
    if (pod < 0 || same.length < 2) continue;
    const events = same.slice(1).map(({ capturedAt, snapshotBefore, tolerations }, place): PodEvent => ({
      what: 'tolerations',
      moment: { earliest: (snapshotBefore ?? same[place]!.capturedAt).getTime(), latest: capturedAt.getTime() },
      tolerations,
      known: 'snapshots',
    }));
    histories.set(state.pods.key(pod), { tolerations: same[0]!.tolerations, events });
  }
  return histories;
}
