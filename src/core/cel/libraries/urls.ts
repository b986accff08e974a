import { method, overload, type CelFunction } from '../declarations.js';
import { CelUnsupported } from '../errors.js';
import { LibraryValue } from '../operations.js';
import { BOOL, listOf, mapOf, objectType, STRING } from '../types.js';
import { CelError, CelMap, isError, noSuchOverload, type Value } from '../values.js';
import { escapedPath, hostAndPort, isUrl, parseUrl, queryOf, UrlError, type Url } from './go-url.js';

export const URL = objectType('kubernetes.URL');

class UrlValue extends LibraryValue {
  readonly typeName = 'kubernetes.URL';

  constructor(
    readonly url: Url,
    private readonly written: string,
  ) {
    super();
  }

  equals(other: Value): boolean | CelError {
    if (isError(other)) return other;
    if (!(other instanceof UrlValue)) return noSuchOverload();
    if (this.written === other.written) return true;
    const { userInfo, fragment } = this.url;
    if (userInfo !== other.url.userInfo || fragment !== other.url.fragment) {
      throw new CelUnsupported('whether two addresses with users or fragments are equal');
    }
    return (
      this.url.scheme === other.url.scheme &&
      this.url.opaque === other.url.opaque &&
      this.url.host === other.url.host &&
      escapedPath(this.url) === escapedPath(other.url) &&
      this.url.query === other.url.query
    );
  }
}

function parse(text: Value): Value {
  try {
    return new UrlValue(parseUrl(text as string), text as string);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return new CelError(`URL parse error during conversion from string: ${error.message}`);
  }
}

const part = (name: string, id: string, read: (url: Url) => string): CelFunction => ({
  name,
  overloads: [method(id, [URL], STRING, (value) => read((value as UrlValue).url))],
});

const query = (value: Value): Value => new CelMap(queryOf((value as UrlValue).url));

/** k8s.io/apiserver v0.36.2, pkg/cel/library/urls.go. */
export const URLS: readonly CelFunction[] = [
  { name: 'url', overloads: [overload('string_to_url', [STRING], URL, parse)] },
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', (url) => hostAndPort(url).hostname),
  part('getPort', 'url_get_port', (url) => hostAndPort(url).port),
  part('getEscapedPath', 'url_get_escaped_path', escapedPath),
  { name: 'getQuery', overloads: [method('url_get_query', [URL], mapOf(STRING, listOf(STRING)), query)] },
  { name: 'isURL', overloads: [overload('is_url_string', [STRING], BOOL, (text) => isUrl(text as string))] },
];
