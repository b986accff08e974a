import { AGREEMENT_LEASE_MS, AgreementStore, type AgreementCount } from '../../storage/agreement-store.js';
import type { HeadEvent } from '../../storage/head-notifications.js';
import { MADE_HERE, type Revision } from '../../storage/revision.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { RevisionNotFound } from '../../storage/storage-error.js';
import type { Clock } from '../clock.js';
import { LeasedRounds } from '../leased-rounds.js';
import { RevisionJudge, type PassedStates, type RevisionAgreement } from './revision-judge.js';

/** If two revisions are further apart, the state in which something was decided is not known; in milliseconds. */
const CLOSE = 60_000;
/** For so long, a disagreement waits for the next revision, which may explain it; in milliseconds. */
const PATIENCE = 3_000;
/** Revisions that changes on the record made are not compared; they are passed over within so many milliseconds. */
const PASSED_OVER_WITHIN = 5_000;
/** If more revisions came, the older ones are passed over. */
const MOST_BEHIND = 500;
/** Revisions that are read at once. */
const READ_AT_ONCE = 50;
/** The number of clusters whose last states are remembered. */
const MOST_REMEMBERED = 16;

/**
 * Compares what each cluster did from revision to revision with what the service would have predicted, and keeps the ledger. Only
 * revisions are compared that follow each other closely: those of a cluster that is followed, or often captured.
 */
export class AgreementWatch {
  private readonly rounds: LeasedRounds;
  private abort = new AbortController();
  /** By cluster id, least recently used first. */
  private readonly remembered = new Map<
    number,
    { readonly revision: number; readonly states: PassedStates | undefined }
  >();

  constructor(
    private readonly store: AgreementStore,
    private readonly revisions: RevisionStore,
    private readonly judge: RevisionJudge,
    private readonly clock: Clock,
    private readonly counted: (counts: readonly AgreementCount[]) => void,
    failed: (error: unknown, clusterId: number) => void,
  ) {
    this.rounds = new LeasedRounds(
      { isDue: (clusterId) => this.isDue(clusterId), run: (clusterId) => this.run(clusterId), failed },
      {
        lease: (clusterId, holder, now) => store.lease(clusterId, holder, now),
        release: (holder) => store.release(holder),
        leaseMs: AGREEMENT_LEASE_MS,
      },
      clock,
    );
  }

  hear(event: HeadEvent): void {
    if (event.type === 'head' && event.isMadeHere === true) this.rounds.lookWithin(event.clusterId, PASSED_OVER_WITHIN);
    else this.rounds.hear(event);
    if (event.type === 'deleted') this.remembered.delete(event.clusterId);
  }

  start(): void {
    this.abort = new AbortController();
    this.rounds.start();
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.rounds.stop();
  }

  private async isDue(clusterId: number): Promise<boolean> {
    const standing = await this.store.standing(clusterId);
    return standing !== undefined && standing.compared < standing.head;
  }

  private async run(clusterId: number): Promise<Date | undefined> {
    const standing = await this.store.standing(clusterId);
    if (standing === undefined) return undefined;
    const { head } = standing;
    let from = standing.compared;
    let number = Math.max(from, head - MOST_BEHIND, 1);
    const revisionAt = this.reader(clusterId, number, head);
    let before = await revisionAt(number);
    // The first revision has none before.
    if (number > from && (await this.advance(clusterId, from, number, [], []))) from = number;
    while (number < head && !this.rounds.isStopped) {
      number++;
      const after = await revisionAt(number);
      if (before !== undefined && after !== undefined && isClose(before, after)) {
        const found = await this.compare(before, after);
        if (found !== undefined) {
          const until = after.capturedAt.getTime() + PATIENCE;
          const wait = until - this.clock.now().getTime();
          // A capture time in the future is not waited for.
          if (found.mayBeExplained && wait > 0 && wait <= PATIENCE) return new Date(until);
          if (!(await this.advance(clusterId, from, number, found.counts, found.cases))) return undefined;
          this.counted(found.counts);
          this.remember(clusterId, number, found.states);
          from = number;
        }
      }
      if (after !== undefined || before === undefined) before = after;
    }
    if (from < number) await this.advance(clusterId, from, number, [], []);
    return undefined;
  }

  /** Reads revisions up to a last one, some at a time. @returns what gives each, in their order; undefined if retention removed it */
  private reader(clusterId: number, first: number, last: number): (number: number) => Promise<Revision | undefined> {
    let page: ReadonlyMap<number, Revision> = new Map();
    let next = first;
    return async (number) => {
      if (number >= next) {
        next = Math.min(number + READ_AT_ONCE, last + 1);
        page = await this.revisions.between(clusterId, number, next - 1);
      }
      return page.get(number);
    };
  }

  private advance(...given: Parameters<AgreementStore['advance']>): Promise<boolean> {
    return this.rounds.isStopped ? Promise.resolve(false) : this.store.advance(...given);
  }

  private async compare(before: Revision, after: Revision): Promise<RevisionAgreement | undefined> {
    const last = this.remembered.get(after.clusterId);
    const earlier = last?.revision === before.number ? last.states : undefined;
    const next = async (): Promise<Revision | undefined> => {
      const following = await this.revisions.get(after.clusterId, after.number + 1);
      return following !== undefined && isClose(after, following) ? following : undefined;
    };
    try {
      return await this.judge.judge(before, after, { earlier, next }, this.abort.signal);
    } catch (error) {
      // Retention was faster.
      if (error instanceof RevisionNotFound) return undefined;
      throw error;
    }
  }

  private remember(clusterId: number, revision: number, states: PassedStates | undefined): void {
    this.remembered.delete(clusterId);
    this.remembered.set(clusterId, { revision, states });
    const [oldest] = this.remembered.keys();
    if (this.remembered.size > MOST_REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
  }
}

/** Whether the first of two revisions shows the state in which what the second one shows was decided. */
function isClose(before: Revision, after: Revision): boolean {
  const apart = after.capturedAt.getTime() - before.capturedAt.getTime();
  return (
    after.number === before.number + 1 &&
    !MADE_HERE.includes(after.kind) &&
    !after.backfill &&
    apart > 0 &&
    apart <= CLOSE
  );
}
