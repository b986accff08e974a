import type { readAccess } from '../../contract/clusters/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { CheckApplicable } from '../applying/check-applicable.js';
import type { WriteSubject } from '../connections/connections.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import type { GetCluster } from './get-cluster.js';

/** What decides on changes that the caller makes, besides permissions. */
export class ReadAccess {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly applicable: CheckApplicable,
  ) {}

  /** @throws {ClusterNotFound} */
  async run(
    { cluster, apply = false }: RequestOf<typeof readAccess>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readAccess>> {
    const { name } = await this.getCluster.run(cluster);
    const { access } = context;
    return {
      cluster: name,
      onBehalfOf: access.mayActFor(name),
      taintValues: access.seesTaintValues(name),
      missingForApply: apply ? await this.missing(name, context, 'nodes') : null,
      missingForDeviceTaintRules: apply ? await this.missing(name, context, 'deviceTaintRules') : null,
    };
  }

  private async missing(cluster: string, context: RequestContext, subject: WriteSubject): Promise<Missing> {
    return (await this.applicable.missing(cluster, context, subject)).map(({ code, message }) => ({ code, message }));
  }
}

type Missing = NonNullable<AnswerTo<typeof readAccess>['missingForApply']>;
