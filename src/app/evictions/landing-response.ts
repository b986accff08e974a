import type { landingRefusal, landingRoom, landings, podLanding } from '../../contract/evictions/landing.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { quantityOf } from '../../core/kubernetes/quantity-of.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import { givenDevices } from '../../core/devices/given-devices.js';
import type {
  NeverReplaced,
  Rescheduling,
  RescheduledPod,
  Refusal,
  Room,
} from '../../core/rescheduling/rescheduling.js';
import { mapInSlices } from '../states/map-in-slices.js';
import type { TimeSlices } from '../states/time-slices.js';
import { reasonCounts } from '../placements/placement-head.js';
import { timeText } from './schedule-response.js';

type RefusalResponse = Response<typeof landingRefusal>;
type RoomResponse = Response<typeof landingRoom>;
type PodLandingResponse = Response<typeof podLanding>;
type LandingsResponse = Response<typeof landings>;

export async function landingsResponse(
  { pods }: ClusterState,
  rescheduling: Rescheduling,
  slices: TimeSlices,
): Promise<LandingsResponse> {
  const { totals, timeline, workloads, assumptions } = rescheduling;
  const podResponse = (landing: RescheduledPod): PodLandingResponse => ({
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
    devices: givenDevices(landing.devices ?? []),
    refusal: refusalResponse(landing.refusal),
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
      requested: roomResponse(totals.requested),
      never: Object.entries(totals.never).map(([why, count]) => ({ why: why as NeverReplaced, pods: count })),
    },
    timeline: {
      total: timeline.total,
      items: await mapInSlices(timeline.items, slices, ({ at, requested: asked, free, ...moment }) => ({
        at: timeText(at),
        ...moment,
        requested: roomResponse(asked),
        free: roomResponse(free),
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
          refusal: refusalResponse(refusal),
        }),
      ),
    },
    pods: { total: rescheduling.pods.total, items: await mapInSlices(rescheduling.pods.items, slices, podResponse) },
    assumptions: assumptions.map(({ message }) => message),
  };
}

const plain = ({ kind, namespace, name }: Workload): Workload => ({ kind, namespace, name });
const timeOrNull = (at: number | undefined): string | null => (at === undefined ? null : timeText(at));
const roomResponse = ({ milliCPU, memory }: Room): RoomResponse => ({
  cpu: quantityOf('cpu', milliCPU).toString(),
  memory: quantityOf('memory', memory).toString(),
});

function refusalResponse(refusal: Refusal | undefined): RefusalResponse | null {
  if (refusal === undefined) return null;
  return {
    message: refusal.message.text ?? null,
    reasons: reasonCounts(refusal.reasons),
  };
}
