import { isDns1123Label, isDns1123Subdomain } from './names.js';

/**
 * What is wrong with the name of an object of some kind; `isPrefix` for a `generateName`, which may end in a dash.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/api/validation/generic.go.
 */
export type NameRule = (name: string, isPrefix: boolean) => string[];

/** `NameIsDNSSubdomain`: pods, nodes, runtime classes and most other kinds. */
export const nameIsDnsSubdomain: NameRule = (name, isPrefix) =>
  isDns1123Subdomain(isPrefix ? maskTrailingDash(name) : name).map(inCharacters);

/** `NameIsDNSLabel`: namespaces. */
export const nameIsDnsLabel: NameRule = (name, isPrefix) =>
  isDns1123Label(isPrefix ? maskTrailingDash(name) : name).map(inCharacters);

/** `path.ValidatePathSegmentName`: what every name has to meet, to be part of a URL. */
export const nameIsPathSegment: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((illegal) => name.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
};

/** A prefix that ends in a dash becomes a name by what is generated after it. */
function maskTrailingDash(name: string): string {
  // Upstream cuts two bytes: of a letter of several bytes the rest stays, and the name stays as bad as it is.
  return name.length > 1 && name.endsWith('-') && name.charCodeAt(name.length - 2) < 0x80
    ? `${name.slice(0, -2)}a`
    : name;
}

/** The rules of names speak of characters where those of label keys and values speak of bytes; both count bytes. */
const inCharacters = (message: string): string =>
  message.replace(/^(must be no more than \d+) bytes$/, '$1 characters');
