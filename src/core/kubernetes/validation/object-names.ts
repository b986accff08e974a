import { isDns1123Label, isDns1123Subdomain } from './names.js';

/**
 * Returns the faults of an object's name; `isPrefix` is set for a `generateName`, which may end in a dash.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/api/validation/generic.go.
 */
export type NameRule = (name: string, isPrefix: boolean) => string[];

/** `NameIsDNSSubdomain`: for pods, nodes, runtime classes and most other kinds. */
export const nameIsDnsSubdomain: NameRule = (name, isPrefix) =>
  isDns1123Subdomain(isPrefix ? maskTrailingDash(name) : name).map(inCharacters);

/** `NameIsDNSLabel`: for namespaces. */
export const nameIsDnsLabel: NameRule = (name, isPrefix) =>
  isDns1123Label(isPrefix ? maskTrailingDash(name) : name).map(inCharacters);

/** `path.ValidatePathSegmentName`: the requirements on every name, because it is part of a URL. */
export const nameIsPathSegment: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
};

/** A prefix may end in a dash, because the generated suffix follows it. */
function maskTrailingDash(name: string): string {
  // Upstream removes two bytes: of a multi-byte letter a part remains, so the name is as invalid as before.
  return name.length > 1 && name.endsWith('-') && name.charCodeAt(name.length - 2) < 0x80
    ? `${name.slice(0, -2)}a`
    : name;
}

/** The messages about names say characters, those about label keys and values say bytes; both count bytes. */
const inCharacters = (message: string): string =>
  message.replace(/^(must be no more than \d+) bytes$/, '$1 characters');
