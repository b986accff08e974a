import type { ServedKind } from './discover-kinds.js';
import { isExpired } from './reflector/api-status.js';
import { Call, Refused, type StreamingClient } from './reflector/call.js';
import type { Clock } from './reflector/clock.js';
import { BadAnswer } from './reflector/json-scan.js';
import { ListReader } from './reflector/list-reader.js';
import { pathOf } from './reflector/reflection.js';

/** A kind that is not in the lists, and why. */
export interface LeftOutKind {
  readonly kind: ServedKind;
  /** In the API server's words. */
  readonly why: string;
  /** Whether the user may not list it. */
  readonly isDenied: boolean;
}

/** What is missing, in words, and the rule that a ClusterRole lacks. */
export function leftOutText({ kind: { kind, group, plural }, why, isDenied }: LeftOutKind): string {
  const rule = { apiGroups: [group], resources: [plural], verbs: ['list'] };
  return `${kind}: ${why}${isDenied ? `\n  missing in a ClusterRole: ${JSON.stringify(rule)}` : ''}`;
}

export interface ListOptions {
  readonly clock: Clock;
  /** Objects in a page; 0: whole lists. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
  readonly leaveOut: (left: LeftOutKind) => void;
  readonly listed: (kind: ServedKind, objects: number) => void;
}

/** The list took longer than the API server keeps its moment, so that its pages do not belong together. */
export class PagesExpired extends Error {
  override readonly name = 'PagesExpired';
}

/** In milliseconds. The API server itself ends a request after 60 s. */
const ANSWER = 70_000;
const SILENCE = 30_000;

/**
 * The complete lists of kinds as JSON, one after another, each with the resourceVersion of its moment. Pages are joined as they come. Kinds that
 * the user may not list, or that are not served, are left out.
 *
 * @throws {PagesExpired | Lost | Refused | BadAnswer} in the middle of the text, which is worth nothing then
 */
export async function* clusterLists(
  client: StreamingClient,
  kinds: readonly ServedKind[],
  options: ListOptions,
): AsyncGenerator<Buffer, void> {
  for (const kind of kinds) yield* listOf(client, kind, options);
}

async function* listOf(
  client: StreamingClient,
  kind: ServedKind,
  { clock, pageSize, signal, leaveOut, listed }: ListOptions,
): AsyncGenerator<Buffer, void> {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const head = `{"kind":"${kind.kind}List","apiVersion":"${apiVersion}","items":[`;
  let resourceVersion: string | undefined;
  let next: string | undefined;
  let objects = 0;
  do {
    const call = new Call(clock, signal);
    try {
      try {
        await call.open(client, pathFor(kind, pageSize, next), ANSWER);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (next !== undefined && isExpired(error.status)) throw new PagesExpired(error.message);
        const isDenied = error.status.code === 403;
        if (next !== undefined || !(isDenied || [404, 405].includes(error.status.code))) throw error;
        leaveOut({ kind, why: error.message, isDenied });
        return;
      }
      if (next === undefined) yield Buffer.from(head);
      const reader = new ListReader();
      for (let chunk = await call.next(SILENCE); chunk !== undefined; chunk = await call.next(SILENCE)) {
        const parts: Buffer[] = [];
        for (const item of reader.push(chunk)) parts.push(Buffer.from(objects++ === 0 ? '\n' : ',\n'), item);
        if (parts.length > 0) yield Buffer.concat(parts);
      }
      const page = reader.end();
      if (page.kind !== `${kind.kind}List`) throw new BadAnswer(`the answer is ${page.kind}, not ${kind.kind}List`);
      // All pages are of the moment of the first one.
      resourceVersion ??= page.resourceVersion;
      next = page.next;
    } finally {
      call.close();
    }
  } while (next !== undefined);
  yield Buffer.from(`],"metadata":${JSON.stringify({ resourceVersion })}}\n`);
  listed(kind, objects);
}

function pathFor(kind: ServedKind, pageSize: number, next: string | undefined): string {
  const query = new URLSearchParams({
    ...(pageSize > 0 && { limit: String(pageSize) }),
    ...(next !== undefined && { continue: next }),
  }).toString();
  return query === '' ? pathOf(kind) : `${pathOf(kind)}?${query}`;
}
