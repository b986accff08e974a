import { randomUUID } from 'node:crypto';
import { AgreementStore, type AgreementCount, type AgreementStanding } from '../../storage/agreement-store.js';
import type { HeadEvent } from '../../storage/head-notifications.js';
import type { ObjectReader, StoredObject } from '../../storage/object-reader.js';
import { MADE_HERE, type Revision } from '../../storage/revision.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { RevisionNotFound } from '../../storage/storage-error.js';
import type { Clock } from '../clock.js';
import { LeasedRounds } from '../leased-rounds.js';
import { JUDGED, RevisionJudge, type PassedStates, type RevisionAgreement } from './revision-judge.js';
import { RevisionsInTurn } from './revisions-in-turn.js';

/** If two revisions are further apart, the state in which something was decided is not known; in milliseconds. */
const CLOSE = 60_000;
/** For so long, a disagreement waits for the next revision, which may explain it; in milliseconds. */
const PATIENCE = 3_000;
/** Between the rounds of a busy cluster, in milliseconds: the revisions that come meanwhile are compared together. */
const REST = 5_000;
/** Revisions that changes on the record made are not compared; they are passed over within so many milliseconds. */
const PASSED_OVER_WITHIN = 5_000;
/** If more revisions came, the older ones are passed over. */
const MOST_BEHIND = 500;
/** The number of clusters whose last states are remembered. */
const MOST_REMEMBERED = 16;

/**
 * Compares what each cluster did from revision to revision with what the service would have predicted, and keeps the ledger. Only
 * revisions are compared that follow each other closely: those of a cluster that is followed, or often captured.
 */
export class AgreementWatch {
  private readonly rounds: LeasedRounds<AgreementStanding>;
  private abort = new AbortController();
  /** By cluster id, least recently used first. */
  private readonly remembered = new Map<
    number,
    { readonly revision: number; readonly states: PassedStates | undefined }
  >();

  constructor(
    private readonly store: AgreementStore,
    private readonly revisions: RevisionStore,
    private readonly objects: ObjectReader,
    private readonly judge: RevisionJudge,
    private readonly clock: Clock,
    private readonly counted: (counts: readonly AgreementCount[]) => void,
    failed: (error: unknown, clusterId: number) => void,
  ) {
    this.rounds = new LeasedRounds(
      {
        due: (clusterId) => this.due(clusterId),
        run: (clusterId, standing) => this.run(clusterId, standing),
        failed,
        restMs: REST,
      },
      store.leasesOf(randomUUID(), clock),
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

  private async due(clusterId: number): Promise<AgreementStanding | undefined> {
    const standing = await this.store.standing(clusterId);
    return standing !== undefined && standing.compared < standing.head ? standing : undefined;
  }

  private async run(clusterId: number, { compared, head }: AgreementStanding): Promise<Date | undefined> {
    let from = compared;
    let number = Math.max(from, head - MOST_BEHIND, 1);
    const read = new RevisionsInTurn(this.revisions, this.objects, clusterId, number, head, JUDGED);
    let before = await read.revision(number);
    // The first revision has none before.
    if (number > from && (await this.advance(clusterId, from, number, [], []))) from = number;
    while (number < head && !this.rounds.isStopped) {
      number++;
      const after = await read.revision(number);
      if (before !== undefined && after !== undefined && isClose(before, after)) {
        const found = await this.compare(before, after, read);
        if (found !== undefined) {
          const until = after.capturedAt.getTime() + PATIENCE;
          const wait = until - this.clock.now().getTime();
          // A capture time in the future is not waited for.
          if (found.mayBeExplained && wait > 0 && wait <= PATIENCE) {
            if (from < number - 1) await this.advance(clusterId, from, number - 1, [], []);
            return new Date(until);
          }
          // What has nothing to count is stored with what follows.
          if (found.counts.length > 0 || found.cases.length > 0) {
            if (!(await this.advance(clusterId, from, number, found.counts, found.cases))) return undefined;
            this.counted(found.counts);
            from = number;
          }
          this.remember(clusterId, number, found.states);
        }
      }
      if (after !== undefined || before === undefined) before = after;
    }
    if (from < number) await this.advance(clusterId, from, number, [], []);
    return undefined;
  }

  private advance(...given: Parameters<AgreementStore['advance']>): Promise<boolean> {
    return this.rounds.isStopped ? Promise.resolve(false) : this.store.advance(...given);
  }

  private async compare(
    before: Revision,
    after: Revision,
    read: RevisionsInTurn,
  ): Promise<RevisionAgreement | undefined> {
    const last = this.remembered.get(after.clusterId);
    const earlier = last?.revision === before.number ? last.states : undefined;
    const former = (): Promise<readonly StoredObject[]> => read.former(after.number);
    const next = async (): Promise<Revision | undefined> => {
      const following = await this.revisions.get(after.clusterId, after.number + 1);
      return following !== undefined && isClose(after, following) ? following : undefined;
    };
    try {
      return await this.judge.judge(before, after, { earlier, former, next }, this.abort.signal);
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
