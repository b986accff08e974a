import { canonicalJson } from './canonical-json.js';
import { cleanValue } from './clean-text.js';

/** The database row of a change made through this service, which is what the API shows; its record is in the trail. */
export interface StoredChange {
  readonly id: string;
  readonly sequence: number;
  readonly action: string;
  /** RFC 3339. */
  readonly madeAt: string;
  readonly author: string;
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  /** The change that undoes this one. */
  readonly undoing: string | null;
  readonly expiresAt: string | null;
  readonly details: {
    readonly by?: {
      readonly name?: unknown;
      readonly kind?: unknown;
      readonly groups?: unknown;
      readonly issuer?: unknown;
    };
    readonly onBehalfOf?: unknown;
    readonly reason?: unknown;
    readonly link?: unknown;
    readonly request?: unknown;
  };
}

/** The database row of a change of one node. */
export interface StoredIntentRow {
  readonly id: string;
  readonly node: string;
  readonly sequence: number;
  readonly madeAt: string;
  readonly author: string;
  readonly difference: unknown;
  readonly labels: unknown;
}

/** A stored member of a change that differs from its record. */
export interface WrongChange {
  readonly id: string;
  readonly sequence: number;
  readonly member: string;
  readonly expected: string;
  readonly found: string;
}

type Content = Readonly<Record<string, unknown>>;

/** The first stored member of a change that differs from its record. @param content null if there is no record */
export function wrongChange(change: StoredChange, content: Content | null): WrongChange | undefined {
  const { id, sequence, action, madeAt, author, undoes, undoneBy, undoing, expiresAt, details } = change;
  const said = content ?? {};
  const { name, kind, groups, issuer } = details.by ?? {};
  const by = { username: name, kind, groups, ...(issuer !== null && { issuer }) };
  return firstDifference({ id, sequence }, [
    ['record', content?.['kind'] ?? null, 'request'],
    ['id', said['change'], id],
    ['author', authorIn(said), author],
    ['by', said['by'], by],
    ['onBehalfOf', said['onBehalfOf'], details.onBehalfOf],
    ['action', said['action'], action],
    ['madeAt', said['at'], madeAt],
    ['reason', said['reason'], details.reason],
    ['link', said['link'], details.link],
    ['expiresAt', said['expiresAt'], expiresAt],
    ['undoes', said['undoes'], undoes],
    ['undoneBy', undoing, undoneBy],
    ['request', said['request'], details.request],
  ]);
}

/** The same for a change of one node. */
export function wrongIntent(intent: StoredIntentRow, content: Content | null): WrongChange | undefined {
  const { id, node, sequence, madeAt, author, difference, labels } = intent;
  const said = content ?? {};
  return firstDifference({ id, sequence }, [
    ['record', content?.['kind'] ?? null, 'change'],
    ['id', said['change'], id],
    ['node', said['node'], node],
    ['author', authorIn(said), author],
    ['madeAt', (said['when'] as { at?: unknown } | undefined)?.at, madeAt],
    ['difference', said['difference'], difference],
    ['labels', said['labels'], labels],
  ]);
}

const authorIn = (content: Content): unknown => (content['by'] as { username?: unknown } | undefined)?.username;

/** Absent values are null, or missing. A missing record differs in its kind. */
function firstDifference(
  place: { readonly id: string; readonly sequence: number },
  members: readonly (readonly [member: string, said: unknown, stored: unknown])[],
): WrongChange | undefined {
  for (const [member, said, stored] of members) {
    const [expected, found] = [textOf(said), textOf(stored)];
    if (expected !== found) return { ...place, member, expected, found };
  }
  return undefined;
}

const textOf = (value: unknown): string => canonicalJson(cleanValue(value ?? null));
