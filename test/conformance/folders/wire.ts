import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { RecordedFile } from './folder.js';
import { judgeActionsAlone } from './wire-actions.js';
import { AuditIntake } from './wire-audit-intake.js';
import type { AuditTranscript } from './wire-audit-plays.js';
import { judgeAuditBesideNodes } from './wire-audit-beside.js';
import { judgeAudit } from './wire-audit.js';
import { judgeReads } from './wire-reads.js';
import type { Transcript } from './wire-transcript.js';
import { judgeWrites } from './wire-writes.js';

type Judge = (transcript: Transcript) => Promise<readonly string[]> | readonly string[];

/** Who judges a transcript, by its name; the first pattern that matches counts. */
const JUDGES: readonly (readonly [name: RegExp, judge: Judge])[] = [
  [/^(audit-|noise-audit)/, (transcript) => judgeAudit(transcript as AuditTranscript)],
  [/^noise-actions/, judgeActionsAlone],
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

/** What files of the same time say of each other. */
export const judgeWireTogether = (files: readonly RecordedFile[]): Promise<ReadonlyMap<string, readonly string[]>> =>
  judgeAuditBesideNodes(files);

export const stopWire = (): Promise<void> => AuditIntake.stop();
