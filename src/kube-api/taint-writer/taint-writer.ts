import type { JsonObject } from '../../core/json/json-value.js';
import { FIELD_MANAGER } from '../../core/taint-owners/field-manager.js';
import { ApiUnreachable, type ApiAnswer, type ApiRequest } from '../api-client.js';
import { judgeAnswer, type JudgedAnswer } from './write-answer.js';

/** An object that is written: where it is, and what is to be done to it. */
export interface WriteTarget {
  /** For messages: `node a`. */
  readonly name: string;
  readonly path: string;
  /** What is to be done to the object as it is now; undefined if it is not there. Called again after each conflict, and for what a dry run would store. */
  readonly decide: (object: JsonObject | undefined) => Decision;
  /** Whether `managedFields` prove that a field manager wrote what `decide` asks for. */
  readonly isWrittenBy: (object: JsonObject, manager: string) => boolean;
}

export type Decision =
  | { readonly outcome: 'write'; readonly request: WriteRequest }
  | { readonly outcome: 'done' }
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] }
  /** It has to be there. */
  | { readonly outcome: 'missing' };

/** A JSON Patch and a deletion test the version that was read. */
export type WriteRequest =
  | { readonly method: 'PATCH'; readonly body: JsonObject[] }
  | { readonly method: 'POST'; readonly path: string; readonly body: JsonObject }
  | { readonly method: 'DELETE' };

/** The write of one object. */
export interface TaintWrite {
  readonly target: WriteTarget;
  /** The object that is meant; one that was created anew under the same name is another one. */
  readonly uid?: string | undefined;
  /** Called right before each write that is not a dry run, with the version that it tests, empty for one that creates; false gives the write up. */
  readonly beforeWrite: (resourceVersion: string) => Promise<boolean>;
  /** The version that a write tested whose answer was lost, by a restart or by the network. */
  readonly unsureOf?: string | undefined;
  /** Whether to end after the dry run. */
  readonly dryRun?: boolean | undefined;
}

interface Said {
  /** The HTTP status; null without an answer. */
  readonly code: number | null;
  readonly message: string | null;
  /** The API server's warnings. */
  readonly warnings: readonly string[];
}

/** What became of one object. */
export type WriteResult =
  /** `by: 'answer'` if the API server said so, `'read'` if the answer was lost and managedFields prove it. */
  | (Said & {
      readonly outcome: 'written';
      readonly testedVersion: string;
      readonly resourceVersion: string;
      readonly by: 'answer' | 'read';
    })
  /**
   * The object has the change, and this write did not make it: before it was sent (`already`), the write was answered with an unchanged
   * version (`noOp`), or the answer was lost and it is unknown who made it (`found`).
   */
  | (Said & {
      readonly outcome: 'unchanged';
      /** Null if it is gone, as it should be. */
      readonly resourceVersion: string | null;
      readonly why: 'already' | 'noOp' | 'found';
    })
  /** The API server would accept it: the end of a dry run. */
  | (Said & { readonly outcome: 'admitted'; readonly resourceVersion: string | null })
  /** It would always be refused. */
  | (Said & { readonly outcome: 'refused' })
  /** Nothing was written; try again, after `retryAfter` seconds if that is known. */
  | (Said & { readonly outcome: 'later'; readonly retryAfter: number | null })
  /** It may have been written; `testedVersion` is to be given as `unsureOf` the next time. */
  | (Said & { readonly outcome: 'unknown'; readonly testedVersion: string; readonly retryAfter: number | null })
  /** `beforeWrite` gave it up. */
  | (Said & { readonly outcome: 'abandoned' });

/** How often an object is read again after conflicts before the write is left for later. */
const MOST_CONFLICTS = 5;

/** Asks the API server of one cluster. @throws {ApiUnreachable} */
export type Ask = (request: ApiRequest) => Promise<ApiAnswer>;

/** Writes taints: single nodes, and DeviceTaintRules, so that no write of others is lost, and none is counted that did not happen. */
export class TaintWriter {
  constructor(
    private readonly ask: Ask,
    private readonly fieldManager: string = FIELD_MANAGER,
  ) {}

