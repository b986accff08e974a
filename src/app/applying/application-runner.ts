import { ApiClient } from '../../kube-api/api-client.js';
import type { WriteResult } from '../../kube-api/taint-writer/taint-writer.js';
import {
  ApplicationStore,
  FAILURES,
  type ApplicationState,
  type ApplicationStep,
  type NodeCounts,
  type NodeInTurn,
  type SettledNode,
  type StoredApplication,
} from '../../storage/taint-trail/application-store.js';
import type { TrailDraft } from '../../core/audit/trail-record.js';
import type { Clock } from '../clock.js';
import { Connections, type OpenConnection } from '../connections/connections.js';
import { ServiceError } from '../errors/service-error.js';
import type { ChangeAuthor } from '../taint-changes/change-details.js';
import { appliedDraft, endedDraft } from './application-drafts.js';
import { paceOf, type ApplyOptions } from './apply-options.js';
import { ChangeWriter } from './change-writer.js';

/** How often a node is tried that the API server could not take; with the pauses between them, about three minutes. */
const MOST_ATTEMPTS = 8;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** Of the API server's words that are stored. */
const MOST_WARNINGS = 20;
const MOST_TEXT = 1_000;

/** Between 0 and 1, as `Math.random`. */
export type Random = () => number;

/**
 * Writes changes to one cluster, one node or rule after another, as far as they are due. All state is in the database: before each write, the node's row
 * says which version it tests, so that whoever goes on after a crash reads the node first and does not write twice.
 */
export class ApplicationRunner {
  constructor(
    private readonly store: ApplicationStore,
    private readonly connections: Connections,
    private readonly client: ApiClient,
    private readonly clock: Clock,
    private readonly random: Random,
    /** This replica. */
    readonly holder: string,
  ) {}

