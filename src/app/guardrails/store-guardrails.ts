import type { deleteGuardrails, putGuardrails, readGuardrails } from '../../contract/guardrails/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { givenGuardrails, refuseFailures, runTests } from './given-guardrails.js';

type Changed = AnswerTo<typeof putGuardrails>;

/** Reads the guardrails of a cluster, and replaces or deletes them, as a new revision. */
export class StoreGuardrails {
  constructor(
    private readonly changeSetting: ChangeSetting,
    private readonly readState: ReadState,
  ) {}

  /** @throws {ServiceError} as `ReadState` */
  async read(
    { cluster, readAt }: RequestOf<typeof readGuardrails>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof readGuardrails>> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const document = storedDocument(state);
    if (document !== null) context.withheld.addSource(document);
    return { basis, stored: document !== null, document };
  }

  /**
   * @throws {InvalidRequestError} with each case that fails
   * @throws {ServiceError} as `givenGuardrails` and `ChangeSetting.run`
   */
  async run(request: RequestOf<typeof putGuardrails>, context: RequestContext): Promise<Changed> {
    const { document, root } = request;
    return this.change(request, await checkGuardrails(document, root, context.signal), context);
  }

  /** @throws {ServiceError} as `ChangeSetting.run` */
  async delete(request: RequestOf<typeof deleteGuardrails>, context: RequestContext): Promise<Changed> {
    return this.change(request, null, context);
  }

  private async change(
    { cluster, ifMatch, dryRun = false }: RequestOf<typeof deleteGuardrails>,
    content: JsonObject | null,
    context: RequestContext,
  ): Promise<Changed> {
    const { basis, changed } = await this.changeSetting.run(
      { cluster, dryRun, ifMatch, kind: 'Guardrails', name: THE_ONE, content: () => content },
      context,
    );
    if (content !== null) context.withheld.addSource(content);
    return { basis, changed, dryRun, stored: content !== null, document: content && documentOf(content) };
  }
}

/**
 * The content of a document whose tests pass.
 * @throws {InvalidRequestError} with each fault, or each case that fails
 * @throws {ServiceError} as `givenGuardrails`
 */
export async function checkGuardrails(
  document: JsonValue | undefined,
  root = '',
  signal = new AbortController().signal,
): Promise<JsonObject> {
  const { guardrails, content } = givenGuardrails(document, root);
  refuseFailures(await runTests(guardrails, signal), root);
  return content;
}

function storedDocument(state: ClusterState): JsonObject | null {
  const setting = state.setting('Guardrails', THE_ONE);
  return setting === undefined ? null : documentOf(setting.content);
}

const documentOf = (content: JsonObject): JsonObject => ({
  apiVersion: 'kube-placement/v1',
  kind: 'Guardrails',
  ...content,
});
