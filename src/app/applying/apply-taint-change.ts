import type { applyTaintChange } from '../../contract/taint-changes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ApplicationStore } from '../../storage/taint-trail/application-store.js';
import type { OpenConnection, WriteSubject } from '../connections/connections.js';
import { HeadMoved } from '../../storage/taint-trail/head-moved.js';
import { TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { JudgeApplication } from '../guardrails/judge-application.js';
import { refuseApplication } from '../guardrails/refuse-by-guardrails.js';
import { HeadForUpdate, type Working } from '../taint-changes/head-for-update.js';
import { nodeNamed } from '../taint-changes/plan-nodes.js';
import { PresentTaintChange } from '../taint-changes/present-taint-change.js';
import { storedChange, writeSubjectOf } from '../taint-changes/stored-change.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { startedDraft } from './application-drafts.js';
import { applyOptionsErrors, applyOptionsOf, authorOf } from './apply-options.js';
import { CheckApplicable } from './check-applicable.js';
import { refuseOwned } from './owned-taints.js';
import { TryApplication } from './try-application.js';

/** The head of a followed cluster may move each second. */
const MOST_ATTEMPTS = 20;

/** Has a stored change written to its cluster, or tries that by dry runs. */
export class ApplyTaintChange {
  constructor(
    private readonly applicable: CheckApplicable,
    private readonly head: HeadForUpdate,
    private readonly changes: TaintChangeStore,
    private readonly applications: ApplicationStore,
    private readonly tryApplication: TryApplication,
    private readonly present: PresentTaintChange,
    private readonly judge: JudgeApplication,
  ) {}

  /**
   * @throws {InvalidRequestError}
   * @throws {ServiceError} `change-not-found`, `already-reverted`; `apply-not-allowed`, with everything that is missing; `taint-change-refused`, with
   *   each taint of others; `guardrail-refused`, with each rule; `budget-exceeded`; `too-many-changes`
   */
  async run(
    request: RequestOf<typeof applyTaintChange>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof applyTaintChange>> {
    const { cluster } = request;
    const faults = applyOptionsErrors(request, request.root);
    if (faults.length > 0) throw new InvalidRequestError(faults);
    let asked: Promise<OpenConnection> | undefined;
    const connected = (subject: WriteSubject): Promise<OpenConnection> =>
      (asked ??= this.applicable.run(cluster, context, subject));
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const head = await this.head.current(cluster, context);
      try {
        return await this.onHead(head, request, { context, connected });
      } catch (error) {
        // What is written must be what the guardrails have let pass on the newest state.
        if (!(error instanceof HeadMoved)) throw error;
        this.head.moved(head);
      }
    }
    throw new ServiceError(
      'too-many-changes',
      'Other writers changed the cluster first in every attempt; retry later.',
      { retryAfterSeconds: 1 },
    );
  }

  private async onHead(
    head: Working,
    request: RequestOf<typeof applyTaintChange>,
    {
      context,
      connected,
    }: {
      readonly context: RequestContext;
      readonly connected: (subject: WriteSubject) => Promise<OpenConnection>;
    },
  ): Promise<AnswerTo<typeof applyTaintChange>> {
    const { cluster, id, dryRun = false, view } = request;
    const change = await storedChange(this.changes, head.cluster, id);
    if (change.undoneBy !== null) {
      throw new ServiceError('already-reverted', `Change ${id} was reverted by change ${change.undoneBy}.`);
    }
    const connection = await connected(writeSubjectOf(change));
    const options = applyOptionsOf(request);
    const nodes = await this.changes.nodesOf(change.clusterId, id);
    refuseOwned(
      nodes.flatMap(({ node: name, difference }) => {
        const node = nodeNamed(head.state, name);
        return node === undefined ? [] : [{ node, difference }];
      }),
      options.force,
    );
    const guardrails = await this.judge.run(head, change, nodes, { force: options.force, context });
    if (dryRun) {
      const tried = await this.tryApplication.run(connection, nodes, options.force, context);
      return { ...(await this.present.stored({ cluster, view, tried }, change, context)), guardrails, dryRun };
    }
    refuseApplication(guardrails);
    const by = authorOf(context.caller);
    const started = await this.applications.start(
      head.revision.number,
      { clusterId: change.clusterId, changeId: id, revision: change.revision },
      { askedAt: context.now, askedBy: by, options, draft: startedDraft(id, { by, options }, context.now) },
    );
    return { ...(await this.present.stored({ cluster, view }, change, context)), guardrails, replayed: !started };
  }
}
