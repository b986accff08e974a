import { isJsonObject } from '../core/json/json-value.js';
/** JSON from the network, without any assumptions about its structure. */
type Loose = Readonly<Record<string, unknown>>;

const SHOWN = 20;

/** Renders a problem document (RFC 9457) as text, with every error. */
export function renderProblem(status: number, body: string): string {
  const problem = parse(body);
  if (problem === undefined) return `refused: HTTP ${status}\n${body.slice(0, 1000)}\n`;
  const lines = [`refused: ${text(problem['title']) ?? `HTTP ${status}`} (${text(problem['code']) ?? String(status)})`];
  const detail = text(problem['detail']);
  if (detail !== undefined) lines.push(detail);
  const errors = list(problem['errors']);
  for (const error of errors.slice(0, SHOWN)) lines.push(`  ${describeError(error)}`);
  if (errors.length > SHOWN) lines.push(`  and ${errors.length - SHOWN} more`);
  if (problem['code'] === 'too-many-removals') lines.push('to store it nevertheless: --allow-removals');
  return `${lines.join('\n')}\n`;
}

/** Renders the response to a snapshot: what was stored, what was dropped, and why. */
export function renderSnapshot(body: string): string {
  const answer = parse(body);
  if (answer === undefined) return `${body}\n`;
  const report = object(answer['report']) ?? answer;
  const lines: string[] = [];
  const revision = answer['revision'];
  const unchanged = answer['unchanged'] === true ? ', nothing changed' : '';
  if (revision !== undefined) lines.push(`stored as revision ${display(revision)}${unchanged}`);
  const kept = list(report['kept']);
  lines.push(
    `kept: ${kept.map((entry) => `${display(entry['count'])} ${display(entry['kind'])}`).join(', ') || 'nothing'}`,
  );
  lines.push(...list(answer['removed']).map(describeRemoval));
  for (const entry of list(report['ignored'])) {
    lines.push(
      `left out: ${display(entry['count'])} ${display(entry['apiVersion'])} ${display(entry['kind'])}: the service does not use this kind`,
    );
  }
  const dropped = Number(report['droppedFields'] ?? 0);
  if (dropped > 0) lines.push(`dropped: ${dropped} fields that the service does not use`);
  lines.push(...counted(report['unknownFields'], 'unknown fields', display));
  lines.push(...counted(report['duplicates'], 'duplicate objects, of which the last one was stored', nameOf));
  lines.push(...counted(report['invalid'], 'invalid fields', (entry) => describeError(object(entry) ?? {})));
  lines.push(...counted(report['findings'], 'findings', (entry) => text(object(entry)?.['message']) ?? ''));
  return `${lines.join('\n')}\n`;
}

/** `removed: 2 Node: a, b`, so that missing objects in a dump are not overlooked. */
function describeRemoval(entry: Loose): string {
  const first = list(entry['first']);
  const count = Number(entry['count'] ?? first.length);
  const names = first.map((object) =>
    [text(object['namespace']), text(object['name'])].filter((part) => part).join('/'),
  );
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `removed: ${count} ${display(entry['kind'])}: ${names.join(', ')}${more}`;
}

/** Renders `{count, first}` as a heading and its entries; empty for a count of 0. */
function counted(value: unknown, heading: string, render: (entry: unknown) => string): readonly string[] {
  const counts = object(value);
  const count = Number(counts?.['count'] ?? 0);
  if (count === 0) return [];
  const first = Array.isArray(counts?.['first']) ? (counts['first'] as readonly unknown[]).slice(0, SHOWN) : [];
  const more = count > first.length ? [`  and ${count - first.length} more`] : [];
  return [`${heading}: ${count}`, ...first.map((entry) => `  ${render(entry)}`), ...more];
}

function describeError(error: Loose): string {
  const place = text(error['field']) ?? text(error['pointer']);
  return [nameOf(error), place, text(error['message']) ?? text(error['detail'])].filter((part) => part).join(': ');
}

function nameOf(entry: unknown): string {
  const named = object(entry) ?? {};
  const name = [text(named['namespace']), text(named['name'])].filter((part) => part).join('/');
  const item = named['item'] === undefined ? '' : ` (item ${display(named['item'])})`;
  return name === '' && item === '' ? '' : `${text(named['kind']) ?? ''} ${name}${item}`.trim();
}

function parse(body: string): Loose | undefined {
  try {
    return object(JSON.parse(body));
  } catch {
    return undefined;
  }
}

const object = (value: unknown): Loose | undefined => (isJsonObject(value) ? value : undefined);
const list = (value: unknown): readonly Loose[] =>
  Array.isArray(value) ? value.map((entry) => object(entry) ?? {}) : [];
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const display = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
