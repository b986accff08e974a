import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { Quantity, type QuantityFormat } from '../kubernetes/quantity.js';
import { POD_OBJECT_COUNT, podQuotaResources } from './quota-resources.js';
import type { PodCharge } from './pod-charge.js';
import { matchesScopes, QuotaScopeError, scopesOf } from './scopes.js';

/** The sum of pods' charges for one resource, in a form from which a pod can be subtracted. */
interface UsageSum {
  readonly amount: Quantity;
  /** Number of non-zero amounts in each of these formats. */
  readonly binary: number;
  readonly exponent: number;
}

const NOTHING: UsageSum = { amount: Quantity.ZERO, binary: 0, exponent: 0 };

/**
 * The totals of the pods that match a quota's scopes, by resource. Immutable.
 *
 * A sum is written as a binary quantity if any part of it is. Upstream uses the format of the first pod in an undefined
 * order; this rule is independent of the order, so that a sum is the same whether it was computed in one pass or by
 * changes.
 */
export class UsageSums {
  private constructor(
    private readonly scopes: ReturnType<typeof scopesOf>,
    private readonly sums: ReadonlyMap<string, UsageSum>,
    /** Number of pods that match the scopes, including those that have ended. */
    readonly pods: number,
  ) {}

  static empty(quota: ResourceQuota, rules: KubernetesRules): UsageSums {
    const resources = podQuotaResources(Object.keys(quota.spec?.hard ?? {}), rules);
    return new UsageSums(scopesOf(quota), new Map(resources.map((name) => [name, NOTHING])), 0);
  }

  /** Whether pods with this charge match all of the scopes; with an invalid scope no pod counts, as upstream. */
  matches({ facts }: PodCharge): boolean {
    try {
      return matchesScopes(facts, this.scopes);
    } catch (error) {
      if (error instanceof QuotaScopeError) return false;
      throw error;
    }
  }

  /** The sums with pods added, or subtracted if the counts are negative. */
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

  /** The sum of a resource; undefined if pods are not charged to it, or the quota does not limit it. */
  of(resource: string): Quantity | undefined {
    const sum = this.sums.get(resource);
    return sum?.amount.in(formatOf(sum));
  }
}

/** Above this power of ten a sum may have lost its smaller parts, so subtracting a large one would not restore it. */
const EXACT_EXPONENT = 1_000;

/** Whether pods with this charge can be subtracted from sums. */
export function canBeTakenAway({ usage }: PodCharge): boolean {
  return [...usage.values()].every((amount) => amount.exact().exponent <= EXACT_EXPONENT);
}

/** The number of pods with one charge; negative to subtract them. */
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
