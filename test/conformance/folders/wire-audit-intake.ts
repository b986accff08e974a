import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { Clock } from '../../../src/app/clock.js';
import { readConfig } from '../../../src/config.js';
import type { TaintTrail } from '../../../src/core/audit/attributed-change.js';
import { type RunningService, startService } from '../../../src/start-service.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import type { Dice } from '../../support/dice.js';

/** What the service says of a body of audit events. */
export interface TakenIn {
  readonly received: number;
  readonly kept: number;
  readonly duplicates: number;
  readonly invalid: number;
  readonly ignored: readonly { readonly count: number }[];
}

/** The trail of a cluster: what nothing has superseded, and each of these records without its place in the chain. */
export interface ReadTrail extends TaintTrail {
  readonly contents: readonly string[];
}

/** The time of the recording that is played. */
class PlayedClock extends Clock {
  time = 0;

  override now(): Date {
    return new Date(this.time);
  }
}

/** The whole service with a Postgres of its own, which takes in what API servers sent to their audit webhook. */
export class AuditIntake {
  private static running: Promise<AuditIntake> | undefined;
  private clusters = 0;

  private constructor(
    private readonly postgres: TestPostgres,
    private readonly service: RunningService,
    private readonly clock: PlayedClock,
  ) {}

  /** One for all transcripts: starting it takes seconds. */
  static get(): Promise<AuditIntake> {
    return (AuditIntake.running ??= AuditIntake.start());
  }

  private static async start(): Promise<AuditIntake> {
    const postgres = await startTestPostgres();
    try {
      const clock = new PlayedClock();
      const settings = { PORT: '0', HOST: '127.0.0.1', DATABASE_CONNECT_TIMEOUT_MS: '60000' };
      const config = readConfig({ ...settings, DATABASE_URL: await postgres.createEmptyDatabase() });
      const service = await startService(config, { clock, log: pino({ level: 'silent' }) });
      return new AuditIntake(postgres, service, clock);
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  static async stop(): Promise<void> {
    const running = await AuditIntake.running?.catch(() => undefined);
    AuditIntake.running = undefined;
    await running?.service.close();
    await running?.postgres.stop();
  }

  /** @returns the name of a new cluster; from now on it is this moment. */
  async newCluster(at: number): Promise<string> {
    this.clock.time = at;
    const cluster = `recorded-${++this.clusters}`;
    await this.ask('PUT', `/clusters/${cluster}`, '{}');
    return cluster;
  }

  /** Time never runs backwards, whatever order bodies are sent in. */
  passTo(at: number): void {
    this.clock.time = Math.max(this.clock.time, at);
  }

  /** @param dice compresses some bodies, and cuts each into pieces that end anywhere; absent: as it was recorded */
  async take(cluster: string, query: string, text: string, dice?: Dice): Promise<TakenIn> {
    const isGzip = dice?.chance(50) ?? false;
    const bytes = isGzip ? gzipSync(text) : Buffer.from(text);
    const body = dice === undefined ? bytes : piecesOf(bytes, dice);
    const headers = isGzip ? { 'content-encoding': 'gzip' } : undefined;
    return (await this.ask('POST', `/clusters/${cluster}/audit-events${query}`, body, headers)) as TakenIn;
  }

  /** The nodes as a snapshot of that moment. */
  async show(cluster: string, nodes: readonly object[], at: number): Promise<void> {
    this.passTo(at);
    const query = `kinds=Node&allowRemovals=true&capturedAt=${new Date(at).toISOString()}`;
    const items = nodes.map((node) => ({ ...node, apiVersion: 'v1', kind: 'Node' }));
    const list = { apiVersion: 'v1', kind: 'List', items };
    await this.ask('POST', `/clusters/${cluster}/snapshots?${query}`, JSON.stringify(list));
  }

  /** @throws if the chain of the trail is broken */
  async trail(cluster: string): Promise<ReadTrail> {
    const verified = (await this.ask('GET', `/clusters/${cluster}/taint-trail/verify`)) as { readonly holds?: boolean };
    if (verified.holds !== true) throw new Error(`the trail does not verify: ${JSON.stringify(verified)}`);
    const text = await this.askText('GET', `/clusters/${cluster}/taint-trail/export`);
    const all = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { readonly content: StoredContent }).content);
    const superseded = new Set(all.flatMap(({ supersedes }) => supersedes ?? []));
    const current = all.filter(({ sequence, kind }) => !superseded.has(sequence) && kind !== 'withdrawn');
    const of = (kind: string): never[] => current.filter((record) => record.kind === kind) as unknown as never[];
    return {
      ...{ found: of('found'), changes: of('change'), attempts: of('attempt'), writes: of('write'), intents: [] },
      contents: current.map(contentOf).sort(),
    };
  }

  private async ask(
    method: string,
    path: string,
    body?: string | Buffer | Readable,
    headers?: Readonly<Record<string, string>>,
  ): Promise<unknown> {
    return JSON.parse(await this.askText(method, path, body, headers)) as unknown;
  }

  private async askText(
    method: string,
    path: string,
    body?: string | Buffer | Readable,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const answer = await fetch(`${this.service.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: body as unknown as NonNullable<RequestInit['body']>, duplex: 'half' as const }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }
}

interface StoredContent {
  readonly kind: string;
  readonly sequence: number;
  readonly supersedes?: readonly number[];
}

/** What depends on when and in which order the evidence came, not on what it shows. */
const PLACES = new Set([
  ...['cluster', 'recordedAt', 'revision', 'sequence', 'previousHash', 'supersedes', 'index'],
  ...['observedBefore', 'observedAfter'],
]);

const contentOf = (record: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !PLACES.has(name))));

function piecesOf(bytes: Buffer, dice: Dice): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + dice.below(4096);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return Readable.from(pieces);
}
