import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isJsonObject, type JsonValue } from '../../src/core/json/json-value.js';
import { parseJson, stringifyJson } from '../../src/core/json/lossless-json.js';
import type { RecordedFile } from './folders/folder.js';
import { folders } from './folders/index.js';
import { ops } from './ops/index.js';
import { recordingsOfVersions, VERSIONS, type Recording } from './versions.js';
import { sameJson } from './same-json.js';

/** What became of one op or recorded folder. */
export interface Tally {
  readonly name: string;
  passed: number;
  failed: number;
  /** The first failures, in full. */
  readonly failures: string[];
}

const SHOWN_FAILURES = 3;

/**
 * Runs every vector and recorded scenario under a conformance folder, or those of `only` (ops, and folders' names).
 *
 * What other versions of Kubernetes answered counts as `versions`, all of it together.
 *
 * Nothing is skipped silently: an op or folder that is not known, a line that does not parse, and a name asked for but
 * not found each count as failed under their name.
 */
export async function runConformance(directory: string, only?: ReadonlySet<string>): Promise<Tally[]> {
  const tallies = new Map<string, Tally>();
  const tally = (name: string): Tally => {
    const known = tallies.get(name) ?? { name, passed: 0, failed: 0, failures: [] };
    tallies.set(name, known);
    return known;
  };
  const count = (name: string, failure: string | undefined): void => {
    const into = tally(name);
    if (failure === undefined) {
      into.passed += 1;
      return;
    }
    into.failed += 1;
    if (into.failures.length < SHOWN_FAILURES) into.failures.push(failure);
  };

  for (const path of await filesIn(join(directory, 'vectors'), ['.jsonl', '.jsonl.gz'])) {
    const fallback = basename(path).replace(/\.jsonl(\.gz)?$/, '');
    let number = 0;
    try {
      for (const line of await linesOf(path)) {
        number += 1;
        if (line.trim() === '') continue;
        judgeLine(line, `${path}:${number}`, fallback, only, count);
      }
      if (number === 0) count(fallback, `${path}: holds no vector`);
    } catch (error) {
      count(fallback, `${path}:${number}: cannot be read: ${String(error)}`);
    }
  }

  for (const folder of await foldersIn(join(directory, 'recorded'))) {
    if (only !== undefined && !only.has(folder)) continue;
    const files = await filesIn(join(directory, 'recorded', folder), ['.json', '.json.gz']);
    for (const failure of await judgeRecorded(
      folder,
      files.map((path) => ({ path, name: path })),
    )) {
      count(folder, failure);
    }
  }

  if (only?.has(VERSIONS) !== false) {
    for (const [folder, recordings] of await recordingsOfVersions(directory)) {
      for (const failure of await judgeRecorded(folder, recordings)) count(VERSIONS, failure);
    }
  }

  for (const name of only ?? []) {
    if (!tallies.has(name))
      count(name, `${name}: asked for, but ${directory} holds no vector or recorded scenario of it`);
  }
  if (tallies.size === 0) count('conformance', `${directory}: holds no vectors and no recorded scenarios`);
  return [...tallies.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function judgeLine(
  line: string,
  where: string,
  fallback: string,
  only: ReadonlySet<string> | undefined,
  count: (name: string, failure: string | undefined) => void,
): void {
  let vector: JsonValue;
  try {
    vector = parseJson(line);
  } catch (error) {
    count(fallback, `${where}: not JSON: ${String(error)}`);
    return;
  }
  const input = isJsonObject(vector) ? vector['input'] : undefined;
  const name = isJsonObject(input) && typeof input['op'] === 'string' ? input['op'] : undefined;
  if (!isJsonObject(vector) || !isJsonObject(input) || name === undefined || !Object.hasOwn(vector, 'want')) {
    count(fallback, `${where}: not a vector of the form {"input": {"op": ...}, "want": ...}`);
    return;
  }
  if (only !== undefined && !only.has(name)) return;
  const op = ops.get(name);
  if (op === undefined) {
    count(name, `${where}: op ${name} is not known`);
    return;
  }
  const want = vector['want'] ?? null;
  let got: unknown;
  try {
    got = op.answer(input);
  } catch (error) {
    // A refusal has its own type of error; a TypeError or the like is a bug, whatever was expected.
    const refused = isJsonObject(want) && Object.hasOwn(want, 'error') && !isFault(error);
    count(
      name,
      refused
        ? undefined
        : `${where}\n  input ${stringifyJson(input)}\n  want  ${stringifyJson(want)}\n  threw ${String(error)}`,
    );
    return;
  }
  const agrees = op.agree?.(want, got, input) ?? sameJson(want, got);
  count(
    name,
    agrees
      ? undefined
      : `${where}\n  input ${stringifyJson(input)}\n  want  ${stringifyJson(want)}\n  got   ${stringifyJson(got)}`,
  );
}

/** What is wrong with each file of a recorded folder, in their order; undefined for a file that agrees. */
async function judgeRecorded(folder: string, recordings: readonly Recording[]): Promise<(string | undefined)[]> {
  const judge = folders.get(folder);
  if (judge === undefined) return recordings.map(({ name }) => `${name}: recorded folder ${folder} is not known`);
  const differences = new Map<string, string[]>(recordings.map(({ name }) => [name, []]));
  const files: RecordedFile[] = [];
  for (const { path, name, k8sVersion } of recordings) {
    try {
      const content = parseJson(await textOf(path));
      if (!isJsonObject(content)) throw new Error('not an object');
      const judged = k8sVersion === undefined ? content : { ...content, k8sVersion };
      files.push({ path: name, content: judged });
      differences.get(name)?.push(...((await judge.each?.(judged)) ?? []));
    } catch (error) {
      differences.get(name)?.push(String(error));
    }
  }
  try {
    for (const [path, more] of (await judge.together?.(files)) ?? []) differences.get(path)?.push(...more);
  } catch (error) {
    // What cannot be judged together has failed together.
    for (const found of differences.values()) found.push(String(error));
  } finally {
    await judge.close?.();
  }
  return recordings.map(({ name }) => {
    const found = differences.get(name) ?? [];
    return found.length === 0 ? undefined : `${name}\n  ${found.join('\n  ')}`;
  });
}

async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

async function linesOf(path: string): Promise<string[]> {
  const lines = (await textOf(path)).split(/\r?\n/);
  return lines.filter((line, index) => line !== '' || index < lines.length - 1);
}

async function filesIn(directory: string, endings: readonly string[]): Promise<string[]> {
  if (!existsSync(directory)) return [];
  const names = await readdir(directory);
  return names
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => join(directory, name));
}

async function foldersIn(directory: string): Promise<string[]> {
  if (!existsSync(directory)) return [];
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

const isFault = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
