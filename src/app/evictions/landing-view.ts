import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import type { Rescheduling, RescheduledPod, Refusal, Room } from '../../core/rescheduling/rescheduling.js';
import type { Listed } from '../../core/collections/first-few.js';
import { mapInSlices } from '../states/map-in-slices.js';
import type { TimeSlices } from '../states/time-slices.js';
import { type ReasonCountAnswer, reasonCounts } from '../placements/placement-summary.js';
import { timeText } from './schedule-view.js';

/** Why there is no node: in Kubernetes' own words, and counted with the taints by name. */
export interface RefusalView {
  readonly message: string | null;
  readonly reasons: readonly ReasonCountAnswer[];
}

export interface PodLandingView {
  readonly namespace: string;
  readonly name: string;
  readonly workload: Workload;
  readonly from: string | null;
  readonly markedAt: string | null;
  readonly goneAt: string | null;
  readonly replacementAt: string | null;
  /** Why no other is made, by its code; null where one is, or where that is not known. */
  readonly never: string | null;
  readonly verdict: string | null;
  readonly feasibleNodes: number;
  readonly unknownNodes: number;
  readonly nodes: readonly string[];
  readonly chosen: string | null;
  readonly landedAt: string | null;
  readonly refusal: RefusalView | null;
  readonly unknownBecause: readonly { readonly code: string; readonly message: string }[];
}

/** Amounts as Kubernetes writes them. */
export interface RoomView {
  readonly cpu: string;
  readonly memory: string;
}

export interface LandingMomentView {
  readonly at: string;
  readonly evicted: number;
  readonly gone: number;
  readonly replaced: number;
  readonly landed: number;
  readonly withoutNode: number;
  readonly unknown: number;
  readonly waiting: number;
  readonly requested: RoomView;
  readonly free: RoomView;
}

export interface WorkloadLandingView {
  readonly workload: Workload;
  readonly replaced: number;
  readonly landed: number;
  readonly unknown: number;
  readonly withoutNode: number;
  readonly refusal: RefusalView | null;
}

export interface LandingsView {
  readonly totals: {
    readonly evicted: number;
    readonly replaced: number;
    readonly landed: number;
    readonly landedLater: number;
    readonly withoutNode: number;
    readonly unknown: number;
    readonly requested: RoomView;
    readonly never: readonly { readonly why: string; readonly pods: number }[];
  };
  readonly timeline: Listed<LandingMomentView>;
  readonly workloads: Listed<WorkloadLandingView>;
  readonly pods: Listed<PodLandingView>;
  readonly assumptions: readonly string[];
}

export async function landingsView(
  { pods }: ClusterState,
  landings: Rescheduling,
  slices: TimeSlices,
): Promise<LandingsView> {
  const { totals, timeline, workloads, assumptions } = landings;
  const podView = (landing: RescheduledPod): PodLandingView => ({
    namespace: pods.namespace(landing.pod),
    name: pods.name(landing.pod),
    workload: plain(landing.workload),
    from: landing.from ?? null,
    markedAt: timeOrNull(landing.markedAt),
    goneAt: timeOrNull(landing.goneAt),
    replacementAt: timeOrNull(landing.replacementAt),
    never: landing.never ?? null,
    verdict: landing.verdict ?? null,
    feasibleNodes: landing.feasibleNodes,
    unknownNodes: landing.unknownNodes,
    nodes: landing.nodes,
    chosen: landing.chosen ?? null,
    landedAt: timeOrNull(landing.landedAt),
    refusal: refusalView(landing.refusal),
    unknownBecause: (landing.unknownBecause ?? []).map(({ code, message }) => ({ code, message })),
  });
  return {
    totals: {
      evicted: totals.evicted,
      replaced: totals.replaced,
      landed: totals.landed,
      landedLater: totals.landedLater,
      withoutNode: totals.withoutNode,
      unknown: totals.unknown,
      requested: roomView(totals.requested),
      never: Object.entries(totals.never).map(([why, count]) => ({ why, pods: count })),
    },
    timeline: {
      total: timeline.total,
      items: await mapInSlices(timeline.items, slices, ({ at, requested: asked, free, ...moment }) => ({
        at: timeText(at),
        ...moment,
        requested: roomView(asked),
        free: roomView(free),
      })),
    },
    workloads: {
      total: workloads.total,
      items: await mapInSlices(
        workloads.items,
        slices,
        ({ workload, replaced, landed, unknown, withoutNode, refusal }) => ({
          workload: plain(workload),
          replaced,
          landed,
          unknown,
          withoutNode,
          refusal: refusalView(refusal),
        }),
      ),
    },
    pods: { total: landings.pods.total, items: await mapInSlices(landings.pods.items, slices, podView) },
    assumptions: assumptions.map(({ message }) => message),
  };
}

const plain = ({ kind, namespace, name }: Workload): Workload => ({ kind, namespace, name });
const timeOrNull = (at: number | undefined): string | null => (at === undefined ? null : timeText(at));
const roomView = ({ milliCPU, memory }: Room): RoomView => ({ cpu: `${milliCPU}m`, memory: String(memory) });

function refusalView(refusal: Refusal | undefined): RefusalView | null {
  if (refusal === undefined) return null;
  return {
    message: refusal.message.text ?? null,
    reasons: reasonCounts(refusal.reasons),
  };
}
