import { readTaintOwnership } from '../../core/kubernetes/schema/taint-ownership.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { FIELD_MANAGER } from '../../core/taint-owners/field-manager.js';
import { ApiUnreachable, type ApiAnswer, type ApiRequest } from '../api-client.js';
import { nodePatch } from './node-patch.js';
import { judgeAnswer, type JudgedAnswer } from './write-answer.js';

/** What is to be done to a node as it is now. */
export type Decision =
  | { readonly outcome: 'write'; readonly asked: Node }
  | { readonly outcome: 'done' }
  | { readonly outcome: 'refused'; readonly reasons: readonly string[] };

export interface NodeWrite {
  readonly node: string;
  /** The node that is meant; one that was created anew under the same name is another one. */
  readonly uid?: string | undefined;
  /** Decides for the node as it was just read. Called again after each conflict, and for what a dry run would store. */
  readonly decide: (node: LiveNode) => Decision;
  /** The parts of the spec that the change is about. */
  readonly touches: readonly ('taints' | 'unschedulable')[];
  /** Called right before each write that is not a dry run, with the version that it tests; false gives the write up. */
  readonly beforeWrite: (resourceVersion: string) => Promise<boolean>;
  /** The version that a write tested whose answer was lost, by a restart or by the network. */
  readonly unsureOf?: string | undefined;
  /** Whether to end after the dry run. */
  readonly dryRun?: boolean | undefined;
}

/** A node as the API server sent it, with all of its fields. */
export type LiveNode = Node & { readonly metadata: { readonly uid: string; readonly resourceVersion: string } };

interface Said {
  /** The HTTP status; null without an answer. */
  readonly code: number | null;
  readonly message: string | null;
  /** The API server's warnings. */
  readonly warnings: readonly string[];
}

/** What became of one node. */
export type WriteResult =
  /** `by: 'answer'` if the API server said so, `'read'` if the answer was lost and managedFields prove it. */
  | (Said & {
      readonly outcome: 'written';
      readonly testedVersion: string;
      readonly resourceVersion: string;
      readonly by: 'answer' | 'read';
    })
  /**
   * The node has the change, and this write did not make it: before it was sent (`already`), the write was answered with an unchanged
   * version (`noOp`), or the answer was lost and it is unknown who made it (`found`).
   */
  | (Said & {
      readonly outcome: 'unchanged';
      readonly resourceVersion: string;
      readonly why: 'already' | 'noOp' | 'found';
    })
  /** The API server would accept it: the end of a dry run. */
  | (Said & { readonly outcome: 'admitted'; readonly resourceVersion: string })
  /** It would always be refused. */
  | (Said & { readonly outcome: 'refused' })
  /** Nothing was written; try again, after `retryAfter` seconds if that is known. */
  | (Said & { readonly outcome: 'later'; readonly retryAfter: number | null })
  /** It may have been written; `testedVersion` is to be given as `unsureOf` the next time. */
  | (Said & { readonly outcome: 'unknown'; readonly testedVersion: string; readonly retryAfter: number | null })
  /** `beforeWrite` gave it up. */
  | (Said & { readonly outcome: 'abandoned' });

/** How often a node is read again after conflicts before the write is left for later. */
const MOST_CONFLICTS = 5;

/** Asks the API server of one cluster. @throws {ApiUnreachable} */
export type Ask = (request: ApiRequest) => Promise<ApiAnswer>;

/** Writes taints, cordons and labels of single nodes, so that no write of others is lost, and none is counted that did not happen. */
export class TaintWriter {
  constructor(
    private readonly ask: Ask,
    private readonly fieldManager: string = FIELD_MANAGER,
  ) {}

