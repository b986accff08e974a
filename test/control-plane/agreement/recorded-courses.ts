import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { isKeptKind } from '../../../src/core/kubernetes/kinds.js';
import { ALL_KINDS } from './live-course.js';
import type { Course, CourseEvent } from './course.js';

/** A transcript of requests to an API server. */
interface Transcript {
  readonly epoch: string;
  readonly exchanges: readonly {
    readonly request: { readonly method: string; readonly path: string };
    readonly response: {
      readonly status: number;
      readonly chunks: readonly { readonly atMs: number; readonly text?: string; readonly base64?: string }[];
    };
    readonly startedAtMs: number;
  }[];
}

/** Transcripts of one cluster start with this, a kind each. */
const PREFIX = 'noise-';
/** Events of so many milliseconds are one batch. */
const BATCH_MS = 1_000;

/** The courses of saved files, and of folders with transcripts. */
export async function readCourses(paths: readonly string[]): Promise<readonly Course[]> {
  const courses: Course[] = [];
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) courses.push(...(await coursesIn(path)));
    else courses.push((await readJson(path)) as unknown as Course);
  }
  return courses;
}

async function coursesIn(folder: string): Promise<readonly Course[]> {
  const names = (await readdir(folder)).sort();
  const saved = names.filter((name) => name.startsWith('course-'));
  const transcripts: Transcript[] = [];
  for (const name of names) {
    if (!name.startsWith(PREFIX)) continue;
    const content = await readJson(join(folder, name));
    if (Array.isArray(content['exchanges'])) transcripts.push(content as unknown as Transcript);
  }
  const courses: Course[] = [];
  for (const name of saved) courses.push((await readJson(join(folder, name))) as unknown as Course);
  return transcripts.length === 0 ? courses : [...courses, courseOf(transcripts, folder)];
}

function courseOf(transcripts: readonly Transcript[], name: string): Course {
  const initial: JsonObject[] = [];
  const events: { readonly version: number; readonly event: CourseEvent }[] = [];
  for (const { epoch, exchanges } of transcripts) {
    let version = 0;
    for (const { request, response, startedAtMs } of exchanges) {
      if (request.method !== 'GET' || response.status !== 200) continue;
      if (!request.path.includes('watch=true')) {
        const list = parseJson(textOf(response.chunks)) as JsonObject;
        version = Number((list['metadata'] as { readonly resourceVersion: string }).resourceVersion);
        const kind = (list['kind'] as string).replace(/List$/, '');
        if (!isKeptKind(kind)) break;
        for (const item of list['items'] as readonly JsonObject[]) {
          initial.push({ ...item, apiVersion: list['apiVersion']!, kind });
        }
        continue;
      }
      for (const { line, atMs } of linesOf(response.chunks)) {
        const { type, object } = parseJson(line) as unknown as { readonly type: string; readonly object: JsonObject };
        if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') continue;
        const own = Number((object['metadata'] as { readonly resourceVersion: string }).resourceVersion);
        if (own <= version || !isKeptKind(object['kind'] as string)) continue;
        const at = Date.parse(epoch) + startedAtMs + atMs;
        events.push({ version: own, event: { type, object, at, batch: Math.floor(at / BATCH_MS) } });
      }
    }
  }
  const sorted = events.sort((a, b) => a.version - b.version).map(({ event }) => event);
  return {
    name,
    initial: [...initial, ...namespacesOf([...initial, ...sorted.map(({ object }) => object)])],
    events: sorted,
    loadedKinds: ALL_KINDS,
  };
}

/** The namespaces of objects, of which no labels but the own one are known. */
function namespacesOf(objects: readonly JsonObject[]): JsonObject[] {
  const names = new Set(
    objects.flatMap((object) => (object['metadata'] as { readonly namespace?: string }).namespace ?? []),
  );
  return [...names].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  }));
}

type Chunks = Transcript['exchanges'][number]['response']['chunks'];

const bytesOf = ({ text, base64 }: Chunks[number]): Buffer =>
  base64 === undefined ? Buffer.from(text ?? '', 'utf8') : Buffer.from(base64, 'base64');

const textOf = (chunks: Chunks): string => Buffer.concat(chunks.map(bytesOf)).toString('utf8');

function* linesOf(chunks: Chunks): Generator<{ readonly line: string; readonly atMs: number }> {
  let rest: Buffer[] = [];
  for (const chunk of chunks) {
    let bytes = bytesOf(chunk);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      const line = Buffer.concat([...rest, bytes.subarray(0, end)]).toString('utf8');
      rest = [];
      bytes = bytes.subarray(end + 1);
      if (line.trim() !== '') yield { line, atMs: chunk.atMs };
    }
    if (bytes.length > 0) rest.push(bytes);
  }
}

async function readJson(path: string): Promise<JsonObject> {
  const bytes = await readFile(path);
  return parseJson((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')) as JsonObject;
}
