import type {
  declareDecisionRetention,
  readDecisionRetention,
  resetDecisionRetention,
} from '../../contract/decisions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { settingOf, THE_ONE } from '../../core/cluster/setting.js';
import { parseDuration } from '../duration.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { DecisionRetentionLimit, FOREVER, retentionIn } from './decision-retention-setting.js';

const KIND = 'DecisionRetention';

type Declared = AnswerTo<typeof declareDecisionRetention>;

/** How long the decisions about a cluster are kept: reads and declares the setting. */
export class DeclareDecisionRetention {
  constructor(
    private readonly readState: ReadState,
    private readonly changeSetting: ChangeSetting,
    private readonly limit: DecisionRetentionLimit,
  ) {}

  /** @throws {ServiceError} as `ReadState` does */
  async read(
    { cluster, readAt }: RequestOf<typeof readDecisionRetention>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readDecisionRetention>> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    return { basis, ...retentionIn(state, this.limit) };
  }

  /** @throws {InvalidRequestError} no duration; {ServiceError} as `ChangeSetting.run` */
  async run(request: RequestOf<typeof declareDecisionRetention>, context: RequestContext): Promise<Declared> {
    const { maxAge, root } = request;
    if (maxAge !== FOREVER && parseDuration(maxAge) === undefined) {
      const field = root === '' ? 'maxAge' : `${root}.maxAge`;
      const message = `must be a duration, such as 90d, 12h or 3600 (seconds), or ${FOREVER}`;
      throw new InvalidRequestError([
        { pointer: `/${field.replaceAll('.', '/')}`, field, code: 'isDuration', message },
      ]);
    }
    return this.change(request, maxAge, context);
  }

  /** @throws {ServiceError} as `ChangeSetting.run` */
  async reset(request: RequestOf<typeof resetDecisionRetention>, context: RequestContext): Promise<Declared> {
    return this.change(request, null, context);
  }

  private async change(
    { cluster, ifMatch, dryRun = false }: RequestOf<typeof resetDecisionRetention>,
    maxAge: string | null,
    context: RequestContext,
  ): Promise<Declared> {
    const content = maxAge === null ? null : { maxAge };
    const { basis, changed, head } = await this.changeSetting.run(
      { cluster, dryRun, ifMatch, kind: KIND, name: THE_ONE, content: () => content },
      context,
    );
    const after = head.state.apply(
      content === null
        ? { deletes: [{ kind: KIND, name: THE_ONE }] }
        : { upserts: [settingOf(KIND, THE_ONE, content)] },
    );
    return { basis, changed, dryRun, ...retentionIn(after, this.limit) };
  }
}