  async write(write: NodeWrite): Promise<WriteResult> {
    const asked = { ...write, warnings: new Set<string>(), unsureOf: write.unsureOf };
    let last: Pick<JudgedAnswer, 'code' | 'message' | 'retryAfter'> = { code: null, message: null, retryAfter: null };
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
      const tried = await this.tryOnce(asked);
      if ('result' in tried) return tried.result;
      last = tried.again;
    }
    return postponed(asked, last);
  }

  /** @returns `again` after a conflict, and after a write that was not answered: the node has to be read again */
  private async tryOnce(write: Attempt): Promise<{ readonly result: WriteResult } | { readonly again: JudgedAnswer }> {
    const end = (outcome: WriteResult): { readonly result: WriteResult } => ({ result: outcome });
    const refuse = (code: number | null, message: string | null): { readonly result: WriteResult } =>
      end({ ...said(write, code, message), outcome: 'refused' });
    const read = await this.send({ method: 'GET', path: pathOf(write.node) });
    if (read.body === undefined) {
      const { verdict, code, message } = read.judged;
      const isFinal = verdict === 'refused' && (code === 404 || write.unsureOf === undefined);
      return isFinal ? refuse(code, message) : end(postponed(write, read.judged));
    }
    const node = read.body as unknown as LiveNode;
    const { resourceVersion, uid } = node.metadata;
    if (write.uid !== undefined && uid !== write.uid) {
      return refuse(null, `node ${write.node} was deleted and created again since: its uid is ${uid}`);
    }
    const decision = write.decide(node);
    if (decision.outcome === 'refused') return refuse(null, decision.reasons.join('; '));
    if (decision.outcome === 'done') return end(this.standing(write, read.body, resourceVersion));
    const body = nodePatch(node, decision.asked);
    const dry = await this.patch(write, body, true);
    if (dry.judged.verdict === 'conflict') return { again: dry.judged };
    if (dry.judged.verdict === 'refused') return refuse(dry.judged.code, dry.judged.message);
    if (dry.body === undefined) return end(postponed(write, dry.judged));
    if (write.decide(dry.body as unknown as LiveNode).outcome !== 'done') return refuse(null, ALTERED);
    if (write.dryRun === true)
      return end({ ...said(write, dry.judged.code, null), outcome: 'admitted', resourceVersion });
    if (!(await write.beforeWrite(resourceVersion))) return end({ ...said(write, null, null), outcome: 'abandoned' });
    const { judged, body: stored } = await this.patch(write, body, false);
    if (judged.verdict === 'refused') return refuse(judged.code, judged.message);
    if (judged.verdict === 'later' || judged.verdict === 'budget') return end(postponed(write, judged));
    if (judged.verdict === 'conflict') return { again: judged };
    const stands = (stored as LiveNode | undefined)?.metadata.resourceVersion;
    if (judged.verdict === 'unknown' || stands === undefined) {
      write.unsureOf = resourceVersion;
      return { again: judged };
    }
    const facts = said(write, judged.code, null);
    return end(
      stands === resourceVersion
        ? { ...facts, outcome: 'unchanged', resourceVersion, why: 'noOp' }
        : { ...facts, outcome: 'written', testedVersion: resourceVersion, resourceVersion: stands, by: 'answer' },
    );
  }

  /** The result for a node that has the change before this write is sent. */
  private standing(write: Attempt, node: JsonObject, resourceVersion: string): WriteResult {
    if (write.unsureOf === undefined)
      return { ...said(write, null, null), outcome: 'unchanged', resourceVersion, why: 'already' };
    return this.hasWritten(node, write.touches)
      ? {
          ...said(write, null, LOST_AND_WRITTEN),
          outcome: 'written',
          testedVersion: write.unsureOf,
          resourceVersion,
          by: 'read',
        }
      : { ...said(write, null, LOST_AND_FOUND), outcome: 'unchanged', resourceVersion, why: 'found' };
  }

  private async patch({ node, warnings }: Attempt, body: JsonObject[], dryRun: boolean): Promise<Answered> {
    const query = `${dryRun ? 'dryRun=All&' : ''}fieldManager=${this.fieldManager}&fieldValidation=Strict`;
    const answered = await this.send({ method: 'PATCH', path: `${pathOf(node)}?${query}`, body, patch: 'json' });
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

  /**
   * Whether this service was the last one to change these parts of a node. `spec.taints` is one list with one owner: whoever last changed any
   * of it. The tested version did not have the change, so if the service owns the list, its write made the change. A part that is gone has no
   * owner, so its removal proves nothing.
   */
  private hasWritten(node: JsonObject, parts: NodeWrite['touches']): boolean {
    const own = (readTaintOwnership(node) ?? []).filter(({ manager }) => manager === this.fieldManager);
    return parts.length > 0 && parts.every((part) => own.some(({ owns }) => owns.includes(`spec.${part}`)));
  }
}

/** One write, and what was learned so far. */
interface Attempt extends NodeWrite {
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

const pathOf = (node: string): string => `/api/v1/nodes/${encodeURIComponent(node)}`;

const ALTERED = 'the dry run was accepted, but admission in the cluster changed what would be stored';
const LOST_AND_WRITTEN = 'the answer to the write was lost; the node shows that it was done';
const LOST_AND_FOUND = 'the answer to a write was lost; the node has the change, but it is not known who made it';
