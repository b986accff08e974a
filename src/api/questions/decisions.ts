import { ListDecisions, type ExportRequest } from '../../app/decisions/list-decisions.js';
import { DeclareDecisionRetention } from '../../app/decisions/declare-decision-retention.js';
import { GetDecision } from '../../app/decisions/get-decision.js';
import { ReplayDecision } from '../../app/decisions/replay-decision.js';
import type { RequestContext } from '../../app/request-context.js';
import type { RequestOf } from '../../app/request-of.js';
import { decisionRecord } from '../../contract/decisions/decision.js';
import * as decisions from '../../contract/decisions/questions.js';
import { exampleOf } from '../../contract/example-of.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { answeredBy, type AnyAnswered, type OtherFormat } from '../contract/answered-by.js';
import { maskedFor } from '../masking/install-masking.js';

/** Decisions as lines of JSON. */
const ndjson = (fileName: (cluster: string | undefined) => string) =>
  ({
    mediaType: 'application/x-ndjson',
    example: `${stringifyJson(exampleOf(decisionRecord))}\n`,
    fileName: (request: ExportRequest) => fileName(request.cluster),
    write: async (list: ListDecisions, request: ExportRequest, context: RequestContext) =>
      lines(await list.export(request, context), context),
  }) satisfies Partial<OtherFormat<never, ListDecisions>>;

async function* lines(
  batches: AsyncGenerator<readonly object[], void, undefined>,
  context: RequestContext,
): AsyncGenerator<string, void, undefined> {
  for await (const batch of batches) {
    yield batch.map((one) => `${stringifyJson(maskedFor(context, one, decisionRecord))}\n`).join('');
  }
}

/** Answers on record. */
export const DECISION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(decisions.getDecision, GetDecision),
  answeredBy(decisions.listDecisionsAcross, ListDecisions, {
    ask: (list: ListDecisions, request: RequestOf<typeof decisions.listDecisionsAcross>, context: RequestContext) =>
      list.across(request, context),
    formats: { ndjson: ndjson(() => 'decisions.ndjson') },
  }),
  answeredBy(decisions.listDecisions, ListDecisions, {
    formats: { ndjson: ndjson((cluster) => `decisions-${cluster}.ndjson`) },
  }),
  answeredBy(decisions.replayDecision, ReplayDecision),
  answeredBy(decisions.readDecisionRetention, DeclareDecisionRetention, {
    ask: (retention, request, context) => retention.read(request, context),
  }),
  answeredBy(decisions.declareDecisionRetention, DeclareDecisionRetention),
  answeredBy(decisions.resetDecisionRetention, DeclareDecisionRetention, {
    ask: (retention, request, context) => retention.reset(request, context),
  }),
];
