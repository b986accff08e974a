import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Helper, help } from './helper.js';

/** A file that is sent as the body of a request. */
export interface Upload {
  readonly url: string;
  readonly file: string;
}

export interface Uploaded {
  readonly status: number;
  readonly text: string;
}

const sender = new Helper<Upload, Uploaded>(import.meta.url);

/** Sends a file from a separate process. */
export const uploadApart = (upload: Upload, signal?: AbortSignal): Promise<Uploaded> => sender.ask(upload, signal);

const upload = ({ url, file }: Upload): Promise<Uploaded> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(url, { method: 'POST', headers }, (response) => {
      text(response).then((answer) => {
        resolve({ status: response.statusCode!, text: answer });
      }, reject);
    });
    sent.on('error', reject);
    createReadStream(file, { highWaterMark: 1 << 18 })
      .on('error', reject)
      .pipe(sent);
  });

help(upload);
