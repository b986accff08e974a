import { PERMISSIONS, type Permission } from './permission.js';

/** The permissions that one binding grants to a caller. */
export interface Grant {
  /** Whether it applies to a cluster name; the cluster need not exist. */
  readonly covers: (cluster: string) => boolean;
  /** Whether it applies to all clusters, including future ones. */
  readonly everyCluster: boolean;
  readonly permissions: ReadonlySet<Permission>;
  /** Whether values of taints and tolerations are visible, and not only their keys. */
  readonly taintValues: boolean;
  /** Whether changes may name another person as `onBehalfOf`. */
  readonly onBehalfOf: boolean;
}

/**
 * The permissions of a caller: the union of all grants. All checks are by name, so that their result does not depend on
 * whether the cluster exists.
 */
export class Access {
  /** The access of every caller if authentication is off. */
  static readonly everything = new Access([
    {
      covers: () => true,
      everyCluster: true,
      permissions: new Set(PERMISSIONS),
      taintValues: true,
      onBehalfOf: true,
    },
  ]);
  static readonly nothing = new Access([]);

  constructor(private readonly grants: readonly Grant[]) {}

  /** True if no binding grants the caller anything. */
  get isNothing(): boolean {
    return this.grants.length === 0;
  }

  may(permission: Permission, cluster: string): boolean {
    return this.grants.some(({ covers, permissions }) => permissions.has(permission) && covers(cluster));
  }

  /** Whether the caller has the permission for all clusters, including future ones. */
  mayEverywhere(permission: Permission): boolean {
    return this.grants.some(({ everyCluster, permissions }) => everyCluster && permissions.has(permission));
  }

  /** Whether the caller has any permission for the cluster; otherwise the cluster is reported as not found. */
  sees(cluster: string): boolean {
    return this.grants.some(({ covers }) => covers(cluster));
  }

  /** False only if every grant that covers the cluster hides the values. */
  seesTaintValues(cluster: string): boolean {
    return this.grants.some(({ covers, taintValues }) => taintValues && covers(cluster));
  }

  /** Whether values are hidden from the caller in any cluster. */
  get withholdsValues(): boolean {
    return this.grants.some(({ taintValues }) => !taintValues);
  }

  /** Whether a change may name another person as `onBehalfOf`. */
  mayActFor(cluster: string): boolean {
    return this.grants.some(({ covers, onBehalfOf }) => onBehalfOf && covers(cluster));
  }
}
