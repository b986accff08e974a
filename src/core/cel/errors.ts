import { byteLength } from '../kubernetes/validation/names.js';

/** An expression needs something of the language that is not evaluated here; `what` names it. */
export class CelUnsupported extends Error {
  override readonly name = 'CelUnsupported';

  /** @param cost of what was evaluated before */
  constructor(
    readonly what: string,
    readonly cost = 0,
  ) {
    super(`not evaluated here: ${what}`);
  }
}

/** What the compiler says of a place in an expression. */
export interface CelIssue {
  /** Offset in code points. */
  readonly at: number;
  readonly message: string;
}

/**
 * An expression that does not compile.
 *
 * `text` is what Kubernetes says, position lines included; undefined where the parser refused the expression, whose words are those of
 * a generated parser.
 */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';

  constructor(
    readonly issues: readonly CelIssue[],
    readonly text: string | undefined,
  ) {
    super(text ?? issues.map(({ message }) => message).join('\n'));
  }
}

const MAX_ISSUES = 100;
const MAX_SNIPPET_BYTES = 16_384;

/** `Errors.ToDisplayString` of cel-go v0.26.0, common/errors.go: by place, with the line and a mark below it. */
export function issuesText(source: string, issues: readonly CelIssue[]): string {
  const points = Array.from(source);
  const placed = issues.map((issue) => ({ issue, ...placeOf(points, issue.at) }));
  placed.sort((a, b) => a.line - b.line || a.column - b.column);
  const shown = placed.slice(0, MAX_ISSUES).map(({ issue, line, column, text }) => {
    const head = `ERROR: <input>:${line}:${column + 1}: ${issue.message}`;
    const snippet = text.map((point) => (point === '\t' ? ' ' : point));
    if (byteLength(snippet.join('')) > MAX_SNIPPET_BYTES) return head;
    const dots = snippet.slice(0, column).map((point) => (isWide(point) ? '\uff0e' : '.'));
    const mark = snippet[column] !== undefined && isWide(snippet[column]) ? '\uff3e' : '^';
    return `${head}\n | ${snippet.join('')}\n | ${dots.join('')}${mark}`;
  });
  if (placed.length > MAX_ISSUES) shown.push(`${placed.length - MAX_ISSUES} more errors were truncated`);
  return shown.join('\n');
}

const isWide = (point: string): boolean => point.codePointAt(0)! > 0x7f;

function placeOf(points: readonly string[], at: number): { line: number; column: number; text: readonly string[] } {
  let line = 1;
  let start = 0;
  for (let index = 0; index < at; index += 1) {
    if (points[index] === '\n') {
      line += 1;
      start = index + 1;
    }
  }
  const end = points.indexOf('\n', start);
  return { line, column: at - start, text: points.slice(start, end === -1 ? points.length : end) };
}
