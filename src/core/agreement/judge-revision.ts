import type { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PodDecision } from './decision.js';
import { decidingChanges, type ObjectName, type OneChange } from './deciding-changes.js';
import { judgeDecision } from './judge-decision.js';
import { notKnown, type Judgement } from './judgement.js';

export interface RevisionQuestion {
  /** The state of the revision before. */
  readonly before: ClusterState;
  readonly upserts: readonly KubernetesObject[];
  readonly deletes: readonly ObjectName[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The states on the way to `before`, the newest first: a decision is seen some time after it was made. */
  readonly earlier?: readonly ClusterState[];
  /**
   * The pods that the next revision shows as bound, in the order in which they probably came to the scheduler: it counts a pod before it
   * is bound.
   */
  readonly later?: readonly Pod[];
}

/** A decision, and the state on which it was judged. */
export interface JudgedDecision {
  readonly decision: PodDecision;
  readonly judgements: readonly Judgement[];
  readonly state: ClusterState;
}

export interface JudgedRevision {
  readonly decisions: readonly JudgedDecision[];
  /** The states through which the revision went, the newest first: `earlier` of the next one. */
  readonly states: readonly ClusterState[];
}

/** The most decisions out of their order that are tried next. */
const WINDOW = 24;
/** The most states of other revisions, and of this one, that are tried for a decision. */
const MOST_STATES = 12;
/** The most pods that the next revision shows as bound that are counted. */
const MOST_LATER = 32;
/** The most changes of which every order is tried. */
const MOST_ORDERED = 4;
/** The most steps in which other changes are made. */
const MOST_STEPS = 16;
/** The most times that a decision is made again for one revision. */
const MOST_ATTEMPTS = 4_000;

/**
 * Judges the decisions of one revision. A revision may hold several, and other changes: each is judged on the state before with those
 * that came before it. Their order is only partly known, since a scheduler decides one pod after another, but binds them side by side.
 * A decision agrees if the order that explains the most of them explains it; it disagrees for certain where every order was tried.
 *
 * A generator, so that the caller can let other work run between attempts; it yields nothing.
 */
export function* stepRevision(question: RevisionQuestion): Generator<undefined, JudgedRevision> {
  return yield* new Judge(question).run();
}

class Judge {
  private readonly start: ClusterState;
  private readonly decisions: readonly PodDecision[];
  private readonly others: readonly OneChange[];
  private attempts = 0;

  constructor(private readonly question: RevisionQuestion) {
    const { decisions, preparing, others } = decidingChanges(question.before, question);
    this.start = applied(
      question.before,
      preparing.map((upsert) => ({ upsert })),
    );
    this.decisions = decisions;
    this.others = others;
  }

  run(): Generator<undefined, JudgedRevision> {
    return this.decisions.length + this.others.length <= MOST_ORDERED ? this.inEveryOrder() : this.inLikelyOrder();
  }

  /** Finds the order of all changes in which the most decisions agree. */
  private *inEveryOrder(): Generator<undefined, JudgedRevision> {
    const { decisions, others } = this;
    const changes = [...others, ...decisions.map(effectOf)];
    const all = (1 << changes.length) - 1;
    // By the changes that were made: the state, and the most decisions that agree, with the change that comes last.
    const states = [this.start];
    const best: { agreed: number; last: number; judged: readonly Judgement[] }[] = [
      { agreed: 0, last: -1, judged: [] },
    ];
    for (let made = 1; made <= all; made++) {
      for (let last = changes.length - 1; last >= 0; last--) {
        if (((made >> last) & 1) === 0) continue;
        const former = made & ~(1 << last);
        states[made] ??= applied(states[former]!, [changes[last]!]);
        const decision = decisions[last - others.length];
        const judged = decision === undefined ? [] : this.judge(states[former]!, decision);
        yield;
        const agreed = best[former]!.agreed + (decision === undefined || judged.some(isAgainst) ? 0 : 1);
        const known = best[made];
        if (known === undefined || agreed > known.agreed) best[made] = { agreed, last, judged };
      }
    }
    const found: JudgedDecision[] = [];
    const passed = [states[all]!];
    for (let made = all; made > 0;) {
      const { last, judged } = best[made]!;
      made &= ~(1 << last);
      passed.push(states[made]!);
      const decision = decisions[last - others.length];
      if (decision === undefined) continue;
      const one = { decision, judgements: judged, state: states[made]! };
      found.unshift(judged.some(isAgainst) ? yield* this.judgeBeyond(one) : one);
    }
    return { decisions: found, states: passed.slice(0, MOST_STATES) };
  }

  /** Makes the changes in the order that is likely, with decisions earlier or later where that explains them. */
  private *inLikelyOrder(): Generator<undefined, JudgedRevision> {
    const remaining = [...this.decisions];
    const steps = inSteps(this.others);
    const found: JudgedDecision[] = [];
    const failed: PodDecision[] = [];
    const states = [this.start];
    const make = (changes: readonly OneChange[]): unknown => states.push(applied(states.at(-1)!, changes));
    while (remaining.length > 0) {
      const next = yield* this.nextOf(remaining, states.at(-1)!);
      if (next !== undefined) {
        found.push(next);
        remaining.splice(remaining.indexOf(next.decision), 1);
        make([effectOf(next.decision)]);
        continue;
      }
      const changes = steps.shift();
      if (changes !== undefined) {
        make(changes);
        continue;
      }
      const first = remaining.shift()!;
      failed.push(first);
      make([effectOf(first)]);
    }
    for (const changes of steps) make(changes);
    const accepted = [...found];
    for (const decision of failed) found.push(yield* this.judgeAgain(decision, states, accepted));
    return { decisions: found, states: states.slice(-MOST_STATES).reverse() };
  }

