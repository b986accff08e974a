import type { downloadCase } from '../../contract/agreement/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { maskCase } from '../../core/agreement/mask-case.js';
import { judgeCase, type SchedulingCase } from '../../core/agreement/scheduling-case.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { parseJson } from '../../core/json/lossless-json.js';
import { AgreementStore } from '../../storage/agreement-store.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

/** Reads a disagreement in the form that the conformance runner takes. */
export class DownloadCase {
  constructor(
    private readonly store: AgreementStore,
    private readonly getCluster: GetCluster,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `case-not-found`, `case-not-available` */
  async run(
    { cluster, number, masked = false }: RequestOf<typeof downloadCase>,
    { access }: Pick<RequestContext, 'access'>,
  ): Promise<AnswerTo<typeof downloadCase>> {
    const { id } = await this.getCluster.run(cluster);
    const wanted = Number(number);
    const isNumber = Number.isSafeInteger(wanted) && wanted > 0;
    const stored = isNumber ? await this.store.reproduction(id, wanted) : undefined;
    if (stored === undefined) throw new ServiceError('case-not-found', `The cluster has no case ${number}.`);
    if (stored === null) {
      throw new ServiceError(
        'case-not-available',
        `No case was stored with ${number}: it is none of a scheduler, or was too large.`,
      );
    }
    const whole = parseJson(stored) as JsonObject;
    const answer = masked || !access.seesTaintValues(cluster) ? disagreeing(maskCase(whole)) : whole;
    return answer as unknown as AnswerTo<typeof downloadCase>;
  }
}

/** A masked case, if our answer still disagrees in it. */
function disagreeing(masked: JsonObject): JsonObject {
  const judged = judgeCase(masked as unknown as SchedulingCase);
  if (judged.some(({ outcome }) => outcome === 'disagreed')) return masked;
  throw new ServiceError('case-not-available', 'Once its names and values are replaced, the case does not disagree.');
}
