import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type Document } from 'yaml';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { decodeUtf8 } from './json-body.js';

/** The reader builds a tree many times the size of its text. */
const GREATEST_BYTES = 1024 * 1024;
const GREATEST_DEPTH = 200;
/** An alias bomb multiplies; no manifest needs more nodes than this once its aliases are written out. */
const GREATEST_NODES = 500_000;

/**
 * Reads a YAML body of one document into the same values as JSON would give: 64-bit integers without loss, keys as
 * strings, times and binary as the text that stands there.
 * @throws {ServiceError} `malformed-yaml` with line and column, or `body-too-large`
 */
export function readYamlBody(bytes: Uint8Array): JsonValue {
  if (bytes.length > GREATEST_BYTES) {
    throw new ServiceError('body-too-large', `A YAML body may have at most ${GREATEST_BYTES} bytes; send JSON.`);
  }
  const text = decodeUtf8(bytes, 'malformed-yaml');
  refuseDeepFlow(text);
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    intAsBigInt: true,
    schema: 'core',
    merge: true,
    uniqueKeys: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  });
  const documents: Document[] = Array.isArray(parsed) ? (parsed as Document[]) : [];
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) {
    throw malformed(
      errors.slice(0, 100).map((error) => {
        const { line, col } = lines.linePos(error.pos[0]);
        return `${error.message} at line ${line}, column ${col}`;
      }),
    );
  }
  const filled = documents.filter((document) => document.contents !== null);
  if (filled.length > 1) throw malformed(['The body holds several documents; this operation takes one.']);
  const [document] = filled;
  return document === undefined ? null : new YamlConverter(document).convert(document.contents, 0);
}

/** The reader recurses, so what is nested too deep is refused before it is read. Brackets in strings count as well. */
function refuseDeepFlow(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth -= 1;
    if (depth > GREATEST_DEPTH * 4) throw malformed(['The document is nested too deep.']);
  }
  // "- - - - x" and "? ? ? x" nest on one line.
  if (/(?:[-?] ){200}/.test(text)) throw malformed(['The document is nested too deep.']);
  // Indentation of block maps: 200 levels need at least that many columns.
  if (/^ {4000}/m.test(text)) throw malformed(['The document is nested too deep.']);
}

class YamlConverter {
  private nodes = 0;

  constructor(private readonly document: Document) {}

  convert(node: unknown, depth: number): JsonValue {
    this.nodes += 1;
    if (this.nodes > GREATEST_NODES) throw malformed(['The document is too large once its aliases are written out.']);
    if (depth > GREATEST_DEPTH) throw malformed(['The document is nested too deep.']);
    if (isAlias(node)) return this.convert(node.resolve(this.document) ?? null, depth + 1);
    if (isSeq(node)) return node.items.map((item) => this.convert(item, depth + 1));
    if (isMap(node)) {
      const object: JsonObject = {};
      for (const { key, value } of node.items) {
        if (isScalar(key) && key.value === '<<') this.merge(object, value, depth);
        else put(object, keyText(this.convert(key, depth + 1)), this.convert(value, depth + 1));
      }
      return object;
    }
    return isScalar(node) ? scalar(node.value, node.source) : null;
  }

  /** `<<: *base`: the keys of the base that are not there already. */
  private merge(object: JsonObject, value: unknown, depth: number): void {
    const base = this.convert(value, depth + 1);
    for (const source of Array.isArray(base) ? base : [base]) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        throw malformed(['A merge key (<<) needs a map, or a list of maps.']);
      }
      for (const [key, member] of Object.entries(source)) if (!Object.hasOwn(object, key)) put(object, key, member);
    }
  }
}

/** Written so, `__proto__` is a key like any other. */
function put(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function keyText(key: JsonValue): string {
  if (typeof key === 'object' && key !== null) throw malformed(['A key must be a string.']);
  return String(key);
}

function scalar(value: unknown, source: string | undefined): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return source ?? String(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

function malformed(messages: readonly string[]): ServiceError {
  return new ServiceError('malformed-yaml', `The body is not the YAML that is needed: ${messages[0] ?? ''}`, {
    details: messages.map((message) => ({ pointer: '', code: 'malformed-yaml', message })),
  });
}