  /** The first of the next decisions that agrees with a state. */
  private *nextOf(
    remaining: readonly PodDecision[],
    state: ClusterState,
  ): Generator<undefined, JudgedDecision | undefined> {
    for (const decision of remaining.slice(0, WINDOW)) {
      const judgements = this.judge(state, decision);
      yield;
      if (!judgements.some(isAgainst)) return { decision, judgements, state };
    }
    return undefined;
  }

  /** Judges a decision that fitted nowhere on the other states of the revision. */
  private *judgeAgain(
    decision: PodDecision,
    states: readonly ClusterState[],
    accepted: readonly JudgedDecision[],
  ): Generator<undefined, JudgedDecision> {
    let first: JudgedDecision | undefined;
    let isSame = true;
    for (const state of states.filter((one) => !bears(one, decision)).slice(-MOST_STATES)) {
      const judgements = this.judge(state, decision);
      yield;
      const one = { decision, judgements, state };
      if (!judgements.some(isAgainst)) {
        // A decision comes so early only if those that follow agree with it.
        if (yield* this.followersAgree(decision, state, states, accepted)) return one;
        continue;
      }
      if (first === undefined) first = one;
      else if (refusalOf(judgements) !== refusalOf(first.judgements)) isSame = false;
    }
    const last = yield* this.judgeBeyond(first ?? { decision, judgements: [], state: this.start });
    if (!last.judgements.some(isAgainst) || (isSame && refusalOf(last.judgements) !== undefined)) return last;
    const changes = this.others.length + this.decisions.length - 1;
    return {
      ...last,
      judgements: inDoubt(last.judgements, `of ${changes} other changes in the revision, not every order was tried`),
    };
  }

  private *followersAgree(
    decision: PodDecision,
    since: ClusterState,
    states: readonly ClusterState[],
    accepted: readonly JudgedDecision[],
  ): Generator<undefined, boolean> {
    if (decision.what === 'told' && decision.nominated === undefined) return true;
    const later = new Set(states.slice(states.indexOf(since)));
    for (const one of accepted.filter(({ state }) => later.has(state))) {
      const judgements = this.judge(applied(one.state, [effectOf(decision)]), one.decision);
      yield;
      if (judgements.some(isAgainst)) return false;
    }
    return true;
  }

  /**
   * Judges a decision that nothing in its revision explains with what is around it: the scheduler counts a pod before it is bound, and a
   * decision shows some time after it was made.
   */
  private *judgeBeyond(one: JudgedDecision): Generator<undefined, JudgedDecision> {
    const { decision } = one;
    const { earlier = [], later = [] } = this.question;
    let state = one.state;
    for (const upsert of later.slice(0, MOST_LATER)) {
      state = applied(state, [{ upsert }]);
      const judgements = this.judge(state, decision);
      yield;
      if (!judgements.some(isAgainst)) return { decision, judgements, state };
    }
    for (const state of earlier.slice(0, MOST_STATES)) {
      const judgements = this.judge(state, decision);
      yield;
      if (judgements.some(isAgainst)) continue;
      // Those that were bound first were decided with this pod: they and it fit together.
      if (refusalOf(one.judgements) === undefined) return { decision, judgements, state };
      return { ...one, judgements: inDoubt(one.judgements, 'it agrees with a state before the last changes') };
    }
    return one;
  }

  private judge(state: ClusterState, decision: PodDecision): readonly Judgement[] {
    const rule = decision.what === 'bound' ? 'filter' : 'message';
    if (this.attempts++ > MOST_ATTEMPTS) return [notKnown(rule, 'order', 'too many changes came at once')];
    return judgeDecision(state, decision, this.question.now);
  }
}

const inDoubt = (judgements: readonly Judgement[], why: string): readonly Judgement[] =>
  judgements.map((one) =>
    one.outcome === 'disagreed' ? notKnown(one.rule, 'order', `${why}: ${one.text}`, one.difference) : one,
  );

/** What a decision changes. */
const effectOf = ({ pod }: PodDecision): OneChange => ({ upsert: pod });

/** Whether a state has the pod on its node, or nominated already. */
function bears(state: ClusterState, { pod, node, nominated }: PodDecision): boolean {
  const index = state.pods.indexOf(pod.metadata.namespace ?? '', pod.metadata.name);
  if (index < 0) return false;
  if (node !== '') return state.pods.nodeName(index) === node;
  return nominated !== undefined && state.pods.nominatedNodeName(index) === nominated;
}

const applied = (state: ClusterState, changes: readonly OneChange[]): ClusterState =>
  changes.length === 0
    ? state
    : state.apply({
        deletes: changes.flatMap((one) => ('delete' in one ? [one.delete] : [])),
        upserts: changes.flatMap((one) => ('upsert' in one ? [one.upsert] : [])),
      });

const isAgainst = (judgement: Judgement): boolean =>
  judgement.outcome === 'disagreed' || (judgement.outcome === 'unknown' && judgement.because === 'cameBound');

/** Which filters refuse the chosen node; undefined if the disagreement is another one. */
function refusalOf(judgements: readonly Judgement[]): string | undefined {
  const against = judgements.find((one) => one.rule === 'filter' && isAgainst(one));
  if (against === undefined || against.outcome === 'agreed') return undefined;
  return (against.difference?.refusals ?? []).map(({ plugin }) => plugin).join();
}

function inSteps(changes: readonly OneChange[]): OneChange[][] {
  const size = Math.ceil(changes.length / MOST_STEPS);
  const steps: OneChange[][] = [];
  for (let start = 0; start < changes.length; start += size) steps.push(changes.slice(start, start + size));
  return steps;
}
