import { followRun, type RunNews } from '../../app/scheduling/follow-run.js';
import type { RunQueue } from '../../app/scheduling/run-queue.js';
import type { AnswerTo } from '../../contract/question.js';
import { runQueue } from '../../contract/scheduling/questions.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { RequestOf } from '../../app/request-of.js';
import type { OtherFormat } from '../contract/answered-by.js';
import { renderedAnswer } from '../contract/rendered-response.js';

/** The progress of a queue run as lines of JSON; the last line is the response. */
export const QUEUE_PROGRESS: OtherFormat<typeof runQueue, RunQueue> = {
  mediaType: 'application/x-ndjson',
  byAcceptAlone: true,
  example: `{"progress":{"waiting":1,"totals":{"placed":1,"unplaced":0,"unknown":0,"gated":0,"error":0,"notTried":0}}}\n`,
  write: async (useCase, request, context) =>
    linesOf(request, await followRun((onProgress) => useCase.run(request, context, onProgress))),
};

async function* linesOf(
  request: RequestOf<typeof runQueue>,
  news: AsyncGenerator<RunNews<AnswerTo<typeof runQueue>>>,
): AsyncGenerator<string, void, undefined> {
  for await (const piece of news) {
    if ('result' in piece) {
      const result = (await renderedAnswer(runQueue.response, piece.result, request, false)) as object;
      yield `${stringifyJson({ result })}\n`;
    } else yield `${stringifyJson(piece)}\n`;
  }
}
