import type { PolicyRule } from '../../kube-api/reflector/reflection.js';

/** How one kind of a followed cluster is doing. Times are ISO 8601; it is stored as JSON. */
export interface KindStatus {
  readonly kind: string;
  readonly state: 'listing' | 'watching' | 'denied' | 'notServed' | 'retrying';
  readonly since: string;
  readonly resourceVersion: string | null;
  /** The last event or bookmark. */
  readonly lastSeenAt: string | null;
  readonly message: string | null;
  readonly nextTry: string | null;
  readonly rule: PolicyRule | null;
}

/** How a cluster is followed. */
export interface FollowStatus {
  readonly since: string;
  /** Why the cluster as a whole cannot be followed just now. */
  readonly message: string | null;
  readonly kinds: readonly KindStatus[];
}

/** How often a status has changed, so that it need not be made to find out whether it has. */
export interface StatusMarks {
  /** Another state, message or rule. */
  states: number;
  /** Times and positions alone. */
  moves: number;
}
