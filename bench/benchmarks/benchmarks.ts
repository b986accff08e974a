import { missingAssets } from '../../test/control-plane/control-plane.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import type { FollowBed } from '../service/follow-bed.js';
import type { TestBed } from '../service/test-bed.js';
import { acrossClusters } from './across-200-clusters.js';
import { byVersion } from './by-version.js';
import { capacity } from './capacity.js';
import {
  dashboardFilter,
  dashboardFirstView,
  dashboardLiveMemory,
  dashboardPanning,
  dashboardScript,
} from './dashboard.js';
import { delta, deltaHttp } from './delta.js';
import {
  followEvents,
  followFirstList,
  followFirstListMemory,
  followIdleMemory,
  followLiveFirstList,
  followLiveWriteToAnswer,
  followLiveWriteToAnswerAtOnce,
  followTakeover,
  followWriteToAnswer,
  followWriteToAnswerAtOnce,
} from './following.js';
import { devicesCostlySelector, devicesLyingSlices, devicesOneNode, devicesOnePod, devicesQueue } from './devices.js';
import { evictionSchedule, evictionScheduleDelta, zoneFailure } from './eviction-schedule.js';
import { expectations } from './expectations.js';
import { fileOfOneGigabyte } from './file-1gb-memory.js';
import { headLoad, headLoadImage, headLoadMemory } from './head-load.js';
import { ingest } from './ingest.js';
import { ingestUnchanged } from './ingest-unchanged.js';
import { gate, gateHttp, gateOfDaemonSet, gateOfMany, gateOfUpdate } from './gate.js';
import { landing } from './landing.js';
import { loopHolds } from './loop-holds.js';
import { plainQueue, spreadQueue } from './queue.js';
import { liveSubscribers } from './live-subscribers.js';
import { metricsPage, metricsPageMemory } from './metrics-page.js';
import { nodeAllocation } from './node-allocation.js';
import { onePodAllFilters } from './one-pod-all-filters.js';
import { onePodTaints } from './one-pod-taints.js';
import { admissionReviewHttp } from './admission-review-http.js';
import { placementFullCluster } from './placement-full-cluster.js';
import {
  placementHttp,
  placementHttpGroups,
  placementHttpNewPods,
  placementHttpWhileIngesting,
  placementHttpWorkers,
} from './placement-http.js';
import { quotaUsage, quotaUsageDelta } from './quota-usage.js';
import { rankOnePod } from './rank-one-pod.js';
import { scenarioTaint } from './scenario-taint.js';
import { stateApplyDelta } from './state-apply-delta.js';
import { stateBuild } from './state-build.js';
import { taintChange, taintChangeAll } from './taint-change.js';
import { taintMatrix } from './taint-matrix.js';
import { pluginColdStart, pluginWhy, pluginWhyMemory } from './plugin.js';
import { preemption } from './preemption.js';
import { tracingOff, tracingOn } from './tracing.js';
import { trailVerify } from './trail-verify.js';

/** All benchmarks, in table order; those of a running control plane where `KUBEBUILDER_ASSETS` names its binaries. */
export const benchmarks = (cluster: BenchCluster, bed: TestBed, follow: FollowBed): readonly Benchmark[] => [
  taintMatrix(cluster),
  onePodTaints(cluster),
  onePodAllFilters(cluster),
  placementFullCluster(cluster),
  rankOnePod(cluster),
  ...byVersion(cluster),
  stateBuild(cluster),
  stateApplyDelta(cluster),
  scenarioTaint(cluster),
  evictionSchedule(cluster),
  evictionScheduleDelta(cluster),
  zoneFailure(cluster),
  landing(cluster),
  plainQueue(cluster),
  spreadQueue(cluster),
  devicesOnePod(),
  devicesOneNode(),
  devicesLyingSlices(),
  devicesCostlySelector(),
  devicesQueue(),
  capacity(cluster),
  preemption(cluster),
  gate(cluster),
  gateOfMany(cluster),
  gateOfUpdate(cluster),
  gateOfDaemonSet(cluster),
  expectations(cluster),
  nodeAllocation(cluster),
  metricsPage(cluster),
  metricsPageMemory(bed),
  quotaUsage(cluster),
  quotaUsageDelta(cluster),
  placementHttp(cluster, bed),
  placementHttpNewPods(cluster, bed),
  admissionReviewHttp(cluster, bed),
  gateHttp(cluster, bed),
  placementHttpGroups(cluster, bed),
  placementHttpWhileIngesting(cluster, bed),
  placementHttpWorkers(cluster, bed),
  ...loopHolds(cluster, bed),
  taintChange(cluster, bed),
  taintChangeAll(cluster, bed),
  liveSubscribers(cluster, bed),
  trailVerify(bed),
  tracingOff(),
  tracingOn(cluster, bed),
  ingest(bed),
  ingestUnchanged(bed),
  delta(cluster, bed),
  deltaHttp(cluster, bed),
  headLoad(bed),
  headLoadImage(bed),
  headLoadMemory(bed),
  fileOfOneGigabyte(bed),
  acrossClusters(cluster, bed),
  dashboardFirstView(cluster, bed),
  dashboardPanning(cluster, bed),
  dashboardFilter(cluster, bed),
  dashboardLiveMemory(cluster, bed),
  dashboardScript(),
  pluginColdStart(),
  pluginWhy(),
  pluginWhyMemory(),
  followFirstList(follow),
  followFirstListMemory(follow),
  followEvents(follow),
  followWriteToAnswer(follow),
  followWriteToAnswerAtOnce(follow),
  followIdleMemory(follow),
  followTakeover(follow),
  ...(missingAssets(process.env) === undefined
    ? [followLiveFirstList(follow), followLiveWriteToAnswer(follow), followLiveWriteToAnswerAtOnce(follow)]
    : []),
];
