import type { readAgreement } from '../../contract/agreement/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { defined } from '../../core/collections/defined.js';
import { AgreementStore, type AgreementCount } from '../../storage/agreement-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { caseResponse, valuesInCase } from './case-response.js';

type Answer = AnswerTo<typeof readAgreement>;
type Counts = Pick<AgreementCount, 'agreed' | 'disagreed' | 'unknown'>;

const EXAMPLES = 10;

/** Reads how often predictions about a cluster agree with what it did. */
export class ReadAgreement {
  constructor(
    private readonly store: AgreementStore,
    private readonly getCluster: GetCluster,
  ) {}

  /** @throws {ServiceError} `cluster-not-found` */
  async run(
    { cluster, rule, scheduler, since, until }: RequestOf<typeof readAgreement>,
    { withheld }: Pick<RequestContext, 'withheld'>,
  ): Promise<Answer> {
    const { id } = await this.getCluster.run(cluster);
    const between = defined({ since: dateOf(since), until: dateOf(until) });
    const filter = { ...defined({ rule, scheduler }), ...between, limit: EXAMPLES };
    const { progress, counts: all, disagreements, unknowns } = await this.store.report(id, between, filter);
    withheld.addSource([...disagreements, ...unknowns].map(valuesInCase));
    const counts = all.filter(
      (count) => (rule ?? count.rule) === count.rule && (scheduler ?? count.scheduler) === count.scheduler,
    );
    return {
      comparedUntil: progress ?? 0,
      ...summed(counts),
      rules: grouped(counts, 'rule').map(([one, of]) => ({ rule: one, ...of })),
      schedulers: grouped(counts, 'scheduler').map(([one, of]) => ({ scheduler: one, ...of })),
      days: counts.map((count) => ({ ...count, rate: rateOf(count) })),
      disagreements: disagreements.map(caseResponse),
      unknowns: unknowns.map(caseResponse),
    };
  }
}

function grouped<Member extends 'rule' | 'scheduler'>(
  counts: readonly AgreementCount[],
  member: Member,
): (readonly [AgreementCount[Member], ReturnType<typeof summed>])[] {
  const groups = new Map<AgreementCount[Member], AgreementCount[]>();
  for (const count of counts) groups.set(count[member], [...(groups.get(count[member]) ?? []), count]);
  return [...groups].map(([key, some]) => [key, summed(some)] as const);
}

function summed(counts: readonly Counts[]): Counts & { readonly rate: number | null } {
  const total = { agreed: 0, disagreed: 0, unknown: 0 };
  for (const { agreed, disagreed, unknown } of counts) {
    total.agreed += agreed;
    total.disagreed += disagreed;
    total.unknown += unknown;
  }
  return { ...total, rate: rateOf(total) };
}

const rateOf = ({ agreed, disagreed }: Counts): number | null =>
  agreed + disagreed === 0 ? null : agreed / (agreed + disagreed);

export const dateOf = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));
