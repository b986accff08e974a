import type { Send } from './transport.js';

/** What can be uploaded; streams are read as the connection takes them. */
export type UploadSource =
  string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface UploadProgress {
  /** Bytes that the connection has taken. */
  readonly sent: number;
  /** Undefined for a stream. */
  readonly total: number | undefined;
}

type OnProgress = (progress: UploadProgress) => void;

/** Whether a body can be made of the source again, for another attempt. */
export const isRepeatable = (source: unknown): boolean =>
  typeof source === 'function' || typeof source === 'string' || source instanceof Uint8Array || source instanceof Blob;

/**
 * Sends what the source contains. Browsers do not send streams over HTTP/1.1, and `fetch` does not tell of progress there: it is
 * sent as a whole by an XMLHttpRequest.
 *
 * @param onFault is told why the source cannot be read
 */
export function uploading(source: UploadSource, onProgress: OnProgress, onFault: (fault: unknown) => void): Send {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: XhrClass };
  return async (url, init) => {
    if (XMLHttpRequest === undefined) {
      const body = counted(source, onProgress, onFault);
      return fetch(url, { ...init, body, duplex: 'half' } as RequestInit);
    }
    const isWhole = !isStream(source);
    const whole = isWhole ? new Blob([source]) : await new Response(counted(source, () => undefined, onFault)).blob();
    return sendWhole(new XMLHttpRequest(), url, init, whole, onProgress);
  };
}

const isStream = (source: UploadSource): source is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> =>
  typeof source === 'object' && !(source instanceof Uint8Array) && !(source instanceof Blob);

function counted(
  source: UploadSource,
  onProgress: OnProgress,
  onFault: (fault: unknown) => void,
): ReadableStream<Uint8Array> {
  const blob = isStream(source) ? undefined : new Blob([source]);
  const pieces = piecesOf(blob?.stream() ?? (source as AsyncIterable<Uint8Array>));
  let sent = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const piece = await pieces.next();
          if (piece.done === true) {
            controller.close();
            return;
          }
          controller.enqueue(piece.value);
          sent += piece.value.byteLength;
          onProgress({ sent, total: blob?.size });
        } catch (fault) {
          onFault(fault);
          controller.error(fault);
        }
      },
      cancel: async () => {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Not every browser iterates over streams, and streams of Node.js may contain text. */
async function* piecesOf(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of Symbol.asyncIterator in source ? source : read(source)) {
    yield typeof piece === 'string' ? encoder.encode(piece) : piece;
  }
}

async function* read(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** The parts of XMLHttpRequest that are used; Node.js has no type of it. */
interface Xhr {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null };
  withCredentials: boolean;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
}

type XhrClass = new () => Xhr;

function sendWhole(
  xhr: Xhr,
  url: string,
  { method = 'POST', headers, credentials, signal }: RequestInit,
  body: Blob,
  onProgress: OnProgress,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      xhr.abort();
    };
    const failed = (): void => {
      signal?.removeEventListener('abort', cancel);
      reject(new TypeError('the upload failed'));
    };
    xhr.open(method, url);
    xhr.withCredentials = credentials === 'include';
    for (const [name, value] of Object.entries(headers as Record<string, string>)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => {
      onProgress({ sent: loaded, total });
    };
    xhr.onload = () => {
      signal?.removeEventListener('abort', cancel);
      const lines = xhr.getAllResponseHeaders().trim().split('\r\n');
      const fields = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
      resolve(new Response(xhr.responseText, { status: xhr.status, headers: fields }));
    };
    xhr.onerror = failed;
    xhr.onabort = failed;
    signal?.addEventListener('abort', cancel, { once: true });
    xhr.send(body);
  });
}
