import { randomUUID } from 'node:crypto';
import type { Expectation, Finding, Verdict } from '../../core/expectations/expectation.js';
import { expectationsIn } from '../../core/expectations/read-expectations.js';
import { stepTurningChanges, stepVerdict, type ObjectChangeTo } from '../../core/expectations/turning-changes.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import {
  EVALUATION_LEASE_MS,
  ExpectationStore,
  type ExpectationProgress,
  type NewTurn,
  type StoredCause,
} from '../../storage/expectation-store.js';
import type { HeadEvent } from '../../storage/head-notifications.js';
import { ObjectReader } from '../../storage/object-reader.js';
import type { Revision } from '../../storage/revision.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { RevisionNotFound } from '../../storage/storage-error.js';
import type { Clock } from '../clock.js';
import { ClusterStates } from '../states/cluster-states.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { ExpectationEvaluator } from './expectation-evaluator.js';

/** How long to look for the changes of a revision that turned an expectation, in milliseconds. */
const MOST_SEARCH = 10_000;
/** The most objects that a cause lists. */
const MOST_OBJECTS = 10;
/** Delay before the next attempt after a failure, in milliseconds. */
const RETRY_AFTER = 5_000;
/** The shortest delay before an attempt, in milliseconds. */
const LEAST_WAIT = 100;

interface Round {
  running: boolean;
  again: boolean;
  retry?: NodeJS.Timeout;
  /** The work that is under way. */
  work?: Promise<void>;
}

/**
 * Evaluates the stored expectations of each cluster when it has a new head, and records which have turned and why. Where several
 * revisions came since the last evaluation, the one that turned an expectation is found by evaluating those between.
 *
 * Of several replicas, one does this for a cluster: it has a lease, which it extends while it evaluates and keeps for the next head,
 * because it remembers the last state. The others take over when the lease ends.
 */
export class ExpectationWatch {
  private readonly rounds = new Map<number, Round>();
  private stopped = false;
  /** This replica, as a holder of leases. */
  private readonly holder = randomUUID();

  constructor(
    private readonly store: ExpectationStore,
    private readonly revisions: RevisionStore,
    private readonly states: ClusterStates,
    private readonly objects: ObjectReader,
    private readonly evaluator: ExpectationEvaluator,
    private readonly clock: Clock,
    private readonly failed: (error: unknown, clusterId: number) => void,
  ) {}

  hear(event: HeadEvent): void {
    if (event.type === 'head') this.wake(event.clusterId);
    if (event.type === 'deleted') this.evaluator.forget(event.clusterId);
  }

  start(): void {
    this.stopped = false;
  }

  /** Resolves after the rounds that are under way, which store nothing. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const { retry } of this.rounds.values()) clearTimeout(retry);
    await Promise.all([...this.rounds.values()].flatMap(({ work }) => (work === undefined ? [] : [work])));
    // Without a database the leases end by themselves.
    await this.store.release(this.holder).catch(() => undefined);
  }

  private wake(clusterId: number): void {
    const round = this.rounds.get(clusterId) ?? { running: false, again: false };
    this.rounds.set(clusterId, round);
    round.again = true;
    if (!round.running) round.work = this.runRounds(clusterId, round);
  }

  private async runRounds(clusterId: number, round: Round): Promise<void> {
    round.running = true;
    clearTimeout(round.retry);
    try {
      while (round.again && !this.stopped) {
        round.again = false;
        const leasedUntil = await this.evaluateHead(clusterId);
        if (leasedUntil !== undefined) {
          this.retry(clusterId, round, leasedUntil.getTime() - this.clock.now().getTime());
          return;
        }
      }
      this.rounds.delete(clusterId);
    } catch (error) {
      if (this.stopped) return;
      this.failed(error, clusterId);
      this.retry(clusterId, round, RETRY_AFTER);
    } finally {
      round.running = false;
    }
  }

  private retry(clusterId: number, round: Round, after: number): void {
    if (!this.stopped) round.retry = setTimeout(() => this.wake(clusterId), Math.max(after, LEAST_WAIT)).unref();
  }

  /** Returns until when another replica does it; undefined if nothing is left to do. */
  private async evaluateHead(clusterId: number): Promise<Date | undefined> {
    if (!(await this.store.isWatched(clusterId))) return undefined;
    const head = await this.revisions.head(clusterId);
    if (head === undefined || isDone(await this.store.progress(clusterId), head)) return undefined;
    const lease = (): Promise<Date | undefined> => this.store.lease(clusterId, this.holder, this.clock.now());
    const leasedUntil = await lease();
    if (leasedUntil !== undefined) return leasedUntil;
    const renewal = setInterval(() => {
      // A lease that is lost costs an evaluation: what another replica stored meanwhile stands.
      lease().catch((error: unknown) => this.failed(error, clusterId));
    }, EVALUATION_LEASE_MS / 3).unref();
    try {
      await this.evaluateAlone(clusterId, head);
    } finally {
      clearInterval(renewal);
    }
    return undefined;
  }

