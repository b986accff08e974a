import type { QueueDecision, QueueRefusal } from '../queue/step-queue.js';

/** What becomes of a pod on one side; `absent` where that side has no such pod. */
export interface ComparedSide {
  readonly outcome: QueueDecision['outcome'] | 'absent';
  readonly node?: string;
  readonly refusal?: QueueRefusal;
  readonly message?: string;
}

/**
 * `moves`: it finds a node on both sides, and another one. `fitsNow`: only on the other side. `fitsNoMore`: only on the first.
 * `neither`: on none. `unclear`: at least one side did not come to it, failed, or does not have it.
 */
export const DIFFERENCES = ['stays', 'moves', 'fitsNoMore', 'fitsNow', 'neither', 'unclear'] as const;
export type RunDifference = (typeof DIFFERENCES)[number];

export interface ComparedPod {
  readonly namespace: string;
  readonly name: string;
  readonly difference: RunDifference;
  readonly before: ComparedSide;
  readonly after: ComparedSide;
}

/** A decision, and whose it is. */
export interface NamedDecision {
  readonly namespace: string;
  readonly decision: QueueDecision;
}

const ABSENT: ComparedSide = { outcome: 'absent' };

/** Compares what became of the same pods in two runs, pod by pod, in the order of the first; what only the second has comes last. */
export function compareRuns(before: readonly NamedDecision[], after: readonly NamedDecision[]): readonly ComparedPod[] {
  const others = new Map(after.map((one) => [keyOf(one), one]));
  const compared = before.map((one): ComparedPod => {
    const key = keyOf(one);
    const other = others.get(key);
    others.delete(key);
    return pairOf(one, sideOf(one), other === undefined ? ABSENT : sideOf(other));
  });
  for (const other of others.values()) compared.push(pairOf(other, ABSENT, sideOf(other)));
  return compared;
}

const keyOf = ({ namespace, decision }: NamedDecision): string => `${namespace}/${decision.name}`;

function pairOf({ namespace, decision }: NamedDecision, before: ComparedSide, after: ComparedSide): ComparedPod {
  return { namespace, name: decision.name, difference: differenceOf(before, after), before, after };
}

function sideOf({ decision }: NamedDecision): ComparedSide {
  switch (decision.outcome) {
    case 'placed':
      return { outcome: 'placed', node: decision.node };
    case 'unplaced':
      return { outcome: 'unplaced', refusal: decision.refusal };
    case 'gated':
    case 'error':
      return { outcome: decision.outcome, message: decision.message };
    case 'notTried':
      return { outcome: 'notTried' };
  }
}

function differenceOf(before: ComparedSide, after: ComparedSide): RunDifference {
  const isClear = ({ outcome }: ComparedSide): boolean =>
    outcome === 'placed' || outcome === 'unplaced' || outcome === 'gated';
  if (!isClear(before) || !isClear(after)) return 'unclear';
  if (before.node !== undefined) {
    if (after.node === undefined) return 'fitsNoMore';
    return before.node === after.node ? 'stays' : 'moves';
  }
  return after.node === undefined ? 'neither' : 'fitsNow';
}
