import { Readable } from 'node:stream';
import type { RawObject } from './generate-cluster.js';

const CHUNK = 64 * 1024;

/** The output of `kubectl get ... -o json` for the objects: a List, indented as kubectl does, in pieces of about 64 KB. */
export function* kubectlList(objects: Iterable<RawObject>): Generator<string> {
  yield* inChunks(
    (function* () {
      yield '{\n    "apiVersion": "v1",\n    "items": [\n';
      let first = true;
      for (const object of objects) {
        yield `${first ? '' : ',\n'}        ${JSON.stringify(object, null, 4).replaceAll('\n', '\n        ')}`;
        first = false;
      }
      yield '\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n';
    })(),
  );
}

/** The objects as NDJSON, one per line, in pieces of about 64 KB. */
export function* ndjson(objects: Iterable<RawObject>): Generator<string> {
  yield* inChunks(
    (function* () {
      for (const object of objects) yield `${JSON.stringify(object)}\n`;
    })(),
  );
}

/** Text as a byte stream that is generated on demand. */
export function byteStream(chunks: Iterable<string>): Readable {
  return Readable.from(
    (function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
    })(),
    { objectMode: false },
  );
}

function* inChunks(parts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const part of parts) {
    chunk += part;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
