import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { Quantity, type QuantityFormat } from '../kubernetes/quantity.js';
import { POD_OBJECT_COUNT, podQuotaResources } from './quota-resources.js';
import type { PodCharge } from './pod-charge.js';
import { matchesScopes, QuotaScopeError, scopesOf } from './scopes.js';

/** The sum of what pods are charged of one resource, in a form from which a pod can be taken away again. */
interface UsageSum {
  readonly amount: Quantity;
  /** How many of the amounts that are not zero are written in each of these formats. */
  readonly binary: number;
  readonly exponent: number;
}

const NOTHING: UsageSum = { amount: Quantity.ZERO, binary: 0, exponent: 0 };

/**
 * What the pods within a quota's scopes add up to, by resource. Immutable.
 *
 * A sum is written as a binary quantity if any part of it is. Upstream takes the format of the first pod that it comes upon, in no
 * certain order; this one does not hang on the order, so that a sum is the same whether it was made at once or by changes.
 */
export class UsageSums {
  private constructor(
    private readonly scopes: ReturnType<typeof scopesOf>,
    private readonly sums: ReadonlyMap<string, UsageSum>,
    /** How many pods are within the scopes, those that have ended included. */
    readonly pods: number,
  ) {}

  static empty(quota: ResourceQuota): UsageSums {
    const resources = podQuotaResources(Object.keys(quota.spec?.hard ?? {}));
    return new UsageSums(scopesOf(quota), new Map(resources.map((name) => [name, NOTHING])), 0);
  }

  /** Whether pods with this charge are within all of the scopes; a scope that cannot be matched counts no pod, as upstream. */
  matches({ facts }: PodCharge): boolean {
    try {
      return matchesScopes(facts, this.scopes);
    } catch (error) {
      if (error instanceof QuotaScopeError) return false;
      throw error;
    }
  }

  /** The sums with pods added, or taken away where the counts are negative. */
  with(pods: Iterable<CountedCharge>): UsageSums {
    const sums = new Map(this.sums);
    let matched = this.pods;
    for (const { charge, active, inactive } of pods) {
      if (!this.matches(charge)) continue;
      matched += active + inactive;
      for (const [name, before] of sums) {
        const count = name === POD_OBJECT_COUNT ? active + inactive : active;
        const amount = charge.usage.get(name);
        if (amount !== undefined && count !== 0) sums.set(name, added(before, amount, count));
      }
    }
    return new UsageSums(this.scopes, sums, matched);
  }

  /** The sum of a resource; undefined for one that pods are not charged to, or that the quota does not bound. */
  of(resource: string): Quantity | undefined {
    const sum = this.sums.get(resource);
    return sum?.amount.in(formatOf(sum));
  }
}

/** Beyond this power of ten a sum may have lost its smaller parts, and does not become what it was when the large one is taken away. */
const EXACT_EXPONENT = 1_000;

/** Whether pods with this charge can be taken away from sums again. */
export function canBeTakenAway({ usage }: PodCharge): boolean {
  return [...usage.values()].every((amount) => amount.exact().exponent <= EXACT_EXPONENT);
}

/** How many pods have one charge: negative where they are to be taken away. */
export interface CountedCharge {
  readonly charge: PodCharge;
  readonly active: number;
  readonly inactive: number;
}

function added(sum: UsageSum, amount: Quantity, count: number): UsageSum {
  const { format } = amount;
  const counted = amount.isZero() ? 0 : count;
  const product = amount.times(Math.abs(count));
  return {
    amount: count > 0 ? sum.amount.add(product) : sum.amount.sub(product),
    binary: sum.binary + (format === 'BinarySI' ? counted : 0),
    exponent: sum.exponent + (format === 'DecimalExponent' ? counted : 0),
  };
}

function formatOf({ binary, exponent }: UsageSum): QuantityFormat {
  if (binary > 0) return 'BinarySI';
  return exponent > 0 ? 'DecimalExponent' : 'DecimalSI';
}