  /** Does one step of what is due in a cluster that is leased to this replica. @returns whether to go on at once */
  async step(
    { clusterId, name }: { readonly clusterId: number; readonly name: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    const application = await this.store.inTurn(clusterId, this.clock.now());
    if (application === undefined) return false;
    const opened = await this.open(name);
    if ('reason' in opened) return this.end(application, opened.reason);
    const isCancelled = application.state !== 'running';
    const node = await this.store.nodeInTurn(clusterId, application.changeId, isCancelled);
    if (node === undefined) return this.end(application, undefined);
    const writer = new ChangeWriter((request) => this.client.ask(opened.connection.apiServer, request, signal));
    const options = application.options as ApplyOptions;
    const unsureOf = node.state === 'writing' ? (node.testedVersion ?? '') : undefined;
    const result = await writer.write(node, options.force, {
      uid: node.uid ?? undefined,
      unsureOf,
      beforeWrite: async (version) =>
        !isCancelled && this.store.noteWriting(this.holder, application, node.position, version, this.clock.now()),
    });
    return this.take(application, node, result, { isCancelled, wasUnsure: unsureOf !== undefined, signal });
  }

  private async open(cluster: string): Promise<{ readonly connection: OpenConnection } | { readonly reason: string }> {
    try {
      const connection = await this.connections.open(cluster);
      return connection.writes
        ? { connection }
        : { reason: 'the connection of the cluster does not allow writes any longer' };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { reason: error.message };
    }
  }

  /** Ends an application that has nothing left to do, or that cannot go on. */
  private end(application: StoredApplication, reason: string | undefined): Promise<boolean> {
    const now = this.clock.now();
    return this.store.settle(this.holder, application, undefined, now, (counts, state) =>
      state !== 'running'
        ? { state, nextAt: null, message: application.message }
        : reason === undefined
          ? this.ended(application, 'done', counts, null, now)
          : this.ended(application, 'stopped', counts, reason, now),
    );
  }

  private ended(
    { changeId, askedBy }: StoredApplication,
    event: 'done' | 'stopped',
    nodes: NodeCounts,
    message: string | null,
    now: Date,
  ): ApplicationStep & { readonly draft: TrailDraft } {
    const end = { event, nodes, ...(message !== null && { message }) };
    return { state: event, nextAt: null, message, draft: endedDraft(changeId, askedBy as ChangeAuthor, now, end) };
  }

  private async take(
    application: StoredApplication,
    node: NodeInTurn,
    result: WriteResult,
    {
      isCancelled,
      wasUnsure,
      signal,
    }: { readonly isCancelled: boolean; readonly wasUnsure: boolean; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const now = this.clock.now();
    const { outcome } = result;
    if (outcome === 'abandoned' && !isCancelled) return false;
    if (outcome === 'later' || outcome === 'unknown') {
      // The service ends: whoever goes on finds the node as it is noted.
      if (signal.aborted) return false;
      if (node.attempts + 1 < MOST_ATTEMPTS) {
        await this.store.postpone(this.holder, application, node.position, {
          state: outcome === 'unknown' ? 'writing' : 'waiting',
          code: result.code,
          message: cleaned(result.message),
          nextAt: new Date(now.getTime() + this.pause(node.attempts, result.retryAfter)),
          now,
        });
        return false;
      }
    }
    const settled = settledBy(result, isCancelled);
    const draft = appliedDraft(application.changeId, application.askedBy as ChangeAuthor, node, settled, now);
    const wrote = settled.testedVersion !== null || wasUnsure;
    return this.store.settle(
      this.holder,
      application,
      { position: node.position, settled, draft },
      now,
      (counts, state) => this.next(application, counts, state, wrote, now),
    );
  }

  /** How an application goes on after a node. */
  private next(
    application: StoredApplication,
    counts: NodeCounts,
    state: ApplicationState,
    wrote: boolean,
    now: Date,
  ): ApplicationStep & { readonly draft?: TrailDraft } {
    if (state !== 'running') return { state, nextAt: counts.writing > 0 ? now : null, message: application.message };
    if (counts.waiting + counts.writing === 0) return this.ended(application, 'done', counts, null, now);
    const options = application.options as ApplyOptions;
    const failures = FAILURES.reduce((sum, one) => sum + counts[one], 0);
    if (failures >= options.maxFailures) {
      const message = `${failures} ${failures === 1 ? 'node was' : 'nodes were'} not written; ${counts.waiting} more were left alone`;
      return this.ended(application, 'stopped', counts, message, now);
    }
    const pause = wrote ? paceOf(options) : 0;
    return { state, nextAt: new Date(now.getTime() + pause), message: null };
  }

  /** Doubles with each attempt, with jitter; the API server's own wish counts if it is longer. */
  private pause(attempts: number, retryAfter: number | null): number {
    const full = Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE);
    const wished = Math.min((retryAfter ?? 0) * 1000, LONGEST_PAUSE);
    return Math.round(
      Math.max(full * (0.5 + this.random() / 2), wished + this.random() * FIRST_PAUSE * Math.sign(wished)),
    );
  }
}

function settledBy(result: WriteResult, isCancelled: boolean): SettledNode & { readonly saidBy: 'answer' | 'read' } {
  const { code, warnings } = result;
  const facts = {
    code,
    message: cleaned(result.message),
    warnings: warnings.slice(0, MOST_WARNINGS).map((text) => cleaned(text)!),
  };
  const nothing = {
    ...facts,
    testedVersion: null,
    resourceVersion: null,
    saidBy: code === null ? ('read' as const) : ('answer' as const),
  };
  switch (result.outcome) {
    case 'written':
      return {
        ...facts,
        state: 'written',
        // One that creates tests none.
        testedVersion: result.testedVersion === '' ? null : result.testedVersion,
        resourceVersion: result.resourceVersion,
        saidBy: result.by,
      };
    case 'unchanged': {
      const { resourceVersion, why } = result;
      return { ...nothing, state: 'unchanged', resourceVersion, saidBy: why === 'noOp' ? 'answer' : 'read' };
    }
    case 'unknown':
      return { ...nothing, state: 'unknown', testedVersion: result.testedVersion };
    case 'refused':
      return { ...nothing, state: 'refused' };
    case 'later':
    case 'admitted':
      return { ...nothing, state: 'failed' };
    case 'abandoned':
      return { ...nothing, state: 'failed', message: isCancelled ? CANCELLED : facts.message };
  }
}

const CANCELLED = 'the application was cancelled; the change was not there when it was read';

/** Text that can be stored. */
function cleaned(text: string | null): string | null {
  if (text === null) return null;
  const clean = text.replaceAll('\0', '\uFFFD');
  return clean.length > MOST_TEXT ? `${clean.slice(0, MOST_TEXT)}...` : clean;
}
