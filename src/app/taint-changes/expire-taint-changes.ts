import { randomUUID } from 'node:crypto';
import { ruleSubject } from '../../core/audit/rule-subject.js';
import type { TrailDraft } from '../../core/audit/trail-record.js';
import { ApplicationStore } from '../../storage/taint-trail/application-store.js';
import { AlreadyDone, type StoredTaintChange, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { ApplyOptions } from '../applying/apply-options.js';
import type { ChangeAuthor, ChangeDetails } from './change-details.js';
import { approvalDraft } from '../approvals/approval-draft.js';
import { AskedChangeStore, type StoredAskedChange } from '../../storage/taint-trail/asked-change-store.js';
import { AskedMoved } from '../../storage/taint-trail/asked-step.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { isRepeated } from './change-to-make.js';
import { MakeChange } from './make-change.js';

/** The author of reverts of expired changes. */
const SERVICE: ChangeAuthor = { name: 'kube-placement', kind: 'service', groups: [], issuer: null };
/** Changes in one round. */
const BATCH = 50;

/** The outcome for an expired change. */
export interface ExpiredChange {
  readonly cluster: string;
  readonly change: string;
  /**
   * `refused`: everything that it did was changed by somebody else; `elsewhere`: another replica handled it, or it was
   * reverted.
   */
  readonly outcome: 'done' | 'refused' | 'elsewhere';
}

/** Told of what fails. */
export interface ExpiryFailures {
  readonly change: (change: string, error: unknown) => void;
  /** Some clusters could not be looked at. */
  readonly place: (error: unknown) => void;
}

/**
 * Reverts expired changes, and ends the wait for approvals that did not come in time. Unlike a manual revert, it skips nodes on which the same taints were changed since. Each
 * change is reverted once, by the first replica, in the transaction that stores the revert.
 */
export class ExpireTaintChanges {
  constructor(
    private readonly makeChange: MakeChange,
    private readonly store: TaintChangeStore,
    private readonly applications: ApplicationStore,
    private readonly asked: AskedChangeStore,
  ) {}

  /**
   * Reverts the due changes, longest overdue first. A failed one is retried in the next round and does not block the
   * others.
   * @param among the clusters that are looked at; all, if it is left out
   */
  async run(now: Date, failed: ExpiryFailures, among?: readonly number[]): Promise<readonly ExpiredChange[]> {
    const done: ExpiredChange[] = [];
    for (const change of await this.store.due(now, BATCH, failed.place, among)) {
      try {
        done.push({ cluster: change.cluster, change: change.id, outcome: await this.expire(change, now) });
      } catch (error) {
        failed.change(change.id, error);
      }
    }
    for (const change of await this.asked.overdue(now, BATCH, failed.place, among)) {
      try {
        await this.lapse(change, now);
      } catch (error) {
        failed.change(change.id, error);
      }
    }
    return done;
  }

  /** Records that a change was not approved in time. */
  private async lapse({ id, clusterId, round, votes, approveBy }: StoredAskedChange, now: Date): Promise<void> {
    try {
      await this.asked.step({
        clusterId,
        expected: { id, round, votes: votes.length },
        state: 'expired',
        at: now,
        draft: approvalDraft({
          step: 'expired',
          change: id,
          by: SERVICE,
          reason: `Not approved by ${approveBy.toISOString()}`,
          at: now,
        }),
      });
    } catch (error) {
      // Another replica was faster, or the cluster was deleted.
      if (!(error instanceof AskedMoved || error instanceof ClusterNotFound)) throw error;
    }
  }

  /** The time of the next expiry, of a change or of the time to approve one; undefined if there is none. */
  async next(failed: ExpiryFailures['place'], among?: readonly number[]): Promise<Date | undefined> {
    const times = await Promise.all([this.store.nextExpiry(failed, among), this.asked.nextOverdue(failed, among)]);
    return times.reduce((first, time) => (first === undefined || (time !== undefined && time < first) ? time : first));
  }

  private async expire(
    change: StoredTaintChange & { readonly cluster: string },
    now: Date,
  ): Promise<ExpiredChange['outcome']> {
    const { id, cluster, clusterId, expiresAt } = change;
    const reason = `Change ${id} expired at ${expiresAt!.toISOString()}: ${(change.details as ChangeDetails).reason}`;
    // What was written to the cluster is taken back there, too, at the same pace.
    const application = await this.applications.get(clusterId, id);
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
          ...(application && { application: { options: application.options as ApplyOptions, by: SERVICE } }),
          permissions: [],
        },
        { now, signal: new AbortController().signal },
      );
      // A request without a key is never a retry.
      if (isRepeated(made) || made.committed !== undefined) return 'done';
      const { outcomes } = made.plan;
      const refusals = outcomes.filter(({ outcome }) => outcome === 'refused');
      return await this.end(change, { unchanged: outcomes.length - refusals.length, refusals }, reason, now);
    } catch (error) {
      if (error instanceof AlreadyDone) return 'elsewhere';
      const refusals = refusalsOfRule(error);
      if (refusals === undefined) throw error;
      return this.end(change, { unchanged: 0, refusals }, reason, now);
    }
  }

  /** Ends an expiry that changes nothing, because everything is as before or was changed since. */
  private async end(
    change: StoredTaintChange,
    left: LeftAlone,
    reason: string,
    now: Date,
  ): Promise<ExpiredChange['outcome']> {
    const outcome = left.refusals.length > 0 ? 'refused' : 'done';
    const draft = nothingDone(change, left, reason, now);
    return (await this.store.endExpiry(change.clusterId, change.id, outcome, draft, now)) ? outcome : 'elsewhere';
  }
}

/** What an expiry does not change. */
interface LeftAlone {
  readonly unchanged: number;
  /** Nodes, and rules by their `ruleSubject`. */
  readonly refusals: readonly { readonly node: string; readonly message: string }[];
}

/** A rule is refused as a whole, with an error. */
function refusalsOfRule(error: unknown): LeftAlone['refusals'] | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'revert-conflict') return undefined;
  return error.details.map(({ name = '', message }) => ({ node: ruleSubject(name), message }));
}

/** The record of an expiry that changes nothing. */
function nothingDone(
  { id }: StoredTaintChange,
  { unchanged, refusals }: LeftAlone,
  reason: string,
  now: Date,
): TrailDraft {
  const at = now.toISOString();
  return {
    kind: 'request',
    body: {
      change: id,
      action: 'expiry',
      at,
      channel: 'api',
      by: { username: SERVICE.name, kind: SERVICE.kind, groups: [] },
      reason,
      undoes: id,
      nodes: { changed: 0, unchanged, refused: refusals.length },
      refusals: refusals.slice(0, 100).map(({ node, message }) => ({ node, message })),
    },
    index: { changeId: id, happenedAt: at, author: SERVICE.name, channel: 'api', taints: [] },
  };
}