  async write(write: TaintWrite): Promise<WriteResult> {
    const asked = { ...write, warnings: new Set<string>(), unsureOf: write.unsureOf };
    let last: Pick<JudgedAnswer, 'code' | 'message' | 'retryAfter'> = { code: null, message: null, retryAfter: null };
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
      const tried = await this.tryOnce(asked);
      if ('result' in tried) return tried.result;
      last = tried.again;
    }
    return postponed(asked, last);
  }

  /** @returns `again` after a conflict, and after a write that was not answered: the object has to be read again */
  private async tryOnce(write: Attempt): Promise<{ readonly result: WriteResult } | { readonly again: JudgedAnswer }> {
    const end = (outcome: WriteResult): { readonly result: WriteResult } => ({ result: outcome });
    const refuse = (code: number | null, message: string | null): { readonly result: WriteResult } =>
      end({ ...said(write, code, message), outcome: 'refused' });
    const { target } = write;
    const read = await this.send({ method: 'GET', path: target.path });
    const isGone = read.judged.code === 404;
    if (read.body === undefined && (!isGone || target.decide(undefined).outcome === 'missing')) {
      const { verdict, code, message } = read.judged;
      const isFinal = verdict === 'refused' && (isGone || write.unsureOf === undefined);
      return isFinal ? refuse(code, message) : end(postponed(write, read.judged));
    }
    const { resourceVersion = '', uid } = (read.body?.['metadata'] ?? {}) as Partial<Record<string, string>>;
    if (write.uid !== undefined && uid !== undefined && uid !== write.uid) {
      return refuse(null, `${target.name} was deleted and created again since: its uid is ${uid}`);
    }
    const decision = target.decide(read.body);
    if (decision.outcome === 'refused') return refuse(null, decision.reasons.join('; '));
    if (decision.outcome !== 'write') return end(this.standing(write, read.body));
    const { request } = decision;
    const found = { version: resourceVersion, uid };
    const dry = await this.request(write, request, found, true);
    if (isConflict(dry.judged, target, request)) return { again: dry.judged };
    if (dry.judged.verdict === 'refused') return refuse(dry.judged.code, dry.judged.message);
    if (dry.body === undefined) return end(postponed(write, dry.judged));
    if (request.method !== 'DELETE' && target.decide(dry.body).outcome !== 'done') return refuse(null, ALTERED);
    if (write.dryRun === true)
      return end({
        ...said(write, dry.judged.code, null),
        outcome: 'admitted',
        resourceVersion: versionOrNull(resourceVersion),
      });
    if (!(await write.beforeWrite(resourceVersion))) return end({ ...said(write, null, null), outcome: 'abandoned' });
    const { judged, body: stored } = await this.request(write, request, found, false);
    if (isConflict(judged, target, request)) return { again: judged };
    if (judged.verdict === 'refused') return refuse(judged.code, judged.message);
    if (judged.verdict === 'later' || judged.verdict === 'budget') return end(postponed(write, judged));
    // What was deleted had the version that was tested.
    const stands = request.method === 'DELETE' && stored !== undefined ? resourceVersion : versionOf(stored);
    if (judged.verdict === 'unknown' || stands === undefined) {
      write.unsureOf = resourceVersion;
      return { again: judged };
    }
    const facts = said(write, judged.code, null);
    return end(
      request.method === 'PATCH' && stands === resourceVersion
        ? { ...facts, outcome: 'unchanged', resourceVersion, why: 'noOp' }
        : { ...facts, outcome: 'written', testedVersion: resourceVersion, resourceVersion: stands, by: 'answer' },
    );
  }

  /** The result for an object that has the change before this write is sent. */
  private standing(write: Attempt, object: JsonObject | undefined): WriteResult {
    const resourceVersion = versionOf(object) ?? null;
    if (write.unsureOf === undefined)
      return { ...said(write, null, null), outcome: 'unchanged', resourceVersion, why: 'already' };
    // What is gone has no owner.
    return object !== undefined && resourceVersion !== null && write.target.isWrittenBy(object, this.fieldManager)
      ? {
          ...said(write, null, LOST_AND_WRITTEN),
          outcome: 'written',
          testedVersion: write.unsureOf,
          resourceVersion,
          by: 'read',
        }
      : { ...said(write, null, LOST_AND_FOUND), outcome: 'unchanged', resourceVersion, why: 'found' };
  }

  private async request(
    { target, warnings }: Attempt,
    request: WriteRequest,
    found: { readonly version: string; readonly uid: string | undefined },
    dryRun: boolean,
  ): Promise<Answered> {
    const query = `?${dryRun ? 'dryRun=All&' : ''}fieldManager=${this.fieldManager}&fieldValidation=Strict`;
    const answered = await this.send(
      request.method === 'PATCH'
        ? { method: 'PATCH', path: `${target.path}${query}`, body: request.body, patch: 'json' }
        : request.method === 'POST'
          ? { method: 'POST', path: `${request.path}${query}`, body: request.body }
          : { method: 'DELETE', path: target.path, body: deleteOptions(found, dryRun) },
    );
    for (const warning of answered.warnings) warnings.add(warning);
    return answered;
  }

  private async send(request: ApiRequest): Promise<Answered> {
    try {
      const answer = await this.ask(request);
      const judged = judgeAnswer(answer);
      return { judged, warnings: answer.warnings, body: judged.verdict === 'accepted' ? answer.body : undefined };
    } catch (error) {
      if (!(error instanceof ApiUnreachable)) throw error;
      const verdict = error.sent ? 'unknown' : 'later';
      return {
        judged: { verdict, code: null, message: error.message, retryAfter: null },
        warnings: [],
        body: undefined,
      };
    }
  }
}

