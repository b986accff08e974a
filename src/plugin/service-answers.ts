import { readFile } from 'node:fs/promises';
import { parseJson, stringifyJson } from '../core/json/lossless-json.js';
import { MAX_PAGE_SIZE } from '../contract/page.js';
import { without } from '../core/scenario/without.js';
import type { Question } from '../contract/question.js';
import { VERSION } from '../version.js';
import type { Answer, Answers, Asking } from './answers.js';
import type { ClusterOptions } from './cluster-command.js';
import { CommandFailed, exitCodeOfError } from './command-failed.js';

/** The service of the options. @throws {CommandFailed} an option is missing or wrong */
export async function serviceOf({ server, cluster, tokenFile }: ClusterOptions): Promise<ServiceAnswers> {
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
  return new ServiceAnswers(url, cluster, token?.trim());
}

type Fields = Readonly<Record<string, unknown>>;
/** Values of query parameters. */
type Scalar = string | number | boolean;

/** Asks a service over its REST API; what it answers is what the same use cases answer here. */
export class ServiceAnswers implements Answers {
  readonly unread: readonly string[] = [];

  constructor(
    private readonly url: URL,
    readonly cluster: string,
    private readonly token: string | undefined,
  ) {}

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

  /** @returns what the service says of it, as JSON */
  async sendSnapshot(body: NodeJS.ReadableStream, capturedAt: Date): Promise<string> {
    const query = new URLSearchParams({ capturedAt: capturedAt.toISOString(), createCluster: 'true' }).toString();
    return this.send(`clusters/${encodeURIComponent(this.cluster)}/snapshots?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: body as unknown as ReadableStream,
      duplex: 'half',
    });
  }

  private async once(question: Question, asking: Fields, page: Fields): Promise<Fields> {
    const { method, path, variables = {}, query = {}, restQuery = {}, body } = question;
    const inPath = new Map([
      ['cluster', this.cluster],
      ...Object.entries(variables).map(([name, { in: variable }]) => [variable, String(asking[name])] as const),
    ]);
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ''));
    const parameters = new URLSearchParams();
    const fields: Record<string, unknown> = {};
    for (const [name, value] of Object.entries({ ...asking, ...page })) {
      if (value === undefined || name in variables) continue;
      const isOfBody = body !== undefined && name in body.type.members;
      if (isOfBody && !(name in query) && !(name in restQuery)) fields[name] = value;
      else
        parameters.set(
          name,
          [value]
            .flat()
            .map((one) => String(one as Scalar))
            .join(','),
        );
    }
    const whole = body?.whole;
    const text = await this.send(`${url}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: stringifyJson(whole === undefined ? fields : fields[whole]),
      }),
    });
    return parseJson(text) as Fields;
  }

  private async send(path: string, given: RequestInit): Promise<string> {
    const base = this.url.href.replace(/\/$/, '');
    let response: Response;
    try {
      response = await fetch(`${base}/api/v1/${path}`, {
        ...given,
        redirect: 'error',
        headers: {
          ...(given.headers as Readonly<Record<string, string>>),
          accept: 'application/json',
          'user-agent': `kubectl-placement/${VERSION}`,
          ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        },
      });
    } catch (error) {
      const { message, cause } = error as Error;
      throw new CommandFailed(`${base} does not answer: ${cause instanceof Error ? cause.message : message}`);
    }
    const text = await response.text();
    if (response.ok) return text;
    throw refusalIn(response.status, text);
  }
}

const listIn = (page: Fields, name: string): readonly unknown[] => (Array.isArray(page[name]) ? page[name] : []);

/** The error of a problem document. */
function refusalIn(status: number, text: string): CommandFailed {
  try {
    const { detail, title, code, errors } = JSON.parse(text) as {
      readonly detail?: string;
      readonly title?: string;
      readonly code?: string;
      readonly errors?: readonly { readonly field?: string; readonly message?: string }[];
    };
    const details = (errors ?? []).map(({ field, message }) => `${field ? `${field}: ` : ''}${message ?? ''}`);
    return new CommandFailed(
      detail ?? title ?? `HTTP ${status}`,
      details.length < 2 ? [] : details,
      exitCodeOfError(code),
    );
  } catch {
    return new CommandFailed(`the service answered ${status}: ${text.slice(0, 200)}`);
  }
}
