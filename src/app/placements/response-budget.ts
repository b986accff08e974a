import type { Reason } from '../../core/placement/reason.js';
import { ServiceError } from '../errors/service-error.js';
import { partsOf, unmetOf, type ExplainedNode } from './node-response.js';

/** Maximum number of reasons, unmet requirements and taints in a response: about 40 MB of JSON. */
const MAX_COUNTED = 100_000;
/** This many characters of a fix count as one reason. */
const CHARACTERS_OF_A_REASON = 256;

/** This many nodes count as one reason. */
const NODES_OF_A_REASON = 10;

const ofRequests = new WeakMap<object, ResponseBudget>();

interface CountedPlan {
  readonly changes: readonly { readonly yaml: string | null }[];
  readonly remaining: readonly unknown[];
}

/** Counts the reasons and nodes in a response, over all its pages and items, so that no response fills the memory. */
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
  addFixes(fixes: Readonly<Record<'pod' | 'node' | 'claim', CountedPlan | null>> | null): void {
    for (const plan of [fixes?.pod, fixes?.node, fixes?.claim]) {
      if (plan === null || plan === undefined) continue;
      const characters = plan.changes.reduce((count, { yaml }) => count + (yaml?.length ?? 0), 0);
      this.count(plan.changes.length + plan.remaining.length + Math.floor(characters / CHARACTERS_OF_A_REASON));
    }
  }

  /** Counts the fixes and returns them. @throws {ServiceError} `budget-exceeded` */
  withFixes<Fixes extends Parameters<this['addFixes']>[0]>(fixes: Fixes): Fixes {
    this.addFixes(fixes);
    return fixes;
  }

  private count(more: number): void {
    this.counted += more;
    if (this.counted <= MAX_COUNTED) return;
    throw new ServiceError(
      'budget-exceeded',
      `The groups or nodes of this response have more than ${MAX_COUNTED} reasons in total; request fewer nodes or items, or only verdicts.`,
    );
  }
}
