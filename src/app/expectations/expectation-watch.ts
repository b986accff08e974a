import { randomUUID } from 'node:crypto';
import type { Expectation, Finding, Verdict } from '../../core/expectations/expectation.js';
import { expectationsIn } from '../../core/expectations/read-expectations.js';
import { stepTurningChanges, stepVerdict, type ObjectChangeTo } from '../../core/expectations/turning-changes.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import {
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
import { LeasedRounds } from '../leased-rounds.js';
import { ClusterStates } from '../states/cluster-states.js';
import { stateKeyOf } from '../states/state-key.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { ExpectationEvaluator } from './expectation-evaluator.js';

/** How long to look for the changes of a revision that turned an expectation, in milliseconds. */
const MOST_SEARCH = 10_000;
/** How soon the expectations are evaluated after a change on the record, in milliseconds. */
const AFTER_A_CHANGE = 100;
/** The most objects that a cause lists. */
const MOST_OBJECTS = 10;

interface Due {
  /** Undefined if none were ever evaluated. */
  readonly former: ExpectationProgress | undefined;
}

/**
 * Evaluates the stored expectations of each cluster when it has a new head, and records which have turned and why. Where several
 * revisions came since the last evaluation, the one that turned an expectation is found by evaluating those between.
 *
 * Of several replicas, one does this for a cluster: it has a lease, which it extends while it evaluates and keeps for the next head,
 * because it remembers the last state. The others take over when the lease ends.
 */
export class ExpectationWatch {
  private readonly rounds: LeasedRounds<Due>;

  constructor(
    private readonly store: ExpectationStore,
    private readonly revisions: RevisionStore,
    private readonly states: ClusterStates,
    private readonly objects: ObjectReader,
    private readonly evaluator: ExpectationEvaluator,
    clock: Clock,
    failed: (error: unknown, clusterId: number) => void,
  ) {
    this.rounds = new LeasedRounds(
      {
        due: (clusterId) => this.due(clusterId),
        run: (clusterId, due) => this.evaluate(clusterId, due),
        failed,
      },
      store.leasesOf(randomUUID(), clock),
      clock,
    );
  }

  hear(event: HeadEvent): void {
    // A change on the record is answered first, and several at once are evaluated together.
    if (event.type === 'head' && event.isMadeHere === true) this.rounds.lookWithin(event.clusterId, AFTER_A_CHANGE);
    else this.rounds.hear(event);
    if (event.type === 'deleted') this.evaluator.forget(event.clusterId);
  }

  start(): void {
    this.rounds.start();
  }

  /** Resolves after the rounds that are under way, which store nothing. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async due(clusterId: number): Promise<Due | undefined> {
    if (!(await this.store.isWatched(clusterId))) return undefined;
    const head = await this.revisions.head(clusterId);
    if (head === undefined) return undefined;
    const former = await this.store.progress(clusterId);
    return isDone(former, head) ? undefined : { former };
  }

  private async evaluate(clusterId: number, { former }: Due): Promise<undefined> {
    // It may have moved while other clusters were evaluated; the state of the newest one is in memory most often.
    const head = await this.revisions.head(clusterId);
    if (head === undefined || isDone(former, head)) return;
    const state = await this.states.get(stateKeyOf(head));
    const expectations = expectationsIn(state);
    const findings = await this.evaluator.ofHead(clusterId, state, expectations, head.capturedAt);
    const turns: NewTurn[] = [];
    for (const [index, expectation] of expectations.entries()) {
      const before = Object.hasOwn(former?.verdicts ?? {}, expectation.name)
        ? former!.verdicts[expectation.name]
        : undefined;
      const finding = findings[index]!;
      if (before === finding.verdict || this.rounds.isStopped) continue;
      turns.push(await this.turnOf(expectation, finding, before, former, head));
    }
    if (this.rounds.isStopped) return;
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
      const state = await this.states.get(stateKeyOf(middle));
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
      const before = await this.states.get(stateKeyOf(previous));
      const { upserts, deletes } = await this.objects.changesBetween(clusterId, number - 1, number);
      const changes: ObjectChangeTo[] = [
        ...deletes.map((one) => ({ delete: one })),
        ...upserts.map(({ content }) => ({ upsert: parseJson(content) as unknown as KubernetesObject })),
      ];
      const started = performance.now();
      const isOverdue = (): boolean => this.rounds.isStopped || performance.now() - started > MOST_SEARCH;
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
