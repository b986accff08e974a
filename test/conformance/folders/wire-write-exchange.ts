import { isJsonObject, type JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';

/** What a judge of writes reads of a transcript. */
export interface WriteTranscript {
  readonly name: string;
  readonly exchanges: readonly WriteExchange[];
  readonly truth: Readonly<Record<string, unknown>>;
}

export interface WriteExchange {
  readonly note?: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: string };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly chunks?: readonly { readonly text?: string; readonly base64?: string }[];
    readonly ended: 'complete' | 'reset' | 'open';
    readonly error?: string;
  };
}

/** The body of an answer. */
export function bytesOf({ response }: WriteExchange): Buffer {
  return Buffer.concat(
    (response.chunks ?? []).map(({ text, base64 }) =>
      text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text),
    ),
  );
}

export function headersOf({ response }: WriteExchange): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(response.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value : value.join(', '),
    ]),
  );
}

/** The object in an answer; undefined for a Status, and for one in protobuf. */
export function objectOf(exchange: WriteExchange): JsonObject | undefined {
  const { status } = exchange.response;
  if (status < 200 || status > 299) return undefined;
  try {
    const value = parseJson(bytesOf(exchange).toString('utf8'));
    return isJsonObject(value) && value['kind'] !== 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}
