import type { QueueDecision, QueueRefusal } from '../queue/step-queue.js';

/** The result for a pod in one run; `absent` if that run has no such pod. */
export interface ComparedSide {
  readonly outcome: QueueDecision['outcome'] | 'absent';
  readonly node?: string;
  readonly refusal?: QueueRefusal;
  readonly message?: string;
}

/**
 * How the results for a pod differ between two runs:
 * `stays`: it has the same node in both.
 * `moves`: it has a different node in each.
 * `fitsNow`: it has a node only in the second.
 * `fitsNoMore`: it has a node only in the first.
 * `neither`: it has a node in none.
 * `unclear`: in at least one run its result is unknown, it was not tried, failed, or is absent.
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

/** A decision, with the namespace of its pod. */
export interface NamedDecision {
  readonly namespace: string;
  readonly decision: QueueDecision;
}

const ABSENT: ComparedSide = { outcome: 'absent' };

/**
 * Compares the results for the same pods in two runs, in the order of the first; pods that only the second has come last. A generator that
 * yields after every pod.
 */
export function* stepComparedRuns(
  before: readonly NamedDecision[],
  after: readonly NamedDecision[],
): Generator<undefined, readonly ComparedPod[]> {
  const others = new Map<string, NamedDecision>();
  for (const one of after) {
    others.set(keyOf(one), one);
    yield;
  }
  const compared: ComparedPod[] = [];
  for (const one of before) {
    const key = keyOf(one);
    const other = others.get(key);
    others.delete(key);
    compared.push(pairOf(one, sideOf(one), other === undefined ? ABSENT : sideOf(other)));
    yield;
  }
  for (const other of others.values()) {
    compared.push(pairOf(other, ABSENT, sideOf(other)));
    yield;
  }
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
    case 'unknown':
      return { outcome: decision.outcome, refusal: decision.refusal };
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
