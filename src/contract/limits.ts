/** Maximum number of labels to group capacity by. */
export const MAX_GROUP_LABELS = 8;

/** Maximum number of pods in one request, counting replicas. */
export const MAX_REPLICAS_IN_REQUEST = 1_000_000;

/** Maximum number of manifests in one request. */
export const MAX_MANIFESTS = 100;

/** Kinds of events in the request for an eviction schedule. */
export const EVICTION_EVENT_KINDS = [
  'setTaints',
  'deleteNode',
  'setTolerations',
  'createPod',
  'deletePod',
  'stopController',
  'startController',
] as const;

/** Maximum number of events in one request. */
export const MAX_EVENTS = 10_000;

/** How nodes fail: the kubelet stops reporting, or reports that the node is not ready. */
export const OUTAGE_KINDS = ['silent', 'notReady'] as const;

/** Maximum time for which node failures are followed, in seconds: one week. */
export const MAX_HORIZON = 7 * 86_400;

/** Types of the events that a follower of a cluster receives. */
export const CLUSTER_EVENT_TYPES = [
  'headChanged',
  'taintChangeRecorded',
  'expectationTurned',
  'disagreement',
  'scheduleChanged',
  'evictionDue',
] as const;

/** Maximum number of clusters in one request. */
export const MAX_CLUSTERS = 200;

/** Maximum number of items in one batch. */
export const MAX_ITEMS = 1000;

export const OVERHEAD_GROUPS = ['runtimeClass', 'namespace', 'node'] as const;

export const CGROUP_DRIVERS = ['cgroupfs', 'systemd'] as const;

export const CGROUP_VERSIONS = ['v1', 'v2'] as const;

/** Maximum number of items in one review. */
export const MAX_REVIEW_ITEMS = 1000;

/** Default number of changes that are tried to unblock pods. */
export const DEFAULT_CHANGES_TRIED = 12;

export const DEFAULT_TIME_BUDGET_MS = 10_000;

export const MAX_TIME_BUDGET_MS = 60_000;

export const MAX_CHANGES_TRIED = 40;

/** Maximum number of objects in one gate. */
export const MAX_OBJECTS_IN_GATE = 2000;

/** Maximum length of manifests as text, in UTF-16 code units. */
export const MAX_GATE_TEXT = 8 * 1024 * 1024;
