import { Helper, help } from './helper.js';
import { runLoad, type Load, type LoadResult } from './open-loop.js';

const sender = new Helper<Load, LoadResult>(import.meta.url);

/** Sends a load from a separate process. */
export async function runLoadApart(load: Load): Promise<LoadResult> {
  const result = await sender.ask(load);
  if (result.failed > 0) throw new Error(`${result.failed} of ${result.sent} requests failed: ${result.firstFailure!}`);
  return result;
}

help(runLoad);
