import { createReadStream } from 'node:fs';
import { Helper, help } from './helper.js';
import { sendRequest } from './send-request.js';

/** A file that is sent as the body of a request. */
export interface Upload {
  readonly url: string;
  readonly file: string;
}

const sender = new Helper<Upload, string>(import.meta.url);

/**
 * Sends a file from a separate process.
 * @returns the answer
 * @throws if the service refused it
 */
export const uploadApart = (upload: Upload, signal?: AbortSignal): Promise<string> => sender.ask(upload, signal);

help(({ url, file }: Upload) =>
  sendRequest({ method: 'POST', url: new URL(url), body: createReadStream(file, { highWaterMark: 1 << 18 }) }),
);
