import type { ApiClient, ApiRequest } from './api-client.js';
import type { Terminal } from './terminal.js';

/** Prints the demo's questions, numbered, each with the call that asks it. */
export class Conversation {
  private asked = 0;

  constructor(
    readonly client: ApiClient,
    readonly terminal: Terminal,
    /** The project's folder. */
    readonly root: string,
  ) {}

  title(text: string): void {
    this.asked += 1;
    this.terminal.line();
    this.terminal.line(this.terminal.bold(`${this.asked}. ${text}`));
  }

  /** Shows the call, then makes it. @param body curl's option for the body, if there is one */
  ask(request: ApiRequest, body = ''): Promise<unknown> {
    this.show(request, body);
    return this.client.ask(request);
  }

  show(request: ApiRequest, body: string): void {
    const { contentType, headers = {} } = request;
    const parts = ['curl', '-s', `'${this.client.address(request)}'`];
    const shown = { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers };
    for (const [name, value] of Object.entries(shown)) parts.push('-H', `'${name}: ${value}'`);
    if (body !== '') parts.push(body);
    this.terminal.line(`   ${this.terminal.dim(parts.join(' '))}`);
  }

  /** As `ask`, for a small JSON body, which is shown in full. */
  askJson(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const text = JSON.stringify(body);
    return this.ask({ path, body: text, contentType: 'application/json', headers }, `-d '${text}'`);
  }
}
