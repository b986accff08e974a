import { parseArgs } from 'node:util';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import { seededNumbers } from '../../src/core/scheduling/seeded-numbers.js';
import type { Compared, Comparison } from './comparison.js';
import { compareAdmittedPods } from './compare-admitted-pods.js';
import { comparePodSecurity } from './compare-pod-security.js';
import { comparePolicies } from './compare-policies.js';
import { compareWorkloads } from './compare-workloads.js';
import { planeOfCommand, type ControlPlane } from './control-plane.js';

/**
 * `npm run compare -- [--cases N] [--seed N] [--only op,op]`: creates generated objects in a real control plane and compares what it
 * answers with what the core answers. The control plane is started from the binaries that `KUBEBUILDER_ASSETS` names, or is the one at
 * `APISERVER_URL` (with `APISERVER_TOKEN` and `APISERVER_CA`).
 *
 * Exit code 0 if all agree, 1 after any difference, 2 if nothing could be compared.
 */
const COMPARISONS: Readonly<Record<string, () => Promise<Comparison>>> = {
  admitPod: compareAdmittedPods,
  podSecurity: comparePodSecurity,
  admissionPolicy: comparePolicies,
  workload: compareWorkloads,
};

const DIFFERENT = 1;
const NOT_COMPARED = 2;
/** Differences that are printed in full, of each op. */
const MAX_SHOWN = 5;

type Row = Record<Compared['outcome'], number> & { readonly op: string; readonly shown: string[] };

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<number> {
  const options = readArguments();
  if (options === undefined) return NOT_COMPARED;
  const plane = await planeOfCommand();
  if (plane === undefined) return NOT_COMPARED;
  const rows: Row[] = [];
  try {
    say(`comparing with Kubernetes ${plane.version}, seed ${options.seed}`);
    for (const op of options.ops) rows.push(await compareOp(plane, op, options));
  } finally {
    await plane.stop();
  }
  for (const { op, shown } of rows) for (const one of shown) say(`\n${op}: ${one}`);
  say('');
  say(line('op', 'cases', 'equal', 'different', 'unknown', 'not set up'));
  for (const { op, equal, different, unknown, notSetUp } of rows) {
    say(line(op, equal + different + unknown + notSetUp, equal, different, unknown, notSetUp));
  }
  if (rows.some(({ different }) => different > 0)) return DIFFERENT;
  return rows.every(({ equal }) => equal > 0) ? 0 : NOT_COMPARED;
}

const line = (op: string, ...cells: readonly (number | string)[]): string =>
  op.padEnd(18) + cells.map((cell) => String(cell).padStart(12)).join('');

interface Options {
  readonly ops: readonly string[];
  readonly cases: number;
  readonly seed: number;
}

async function compareOp({ api }: ControlPlane, op: string, { cases, seed }: Options): Promise<Row> {
  const row: Row = { op, shown: [], equal: 0, different: 0, unknown: 0, notSetUp: 0 };
  const comparison = await COMPARISONS[op]!();
  const next = seededNumbers(seed);
  for (let number = 0; number < cases; number++) {
    const compared = await comparison.compare(api, next, `compare-${op.toLowerCase()}-${seed}-${number}`);
    row[compared.outcome]++;
    if (row.shown.length < MAX_SHOWN && compared.outcome === 'different') {
      const { input, theirs, ours } = compared;
      row.shown.push([`case ${number}`, 'input', input, 'Kubernetes', theirs, 'here', ours].map(text).join('\n'));
    }
    if ((number + 1) % 50 === 0) process.stderr.write(`${op}: ${number + 1} of ${cases}\n`);
  }
  return row;
}

const text = (part: unknown): string => (typeof part === 'string' ? part : stringifyJson(part));

function readArguments(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: { cases: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string', multiple: true } },
    });
    const ops = values.only?.flatMap((list) => list.split(',')) ?? Object.keys(COMPARISONS);
    const wrong = ops.filter((op) => !Object.hasOwn(COMPARISONS, op));
    if (wrong.length > 0) throw new Error(`not an op that can be compared: ${wrong.join(', ')}`);
    return { ops, cases: number('cases', values.cases ?? '200'), seed: number('seed', values.seed ?? '1') };
  } catch (error) {
    const usage = `usage: npm run compare -- [--cases N] [--seed N] [--only ${Object.keys(COMPARISONS).join(',')}]`;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    return undefined;
  }
}

function number(name: string, given: string): number {
  const value = Number(given);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${name}: not a whole number: ${given}`);
}

process.exitCode = await main();
