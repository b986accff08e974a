import type { JsonObject } from '../../../src/core/json/json-value.js';
import { judgeReads } from './wire-reads.js';
import type { Transcript } from './wire-transcript.js';
import { judgeWrites } from './wire-writes.js';

type Judge = (transcript: Transcript) => Promise<readonly string[]> | readonly string[];

/** Who judges a transcript, by its name; the first pattern that matches counts. */
const JUDGES: readonly (readonly [name: RegExp, judge: Judge])[] = [
  [/^(audit-|noise-audit|noise-actions)/, notJudged],
  [/^(taints-|kubectl-|dry-run-|evictions?\b|eviction-)/, judgeWritesAndReads],
  [/^/, judgeReads],
];

/** Compares this project's clients with the wire data of a real API server. */
export async function judgeWire(file: JsonObject): Promise<readonly string[]> {
  const transcript = file as unknown as Transcript;
  const [, judge] = JUDGES.find(([name]) => name.test(transcript.name))!;
  return judge(transcript);
}

/** A transcript of writes may have the watch that ran beside them. */
async function judgeWritesAndReads(transcript: Transcript): Promise<readonly string[]> {
  const isWatched = transcript.exchanges.some(({ request }) => /[?&]watch=true/.test(request.path));
  return [...(await judgeWrites(transcript)), ...(isWatched ? await judgeReads(transcript) : [])];
}

function notJudged({ name }: Transcript): readonly string[] {
  return [`${name}: nobody judges this file yet`];
}
