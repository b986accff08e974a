import { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';
import type { JsonValue } from '../core/json/json-value.js';
import { readExpectations } from '../core/expectations/read-expectations.js';
import type { Expectation } from '../core/expectations/expectation.js';
import { IngestError } from '../ingest/ingest-error.js';
import { DEFAULT_INGEST_LIMITS } from '../ingest/ingest-limits.js';
import { parseYaml } from '../ingest/parse-yaml.js';

/** The largest file, in characters. */
const LONGEST = 1024 * 1024;

export type ExpectationFile =
  | { readonly file: JsonValue; readonly expectations: readonly Expectation[] }
  /** Everything that is wrong, with the line of each. */
  | { readonly errors: readonly string[] };

/** Reads a file of expectations, YAML or JSON. */
export function readExpectationFile(text: string): ExpectationFile {
  if (text.length > LONGEST) return { errors: [`the file has more than ${LONGEST} characters`] };
  let file: JsonValue;
  try {
    file = parseYaml(text, {
      limits: DEFAULT_INGEST_LIMITS,
      place: { line: 1, column: 1, offset: 0 },
      duplicateKeys: 'reject',
    });
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    return { errors: [error.message] };
  }
  const read = readExpectations(file);
  if (!('faults' in read)) return { file, expectations: read.expectations };
  const lineOf = linesIn(text);
  return {
    errors: read.faults.map(({ pointer, message }) => {
      const field = pointer === '' ? '' : `${pointer}: `;
      return `line ${lineOf(pointer)}: ${field}${message}`;
    }),
  };
}

/** The line of a JSON pointer in a YAML document, from 1; where nothing is there, that of what contains it. */
function linesIn(text: string): (pointer: string) => number {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  return (pointer) => {
    let node: unknown = contents;
    let offset = contents?.range?.[0] ?? 0;
    for (const part of pointer.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (isSeq(node)) node = node.items[Number(name)];
      else if (isMap(node)) {
        const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === name);
        if (pair === undefined) break;
        offset = (pair.key as Node).range?.[0] ?? offset;
        node = pair.value;
        continue;
      } else break;
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    }
    return lines.linePos(offset).line;
  };
}
