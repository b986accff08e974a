import type { CriticalPodReason } from '../kubernetes/critical-pod.js';
import type { PressureSignal, RankedPod } from './kubelet-eviction-rank.js';

const MEASURES: Readonly<Record<PressureSignal, string>> = {
  memory: 'of memory',
  disk: 'of ephemeral storage',
  inodes: 'inodes',
  pid: 'processes',
};

const CRITICAL: Readonly<Record<CriticalPodReason, string>> = {
  static: 'a static pod is never evicted',
  mirror: 'a mirror pod is never evicted',
  priority: 'a pod of priority 2000000000 or more is never evicted',
};

/** Explains a pod's rank: `uses 2Gi of memory, more than the 1Gi that it requests; priority 0`. */
export function rankText(signal: PressureSignal, ranked: RankedPod<unknown>): string {
  const { usage, request, exceedsRequest, priority, critical } = ranked;
  const parts = [
    usage === undefined ? noStats(signal) : `uses ${usage.toString()} ${MEASURES[signal]}`,
    ...(usage === undefined || request === undefined
      ? []
      : [against(signal, request.toString(), exceedsRequest === true)]),
  ];
  const passedOver = critical === undefined ? '' : `; skipped: ${CRITICAL[critical]}`;
  return `${parts.join(', ')}; priority ${priority}${passedOver}`;
}

function against(signal: PressureSignal, request: string, exceeds: boolean): string {
  if (signal === 'inodes') return exceeds ? 'of which nothing can be requested' : 'not more than it requests';
  return exceeds ? `more than the ${request} that it requests` : `not more than the ${request} that it requests`;
}

const noStats = (signal: PressureSignal): string =>
  signal === 'pid'
    ? 'has no stats, so it is ranked before the others of its priority'
    : 'has no stats, so it is ranked before every pod with stats';
