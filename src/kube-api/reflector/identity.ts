import { BadAnswer, membersOf, stringIn, type Span } from './json-scan.js';
import type { WireObject } from './reflection.js';
import { isJsonObject } from '../../core/json/json-value.js';

const NAMES = new Set(['namespace', 'name', 'uid', 'resourceVersion']);

/**
 * Reads who an object is, without parsing the rest of it.
 *
 * @param kind what an object that says its kind must be: a Table or a PartialObjectMetadata stands for an object, but is none
 * @throws {BadAnswer}
 */
export function identify(bytes: Buffer, span: Span, kind: string): WireObject {
  const found: Record<string, string> = {};
  let hasMetadata = false;
  for (const [member, value] of membersOf(bytes, span)) {
    if (member === 'kind') {
      const said = stringIn(bytes, value);
      if (said !== kind) throw new BadAnswer(`the answer has ${article(said)}, not ${article(kind)}`);
    } else if (member === 'metadata') {
      hasMetadata = true;
      for (const [name, text] of membersOf(bytes, value)) {
        if (NAMES.has(name)) found[name] = stringIn(bytes, text) ?? '';
      }
    }
  }
  return identified(bytes.subarray(span.start, span.end), hasMetadata ? found : {});
}

/** The same of an object that has been parsed. @param bytes those of the object */
export function identifyParsed(object: unknown, bytes: Buffer, kind: string): WireObject {
  if (!isJsonObject(object)) throw new BadAnswer('an object was expected');
  const { kind: said, metadata = {} } = object;
  if (said !== undefined && said !== kind) {
    throw new BadAnswer(`the answer has ${article(textOf(said))}, not ${article(kind)}`);
  }
  if (!isJsonObject(metadata)) throw new BadAnswer('an object was expected');
  const { namespace, name, uid, resourceVersion } = metadata;
  return identified(bytes, {
    namespace: textOf(namespace) ?? '',
    name: textOf(name) ?? '',
    uid: textOf(uid) ?? '',
    resourceVersion: textOf(resourceVersion) ?? '',
  });
}

function identified(bytes: Buffer, found: Readonly<Record<string, string>>): WireObject {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = found;
  if (name === '' || resourceVersion === '') throw new BadAnswer('an object has no name or no resourceVersion');
  return { bytes, namespace, name, uid, resourceVersion };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const article = (kind: string | undefined): string =>
  kind === undefined ? 'an object of no kind' : `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
