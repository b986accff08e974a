import type { Reason } from '../../core/placement/reason.js';
import { ServiceError } from '../errors/service-error.js';
import { partsOf, unmetOf, type NodeAnswer } from './node-answer.js';

/** Reasons, unmet requirements and taints that one page of nodes may tell of: some 40 MB of JSON. */
const MOST_TOLD = 100_000;
/** So many characters of a fix weigh as much as one more reason. */
const CHARACTERS_OF_A_REASON = 256;

interface CountedPlan {
  readonly changes: readonly { readonly yaml: string | null }[];
  readonly remaining: readonly unknown[];
}

/** Counts what a page tells of its nodes, so that an elaborate pod on many nodes fills no memory. */
export class ResponseBudget {
  private told = 0;

  /** @throws {ServiceError} `budget-exceeded` */
  add(node: Pick<NodeAnswer, 'reasons' | 'untoleratedTaints' | 'toleratedTaints'>): void {
    this.count(partsOf(node));
  }

  /** @throws {ServiceError} `budget-exceeded` */
  addReasons(reasons: readonly Pick<Reason, 'facts'>[]): void {
    this.count(reasons.length + unmetOf(reasons));
  }

  /** @throws {ServiceError} `budget-exceeded` */
  addFixes(fixes: { readonly pod: CountedPlan | null; readonly node: CountedPlan | null } | null): void {
    for (const plan of [fixes?.pod, fixes?.node]) {
      if (plan === null || plan === undefined) continue;
      const characters = plan.changes.reduce((count, { yaml }) => count + (yaml?.length ?? 0), 0);
      this.count(plan.changes.length + plan.remaining.length + Math.floor(characters / CHARACTERS_OF_A_REASON));
    }
  }

  private count(more: number): void {
    this.told += more;
    if (this.told <= MOST_TOLD) return;
    throw new ServiceError(
      'budget-exceeded',
      `The groups or nodes of this page have more than ${MOST_TOLD} reasons between them; ask for fewer nodes, or for verdicts alone.`,
    );
  }
}
