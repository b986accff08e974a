import { byQueue, decisionAbout, decisionSince } from '../../core/agreement/decision.js';
import { judgeAdmission, refusedPod, refusedPodSince } from '../../core/agreement/judge-admission.js';
import {
  judgeEviction,
  taintEviction,
  taintEvictionSince,
  type TaintEviction,
} from '../../core/agreement/judge-eviction.js';
import {
  stepRevision,
  type JudgedDecision,
  type JudgedRevision,
  type RevisionQuestion,
} from '../../core/agreement/judge-revision.js';
import type { Judgement } from '../../core/agreement/judgement.js';
import { stepSchedulingCase } from '../../core/agreement/scheduling-case.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { KnownMoment } from '../../core/eviction/known-moment.js';
import { stepSchedule } from '../../core/eviction-schedule/step-schedule.js';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import type { KubernetesObject } from '../../core/kubernetes/objects/meta.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import type { ReplicaSet } from '../../core/kubernetes/objects/workloads.js';
import { type ObjectKey, packKey } from '../../storage/object-key.js';
import { ObjectReader, type ObjectChanges, type StoredObject } from '../../storage/object-reader.js';
import type { AgreementCount, NewCase } from '../../storage/agreement-store.js';
import { holdsFrom, type Revision } from '../../storage/revision.js';
import { RevisionNotFound } from '../../storage/storage-error.js';
import { EvictionMemory, noExecuteOf } from '../evictions/eviction-memory.js';
import { controllerStartIn, stepScheduleQuestion } from '../evictions/schedule-inputs.js';
import { ClusterStates } from '../states/cluster-states.js';
import { stateKeyOf } from '../states/state-key.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

/** If a revision changes more objects than this, its decisions are not judged. */
const MOST_CHANGES = 20_000;
/** Kinds of objects that show what was decided. */
export const JUDGED: ReadonlySet<string> = new Set(['Pod', 'ReplicaSet']);
/** How long to cut cases of one revision down, in milliseconds, and how many. */
const CUTTING = 3_000;
const MOST_CUT = 5;
/** The largest case that is stored, in characters. */
const LARGEST_CASE = 400_000;
/** The longest text of a difference that is stored, in characters. */
const LONGEST_TEXT = 4_000;
/** The most disagreements, and unknown ones, of one revision that are stored. All are counted. */
const MOST_STORED = 50;

/** What the predictions for one revision came to. */
export interface RevisionAgreement {
  readonly counts: readonly AgreementCount[];
  readonly cases: readonly NewCase[];
  /** The states through which it went, for the next revision; absent if it changed nothing that shows a decision. */
  readonly states?: PassedStates;
  /** Whether some decision disagrees: what the next revision shows may explain it. */
  readonly mayBeExplained: boolean;
}

/** The states through which a revision went, the newest first; none if it is gone. They are made when they are needed, which is rarely. */
export type PassedStates = (signal: AbortSignal) => Promise<readonly ClusterState[]>;

interface Judged {
  /** The pod; the ReplicaSet of one that was refused. */
  readonly subject: KubernetesObject['metadata'];
  readonly scheduler: string;
  readonly judgement: Judgement;
  /** Absent for evictions and refusals. */
  readonly decided?: JudgedDecision;
}

/** Under which evictions and refusals are counted, which no scheduler decides. */
const TAINT_EVICTION = 'taint-eviction-controller';
const API_SERVER = 'kube-apiserver';

/** Compares what happened between two revisions with what the service would have predicted on the first. */
export class RevisionJudge {
  constructor(
    private readonly states: ClusterStates,
    private readonly objects: ObjectReader,
    private readonly memory: EvictionMemory,
  ) {}

