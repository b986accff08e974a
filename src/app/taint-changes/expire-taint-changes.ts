import { randomUUID } from 'node:crypto';
import type { TrailDraft } from '../../core/audit/trail-record.js';
import { AlreadyDone, type StoredTaintChange, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import type { ChangeAuthor, ChangeDetails } from './change-details.js';
import { MakeChange } from './make-change.js';
import type { NodesPlan } from './plan-nodes.js';

/** Who undoes what has expired. */
const SERVICE: ChangeAuthor = { name: 'kube-placement', kind: 'service', groups: [], issuer: null };
/** Changes of one round. */
const BATCH = 50;

/** What became of a change whose time was over. */
export interface ExpiredChange {
  readonly cluster: string;
  readonly change: string;
  /** `refused`: somebody had changed all that it did; `elsewhere`: another replica was first, or it was reverted. */
  readonly outcome: 'done' | 'refused' | 'elsewhere';
}

/**
 * Takes back what has expired: as a revert does, but for nodes on which somebody changed the same since, which are left as they
 * are. Each change once, by whichever replica comes first, in the transaction that does it.
 */
export class ExpireTaintChanges {
  constructor(
    private readonly makeChange: MakeChange,
    private readonly store: TaintChangeStore,
  ) {}

  /** Those that are due, the longest due first. One that fails is tried again in the next round, and does not keep the others. */
  async run(now: Date, failed: (change: string, error: unknown) => void): Promise<readonly ExpiredChange[]> {
    const done: ExpiredChange[] = [];
    for (const change of await this.store.due(now, BATCH)) {
      try {
        done.push({ cluster: change.cluster, change: change.id, outcome: await this.expire(change, now) });
      } catch (error) {
        failed(change.id, error);
      }
    }
    return done;
  }

  /** When the next one is due; undefined when none is. */
  next(): Promise<Date | undefined> {
    return this.store.nextExpiry();
  }

  private async expire(
    change: StoredTaintChange & { readonly cluster: string },
    now: Date,
  ): Promise<ExpiredChange['outcome']> {
    const { id, cluster, clusterId, expiresAt } = change;
    const reason = `Change ${id} expired at ${expiresAt!.toISOString()}: ${(change.details as ChangeDetails).reason}`;
    try {
      const made = await this.makeChange.run(
        {
          id: randomUUID(),
          cluster,
          action: 'expiry',
          author: SERVICE,
          reason,
          undoes: id,
          request: { taints: [], labels: [], unschedulable: null, overwrite: true, perNode: true, force: false },
          dryRun: false,
        },
        { now, signal: new AbortController().signal },
      );
      // What is asked for without a key is never repeated.
      if ('repeated' in made || made.committed !== undefined) return 'done';
      const { outcome, draft } = nothingDone(change, made.plan, reason, now);
      return (await this.store.endExpiry(clusterId, id, outcome, draft, now)) ? outcome : 'elsewhere';
    } catch (error) {
      if (error instanceof AlreadyDone) return 'elsewhere';
      throw error;
    }
  }
}

/** The record of an expiry that changes no node: all is as before already, or somebody changed the same since. */
function nothingDone(
  { id }: StoredTaintChange,
  { outcomes }: NodesPlan,
  reason: string,
  now: Date,
): { readonly outcome: 'done' | 'refused'; readonly draft: TrailDraft } {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  const outcome = refused.length > 0 ? 'refused' : 'done';
  const at = now.toISOString();
  return {
    outcome,
    draft: {
      kind: 'request',
      body: {
        change: id,
        action: 'expiry',
        at,
        channel: 'api',
        by: { username: SERVICE.name, kind: SERVICE.kind, groups: [] },
        reason,
        undoes: id,
        nodes: { changed: 0, unchanged: outcomes.length - refused.length, refused: refused.length },
        refusals: refused.slice(0, 100).map(({ node, message }) => ({ node, message })),
      },
      index: { changeId: id, happenedAt: at, author: SERVICE.name, channel: 'api', taints: [] },
    },
  };
}
