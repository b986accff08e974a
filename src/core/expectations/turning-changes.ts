import { stepSmallestPart } from '../collections/smallest-part.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { stepExpectations } from './evaluate-expectations.js';
import type { Verdict } from './expectation.js';
import { expectationsIn } from './read-expectations.js';

/** A change of one object: what it is afterwards, or that it is gone. */
export type ObjectChangeTo =
  | { readonly upsert: KubernetesObject }
  | { readonly delete: { readonly kind: string; readonly namespace: string; readonly name: string } };

export interface TurningChanges {
  /** Changes that suffice to turn the expectation, in the given order. */
  readonly changes: readonly ObjectChangeTo[];
  /** Whether none of them can be left out. */
  readonly isMinimal: boolean;
}

export interface TurningOptions {
  readonly now: number;
  /** Whether the time for trying is over. */
  readonly isOverdue?: () => boolean;
}

/** The verdict on a stored expectation in a state; undefined if the state has no such expectation. */
export function* stepVerdict(
  state: ClusterState,
  name: string,
  now: number,
): Generator<undefined, Verdict | undefined> {
  const expectation = expectationsIn(state).find((one) => one.name === name);
  if (expectation === undefined) return undefined;
  const [found] = yield* stepExpectations(state, [expectation], { now });
  return found?.verdict;
}

/**
 * A smallest part of the changes of a revision that turns an expectation on its own, found by evaluating: changes are left out in
 * ever smaller parts as long as the verdict stays (delta debugging, the algorithm `ddmin`). Another part of the changes may turn it,
 * too.
 *
 * @param before the state before the revision
 * @param verdict the verdict after all changes
 */
export function* stepTurningChanges(
  before: ClusterState,
  changes: readonly ObjectChangeTo[],
  name: string,
  verdict: Verdict,
  { now, isOverdue = () => false }: TurningOptions,
): Generator<undefined, TurningChanges> {
  const turns = (some: readonly ObjectChangeTo[]) => stepTurns(before, some, { name, now, verdict });
  const { items, isMinimal } = yield* stepSmallestPart(changes, turns, isOverdue);
  return { changes: items, isMinimal };
}

/** Whether an expectation has the verdict after the changes. */
function* stepTurns(
  before: ClusterState,
  changes: readonly ObjectChangeTo[],
  { name, now, verdict }: { readonly name: string; readonly now: number; readonly verdict: Verdict },
): Generator<undefined, boolean> {
  const deletes = changes.flatMap((one) => ('delete' in one ? [one.delete] : []));
  const upserts = changes.flatMap((one) => ('upsert' in one ? [one.upsert] : []));
  return (yield* stepVerdict(before.fork().apply({ deletes, upserts }), name, now)) === verdict;
}
