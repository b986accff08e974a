import type { RequestContext } from '../request-context.js';

/** A request within a replay: with a time and an answer id of its own. */
export class ReplayContext implements RequestContext {
  readonly decisionIds: readonly string[] = [];

  constructor(
    private readonly context: RequestContext,
    private readonly id: string,
    readonly now = context.now,
  ) {}

  nextDecisionId(): string {
    return this.id;
  }

  get requestId(): string {
    return this.context.requestId;
  }

  get caller(): RequestContext['caller'] {
    return this.context.caller;
  }

  get access(): RequestContext['access'] {
    return this.context.access;
  }

  get address(): string {
    return this.context.address;
  }

  get again(): RequestContext['again'] {
    return this.context.again;
  }

  get withheld(): RequestContext['withheld'] {
    return this.context.withheld;
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }
}
