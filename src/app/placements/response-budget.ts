import type { Reason } from '../../core/placement/reason.js';
import { ServiceError } from '../errors/service-error.js';
import { partsOf, unmetOf, type ExplainedNode } from './node-response.js';

/** Reasons, unmet requirements and taints in one response: some 40 MB of JSON. */
const MOST_COUNTED = 100_000;
/** So many characters of a fix weigh as much as one more reason. */
const CHARACTERS_OF_A_REASON = 256;

/** So many nodes weigh as much as one reason. */
const NODES_OF_A_REASON = 10;

const ofRequests = new WeakMap<object, ResponseBudget>();

interface CountedPlan {
  readonly changes: readonly { readonly yaml: string | null }[];
  readonly remaining: readonly unknown[];
}

/** Counts the reasons and nodes in the response to one request, on all its pages and in all its items, so that none fills the memory. */
export class ResponseBudget {
  private counted = 0;

  static of(request: object): ResponseBudget {
    let known = ofRequests.get(request);
    if (known === undefined) ofRequests.set(request, (known = new ResponseBudget()));
    return known;
  }

  /** @throws {ServiceError} `budget-exceeded` */
  addNodes(count: number): void {
    this.count(count / NODES_OF_A_REASON);
  }

  /** @throws {ServiceError} `budget-exceeded` */
  add(node: Pick<ExplainedNode, 'reasons' | 'untoleratedTaints' | 'toleratedTaints'>): void {
    this.count(partsOf(node));
  }

  /** @throws {ServiceError} `budget-exceeded` */
  addReasons(reasons: readonly Reason[]): void {
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

  /** Counts the fixes, and gives them back. @throws {ServiceError} `budget-exceeded` */
  withFixes<Fixes extends Parameters<this['addFixes']>[0]>(fixes: Fixes): Fixes {
    this.addFixes(fixes);
    return fixes;
  }

  private count(more: number): void {
    this.counted += more;
    if (this.counted <= MOST_COUNTED) return;
    throw new ServiceError(
      'budget-exceeded',
      `The groups or nodes of this answer have more than ${MOST_COUNTED} reasons between them; ask for fewer nodes or items, or for verdicts alone.`,
    );
  }
}
