import { JsonSyntaxError, parseJson, type JsonNotes } from '../core/json/lossless-json.js';
import type { ManifestDocument } from '../core/kubernetes/manifests/manifest-document.js';
import type { ManifestFault } from '../core/kubernetes/manifests/manifest-object.js';
import { MOST_MANIFESTS } from '../core/kubernetes/manifests/read-manifests.js';
import { IngestError } from './ingest-error.js';
import { DEFAULT_INGEST_LIMITS } from './ingest-limits.js';
import { parseYaml, type YamlNotes } from './parse-yaml.js';

/** The documents of a text, and what is wrong with those that are not YAML or JSON. */
export interface ParsedManifests {
  readonly documents: readonly ManifestDocument[];
  readonly faults: readonly ManifestFault[];
}

const MAX_DEPTH = DEFAULT_INGEST_LIMITS.maxDepth;
/** The parser needs a hundred times the text's size in memory. */
const MAX_CHARACTERS = DEFAULT_INGEST_LIMITS.maxYamlItemBytes;

/**
 * Parses manifests as `kubectl apply -f` reads them (k8s.io/apimachinery v0.36.2, pkg/util/yaml): YAML documents between lines
 * that begin with `---`, JSON objects one after another, or both. Comments and empty documents do not count. A document with
 * an error does not affect the others.
 *
 * @param text without a byte order mark
 */
export function parseManifests(text: string): ParsedManifests {
  const chunks = splitDocuments(text, MOST_MANIFESTS);
  if (chunks === undefined) {
    const message = `there are more than ${MOST_MANIFESTS} documents in the manifests`;
    return { documents: [], faults: [{ code: 'too-many-documents', message, pointer: '' }] };
  }
  const documents: ManifestDocument[] = [];
  const faults: ManifestFault[] = [];
  for (const chunk of chunks) {
    const document = documents.length + faults.length;
    const read = readChunk(chunk, document);
    if (read === undefined) continue;
    if ('message' in read) faults.push(read);
    else documents.push(read);
  }
  return { documents, faults };
}

/** A part of the text that may be a document. */
interface Chunk {
  readonly text: string;
  /** The line in which it starts, from 1. */
  readonly line: number;
  readonly isJson: boolean;
  /** The rest of a separator's line, if there is more than a comment. */
  readonly badSeparator?: true;
}

const MARKER = /(?:---|\.\.\.)(?=[ \t\r\n]|$)([^\n]*)(?:\n|$)/y;
const BLANK = /(?:[ \t]*(?:#[^\n]*)?\r?(?:\n|$))/y;
const NEXT_MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
const SPACE = /[ \t\r\n\ufeff]*/y;

/** The documents of a text, or undefined if there are more than `most`. */
function splitDocuments(text: string, most: number): readonly Chunk[] | undefined {
  const chunks: Chunk[] = [];
  let at = 0;
  let line = 1;
  const advance = (to: number): void => {
    for (let feed = text.indexOf('\n', at); feed !== -1 && feed < to; feed = text.indexOf('\n', feed + 1)) line += 1;
    at = to;
  };
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    return match === null || match[0] === '' ? null : match;
  };
  while (at < text.length) {
    const isLineStart = at === 0 || text[at - 1] === '\n';
    const blank = take(BLANK);
    const marker = blank === null && isLineStart ? take(MARKER) : null;
    if (blank !== null) advance(at + blank[0].length);
    else if (marker !== null) {
      const rest = marker[1]!.trim();
      if (rest !== '' && !rest.startsWith('#')) chunks.push({ text: rest, line, isJson: false, badSeparator: true });
      advance(at + marker[0].length);
    } else if (text[at] === '%' && isLineStart) {
      const feed = text.indexOf('\n', at);
      advance(feed < 0 ? text.length : feed + 1);
    } else {
      NEXT_MARKER.lastIndex = at;
      const next = NEXT_MARKER.exec(text)?.index ?? text.length;
      const start = at + (take(SPACE)?.[0].length ?? 0);
      const json = text[start] === '{' || text[start] === '[' ? endOfJson(text, start) : undefined;
      if (json === undefined) {
        chunks.push({ text: text.slice(at, next), line, isJson: false });
        advance(next);
      } else {
        advance(start);
        chunks.push({ text: text.slice(start, json), line, isJson: true });
        advance(json);
      }
    }
    if (chunks.length > most) return undefined;
  }
  return chunks;
}

const JSON_TOKEN = /[{}[\]]|"(?:[^"\\\n]|\\[^\n])*"/g;

