/** A block of text/event-stream; heartbeats have no data. */
export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string | undefined;
  /** How long to wait before reconnecting, in milliseconds. */
  readonly retry: number | undefined;
}

/** Reads server-sent events as the HTML standard specifies; a block that is cut off is left out. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let lines: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = rest + decoder.decode(value, { stream: true });
      // A line feed may follow in the next piece.
      const end = text.endsWith('\r') ? text.length - 1 : text.length;
      const read = text.slice(0, end).split(/\r\n|\r|\n/);
      rest = read.pop()! + text.slice(end);
      for (const line of read) {
        if (line !== '') lines.push(line);
        else {
          yield eventOf(lines);
          lines = [];
        }
      }
    }
  } finally {
    // Closes the connection if nobody wants the rest.
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(lines: readonly string[]): ServerSentEvent {
  const data: string[] = [];
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else fields.set(name, value);
  }
  const retry = fields.get('retry');
  return {
    id: fields.get('id'),
    type: fields.get('event') ?? 'message',
    data: data.length === 0 ? undefined : data.join('\n'),
    retry: retry === undefined || !/^\d+$/.test(retry) ? undefined : Number(retry),
  };
}
