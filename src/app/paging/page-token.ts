import { createHash } from 'node:crypto';
import type { PageRequest } from '../../contract/page.js';
import { ServiceError } from '../errors/service-error.js';

/**
 * Where a page of a list ended. The token says `revision`, so that the pages of one list all rest on the same state,
 * and a digest of the list's other parameters, so that a token cannot be used on another list by mistake.
 */
export interface PagePosition {
  /** The key of the last item of the page. */
  readonly after: string;
  /** Absent for lists that rest on no revision, such as the clusters. */
  readonly revision?: number;
}

/** What the list is of: its name, then every parameter that shapes it, in a fixed order. */
export type ListIdentity = readonly (string | number | boolean | undefined)[];

/** An opaque token for REST's `continue` and GraphQL's cursors. */
export function writePageToken(list: ListIdentity, position: PagePosition): string {
  const fields = [digest(list), position.revision ?? null, position.after];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** @throws {ServiceError} `invalid-continue-token`, for what is not a token or is one of another list */
export function readPageToken(list: ListIdentity, token: string, parameter: string): PagePosition {
  const fields = decoded(token);
  if (fields === undefined) throw refused(parameter, 'it is not a token of this service');
  const [listDigest, revision, after] = fields;
  if (listDigest !== digest(list)) throw refused(parameter, 'it belongs to a list with other parameters');
  return revision === null ? { after } : { after, revision };
}

/**
 * A list rests on one revision.
 * @throws {ServiceError} `invalid-continue-token` for the token of another list, or of another revision than this answer
 */
export function checkTokenRevision(list: ListIdentity, { after, afterName }: PageRequest, revision: number): void {
  if (after === undefined) return;
  const of = readPageToken(list, after, afterName).revision;
  if (of === revision) return;
  const rests = `its list rests on revision ${of ?? 'none'}, and this answer on revision ${revision}`;
  throw refused(afterName, `${rests}; ask for the revision by its number`);
}

function decoded(token: string): readonly [string, number | null, string] | undefined {
  // Longer than any key that Kubernetes allows makes it.
  if (token.length > 2048 || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Array.isArray(fields) || fields.length !== 3) return undefined;
  const [list, revision, after] = fields as unknown[];
  if (typeof list !== 'string' || typeof after !== 'string') return undefined;
  if (revision !== null && !(Number.isSafeInteger(revision) && (revision as number) > 0)) return undefined;
  return [list, revision as number | null, after];
}

/** A page has a token for each of its items, all of one list. */
const digests = new WeakMap<ListIdentity, string>();

function digest(list: ListIdentity): string {
  let known = digests.get(list);
  if (known === undefined) {
    const text = JSON.stringify(list.map((part) => part ?? null));
    known = createHash('sha256').update(text).digest('base64url').slice(0, 8);
    digests.set(list, known);
  }
  return known;
}

function refused(parameter: string, why: string): ServiceError {
  return new ServiceError('invalid-continue-token', `${parameter} cannot be used: ${why}.`, {
    details: [{ field: parameter, code: 'invalid-continue-token', message: why }],
  });
}