/** One write, and what was learned so far. */
interface Attempt extends TaintWrite {
  readonly warnings: Set<string>;
  unsureOf: string | undefined;
}

function said({ warnings }: Attempt, code: number | null, message: string | null): Said {
  return { code, message, warnings: [...warnings] };
}

/** The result of a write that is not decided: if an earlier one was not answered, that is still so. */
function postponed(
  write: Attempt,
  { code, message, retryAfter }: Pick<JudgedAnswer, 'code' | 'message' | 'retryAfter'>,
): WriteResult {
  const facts = { ...said(write, code, message), retryAfter };
  return write.unsureOf === undefined
    ? { ...facts, outcome: 'later' }
    : { ...facts, outcome: 'unknown', testedVersion: write.unsureOf };
}

interface Answered {
  readonly judged: JudgedAnswer;
  readonly warnings: readonly string[];
  /** Undefined unless the request was accepted. */
  readonly body: JsonObject | undefined;
}

const versionOf = (object: JsonObject | undefined): string | undefined =>
  (object?.['metadata'] as { readonly resourceVersion?: string } | undefined)?.resourceVersion;

const versionOrNull = (version: string): string | null => (version === '' ? null : version);

/** Whether the object is not as it was read: one that need not be there may be gone. */
const isConflict = ({ verdict, code }: JudgedAnswer, { decide }: WriteTarget, { method }: WriteRequest): boolean =>
  verdict === 'conflict' || (code === 404 && method !== 'POST' && decide(undefined).outcome !== 'missing');

/** The options of a deletion with a body are all in it: k8s.io/apiserver v0.36.2, pkg/endpoints/handlers/delete.go, `DeleteResource`. */
const deleteOptions = (
  { version, uid }: { readonly version: string; readonly uid: string | undefined },
  dryRun: boolean,
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'DeleteOptions',
  preconditions: { resourceVersion: version, ...(uid !== undefined && { uid }) },
  ...(dryRun && { dryRun: ['All'] }),
});

const ALTERED = 'the dry run was accepted, but admission in the cluster changed what would be stored';
const LOST_AND_WRITTEN = 'the answer to the write was lost; the cluster shows that it was done';
const LOST_AND_FOUND = 'the answer to a write was lost; the change is there, but it is not known who made it';
