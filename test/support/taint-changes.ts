import { randomUUID } from 'node:crypto';
import type { TrailDraft } from '../../src/core/audit/trail-record.js';
import type { TaintChangeToCommit } from '../../src/storage/taint-trail/taint-change-store.js';

interface Made extends Partial<Pick<TaintChangeToCommit, 'author' | 'idempotency' | 'madeAt'>> {
  /** The nodes; without them, the node `a`. */
  readonly names?: readonly string[];
}

/** A change of nodes without taints, whose label `head` gets the number of the revision that it is made on. */
export function changeOf(
  clusterId: number,
  head: number,
  { names = ['a'], madeAt = new Date('2026-06-01T12:00:00Z'), author = 'ada', idempotency }: Made = {},
): TaintChangeToCommit {
  const draft = (kind: 'request' | 'change'): TrailDraft => ({
    kind,
    body: {},
    index: { happenedAt: madeAt.toISOString(), taints: [] },
  });
  return {
    id: randomUUID(),
    clusterId,
    action: 'change',
    madeAt,
    author,
    head,
    nodes: names.map((name) => ({
      after: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { head: `${head}` } } } as never,
      difference: { added: [], removed: [], changed: [] },
      draft: draft('change'),
    })),
    request: draft('request'),
    details: {},
    outcomes: [],
    ...(idempotency !== undefined && { idempotency }),
  };
}
