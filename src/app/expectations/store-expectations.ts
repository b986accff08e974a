import type { deleteExpectations, putExpectations, readExpectations } from '../../contract/expectations/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import { expectationsIn } from '../../core/expectations/read-expectations.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { fileOf, storedFile } from './expectation-response.js';
import { givenExpectations } from './given-expectations.js';
import { valuesInExpectations } from './values-in-turn.js';

type Changed = AnswerTo<typeof putExpectations>;

/** Reads the expectations of a cluster, and replaces or deletes them, as a new revision. */
export class StoreExpectations {
  constructor(
    private readonly changeSetting: ChangeSetting,
    private readonly readState: ReadState,
  ) {}

  /** @throws {ServiceError} as `ReadState` */
  async read(
    { cluster, readAt }: RequestOf<typeof readExpectations>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readExpectations>> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    context.withheld.addSource(valuesInExpectations(expectationsIn(state)));
    return { basis, ...storedFile(state) };
  }

  /** @throws {ServiceError} as `givenExpectations` and `ChangeSetting.run` */
  async run(request: RequestOf<typeof putExpectations>, context: RequestContext): Promise<Changed> {
    return this.change(request, givenExpectations(request.file, request.root).content, context);
  }

  /** @throws {ServiceError} as `ChangeSetting.run` */
  async delete(request: RequestOf<typeof deleteExpectations>, context: RequestContext): Promise<Changed> {
    return this.change(request, null, context);
  }

  private async change(
    { cluster, ifMatch, dryRun = false }: RequestOf<typeof deleteExpectations>,
    content: JsonObject | null,
    context: RequestContext,
  ): Promise<Changed> {
    const { basis, changed } = await this.changeSetting.run(
      { cluster, dryRun, ifMatch, kind: 'Expectations', name: THE_ONE, content: () => content },
      context,
    );
    if (content !== null) context.withheld.addSource(content);
    return { basis, changed, dryRun, stored: content !== null, file: content && fileOf(content) };
  }
}
