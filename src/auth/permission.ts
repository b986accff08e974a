/**
 * What a caller may do with a cluster; the roles of a binding have the same names.
 *
 * - `read`: whatever is stored of it, and lists of it.
 * - `evaluate`: what would be: placements, findings on a manifest, previews of changes, scenarios.
 * - `change`: take snapshots and change taints; a snapshot may create the cluster.
 * - `admit`: answer the webhook calls of an API server, which leaves records of what was done to pods.
 * - `audit`: the trail: its questions, its export, its verification, and audit events that are posted to it.
 * - `admin`: create, label and delete clusters, remove old revisions, and correct capture times.
 */
export const PERMISSIONS = ['read', 'evaluate', 'change', 'admit', 'audit', 'admin'] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** What each role allows: those to the left of a step are part of it; `audit` stands beside them, and `admit` alone. */
export const ROLE_PERMISSIONS: Readonly<Record<Permission, readonly Permission[]>> = {
  read: ['read'],
  evaluate: ['read', 'evaluate'],
  change: ['read', 'evaluate', 'change'],
  admit: ['admit'],
  audit: ['read', 'audit'],
  admin: PERMISSIONS,
};
