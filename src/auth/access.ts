import { PERMISSIONS, type Permission } from './permission.js';

/** What one binding gives a caller. */
export interface Grant {
  /** Whether it is about a cluster of this name, which need not exist. */
  readonly covers: (cluster: string) => boolean;
  /** Whether it is about every cluster there may be. */
  readonly everyCluster: boolean;
  readonly permissions: ReadonlySet<Permission>;
  /** Whether values of taints and tolerations are shown, and not only their keys. */
  readonly taintValues: boolean;
  /** Whether somebody else may be named as the one for whom a change is made. */
  readonly onBehalfOf: boolean;
}

/**
 * What a caller may do. Grants add up: what one of them gives, no other takes away. All questions are about names, so that
 * the answer is the same whether or not there is such a cluster.
 */
export class Access {
  /** Of every caller where nobody is asked for a name. */
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

  /** Whether no binding gives the caller anything. */
  get isNothing(): boolean {
    return this.grants.length === 0;
  }

  may(permission: Permission, cluster: string): boolean {
    return this.grants.some(({ covers, permissions }) => permissions.has(permission) && covers(cluster));
  }

  /** Whether the caller may do it to every cluster there may be. */
  mayEverywhere(permission: Permission): boolean {
    return this.grants.some(({ everyCluster, permissions }) => everyCluster && permissions.has(permission));
  }

  /** Whether the caller has any right to it; to everybody else it does not exist. */
  sees(cluster: string): boolean {
    return this.grants.some(({ covers }) => covers(cluster));
  }

  /** Withheld only where every grant that covers the cluster withholds it. */
  seesTaintValues(cluster: string): boolean {
    return this.grants.some(({ covers, taintValues }) => taintValues && covers(cluster));
  }

  /** Whether values are withheld from the caller in any cluster. */
  get withholdsValues(): boolean {
    return this.grants.some(({ taintValues }) => !taintValues);
  }

  /** Whether a change may name somebody else as the one for whom it is made. */
  mayActFor(cluster: string): boolean {
    return this.grants.some(({ covers, onBehalfOf }) => onBehalfOf && covers(cluster));
  }
}
