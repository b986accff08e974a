import { parseDocument } from 'yaml';
import { z } from 'zod';
import { PERMISSIONS, type Permission } from './permission.js';

/** A static token; only its hash is stored. */
export interface TokenEntry {
  readonly name: string;
  /** SHA-256 of the token in hexadecimal. */
  readonly sha256: string;
  readonly groups: readonly string[];
}

/** Grants roles for clusters to subjects. */
export interface Binding {
  /** `user:NAME` (of the identity provider), `token:NAME`, `group:NAME`, or `*` for every authenticated caller. */
  readonly subjects: readonly string[];
  /** Cluster names, in which `*` matches any characters. */
  readonly clusters: readonly string[];
  readonly roles: readonly Permission[];
  readonly taintValues: boolean;
  readonly onBehalfOf: boolean;
}

export interface AuthFile {
  readonly tokens: readonly TokenEntry[];
  readonly bindings: readonly Binding[];
}

/** An invalid auth file; the message lists all its errors, one per line. */
export class AuthFileError extends Error {
  override readonly name = 'AuthFileError';
}

const NAME = z.string().regex(/^[^\s\p{C}]{1,256}$/u, 'must be 1 to 256 characters without spaces');

const FILE = z.strictObject({
  tokens: z
    .array(
      z.strictObject({
        name: NAME,
        sha256: z
          .string()
          .regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 of a token in 64 hexadecimal digits; see `npm run token`'),
        groups: z.array(NAME).default([]),
      }),
    )
    .default([]),
  bindings: z
    .array(
      z.strictObject({
        subjects: z
          .array(
            z
              .string()
              .regex(/^(\*|(user|group|token):[^\s\p{C}]+)$/u, 'must be user:NAME, group:NAME, token:NAME or *'),
          )
          .min(1, 'must have at least one subject'),
        clusters: z
          .array(z.string().regex(/^[a-z0-9.*-]{1,253}$/, 'must be a cluster name, in which * matches any characters'))
          .min(1, 'must have at least one cluster name, or *'),
        roles: z
          .array(z.enum(PERMISSIONS, `must be one of ${PERMISSIONS.join(', ')}`))
          .min(1, 'must have at least one role'),
        taintValues: z.boolean().default(true),
        onBehalfOf: z.boolean().default(false),
      }),
    )
    .default([]),
});

/** A large file has some thousand bindings and needs no aliases. */
const MAX_ALIASES = 100;

/**
 * Parses an auth file in YAML or JSON.
 * @throws {AuthFileError} with every error in it
 */
export function parseAuthFile(text: string): AuthFile {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) throw failure(document.errors.map(({ message }) => message.split('\n')[0] ?? ''));
  // An empty file is valid.
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  const result = FILE.safeParse(value);
  const faults = result.success ? [] : result.error.issues.map(({ path, message }) => `${placeOf(path)}: ${message}`);
  const all = [...faults, ...contradictions(value)];
  if (!result.success || all.length > 0) throw failure(all);
  return result.data;
}

/**
 * Errors that depend on several parts of the file; also searched for in files with invalid members, so that all errors
 * are reported together.
 */
function contradictions(value: unknown): string[] {
  const tokens = membersOf(value, 'tokens');
  const names = tokens.map(({ name }) => name);
  const hashes = tokens.map(({ sha256 }) => (typeof sha256 === 'string' ? sha256.toLowerCase() : undefined));
  const faults: string[] = [];
  tokens.forEach((_, index) => {
    if (names[index] !== undefined && names.indexOf(names[index]) < index) {
      faults.push(`tokens[${index}].name: must be unique, but an earlier token has the same name`);
    }
    if (hashes[index] !== undefined && hashes.indexOf(hashes[index]) < index) {
      faults.push(`tokens[${index}].sha256: must be unique, but an earlier token has the same hash`);
    }
  });
  membersOf(value, 'bindings').forEach(({ subjects }, index) => {
    if (!Array.isArray(subjects)) return;
    subjects.forEach((subject: unknown, place) => {
      if (typeof subject !== 'string' || !subject.startsWith('token:') || names.includes(subject.slice(6))) return;
      faults.push(`bindings[${index}].subjects[${place}]: must be the name of a token in this file`);
    });
  });
  return faults;
}

function membersOf(value: unknown, key: string): Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return [];
  const list = (value as Readonly<Record<string, unknown>>)[key];
  return Array.isArray(list) ? list.map((member: unknown) => (member ?? {}) as Readonly<Record<string, unknown>>) : [];
}

function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return place.replace(/^\./, '') || 'the file';
}

function failure(faults: readonly string[]): AuthFileError {
  return new AuthFileError(faults.map((fault) => `  ${fault}`).join('\n'));
}
