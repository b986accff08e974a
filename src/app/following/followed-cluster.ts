import { KINDS } from '../../core/kubernetes/kinds.js';
import type { PolicyRule } from '../../kube-api/reflector/reflection.js';
import type { readConnection } from '../../contract/connections/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { wholeSecondsBetween } from '../reads/resolve-revision.js';
import type { FollowStatus } from './follow-status.js';

type FollowedCluster = NonNullable<AnswerTo<typeof readConnection>['following']>;

/** How a cluster is followed, by what its follower stored last. */
export function followedCluster(stored: unknown, now: Date): FollowedCluster {
  const status = stored as FollowStatus | undefined;
  return {
    since: status === undefined ? null : new Date(status.since),
    message: status === undefined ? 'no replica of the service follows the cluster yet' : status.message,
    kinds: (status?.kinds ?? []).map(({ since, lastSeenAt, nextTry, rule, ...kind }) => {
      const seen = lastSeenAt === null ? null : new Date(lastSeenAt);
      return {
        ...kind,
        since: new Date(since),
        lastSeenAt: seen,
        behindSeconds: seen === null ? null : Math.max(0, wholeSecondsBetween(seen, now)),
        nextTry: nextTry === null ? null : new Date(nextTry),
        rule: rule as object,
      };
    }),
    rules: READING_RULES,
  };
}

/** What a ClusterRole must have to read all kinds. */
const READING_RULES: readonly PolicyRule[] = readingRules();

function readingRules(): readonly PolicyRule[] {
  const byGroup = new Map<string, string[]>();
  for (const { plural, apiVersions } of KINDS) {
    const groups = apiVersions.map((version) => (version.includes('/') ? version.slice(0, version.indexOf('/')) : ''));
    for (const group of new Set(groups)) {
      // No API server serves it any longer.
      if (group !== 'extensions') byGroup.set(group, [...(byGroup.get(group) ?? []), plural]);
    }
  }
  return [...byGroup].map(([group, resources]) => ({
    apiGroups: [group],
    resources: resources.sort(),
    verbs: ['get', 'list', 'watch'],
  }));
}
