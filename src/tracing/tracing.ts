import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';

/** The tracer of the process; undefined: tracing is off. */
let tracer: Tracer | undefined;

/** Turns tracing on, or off. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

export const isTracing = (): boolean => tracer !== undefined;

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** Called only if a span is made. */
  readonly attributes?: () => Attributes;
  /** Without a span around it, the work gets none: polls and heartbeats would be traces of their own. */
  readonly onlyWithin?: boolean;
}

/** Runs work in a span, which takes note of an error. Without tracing it only runs the work. */
export function traced<Result>(name: string, work: () => Promise<Result>, options: SpanOptions = {}): Promise<Result> {
  if (tracer === undefined || (options.onlyWithin === true && trace.getActiveSpan() === undefined)) return work();
  return inSpan(tracer, name, options, work);
}

/** As `traced`, for work that is done when it returns. */
export function tracedSync<Result>(name: string, work: () => Result): Result {
  if (tracer === undefined || trace.getActiveSpan() === undefined) return work();
  const span = tracer.startSpan(name);
  try {
    return work();
  } catch (error) {
    noteError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

async function inSpan<Result>(
  by: Tracer,
  name: string,
  { kind = SpanKind.INTERNAL, attributes }: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const around = context.active();
  const span = by.startSpan(name, { kind, ...(attributes && { attributes: attributes() }) }, around);
  try {
    return await context.with(trace.setSpan(around, span), () => work(span));
  } catch (error) {
    noteError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** The class of an error, not its message: that may hold values. */
function noteError(span: Span, error: unknown): void {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  span.setAttribute('error.type', typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The span of an incoming request. It ends with `end`. */
export class RequestSpan {
  private constructor(
    private readonly span: Span,
    private readonly context: Context,
  ) {}

  /** A part of the trace that the headers name; undefined without tracing. */
  static begin(
    name: string,
    headers: Readonly<Record<string, unknown>>,
    attributes: Attributes,
  ): RequestSpan | undefined {
    if (tracer === undefined) return undefined;
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    return new RequestSpan(span, trace.setSpan(parent, span));
  }

  /** Everything that this call begins is a part of the span. */
  run(work: () => void): void {
    context.with(this.context, work);
  }

  /** @param status the HTTP status; undefined: nobody waited for the answer */
  end(status: number | undefined): void {
    if (status !== undefined) this.span.setAttribute('http.response.status_code', status);
    if (status === undefined || status >= 500) {
      this.span.setAttribute('error.type', status === undefined ? 'cancelled' : String(status));
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }

  get ids(): TraceIds {
    return idsOf(this.span);
  }
}

export interface TraceIds {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the trace is sent. */
  readonly sampled: boolean;
}

function idsOf(span: Span): TraceIds {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

/** The ids of the active span, for the log; empty without one. */
export function activeIds(): Partial<Pick<TraceIds, 'traceId' | 'spanId'>> {
  const span = tracer && trace.getActiveSpan();
  if (span === undefined) return {};
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}

export interface ClientRequest {
  readonly method: string;
  readonly url: URL;
  /** What the request is about; a path would be a name of its own for each object. */
  readonly name: string;
}

/**
 * Runs a request to another server in a span.
 * @param send gets the headers that continue the trace there; none without tracing
 */
export function tracedRequest<Answer extends { readonly status: number }>(
  { method, url, name }: ClientRequest,
  send: (headers: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<Answer> {
  if (tracer === undefined) return send({});
  const attributes = (): Attributes => ({
    'http.request.method': method,
    'server.address': url.hostname,
    'server.port': Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
  });
  return inSpan(tracer, name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    const headers: Record<string, string> = {};
    propagation.inject(context.active(), headers);
    const answer = await send(headers);
    span.setAttribute('http.response.status_code', answer.status);
    if (answer.status >= 400) {
      span.setAttribute('error.type', String(answer.status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    return answer;
  });
}