/** The offset after the bracket that closes the one at `start`; undefined if none does. */
function endOfJson(text: string, start: number): number | undefined {
  let depth = 0;
  JSON_TOKEN.lastIndex = start;
  for (let token = JSON_TOKEN.exec(text); token !== null; token = JSON_TOKEN.exec(text)) {
    const [found] = token;
    if (found === '{' || found === '[') depth += 1;
    else if (found === '}' || found === ']') depth -= 1;
    if (depth === 0) return token.index + 1;
  }
  return undefined;
}

function readChunk(chunk: Chunk, document: number): ManifestDocument | ManifestFault | undefined {
  const { line } = chunk;
  const fault = (
    message: string,
    place: { line?: number | undefined; column?: number | undefined } = {},
  ): ManifestFault => ({
    code: 'malformed-manifests',
    message,
    document,
    line: place.line ?? line,
    ...(place.column !== undefined && { column: place.column }),
    pointer: '',
  });
  if (chunk.badSeparator === true) return fault('only a comment may follow --- on its line');
  if (chunk.text.length > MAX_CHARACTERS) return fault(`the document is longer than ${MAX_CHARACTERS} characters`);
  const control = CONTROL.exec(chunk.text);
  if (control !== null)
    return fault('it is not text: control characters are not allowed', {
      line: line + feedsBefore(chunk.text, control.index),
    });
  if (chunk.text.trimStart().startsWith('<')) return fault('it is HTML or XML, not a manifest');
  if (chunk.isJson) {
    const json = readJson(chunk, document);
    if (!(json instanceof JsonSyntaxError)) return json;
    const yaml = readYaml(chunk, document);
    if (!(yaml instanceof IngestError)) return yaml;
    return fault(`it is not JSON: ${json.reason}${templateHint(chunk.text)}`, {
      line: line + json.line - 1,
      column: json.column,
    });
  }
  const yaml = readYaml(chunk, document);
  if (!(yaml instanceof IngestError)) return yaml;
  return fault(`it is not YAML: ${yaml.message}${templateHint(chunk.text)}`, yaml);
}

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/;

const templateHint = (text: string): string => (text.includes('{{') ? ' (a template has to be rendered first)' : '');

function feedsBefore(text: string, end: number): number {
  let feeds = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) feeds += 1;
  return feeds;
}

function readJson({ text, line }: Chunk, document: number): ManifestDocument | JsonSyntaxError {
  const notes: JsonNotes = { members: new Map(), items: new Map() };
  try {
    const value = parseJson(text, { maxDepth: MAX_DEPTH, notes });
    const lines = new Map([...linesOf(text, notes.items)].map(([item, inText]) => [item, line + inText]));
    return { document, format: 'json', value, pointer: '', line, lines, repeated: notes.members };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

/** The lines of offsets, from 0; offsets ascend. */
function* linesOf<T>(text: string, offsets: ReadonlyMap<T, number>): Generator<[T, number]> {
  let line = 0;
  let at = text.indexOf('\n');
  for (const [item, offset] of offsets) {
    for (; at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
    yield [item, line];
  }
}

/** Undefined for a document without content. */
function readYaml({ text, line }: Chunk, document: number): ManifestDocument | IngestError | undefined {
  const notes: YamlNotes = { repeatedKeys: [], lines: new Map() };
  try {
    const value = parseYaml(text, { limits: DEFAULT_INGEST_LIMITS, place: { line }, duplicateKeys: 'last', notes });
    if (value === null) return undefined;
    const { repeatedKeys, lines, firstLine = line } = notes;
    return { document, format: 'yaml', value, pointer: '', line: firstLine, lines, repeatedKeys };
  } catch (error) {
    if (error instanceof IngestError) return error;
    throw error;
  }
}
