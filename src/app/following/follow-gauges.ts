import type { GaugeReading } from '../service-metrics.js';
import type { FollowStatus } from './follow-status.js';

type Statuses = readonly { readonly cluster: string; readonly status: FollowStatus }[];

export function kindsByState(statuses: Statuses): readonly GaugeReading[] {
  return statuses.flatMap(({ cluster, status }) => {
    const counts = new Map<string, number>();
    for (const { state } of status.kinds) counts.set(state, (counts.get(state) ?? 0) + 1);
    return [...counts].map(([state, value]) => ({ labels: { cluster, state }, value }));
  });
}

export function secondsBehind(statuses: Statuses, now: Date): readonly GaugeReading[] {
  return statuses.flatMap(({ cluster, status }) => {
    const seen = status.kinds.flatMap(({ lastSeenAt }) => (lastSeenAt === null ? [] : [Date.parse(lastSeenAt)]));
    if (seen.length === 0) return [];
    return [{ labels: { cluster }, value: Math.max(0, (now.getTime() - Math.min(...seen)) / 1000) }];
  });
}
