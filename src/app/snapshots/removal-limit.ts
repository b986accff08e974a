import type { KindRemovals } from '../../storage/snapshot-removals.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';

/** A percentage is meaningless for small clusters: this many may always be removed. */
const ALWAYS_ALLOWED = { Node: 1, Pod: 5 } as const;
const PERCENT = 20;

/**
 * Limits how many of the stored nodes and pods a snapshot may remove without confirmation. A dump that lacks most of a
 * cluster is usually incomplete, and recorded deletions cannot be undone.
 *
 * Pods that are replaced by a new pod in their namespace do not count: a rollout renames pods without removing them.
 * Nodes count by name.
 */
export class RemovalLimit {
  /** @param percent of the stored nodes, and of the stored pods; 100 for no limit */
  constructor(private readonly percent = PERCENT) {}

  /** @throws {ServiceError} `too-many-removals`, with the counts and some names for each kind */
  check(removals: readonly KindRemovals[], by: 'snapshot' | 'delta' = 'snapshot'): void {
    const details: ErrorDetail[] = [];
    const lacking: string[] = [];
    for (const { kind, stored, removed, notReplaced, first } of removals) {
      if (kind !== 'Node' && kind !== 'Pod') continue;
      const lost = kind === 'Node' ? removed : notReplaced;
      if (lost <= this.allowed(kind, stored) && !this.isLastNode(kind, stored, notReplaced)) continue;
      const names = first.map(({ namespace, name }) => (namespace === '' ? name : `${namespace}/${name}`)).join(', ');
      const more = removed > first.length ? ` and ${removed - first.length} more` : '';
      const what = `${removed} of ${stored} stored ${kind === 'Node' ? 'nodes' : 'pods'}`;
      lacking.push(what);
      details.push({
        field: 'allowRemovals',
        code: 'too-many-removals',
        kind,
        message: `${what} are ${by === 'snapshot' ? 'missing from the snapshot' : 'deleted by the delta'}: ${names}${more}`,
      });
    }
    if (details.length === 0) return;
    throw new ServiceError(
      'too-many-removals',
      `The ${by} ${by === 'snapshot' ? 'lacks' : 'deletes'} ${lacking.join(' and ')}; removing more than ${this.percent} % ` +
        `requires confirmation. If they are gone from the cluster, send the ${by} again with allowRemovals=true. Nothing was stored.`,
      { details },
    );
  }

  private allowed(kind: 'Node' | 'Pod', stored: number): number {
    return Math.max(ALWAYS_ALLOWED[kind], Math.floor((stored * this.percent) / 100));
  }

  /** Removing the last node is always treated as a mistake, however few there were. */
  private isLastNode(kind: 'Node' | 'Pod', stored: number, notReplaced: number): boolean {
    return kind === 'Node' && this.percent < 100 && notReplaced === stored;
  }
}
