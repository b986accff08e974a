import type { replayDecision } from '../../contract/decisions/questions.js';
import type { replayedHead, replayedRevision } from '../../contract/decisions/replay.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import { jsonDifferences } from '../../core/json/json-differences.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { parseJson } from '../../core/json/lossless-json.js';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import type { Decision } from '../../storage/decisions/decision.js';
import { DecisionStore } from '../../storage/decisions/decision-store.js';
import { RevisionStore } from '../../storage/revision-store.js';
import type { Revision } from '../../storage/revision.js';
import { ServiceError } from '../errors/service-error.js';
import { readAtOf, type GivenReadAt } from '../reads/given-read-at.js';
import { ReadState } from '../reads/read-state.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import { rulesOfRevision } from '../reads/rules-of-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { TimeSlices } from '../states/time-slices.js';
import { DiffRevisions } from '../snapshots/diff-revisions.js';
import { differenceHeadResponse } from '../snapshots/difference-pages.js';
import { stepCanonicalJson } from './canonical-json.js';
import { DecisionAnswerers, type DecisionAnswer } from './decision-answerer.js';
import { FindTurn } from './find-turn.js';
import { presentHead, visibleDecision } from './present-decision.js';
import { ReplayContext } from './replay-context.js';
import { isAboutQuestion, type RecordedQuestion } from './recorded-question.js';

type ReplayedRevision = Response<typeof replayedRevision>;
type ReplayedHead = Response<typeof replayedHead>;

const MAX_DIFFERENCES = 100;

/** Answers a recorded question again. */
export class ReplayDecision {
  constructor(
    private readonly store: DecisionStore,
    private readonly answerers: DecisionAnswerers,
    private readonly resolveRevision: ResolveRevision,
    private readonly revisions: RevisionStore,
    private readonly readState: ReadState,
    private readonly diffRevisions: DiffRevisions,
    private readonly findTurn: FindTurn,
  ) {}

