import type { Doubt, GateReason, Judgement } from '../judge-rollout.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import type { Rollout } from '../../rollout/rollout.js';
import { wantedOfTemplate } from '../wanted-of-template.js';
import { withChanges, type GateChange, type GateSubject } from './change.js';

/** A subject that was judged. */
export interface JudgedSubject {
  readonly subject: GateSubject;
  readonly rollout: Rollout;
  /** What may refuse each object and is not known. */
  readonly doubts: readonly (readonly Doubt[])[];
  /** What is worth a warning in words of our own. */
  readonly notes: readonly { readonly object: ManifestObject; readonly note: string }[];
  readonly judgement: Judgement;
}

export interface ProposalOptions {
  /** Judges a subject anew, by the same path as the question. */
  readonly judge: (subject: GateSubject) => Generator<undefined, JudgedSubject>;
  /** Changes that may end a reason, as bundles of which each might do by itself, the preferred ones first. */
  readonly changesFor: ChangesFor;
  /** The same, of changes that give something up: tried only where no other change helps. */
  readonly lastResortsFor: ChangesFor;
  /** Judgements in all: with the same number, the same question has the same proposal. */
  readonly mostJudgements: number;
}

type ChangesFor = (reason: GateReason, judged: JudgedSubject) => readonly (readonly GateChange[])[];

/** Bundles that are tried for one reason. */
const MOST_TRIED = 12;

/** The changes that were found; without any, why the search ended. */
export type FoundChanges =
  | { readonly changes: readonly GateChange[]; readonly ended?: undefined }
  | { readonly changes?: undefined; readonly ended: 'nothing' | 'spent' | 'unknown' };

/**
 * The smallest set of changes that was found to make the verdict `yes`.
 *
 * Step by step, the changes for the first reason are tried, and those are kept that leave the fewest pods and objects without; until
 * the verdict is `yes`. Then each change is left out again if the verdict is `yes` without it, the last one made first. Every set was
 * judged as a whole, so a proposal that is returned was seen to work.
 */
export function* stepProposal(
  start: JudgedSubject,
  { judge, changesFor, lastResortsFor, mostJudgements }: ProposalOptions,
): Generator<undefined, FoundChanges> {
  const trials = new Trials(start.subject, judge, mostJudgements);
  let chosen: readonly GateChange[] = [];
  let at: JudgedSubject = start;
  while (at.judgement.verdict !== 'yes') {
    // What is not known cannot be changed into something known.
    if (at.judgement.verdict === 'unknown') return { ended: 'unknown' };
    const best: Step | undefined =
      (yield* stepBestStep(at, changesFor, chosen, trials)) ??
      (yield* stepBestStep(at, lastResortsFor, chosen, trials));
    if (best === undefined) return { ended: trials.areLeft ? 'nothing' : 'spent' };
    chosen = best.changes;
    at = best.judged;
  }
  for (const change of [...chosen].reverse()) {
    const others = chosen.filter((other) => other !== change);
    const judged = others.length === 0 ? undefined : yield* trials.stepTry(others);
    if (judged?.judgement.verdict === 'yes') chosen = others;
  }
  return { changes: chosen };
}

/** Judges a subject with changes, so often at most. */
class Trials {
  constructor(
    private readonly subject: GateSubject,
    private readonly judge: ProposalOptions['judge'],
    private left: number,
  ) {}

  get areLeft(): boolean {
    return this.left > 0;
  }

  /** @returns undefined if none are left */
  *stepTry(changes: readonly GateChange[]): Generator<undefined, JudgedSubject | undefined> {
    if (this.left <= 0) return undefined;
    this.left--;
    return yield* this.judge(withChanges(this.subject, changes));
  }
}

/** Of the changes for the first reason for which any helps, the one that helps most. */
function* stepBestStep(
  from: JudgedSubject,
  changesOf: ChangesFor,
  made: readonly GateChange[],
  trials: Trials,
): Generator<undefined, Step | undefined> {
  let best: Step | undefined;
  for (const reason of from.judgement.reasons) {
    if (reason.verdict !== 'no' || best !== undefined) break;
    for (const bundle of changesOf(reason, from).slice(0, MOST_TRIED)) {
      const changes = [...made, ...bundle];
      const judged = yield* trials.stepTry(changes);
      if (judged === undefined) return best;
      if (isNearer(judged, best?.judged ?? from)) best = { changes, judged };
      if (judged.judgement.verdict === 'yes') return { changes, judged };
    }
  }
  return best;
}

interface Step {
  readonly changes: readonly GateChange[];
  readonly judged: JudgedSubject;
}

/** Whether fewer objects are refused, or else fewer pods are not created, or else fewer are without a node. */
function isNearer(a: JudgedSubject, b: JudgedSubject): boolean {
  if (a.judgement.verdict === 'yes') return b.judgement.verdict !== 'yes';
  const [one, other] = [lackOf(a), lackOf(b)];
  const differing = one.findIndex((count, place) => count !== other[place]);
  return differing >= 0 && one[differing]! < other[differing]!;
}

/** Refused objects, pods that are not created, and pods without a node. */
function lackOf({ subject, judgement, rollout }: JudgedSubject): readonly number[] {
  const refused = judgement.reasons.filter(({ code, verdict }) => code === 'ObjectRefused' && verdict === 'no').length;
  let [missing, waiting] = [0, 0];
  for (const workload of rollout.workloads) {
    const object = workload.object === undefined ? undefined : subject.objects[workload.object];
    if (object === undefined) continue;
    const { wanted, created } = wantedOfTemplate(workload, object);
    missing += Math.max(0, wanted - created);
    waiting += workload.pending;
  }
  return [refused, missing, waiting];
}
