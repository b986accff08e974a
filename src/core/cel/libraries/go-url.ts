import { CelUnsupported } from '../errors.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { textOfUtf8, utf8 } from '../unescape.js';

/** The parts of an address that expressions can ask for. */
export interface Url {
  readonly scheme: string;
  readonly opaque: string;
  /** Before the `@`, as it is written. */
  readonly userInfo: string;
  /** With the port. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** A text that is no address, with Go's words. */
export class UrlError extends Error {
  override readonly name = 'UrlError';
}

/**
 * An absolute address, as `url.ParseRequestURI` and then `url.Parse` of Go read it.
 *
 * Source: Go, net/url/url.go.
 *
 * @throws {UrlError}
 * @throws {CelUnsupported} where versions of Go differ
 */
export function parseUrl(text: string): Url {
  naming(text, () => parse(text, true));
  const hash = text.indexOf('#');
  const before = hash === -1 ? text : text.slice(0, hash);
  const url = naming(before, () => parse(before, false));
  const fragment = hash === -1 ? '' : text.slice(hash + 1);
  naming(text, () => unescape(fragment, 'fragment'));
  return { ...url, fragment };
}

/** Whether `url.ParseRequestURI` takes it. */
export function isUrl(text: string): boolean {
  try {
    parse(text, true);
    return true;
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

/** What Go says of a text that is no request URI. */
export function urlProblem(text: string): string | undefined {
  try {
    naming(text, () => parse(text, true));
    return undefined;
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

function naming<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UrlError) throw new UrlError(`parse ${quoteGo(text)}: ${error.message}`);
    throw error;
  }
}

const EMPTY: Url = { scheme: '', opaque: '', userInfo: '', host: '', path: '', query: '', fragment: '' };

function parse(text: string, viaRequest: boolean): Url {
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlError('net/url: invalid control character in URL');
  if (text === '' && viaRequest) throw new UrlError('empty url');
  if (text === '*') return { ...EMPTY, path: '*' };
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme');
  const written = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
  const scheme = written?.[1]?.toLowerCase() ?? '';
  const afterScheme = text.slice(written?.[0].length ?? 0);
  const question = afterScheme.indexOf('?');
  const query = question === -1 ? '' : afterScheme.slice(question + 1);
  const rest = question === -1 ? afterScheme : afterScheme.slice(0, question);
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...EMPTY, scheme, query, opaque: rest };
    if (viaRequest) throw new UrlError('invalid URI for request');
    if (rest.split('/')[0]!.includes(':')) throw new UrlError('first path segment in URL cannot contain colon');
  }
  const hasAuthority = (scheme !== '' || (!viaRequest && !rest.startsWith('///'))) && rest.startsWith('//');
  if (!hasAuthority) return { ...EMPTY, scheme, query, path: checkedPath(rest) };
  const slash = rest.indexOf('/', 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  return {
    ...EMPTY,
    scheme,
    query,
    ...authorityOf(authority),
    path: checkedPath(slash === -1 ? '' : rest.slice(slash)),
  };
}

function checkedPath(path: string): string {
  unescape(path, 'path');
  return path;
}

function authorityOf(authority: string): { readonly userInfo: string; readonly host: string } {
  const at = authority.lastIndexOf('@');
  const host = hostOf(authority.slice(at + 1));
  const userInfo = authority.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userInfo)) throw new UrlError('net/url: invalid userinfo');
  unescape(userInfo, 'userPassword');
  return { userInfo, host };
}

function hostOf(host: string): string {
  const open = host.lastIndexOf('[');
  const close = host.lastIndexOf(']');
  if (open !== -1 || close !== -1) {
    if (open === 0 && close === -1) throw new UrlError("missing ']' in host");
    if (!/^\[[0-9a-fA-F:.]+\]/.test(host)) throw new CelUnsupported('an address with such a host');
    checkPort(host.slice(close + 1));
  } else if (host.includes(':')) {
    if (host.indexOf(':') !== host.lastIndexOf(':')) throw new CelUnsupported('an address with such a host');
    checkPort(host.slice(host.lastIndexOf(':')));
  }
  return unescape(host, 'host');
}

function checkPort(port: string): void {
  if (port !== '' && !/^:[0-9]*$/.test(port)) throw new UrlError(`invalid port ${quoteGo(port)} after host`);
}

const HOST_CHARACTER = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/;

function unescape(text: string, mode: 'fragment' | 'host' | 'path' | 'query' | 'userPassword'): string {
  const bytes: number[] = [];
  for (let index = 0; index < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(index)!);
    if (character === '%') {
      const escape = text.slice(index, index + 3);
      const isHex = /^%[0-9a-fA-F]{2}$/.test(escape);
      const code = parseInt(escape.slice(1), 16);
      if (!isHex || (mode === 'host' && code < 0x80 && escape !== '%25')) {
        throw new UrlError(`invalid URL escape ${quoteGo(escape)}`);
      }
      bytes.push(code);
      index += 3;
      continue;
    }
    if (mode === 'host' && character.codePointAt(0)! < 0x80 && !HOST_CHARACTER.test(character)) {
      throw new UrlError(`invalid character ${quoteGo(character)} in host name`);
    }
    bytes.push(...utf8(mode === 'query' && character === '+' ? ' ' : character));
    index += character.length;
  }
  const decoded = textOfUtf8(Uint8Array.from(bytes));
  if (decoded === undefined) {
    if (mode === 'path' || mode === 'userPassword' || mode === 'fragment') return '';
    throw new CelUnsupported('an address with bytes that are no text');
  }
  return decoded;
}

/** The host without port and brackets, and the port. */
export function hostAndPort({ host }: Url): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon !== -1 && /^:[0-9]*$/.test(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  const hostname = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return { hostname, port: hasPort ? host.slice(colon + 1) : '' };
}

const VALID_PATH = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/%])*$/;

/** The path as it is written where that is valid, or else escaped anew. */
export function escapedPath({ path }: Url): string {
  if (path === '*' || VALID_PATH.test(path)) return path;
  let escaped = '';
  for (let index = 0; index < path.length;) {
    const escape = /^%[0-9a-fA-F]{2}/.exec(path.slice(index, index + 3))?.[0];
    const character = escape ?? String.fromCodePoint(path.codePointAt(index)!);
    const bytes = escape === undefined ? utf8(character) : [parseInt(escape.slice(1), 16)];
    escaped += bytes.map(escapedByte).join('');
    index += character.length;
  }
  return escaped;
}

function escapedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (byte < 0x80 && /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** The values of each name in the query, in their order; what is not well formed is left out. */
export function queryOf({ query }: Url): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    const name = decoded(equals === -1 ? part : part.slice(0, equals));
    const value = decoded(equals === -1 ? '' : part.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

function decoded(text: string): string | undefined {
  try {
    return unescape(text, 'query');
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}