  /**
   * @throws {ServiceError} `decision-not-found`, `forbidden`; `decision-not-replayable` if there is no question to answer;
   *   `cluster-not-found` if the cluster was deleted
   */
  async run(
    { id, head = true }: RequestOf<typeof replayDecision>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof replayDecision>> {
    const decision = await visibleDecision(this.store, id, 'evaluate', context);
    const asked = this.askedAgain(decision);
    const { cluster, revision: current } = await this.resolveRevision.resolve(decision.clusterName, {}, context.now);
    if (cluster.id !== decision.clusterId) {
      const message = `The cluster ${decision.clusterName} of the decision was deleted; another one has its name now.`;
      throw new ServiceError('cluster-not-found', message);
    }
    const stored = await this.revisions.get(cluster.id, decision.revision);
    return {
      decision: presentHead(decision, context),
      same: await this.same(decision, asked, stored, context),
      head: head ? await this.onHead(decision, asked, { current, stored }, context) : null,
    };
  }

  private askedAgain({ type, question, clusterName: cluster }: Decision): RecordedQuestion {
    const answerer = this.answerers.of(type);
    if (answerer === undefined || question === null) {
      const why =
        question === null
          ? 'The question was too large to be kept; only its hash is stored.'
          : `This version of the service cannot answer questions of type ${JSON.stringify(type)}.`;
      throw new ServiceError('decision-not-replayable', why);
    }
    const { intents, scenario, rulesVersion, ...rest } = parseJson(question) as JsonObject;
    const given = { ...(rulesVersion !== undefined && { rulesVersion }), intents, scenario } as unknown as GivenReadAt;
    return { cluster, answerer, question: rest, readAt: readAtOf(given) };
  }

  private async same(
    decision: Decision,
    asked: RecordedQuestion,
    stored: Revision | undefined,
    context: RequestContext,
  ): Promise<ReplayedRevision> {
    const { revision, clusterName } = decision;
    const { release } = stored === undefined ? DEFAULT_RULES : rulesOfRevision(stored, asked.readAt.rulesVersion).rules;
    const nothing: ReplayedRevision = {
      ...{ revision, rulesVersion: release, identical: null, verdict: null, answerHash: null },
      ...{ differences: [], furtherDifferences: 0, note: null },
    };
    if (stored === undefined) {
      return { ...nothing, note: `Revision ${revision} of ${clusterName} is no longer stored.` };
    }
    const again = await this.answer(asked, { revision }, new ReplayContext(context, decision.id, decision.askedAt));
    if (again instanceof ServiceError) return failed(decision, nothing, again);
    const { hash, text } = await new TimeSlices().run(stepCanonicalJson(again.answer));
    const isSame = hash === decision.answerHash;
    const all = isSame || decision.answer === null ? [] : jsonDifferences(parseJson(decision.answer), parseJson(text));
    const differences = all.slice(0, MAX_DIFFERENCES).map(({ pointer, before = null, after = null }) => ({
      pointer,
      before,
      after,
    }));
    const why = isSame ? undefined : reasonToDiffer(decision, release);
    return {
      ...nothing,
      identical: isSame ? true : why === undefined ? false : null,
      verdict: again.verdict,
      answerHash: hash,
      differences,
      furtherDifferences: all.length - differences.length,
      note:
        why ??
        (isSame || decision.answer !== null
          ? null
          : 'The recorded answer was too large to be kept; only its hash is compared.'),
    };
  }

  private async onHead(
    decision: Decision,
    asked: RecordedQuestion,
    { current, stored }: { readonly current: Revision; readonly stored: Revision | undefined },
    context: RequestContext,
  ): Promise<ReplayedHead> {
    const { number: revision, capturedAt } = current;
    const compared = await this.compared(decision, asked, { current, stored }, context);
    const none = { revision, capturedAt, verdict: null, summary: null, turned: null, turnedBy: null, ...compared };
    const now = await this.answer(asked, { revision }, new ReplayContext(context, context.nextDecisionId()));
    if (now instanceof ServiceError) return { ...none, note: `The question has no answer on the head: ${now.message}` };
    const { verdict, summary } = now;
    const turned = verdict !== decision.verdict;
    if (!turned) return { ...none, verdict, summary, turned, note: null };
    const { turn: turnedBy, note } = await this.findTurn.run(
      asked,
      { from: decision.revision, head: current, verdict },
      context,
    );
    return { ...none, verdict, summary, turned, turnedBy, note };
  }

  private async compared(
    { clusterName: cluster, revision }: Decision,
    { readAt }: RecordedQuestion,
    { current, stored }: { readonly current: Revision; readonly stored: Revision | undefined },
    context: RequestContext,
  ): Promise<Pick<ReplayedHead, 'from' | 'differences'>> {
    if (stored === undefined) return { from: null, differences: null };
    const { intents } = readAt;
    const difference = await this.diffRevisions.between(
      { cluster, from: { revision }, to: { revision: current.number }, ...(intents !== undefined && { intents }) },
      context,
    );
    const { from, summary: differences } = differenceHeadResponse(difference);
    return { from, differences };
  }

  /** The answer on a revision, or the error that the question has there. */
  private async answer(
    { cluster, answerer, question, readAt }: RecordedQuestion,
    at: { readonly revision: number },
    context: RequestContext,
  ): Promise<DecisionAnswer | ServiceError> {
    try {
      const reading = await this.readState.run(cluster, { ...readAt, ...at }, context);
      return await answerer.answer(question, reading, context);
    } catch (error) {
      if (error instanceof ServiceError && isAboutQuestion(error)) return error;
      throw error;
    }
  }
}

function failed(decision: Decision, nothing: ReplayedRevision, { message }: ServiceError): ReplayedRevision {
  const why = reasonToDiffer(decision, nothing.rulesVersion);
  return {
    ...nothing,
    identical: why === undefined ? false : null,
    note: `The question has no answer any longer: ${message}${why === undefined ? '' : ` ${why}`}`,
  };
}

/** Why an answer may rightly differ from the recorded one. */
function reasonToDiffer({ rulesVersion, withheldValues }: Decision, now: string): string | undefined {
  if (rulesVersion !== now) {
    return `The decision follows the rules of Kubernetes ${rulesVersion}, but those of ${now} apply now.`;
  }
  if (withheldValues === 0) return undefined;
  return `${withheldValues} values that may be secrets were withheld from the stored question, which may be why the answer differs.`;
}
