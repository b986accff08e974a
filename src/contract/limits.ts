/** Labels by whose values capacity may be told. */
export const MOST_GROUP_LABELS = 8;

/** Pods that one question may bring, replicas counted. */
export const MOST_REPLICAS_GIVEN = 1_000_000;

/** Manifests that one question may bring. */
export const MOST_GIVEN = 100;

/** What an event does. */
export const EVENT_WORDS = [
  'setTaints',
  'deleteNode',
  'setTolerations',
  'createPod',
  'deletePod',
  'stopController',
  'startController',
] as const;

/** The most events of one question. */
export const MOST_EVENTS = 10_000;

/** How nodes fail: their kubelet falls silent, or says itself that it is not ready. */
export const OUTAGE_WORDS = ['silent', 'notReady'] as const;

/** The longest that failures of nodes are followed, in seconds: a week. */
export const LONGEST_HORIZON = 7 * 86_400;

/** What a follower of a cluster is told. */
export const CLUSTER_EVENT_TYPES = ['headChanged', 'taintChangeRecorded', 'scheduleChanged', 'evictionDue'] as const;

/** Clusters that one request may ask. */
export const MOST_CLUSTERS = 200;

/** Items that one batch may have. */
export const MOST_ITEMS = 1000;

export const OVERHEAD_GROUPS = ['runtimeClass', 'namespace', 'node'] as const;

export const CGROUP_DRIVERS = ['cgroupfs', 'systemd'] as const;

export const CGROUP_VERSIONS = ['v1', 'v2'] as const;

/** Items that one review may have. */
export const MOST_REVIEWED = 1000;

/** Changes that are tried for what they unblock by default. */
export const DEFAULT_CHANGES_TRIED = 12;

export const DEFAULT_TIME_BUDGET_MS = 10_000;

export const GREATEST_TIME_BUDGET_MS = 60_000;

export const MOST_CHANGES_TRIED = 40;
