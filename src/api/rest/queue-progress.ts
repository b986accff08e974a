import { followRun, type RunNews } from '../../app/scheduling/follow-run.js';
import type { RunQueue } from '../../app/scheduling/run-queue.js';
import type { AnswerTo } from '../../contract/question.js';
import type { runQueue } from '../../contract/scheduling/questions.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { OtherFormat } from '../contract/answered-by.js';
import { pageShape } from './page-query.js';

/** The progress of a queue run, a line of JSON each; the last line is the answer. */
export const QUEUE_PROGRESS: OtherFormat<typeof runQueue, RunQueue> = {
  mediaType: 'application/x-ndjson',
  byAcceptAlone: true,
  example: `{"progress":{"waiting":1,"totals":{"placed":1,"unplaced":0,"gated":0,"error":0,"notTried":0}}}\n`,
  write: async (useCase, request, context) =>
    linesOf(await followRun((onProgress) => useCase.run(request, context, onProgress))),
};

async function* linesOf(
  news: AsyncGenerator<RunNews<AnswerTo<typeof runQueue>>>,
): AsyncGenerator<string, void, undefined> {
  for await (const piece of news) {
    if ('answer' in piece) {
      const { page, ...head } = piece.answer;
      yield `${stringifyJson({ answer: { ...head, ...pageShape(page, (decision) => decision) } })}\n`;
    } else yield `${stringifyJson(piece)}\n`;
  }
}