  /**
   * @param earlier the states on the way to the first revision, which is the newest of them
   * @param former reads the objects of the judged kinds as they were before the second revision changed or removed them
   * @param next reads the revision after, if it exists
   * @param signal aborted when the service ends
   */
  async judge(
    before: Revision,
    after: Revision,
    {
      earlier,
      former,
      next,
    }: {
      readonly earlier: PassedStates | undefined;
      readonly former: () => Promise<readonly StoredObject[]>;
      readonly next: () => Promise<Revision | undefined>;
    },
    signal: AbortSignal,
  ): Promise<RevisionAgreement> {
    const nothing: RevisionAgreement = { counts: [], cases: [], mayBeExplained: false };
    const changes = await this.objects.changesBetween(after.clusterId, before.number, after.number);
    if (changes.upserts.length > MOST_CHANGES || !changes.upserts.some(({ kind }) => JUDGED.has(kind))) return nothing;
    const upserts = objectsOf(changes.upserts);
    const changed = { upserts, deletes: changes.deletes, now: after.capturedAt.getTime() };
    if (!(await this.showsDecision(before, upserts, former, signal)))
      return { ...nothing, states: this.passed(before, changed) };
    const state = await this.states.get(stateKeyOf(before), { signal });
    const slices = new TimeSlices({ signal });
    let question: RevisionQuestion = { before: state, ...changed };
    let judged = await runSteps(stepRevision(question), slices);
    if (earlier !== undefined && !isAgreed(judged)) {
      question = { ...question, earlier: (await earlier(signal)).slice(1) };
      judged = await runSteps(stepRevision(question), slices);
    }
    const { states } = judged;
    let isDecided = true;
    if (!isAgreed(judged)) {
      const following = await next();
      if (following === undefined) isDecided = false;
      else {
        const later = await this.boundBy(after, following, signal);
        if (later.length > 0) judged = await runSteps(stepRevision({ ...question, later }), slices);
      }
    }
    const found = judged.decisions.flatMap((decided) =>
      decided.judgements.map((judgement): Judged => {
        const { pod, schedulerName: scheduler } = decided.decision;
        return { subject: pod.metadata, scheduler, judgement, decided };
      }),
    );
    const evicted = upserts.flatMap((object) =>
      object.kind === 'Pod' ? (taintEviction(state, object as Pod) ?? []) : [],
    );
    found.push(...(await this.evictions(before, after, evicted, signal)));
    found.push(...(await this.refusals(state, after, upserts, signal)));
    return {
      counts: countsOf(found, after),
      cases: await this.casesOf(found, after, slices),
      states: () => Promise.resolve(states),
      mayBeExplained: !isDecided && found.some(({ judgement }) => judgement.outcome === 'disagreed'),
    };
  }

  /** Whether anything was decided between two revisions. Unless its state is in memory, it takes of the first one only what changed. */
  private async showsDecision(
    before: Revision,
    upserts: readonly KubernetesObject[],
    readFormer: () => Promise<readonly StoredObject[]>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const key = stateKeyOf(before);
    if (this.states.has(key)) {
      const state = await this.states.get(key, { signal });
      return upserts.some((object) => wasDecided(formerIn(state, object), object));
    }
    if (!upserts.some(mayBeDecided)) return false;
    const former = new Map((await readFormer()).map((stored) => [keyOf(stored), stored]));
    return upserts.some((object) => {
      const { kind, metadata } = object;
      const stored = former.get(keyOf({ kind, namespace: metadata.namespace ?? '', name: metadata.name }));
      return wasDecided(stored && (parseJson(stored.content) as unknown as KubernetesObject), object);
    });
  }

  /** The states through which a revision went that shows no decision. */
  private passed(before: Revision, changed: Omit<RevisionQuestion, 'before'>): PassedStates {
    return async (signal) => {
      try {
        const state = await this.states.get(stateKeyOf(before), { signal });
        return (await runSteps(stepRevision({ before: state, ...changed }), new TimeSlices({ signal }))).states;
      } catch (error) {
        if (error instanceof RevisionNotFound) return [];
        throw error;
      }
    };
  }

  /** The pods that a revision shows as bound for the first time. */
  private async boundBy(before: Revision, after: Revision, signal: AbortSignal): Promise<readonly Pod[]> {
    const { upserts } = await this.objects.changesBetween(after.clusterId, before.number, after.number);
    if (upserts.length > MOST_CHANGES) return [];
    const state = await this.states.get(stateKeyOf(before), { signal });
    return objectsOf(upserts)
      .filter((object): object is Pod => object.kind === 'Pod' && decisionAbout(state, object as Pod)?.what === 'bound')
      .sort(byQueue);
  }

  private async refusals(
    before: ClusterState,
    after: Revision,
    upserts: readonly KubernetesObject[],
    signal: AbortSignal,
  ): Promise<readonly Judged[]> {
    const refused = upserts.flatMap((object) =>
      object.kind === 'ReplicaSet' ? (refusedPod(before, object as ReplicaSet) ?? []) : [],
    );
    if (refused.length === 0) return [];
    const states = [before, await this.states.get(stateKeyOf(after), { signal })];
    return refused.map((one) => ({
      subject: one.replicaSet.metadata,
      scheduler: API_SERVER,
      judgement: judgeAdmission(states, one),
    }));
  }

  private async evictions(
    before: Revision,
    after: Revision,
    evicted: readonly TaintEviction[],
    signal: AbortSignal,
  ): Promise<readonly Judged[]> {
    if (evicted.length === 0) return [];
    const predicted = new Map<string, KnownMoment | null>();
    // A taint that came with the revision is in its state alone. Otherwise the state before says when the pod would have to go.
    for (const revision of [after, before]) {
      const state = await this.states.get(stateKeyOf(revision), { signal });
      for (const [key, moment] of await this.predictions(revision, state, evicted, signal)) predicted.set(key, moment);
    }
    return evicted.map((eviction) => ({
      subject: eviction.pod.metadata,
      scheduler: TAINT_EVICTION,
      judgement: judgeEviction(eviction, predicted.get(keyOfPod(eviction.pod))),
    }));
  }

