import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { KINDS } from '../../../src/core/kubernetes/kinds.js';
import type { ReflectedResource } from '../../../src/kube-api/reflector/reflection.js';

/** Recorded traffic with a real API server; see the README of the folder. */
export interface Transcript {
  readonly name: string;
  readonly exchanges: readonly Exchange[];
  readonly truth: Readonly<Record<string, unknown>>;
}

export interface Exchange {
  readonly note?: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly headersAtMs?: number;
    readonly chunks?: readonly Chunk[];
    readonly ended: 'complete' | 'reset' | 'open';
    readonly error?: string;
  };
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
}

export interface Chunk {
  readonly atMs: number;
  readonly text?: string;
  readonly base64?: string;
}

/** What a mirror is compared with. */
export interface Truth {
  readonly path: string;
  readonly resourceVersion: string;
  readonly items: readonly TrueObject[];
}

export interface TrueObject {
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly sha256: string;
}

export const bytesOf = ({ text, base64 }: Chunk): Buffer =>
  text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);

export const chunksOf = ({ response }: Exchange): readonly Chunk[] => response.chunks ?? [];

export function headerOf({ response }: Exchange, name: string): string | undefined {
  const found = Object.entries(response.headers ?? {}).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof found === 'object' ? found.join(', ') : found;
}

/** The whole body, inflated. */
export function bodyOf(exchange: Exchange): Buffer {
  const bytes = Buffer.concat(chunksOf(exchange).map(bytesOf));
  return headerOf(exchange, 'content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes;
}

/** What a reading request is about; undefined for a request of another kind. */
export interface Asked {
  readonly type: 'list' | 'watch' | 'watchList';
  readonly path: string;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly bookmarks: boolean;
  /** Whether it is one that a reflector of whole objects sends. */
  readonly isPlain: boolean;
}

const PARAMETERS: Readonly<Record<Asked['type'], ReadonlySet<string>>> = {
  list: new Set(['limit', 'continue']),
  watch: new Set(['watch', 'allowWatchBookmarks', 'resourceVersion', 'timeoutSeconds']),
  watchList: new Set([
    'watch',
    'allowWatchBookmarks',
    'resourceVersion',
    'timeoutSeconds',
    'sendInitialEvents',
    'resourceVersionMatch',
  ]),
};

export function askedBy(request: Exchange['request']): Asked | undefined {
  const [path = '', text = ''] = request.path.split('?');
  if (request.method !== 'GET' || resourceAt(path) === undefined) return undefined;
  const query = new URLSearchParams(text);
  const isWatch = /^(true|1)$/.test(query.get('watch') ?? '');
  const type = !isWatch ? 'list' : query.get('sendInitialEvents') === 'true' ? 'watchList' : 'watch';
  const resourceVersion = query.get('resourceVersion') ?? '';
  const bookmarks = query.get('allowWatchBookmarks') === 'true';
  const accept = request.headers?.['Accept'] ?? request.headers?.['accept'] ?? 'application/json';
  const isFromNowhere = resourceVersion === '' || resourceVersion === '0';
  const isPlain =
    accept === 'application/json' &&
    [...query.keys()].every((name) => PARAMETERS[type].has(name)) &&
    (type === 'watch'
      ? !isFromNowhere
      : type === 'list' || (isFromNowhere && bookmarks && query.get('resourceVersionMatch') === 'NotOlderThan'));
  return { type, path, continue: query.get('continue') ?? '', resourceVersion, bookmarks, isPlain };
}

/** The resource that a path lists; undefined if it is no list. */
export function resourceAt(path: string): Omit<ReflectedResource, 'kind'> | undefined {
  const [, core, named, ns] =
    /^(?:\/api\/(v\w+)|\/apis\/([\w.-]+\/v\w+))(?:\/namespaces\/([\w.-]+)(?=\/))?\/[\w-]+$/.exec(path) ?? [];
  if (core === undefined && named === undefined) return undefined;
  const [group = '', version = ''] = named === undefined ? ['', core] : named.split('/');
  return { group, version, plural: path.split('/').at(-1)!, ...(ns !== undefined && { namespace: ns }) };
}

/** The kind of a resource: one that is known, or one that the transcript itself names. */
export function kindAt(path: string, transcript: Transcript): string {
  const plural = path.split('/').at(-1)!;
  const known = KINDS.find((kind) => kind.plural === plural)?.kind;
  if (known !== undefined) return known;
  for (const exchange of transcript.exchanges) {
    if (exchange.request.path.split('?')[0] !== path || exchange.response.status !== 200) continue;
    const text = bodyOf(exchange).toString('utf8');
    const kinds = [...text.matchAll(/"kind":\s*"(\w+)"/g)].map(([, kind]) => kind!.replace(/List$/, ''));
    const own = kinds.find((kind) => plural.startsWith(kind.toLowerCase().slice(0, -1)));
    if (own !== undefined) return own;
  }
  return plural.replace(/s$/, '').replace(/^./, (letter) => letter.toUpperCase());
}

/** Every state that the transcript says a mirror must come to. */
export function truthsOf({ truth, exchanges }: Transcript): readonly Truth[] {
  const given = Array.isArray(truth['moments']) ? (truth['moments'] as unknown[]) : [truth, ...Object.values(truth)];
  return given.flatMap((one) => {
    const { path, kind, resourceVersion, items } = (one ?? {}) as Partial<Truth & { readonly kind: string }>;
    if (typeof resourceVersion !== 'string' || !Array.isArray(items)) return [];
    const found =
      path ?? exchanges.map(({ request }) => request.path).find((it) => it.split('?')[0]!.endsWith(`/${kind}`));
    return found === undefined ? [] : [{ path: found.split('?')[0]!, resourceVersion, items }];
  });
}

export interface PlainObject {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly kind?: string;
}

/** An object as it is compared. */
export function seenObject(object: PlainObject): TrueObject {
  const { namespace, name = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  return { ...(namespace !== undefined && { namespace }), name, uid, resourceVersion, sha256: shaOf(object) };
}

export const keyOf = ({ namespace, name }: { readonly namespace?: string; readonly name: string }): string =>
  namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;

/** Of the whole object without apiVersion and kind, with sorted keys. */
function shaOf(object: object): string {
  const rest = Object.fromEntries(Object.entries(object).filter(([key]) => key !== 'apiVersion' && key !== 'kind'));
  return createHash('sha256').update(sortedJson(rest)).digest('hex');
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${sortedJson(one)}`).join(',')}}`;
}
