/**
 * The permissions for a cluster; the roles of a binding have the same names.
 *
 * - `read`: read and list everything that is stored.
 * - `evaluate`: evaluate placements, findings on manifests, previews of changes, scenarios.
 * - `change`: take snapshots and change taints; a snapshot may create the cluster.
 * - `apply`: have the service write taint changes to the cluster, over a connection that allows writes.
 * - `admit`: answer webhook calls of an API server, which records what was done to pods.
 * - `approve`: approve and reject changes that guardrails hold.
 * - `audit`: read, export and verify the audit trail, and send audit events.
 * - `admin`: create, label and delete clusters, remove old revisions, and correct capture times.
 */
export const PERMISSIONS = ['read', 'evaluate', 'change', 'apply', 'approve', 'admit', 'audit', 'admin'] as const;

export type Permission = (typeof PERMISSIONS)[number];

/**
 * The permissions of each role: `apply` includes `change`; `change` and `approve` include `evaluate`, which includes `read`; `audit`
 * includes `read`; `admit` includes no other; `admin` includes all.
 */
export const ROLE_PERMISSIONS: Readonly<Record<Permission, readonly Permission[]>> = {
  read: ['read'],
  evaluate: ['read', 'evaluate'],
  change: ['read', 'evaluate', 'change'],
  apply: ['read', 'evaluate', 'change', 'apply'],
  approve: ['read', 'evaluate', 'approve'],
  admit: ['admit'],
  audit: ['read', 'audit'],
  admin: PERMISSIONS,
};