  private async evaluateAlone(clusterId: number, head: Revision): Promise<void> {
    // Another replica may have stored verdicts before the lease.
    const former = await this.store.progress(clusterId);
    if (isDone(former, head)) return;
    const state = await this.states.get(keyOf(head));
    const expectations = expectationsIn(state);
    const findings = await this.evaluator.ofHead(clusterId, state, expectations, head.capturedAt);
    const turns: NewTurn[] = [];
    for (const [index, expectation] of expectations.entries()) {
      const before = Object.hasOwn(former?.verdicts ?? {}, expectation.name)
        ? former!.verdicts[expectation.name]
        : undefined;
      const finding = findings[index]!;
      if (before === finding.verdict || this.stopped) continue;
      turns.push(await this.turnOf(expectation, finding, before, former, head));
    }
    if (this.stopped) return;
    const verdicts = Object.fromEntries(
      expectations.map(({ name }, index) => [name, findings[index]!.verdict] as const),
    );
    turns.sort((a, b) => a.revision - b.revision);
    await this.store.advance(clusterId, former?.revision ?? 0, { revision: head.number, verdicts }, turns);
  }

  private async turnOf(
    { name }: Expectation,
    { verdict, reason }: Finding,
    before: Verdict | undefined,
    progress: ExpectationProgress | undefined,
    head: Revision,
  ): Promise<NewTurn> {
    const turn = { name, verdict, reason };
    if (progress === undefined) {
      return { ...turn, revision: head.number, capturedAt: head.capturedAt, former: null, cause: null };
    }
    const found = await this.firstWith(name, verdict, before, progress.revision, head);
    const { revision, former } = found;
    const cause = former === undefined ? null : await this.causeOf(name, verdict, revision);
    return { ...turn, revision: revision.number, capturedAt: revision.capturedAt, former: former ?? null, cause };
  }

  /** The revision that turned an expectation: the one before has another verdict. Revisions that are gone are passed over. */
  private async firstWith(
    name: string,
    verdict: Verdict,
    before: Verdict | undefined,
    from: number,
    head: Revision,
  ): Promise<{ readonly revision: Revision; readonly former: Verdict | undefined }> {
    let [low, former] = [from, before];
    let high = head;
    while (high.number - low > 1) {
      const middle = await this.revisions.get(head.clusterId, (low + high.number) >> 1);
      // Retention removes the oldest ones first.
      if (middle === undefined) {
        low = (low + high.number) >> 1;
        continue;
      }
      const state = await this.states.get(keyOf(middle));
      const found = await runSteps(stepVerdict(state, name, middle.capturedAt.getTime()), new TimeSlices());
      if (found === verdict) high = middle;
      else [low, former] = [middle.number, found];
    }
    return { revision: high, former };
  }

  /** The changes of a revision that turned an expectation; null if its predecessor is gone. */
  private async causeOf(name: string, verdict: Verdict, revision: Revision): Promise<StoredCause | null> {
    const { clusterId, number, author } = revision;
    const previous = await this.revisions.get(clusterId, number - 1);
    if (previous === undefined) return null;
    try {
      const before = await this.states.get(keyOf(previous));
      const { upserts, deletes } = await this.objects.changesBetween(clusterId, number - 1, number);
      const changes: ObjectChangeTo[] = [
        ...deletes.map((one) => ({ delete: one })),
        ...upserts.map(({ content }) => ({ upsert: parseJson(content) as unknown as KubernetesObject })),
      ];
      const started = performance.now();
      const isOverdue = (): boolean => this.stopped || performance.now() - started > MOST_SEARCH;
      const options = { now: revision.capturedAt.getTime(), isOverdue };
      const found = await runSteps(stepTurningChanges(before, changes, name, verdict, options), new TimeSlices());
      return {
        revision: number,
        author,
        objects: found.changes.slice(0, MOST_OBJECTS).map(objectOf),
        objectCount: found.changes.length,
        changedObjects: changes.length,
        isMinimal: found.isMinimal,
      };
    } catch (error) {
      if (error instanceof RevisionNotFound) return null;
      throw error;
    }
  }
}

function objectOf(change: ObjectChangeTo): StoredCause['objects'][number] {
  if ('delete' in change) {
    const { kind, namespace, name } = change.delete;
    return { change: 'removed', kind, namespace: namespace === '' ? null : namespace, name };
  }
  const { kind, metadata } = change.upsert;
  return { change: 'upserted', kind, namespace: metadata.namespace ?? null, name: metadata.name };
}

const isDone = (progress: ExpectationProgress | undefined, { number }: Revision): boolean =>
  progress !== undefined && progress.revision >= number;

const keyOf = ({
  clusterId,
  number: revision,
  loadedKinds,
}: Revision): { clusterId: number; revision: number; loadedKinds: readonly string[] } => ({
  clusterId,
  revision,
  loadedKinds,
});
