import { createHash } from 'node:crypto';
import type { PageRequest } from '../../contract/page.js';
import { ServiceError } from '../errors/service-error.js';

/**
 * The end of a page of a list. The token contains the `revision`, so that all pages of a list are based on the same
 * state, and a digest of the list's parameters, so that it cannot be used for another list.
 */
export interface PagePosition {
  /** The key of the last item of the page. */
  readonly after: string;
  /** Absent for lists that are not based on a revision, such as the list of clusters. */
  readonly revision?: number;
}

/** The identity of a list: its name, then every parameter that affects it, in a fixed order. */
export type ListIdentity = readonly (string | number | boolean | undefined)[];

/** An opaque token for REST's `continue` and GraphQL's cursors. */
export function writePageToken(list: ListIdentity, position: PagePosition): string {
  const fields = [digest(list), position.revision ?? null, position.after];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** @throws {ServiceError} `invalid-continue-token` if the token is malformed or belongs to another list */
export function readPageToken(list: ListIdentity, token: string, parameter: string): PagePosition {
  const fields = decoded(token);
  if (fields === undefined) throw refused(parameter, 'it is not a valid token of this service');
  const [listDigest, revision, after] = fields;
  if (listDigest !== digest(list)) throw refused(parameter, 'it belongs to a list with other parameters');
  return revision === null ? { after } : { after, revision };
}

/**
 * Checks that a token belongs to the revision of the response.
 * @throws {ServiceError} `invalid-continue-token` for the token of another list or revision
 */
export function checkTokenRevision(list: ListIdentity, { after, afterName }: PageRequest, revision: number): void {
  if (after === undefined) return;
  const of = readPageToken(list, after, afterName).revision;
  if (of === revision) return;
  const rests = `its list is based on revision ${of ?? 'none'}, but this response on revision ${revision}`;
  throw refused(afterName, `${rests}; set revision to that number`);
}

function decoded(token: string): readonly [string, number | null, string] | undefined {
  // Longer than a token with the longest valid Kubernetes names.
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

/** A page has a token for each item, all with the digest of the same list. */
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
