import { readFile } from 'node:fs/promises';
import { Client, ConnectionError, ServiceError, UnexpectedAnswerError } from '../../clients/typescript/src/index.js';
import { parseJson, stringifyJson } from '../core/json/lossless-json.js';
import { MAX_PAGE_SIZE } from '../contract/page.js';
import { without } from '../core/collections/without.js';
import type { Question } from '../contract/question.js';
import { VERSION } from '../version.js';
import type { Answer, Answers, Asking } from './answers.js';
import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed, exitCodeOfError } from './command-failed.js';

/** The service of the options. @throws {CommandFailed} an option is missing or wrong */
export async function serviceOf({ server, cluster, tokenFile, rulesVersion }: ClusterOptions): Promise<ServiceAnswers> {
  if (cluster === undefined)
    throw new CommandFailed('--server needs --cluster, the name of the cluster in the service');
  let url: URL;
  try {
    url = new URL(server!);
  } catch {
    throw new CommandFailed(`--server ${JSON.stringify(server)} is not an address such as https://placement.example`);
  }
  const token =
    tokenFile === undefined
      ? process.env['KUBE_PLACEMENT_TOKEN']
      : await readFile(tokenFile, 'utf8').catch((error: unknown) => {
          throw new CommandFailed(`the token cannot be read: ${(error as Error).message}`);
        });
  return new ServiceAnswers(url, cluster, token?.trim(), rulesVersion);
}

/** Somebody waits for the answer. */
const MAX_WAIT_MS = 10_000;

type Fields = Readonly<Record<string, unknown>>;
/** Values of query parameters. */
type Scalar = string | number | boolean;

/** Asks a service over its REST API; what it answers is what the same use cases answer here. */
export class ServiceAnswers implements Answers {
  readonly unread: readonly string[] = [];

  private readonly client: Client;
  private readonly address: string;

  constructor(
    { href }: URL,
    readonly cluster: string,
    token: string | undefined,
    private readonly rulesVersion?: string,
  ) {
    this.address = href.replace(/\/$/, '');
    this.client = new Client({
      baseUrl: this.address,
      token,
      headers: { 'user-agent': `kubectl-placement/${VERSION}` },
      retry: { maxWait: MAX_WAIT_MS },
      fetch: (url, init) => fetch(url, { ...init, redirect: 'error' }),
    });
  }

  async ask<Of extends Question>(question: Of, asking: Asking<Of>): Promise<Answer<Of>> {
    const given = asking as Fields;
    if (question.response.kind === 'object') return (await this.once(question, given, {})) as Answer<Of>;
    let page = await this.once(question, given, { limit: MAX_PAGE_SIZE });
    const whole: { items: unknown[]; groups?: unknown[] } & Fields = { ...page, items: [...listIn(page, 'items')] };
    if (Array.isArray(page['groups'])) whole.groups = [...listIn(page, 'groups')];
    while (typeof page['continue'] === 'string') {
      const start = page['asOf'] ?? page['startsAt'];
      const same = start === undefined ? {} : { asOf: start };
      page = await this.once(question, { ...given, ...same }, { limit: MAX_PAGE_SIZE, continue: page['continue'] });
      whole.items.push(...listIn(page, 'items'));
      whole.groups?.push(...listIn(page, 'groups'));
    }
    return without(whole, 'continue', 'remainingItemCount') as unknown as Answer<Of>;
  }

  /**
   * Calls back after each event of the cluster, and whenever the events are followed from now on, until the signal ends it.
   *
   * @param tell says what keeps changes from being seen
   * @throws {CommandFailed} they cannot be followed
   */
  async follow(changed: () => void, tell: (text: string) => void, signal: AbortSignal): Promise<void> {
    let isLost = false;
    const onState = (state: 'open' | 'lost', error?: Error): void => {
      if (state === 'lost' && !isLost)
        tell(`Changes are not seen, trying again: ${error?.message ?? 'the stream is lost'}`);
      if (state === 'open' && isLost) tell('Changes are seen again');
      isLost = state === 'lost';
      if (!isLost) changed();
    };
    const followed = async (): Promise<void> => {
      const events = this.client.events(this.cluster, { signal, onState });
      while ((await events.next()).done !== true) changed();
    };
    await this.heard(followed());
  }

  /** @returns what the service says of it, as JSON */
  async sendSnapshot(
    body: AsyncIterable<Uint8Array>,
    { capturedAt, version }: { readonly capturedAt: Date; readonly version: string | null },
  ): Promise<string> {
    const { cluster } = this;
    const query = {
      capturedAt: capturedAt.toISOString(),
      createCluster: true,
      ...(version !== null && { apiServerVersion: version }),
    };
    return JSON.stringify(
      await this.heard(this.client.upload('/api/v1/clusters/{cluster}/snapshots', { path: { cluster }, query, body })),
    );
  }

  private async once(question: Question, asking: Fields, page: Fields): Promise<Fields> {
    const { method, path, variables = {}, query = {}, restQuery = {}, body } = question;
    const inPath = new Map([
      ['cluster', this.cluster],
      ...Object.entries(variables).map(([name, { in: variable }]) => [variable, String(asking[name])] as const),
    ]);
    for (const name of inPath.values()) {
      // In a path, these would lead elsewhere.
      if (['', '.', '..'].includes(name)) throw new CommandFailed(`${JSON.stringify(name)} is not a name`);
    }
    const parameters: Record<string, string> = {};
    if (question.readsRevision === true && this.rulesVersion !== undefined) {
      parameters['rulesVersion'] = this.rulesVersion;
    }
    const fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries({ ...asking, ...page })) {
      if (value === undefined || name in variables) continue;
      const isOfBody = body !== undefined && name in body.type.members;
      if (isOfBody && !(name in query) && !(name in restQuery)) fields[name] = value;
      else {
        parameters[name] = [value]
          .flat()
          .map((one) => String(one as Scalar))
          .join(',');
      }
    }
    const whole = body?.whole;
    const options = {
      path: Object.fromEntries(inPath),
      query: parameters,
      // Numbers of any length, there and back.
      ...(body !== undefined && { json: stringifyJson(whole === undefined ? fields : fields[whole]) }),
      as: 'text' as const,
    };
    // The type of a question that is not known here is that of none.
    const { data } = await this.heard(
      this.client.request(METHODS[method], `/api/v1/${path}` as never, options as never),
    );
    return this.read(data);
  }

  /** Says for the user why there is no answer. @throws {CommandFailed} */
  private async heard<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ServiceError) throw refusalOf(error as ServiceError);
      if (error instanceof ConnectionError)
        throw new CommandFailed(error.message.replace(/^The service/, this.address));
      if (error instanceof UnexpectedAnswerError) throw notOfAService(`${this.address} (${error.status})`, error.body);
      throw error;
    }
  }

  private read(text: string): Fields {
    try {
      return parseJson(text) as Fields;
    } catch {
      throw notOfAService(this.address, text);
    }
  }
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

const listIn = (page: Fields, name: string): readonly unknown[] => (Array.isArray(page[name]) ? page[name] : []);

function refusalOf({ message, code, errors }: ServiceError): CommandFailed {
  const details = errors.map(({ field, message: what }) => `${field ? `${field}: ` : ''}${what}`);
  return new CommandFailed(message, details.length < 2 ? [] : details, exitCodeOfError(code));
}

/** A proxy in between, or another server. */
const notOfAService = (where: string, text: string): CommandFailed =>
  new CommandFailed(`the answer of ${where} is not one of a service: ${text.slice(0, 200)}`);
