import type { Addition } from '../../core/admission/prepare-pod.js';
import type { Verdict } from '../../core/placement/placement.js';
import type { ReasonCode } from '../../core/placement/reason.js';
import type { ReasonCount } from '../../core/placement/roll-up.js';
import { podRequests } from '../../core/kubernetes/pod-resources/pod-requests.js';
import type { PlacementAnswer, RuleDifferenceAnswer } from './evaluate-placement.js';
import { wellKnownText } from './node-answer.js';
import type { SubjectSource } from './placed-subject.js';
import type { Basis } from '../reads/basis.js';
import { knownSchedulerAnswer, schedulerAnswer, type SchedulerAnswer } from '../schedulers/scheduler-answer.js';
import { rankingView, type RankingRequest, type RankingView } from './ranking-view.js';

/** The pod that was placed. */
export interface PodAnswer {
  readonly namespace: string;
  readonly name: string;
  readonly source: SubjectSource;
  readonly workload: { readonly kind: string; readonly namespace: string; readonly name: string } | null;
  /** What it requests in all, overhead included, by resource. */
  readonly requests: Readonly<Record<string, string>>;
}

/** One reason counted over all nodes. */
export interface ReasonCountAnswer {
  readonly plugin: string;
  readonly code: ReasonCode;
  readonly message: string;
  readonly nodes: number;
  readonly first: number;
  readonly examples: readonly string[];
  readonly taints: readonly { readonly taint: string; readonly nodes: number; readonly wellKnown: string | null }[];
}

/**
 * The head of an answer: everything but its nodes. Each part is made when it is read, so that whoever asks for few parts
 * pays for few.
 */
export class PlacementSummary {
  constructor(private readonly answer: PlacementAnswer) {}

  get basis(): Basis {
    return this.answer.basis;
  }

  get pod(): PodAnswer {
    const { pod, source, workload } = this.subject;
    return {
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      source,
      workload,
      requests: Object.fromEntries([...podRequests(pod)].map(([name, quantity]) => [name, quantity.toString()])),
    };
  }

  get added(): readonly (Addition & { readonly value: unknown })[] {
    return this.subject.added.map((addition) => ({ ...addition, value: addition.value ?? null }));
  }

  get droppedFields(): number {
    return this.subject.droppedFields;
  }

  get unknownFieldCount(): number {
    return this.subject.unknownFieldCount;
  }

  get unknownFields(): readonly string[] {
    return this.subject.unknownFields;
  }

  get summary(): { readonly nodes: number } & Readonly<Record<Verdict, number>> {
    const { counts, state } = this.placement;
    return { nodes: state.nodes.count, ...counts };
  }

  /** Kubernetes' own words; null where some node is feasible, or where what is unknown could change them. */
  get message(): string | null {
    return this.answer.evaluated.message().text ?? null;
  }

  get messageNote(): string | null {
    const { text, preemption } = this.answer.evaluated.message();
    const { feasible, unknown } = this.placement.counts;
    if (text !== undefined) {
      return preemption === 'not-evaluated'
        ? 'Kubernetes appends what preemption could do; it is not evaluated here.'
        : null;
    }
    if (feasible > 0) return null;
    return unknown > 0
      ? 'No node is known to be feasible, and what is unknown decides whether Kubernetes would write a message.'
      : 'A rule that is not evaluated here may refuse the pod before any node is looked at, in other words.';
  }

  get rollup(): readonly ReasonCountAnswer[] {
    return reasonCounts(this.answer.evaluated.rollUp());
  }

  /** What was taken for given because a kind was never loaded. */
  get assumptions(): readonly string[] {
    return this.placement.assumptions.map(({ message }) => message);
  }

  /** The profile that the answer is by; null where nothing is known of the cluster's scheduler, and nothing was asked. */
  get scheduler(): SchedulerAnswer | null {
    const { profile } = this.answer.evaluated;
    return this.answer.asksScheduler ? schedulerAnswer(profile, 'this pod') : knownSchedulerAnswer(profile, 'this pod');
  }

  /** @throws QuantityError for a request that is no quantity */
  ranking(request: RankingRequest): RankingView {
    const { evaluated } = this.answer;
    return rankingView(evaluated.placement.state, evaluated.ranking(request.seed), request);
  }

  get ruleDifferences(): readonly RuleDifferenceAnswer[] {
    return this.answer.ruleDifferences;
  }

  private get subject(): PlacementAnswer['evaluated']['subject'] {
    return this.answer.evaluated.subject;
  }

  private get placement(): PlacementAnswer['evaluated']['placement'] {
    return this.answer.evaluated.placement;
  }
}

/** Reasons counted over nodes, with what there is to say of the taints among them. */
export function reasonCounts(counts: readonly ReasonCount[]): readonly ReasonCountAnswer[] {
  return counts.map(({ taints, ...count }) => ({
    ...count,
    taints: (taints ?? []).map(({ taint, nodes }) => ({ taint, nodes, wellKnown: wellKnownText(keyOf(taint)) })),
  }));
}

/** The key of a taint as kubectl writes it: neither a key nor a value can hold `=` or `:`. */
const keyOf = (taint: string): string => taint.split(/[=:]/, 1)[0]!;
