import { parseJson } from '../../core/json/lossless-json.js';
import { JsonSyntaxError } from '../../core/json/lossless-json.js';
import type { Origin } from './read-connection.js';

/*
 * Relay's global object ids: opaque ids that encode the type and identity of an object. Taint changes already have a
 * UUID as their id.
 */

/** The content of an id. */
export interface Identity {
  readonly type: string;
  /** The cluster, and the identity of the object in it. */
  readonly parts: readonly (string | number)[];
  /** The requested revision; absent for the head. */
  readonly revision?: number;
}

/** Precedes the parts of an object that exists only in a scenario. */
const HYPOTHETICAL = 'scenario';

export function writeGlobalId(
  type: string,
  parts: Identity['parts'],
  { readAt, isPinned }: Partial<Origin> = {},
): string {
  const scenario = readAt?.scenario?.hash;
  const revision = isPinned === true ? (readAt?.revision ?? null) : null;
  return Buffer.from(
    JSON.stringify(
      scenario === undefined ? [type, revision, ...parts] : [HYPOTHETICAL, scenario, type, revision, ...parts],
    ),
  ).toString('base64url');
}

/** @returns undefined if the id was not written by this service, or belongs to an object of a scenario */
export function readGlobalId(id: string): Identity | undefined {
  if (UUID.test(id)) return { type: 'TaintChange', parts: [id] };
  const value = jsonOf(Buffer.from(id, 'base64url').toString());
  if (!Array.isArray(value)) return undefined;
  const [type, revision, ...parts] = value as readonly unknown[];
  if (typeof type !== 'string' || type === HYPOTHETICAL) return undefined;
  if (!parts.every((part) => typeof part === 'string' || typeof part === 'number')) return undefined;
  if (revision === null) return { type, parts };
  return typeof revision === 'number' ? { type, parts, revision } : undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function jsonOf(text: string): unknown {
  try {
    return parseJson(text, { maxDepth: 3 });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