  private async predictions(
    revision: Revision,
    state: ClusterState,
    evicted: readonly TaintEviction[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, KnownMoment | null>> {
    const names = new Set(evicted.map(({ pod }) => pod.spec.nodeName ?? ''));
    const nodes = [...names]
      .map((name) => state.nodes.indexOf(name))
      .filter((node) => node >= 0 && noExecuteOf(state, node).length > 0)
      .sort((a, b) => a - b);
    if (nodes.length === 0) return new Map();
    const past = await this.memory.of(revision, state, nodes, { intents: 'exclude', signal });
    const seenAt = revision.capturedAt.getTime();
    const slices = new TimeSlices({ signal });
    const steps = stepScheduleQuestion({
      stored: state,
      state,
      nodes,
      seenAt,
      asOf: holdsFrom(revision).getTime(),
      past,
      events: [],
      failures: [],
      controllerStart: controllerStartIn(state),
    });
    const { question } = await runSteps(steps, slices);
    const { pods, outcomes } = await runSteps(stepSchedule(question), slices);
    const wanted = new Set(evicted.map(({ pod }) => keyOfPod(pod)));
    const found = new Map<string, KnownMoment | null>();
    outcomes.forEach(({ at }, row) => {
      const key = state.pods.key(pods[row]!);
      if (wanted.has(key)) found.set(key, at);
    });
    return found;
  }

  private async casesOf(found: readonly Judged[], after: Revision, slices: TimeSlices): Promise<readonly NewCase[]> {
    const started = performance.now();
    const isOverdue = (): boolean => performance.now() - started > CUTTING;
    const cases: NewCase[] = [];
    let cut = 0;
    const stored = { disagreed: 0, unknown: 0 };
    for (const { subject, scheduler, judgement, decided } of found) {
      const { rule, outcome } = judgement;
      if (outcome === 'agreed' || stored[outcome]++ >= MOST_STORED) continue;
      let reproduction: string | null = null;
      if (outcome === 'disagreed' && decided !== undefined && cut++ < MOST_CUT && !isOverdue()) {
        const { state, decision } = decided;
        const now = after.capturedAt.getTime();
        const one = await runSteps(stepSchedulingCase(state, decision, rule, { now, isOverdue }), slices);
        const text = one === undefined ? '' : stringifyJson(one);
        if (text !== '' && text.length <= LARGEST_CASE) reproduction = text;
      }
      cases.push({
        rule,
        outcome,
        because: outcome === 'unknown' ? judgement.because : null,
        scheduler,
        namespace: subject.namespace ?? '',
        name: subject.name,
        revision: after.number,
        capturedAt: after.capturedAt,
        words: judgement.text.slice(0, LONGEST_TEXT),
        difference: judgement.difference ?? null,
        reproduction,
      });
    }
    return cases;
  }
}

const isAgreed = ({ decisions }: JudgedRevision): boolean =>
  decisions.every(({ judgements }) => judgements.every(({ outcome }) => outcome === 'agreed'));

const formerIn = (state: ClusterState, { kind, metadata }: KubernetesObject): KubernetesObject | undefined =>
  JUDGED.has(kind) ? state.find(kind as 'Pod', metadata.namespace, metadata.name) : undefined;

/** Whether a changed object shows what somebody decided: a scheduler, taint eviction or admission. */
function wasDecided(former: KubernetesObject | undefined, object: KubernetesObject): boolean {
  if (object.kind === 'ReplicaSet')
    return refusedPodSince(former as ReplicaSet | undefined, object as ReplicaSet) !== undefined;
  if (object.kind !== 'Pod') return false;
  const [known, pod] = [former as Pod | undefined, object as Pod];
  return decisionSince(known, pod) !== undefined || taintEvictionSince(known, pod) !== undefined;
}

/** Whether `wasDecided` may hold, whatever the object was before. */
const mayBeDecided = (object: KubernetesObject): boolean =>
  wasDecided(undefined, object) || (object.kind === 'Pod' && ((object as Pod).spec.nodeName ?? '') !== '');

function countsOf(found: readonly Judged[], { capturedAt }: Revision): readonly AgreementCount[] {
  const day = capturedAt.toISOString().slice(0, 10);
  const counts = new Map<string, { -readonly [Member in keyof AgreementCount]: AgreementCount[Member] }>();
  for (const { scheduler, judgement } of found) {
    const { rule, outcome } = judgement;
    const key = JSON.stringify([scheduler, rule]);
    let count = counts.get(key);
    if (count === undefined) counts.set(key, (count = { day, scheduler, rule, agreed: 0, disagreed: 0, unknown: 0 }));
    count[outcome]++;
  }
  return [...counts.values()];
}

/** Objects with the versions with which they came, which show their order. */
const objectsOf = (stored: ObjectChanges['upserts']): readonly KubernetesObject[] =>
  stored.map(({ content, resourceVersion }) => {
    const object = parseJson(content) as unknown as KubernetesObject;
    return resourceVersion === null ? object : { ...object, metadata: { ...object.metadata, resourceVersion } };
  });

const keyOf = ({ kind, namespace, name }: ObjectKey): string => packKey(kind, namespace, name);

const keyOfPod = ({ metadata }: Pod): string => `${metadata.namespace ?? ''}/${metadata.name}`;
