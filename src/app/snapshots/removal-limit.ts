import type { KindRemovals } from '../../storage/snapshot-removals.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';

/** Of small clusters a share says nothing: so many of a kind may always go. */
const ALWAYS_ALLOWED = { Node: 1, Pod: 5 } as const;
const PERCENT = 20;

/**
 * How many of the stored nodes and pods a snapshot may remove before somebody has to confirm it. A dump that lacks most of a
 * cluster is more often a fault of whoever took it than the end of the cluster, and what is recorded stays on the record.
 *
 * A pod that a new one of its namespace stands in for does not count: pods get other names whenever they are replaced, and a
 * rollout is no loss. Nodes count by name.
 */
export class RemovalLimit {
  /** @param percent of the stored nodes, and of the stored pods; 100 for no limit */
  constructor(private readonly percent = PERCENT) {}

  /** @throws {ServiceError} `too-many-removals`, with the counts and some names of each kind */
  check(removals: readonly KindRemovals[]): void {
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
        message: `${what} are not in the snapshot: ${names}${more}`,
      });
    }
    if (details.length === 0) return;
    throw new ServiceError(
      'too-many-removals',
      `The snapshot lacks ${lacking.join(' and ')}, and removing more than ${this.percent} % needs a confirmation. If they are gone from the ` +
        'cluster, send it again with allowRemovals=true. Nothing was stored.',
      { details },
    );
  }

  private allowed(kind: 'Node' | 'Pod', stored: number): number {
    return Math.max(ALWAYS_ALLOWED[kind], Math.floor((stored * this.percent) / 100));
  }

  /** A cluster without a single node is a mistake, however few it had. */
  private isLastNode(kind: 'Node' | 'Pod', stored: number, notReplaced: number): boolean {
    return kind === 'Node' && this.percent < 100 && notReplaced === stored;
  }
}
