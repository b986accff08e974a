import type { JsonObject, JsonValue } from '../../src/core/json/json-value.js';
import type { Op } from '../conformance/op.js';
import { messageOf, nameOf, pause, type ApiServer } from './api-server.js';

/** What one case came to. `notSetUp`: the control plane refused what the case needs, so nothing was compared. */
export type Compared =
  | { readonly outcome: 'equal' | 'unknown' }
  | { readonly outcome: 'different'; readonly input: JsonObject; readonly theirs: JsonValue; readonly ours: unknown }
  | { readonly outcome: 'notSetUp'; readonly why: string };

/** Compares one case after another. */
export interface Comparison {
  /** @param next numbers from 0 to 1 that choose the case; @param name of the case's namespace */
  compare(api: ApiServer, next: () => number, name: string): Promise<Compared>;
}

/** What a case needs was refused. */
export class NotSetUp extends Error {
  override readonly name = 'NotSetUp';
}

const TRIES = 5;
/** Before the second try; before each further one, twice as long. */
const SETTLES_WITHIN_MS = 700;

/**
 * Asks the API server until it agrees with the op, a few times: its plugins read from caches, which hear of a new object a moment
 * later, and what it names first of several things is random.
 */
export async function agreed(op: Op, input: JsonObject, ask: () => Promise<JsonObject>): Promise<Compared> {
  const ours = op.answer(input);
  if (isUnknown(ours)) return { outcome: 'unknown' };
  let theirs: JsonObject = {};
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await pause(SETTLES_WITHIN_MS * 2 ** (attempt - 1));
    theirs = await ask();
    if (op.agree!(theirs, ours, input)) return { outcome: 'equal' };
  }
  return { outcome: 'different', input, theirs, ours };
}

const isUnknown = (ours: unknown): boolean => typeof ours === 'object' && ours !== null && 'unknown' in ours;

/** Creates an object that a case needs. */
export async function setUp(api: ApiServer, path: string, object: JsonObject): Promise<JsonObject> {
  const { code, body } = await api.ask('POST', path, object);
  if (code < 300) return body;
  throw new NotSetUp(`${(object as { readonly kind: string }).kind} ${nameOf(object)}: ${code} ${messageOf(body)}`);
}

/** Creates a namespace with the ServiceAccount that the controller manager puts into it. */
export async function openNamespace(api: ApiServer, name: string, labels: JsonValue | undefined): Promise<void> {
  await setUp(api, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: labels ?? {} },
  });
  await defaultAccountOf(api, name);
}

export const defaultAccountOf = (api: ApiServer, name: string): Promise<true> =>
  api.until(`the ServiceAccount of namespace ${name}`, async () => {
    const { code } = await api.ask('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`);
    return code === 200 ? true : undefined;
  });

/** Deletes a namespace; what it holds goes later. A policy that has just been deleted may still forbid it for a moment. */
export async function closeNamespace(api: ApiServer, name: string): Promise<void> {
  await api.until(`namespace ${name} is deleted`, async () => {
    const { code } = await api.ask('DELETE', `/api/v1/namespaces/${name}`);
    return code < 300 ? true : undefined;
  });
}
