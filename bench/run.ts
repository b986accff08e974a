import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BenchCluster } from './bench-cluster.js';
import { isBrief, size } from './brief.js';
import { benchmarks } from './benchmarks/benchmarks.js';
import { DEFAULT_SHAPE } from './generator/cluster-shape.js';
import { measure, type Benchmark, type BenchmarkResult } from './measure.js';
import { FollowBed } from './service/follow-bed.js';
import { TestBed } from './service/test-bed.js';

/**
 * Runs the benchmarks: `npm run bench [-- --json FILE] [--only NAME,...] [--nodes N] [--pods N] [--partitioned] [--brief]`. Exits
 * with 1 if a benchmark fails to run or has an unknown name. The table shows missed targets, but they do not change the exit
 * code. `--brief` runs each once on little, to show that it can be run: its figures say nothing.
 *
 * It runs with `--no-memory-reducer`: V8 would collect its heap, which contains the cluster, while it waits for a service, and take the cores
 * from it.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string' },
    nodes: { type: 'string', default: String(size(DEFAULT_SHAPE.nodes, 150)) },
    pods: { type: 'string', default: String(size(DEFAULT_SHAPE.pods, 1500)) },
    partitioned: { type: 'boolean' },
    brief: { type: 'boolean' },
  },
});

const cluster = new BenchCluster({ ...DEFAULT_SHAPE, nodes: count('nodes'), pods: count('pods') });
const bed = new TestBed(cluster.shape, values.partitioned);
const all = benchmarks(cluster, bed, new FollowBed(cluster.shape, bed));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void bed.close().finally(() => process.exit(130));
  });
}
const wanted = values.only?.split(',');
for (const name of wanted ?? []) {
  if (!all.some((benchmark) => benchmark.name === name)) fail(`no benchmark is called ${name}`);
}

console.log(
  `${cluster.shape.nodes} nodes, ${cluster.shape.pods} pods, seed ${cluster.shape.seed}; node ${process.version}`,
);
const results: BenchmarkResult[] = [];
try {
  for (const benchmark of all.filter(({ name }) => wanted?.includes(name) ?? true)) await run(benchmark);
} finally {
  await bed.close();
}
console.log(`\n${table(results)}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);

async function run(benchmark: Benchmark): Promise<void> {
  console.log(`${benchmark.name}: ${benchmark.about}`);
  const started = performance.now();
  try {
    const result = await measure(isBrief ? { ...benchmark, rounds: 1, warmUp: false } : benchmark);
    results.push(result);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`  ${readable(result.median)} ${result.unit}; took ${seconds} s`);
  } catch (error) {
    console.error(error);
    fail(`${benchmark.name} could not be run`);
  }
  globalThis.gc?.();
}

function table(rows: readonly BenchmarkResult[]): string {
  const cells = rows.map(({ name, median, unit, reference, ratio, target, met }) => [
    name,
    `${readable(median)} ${unit}`,
    `${readable(reference)} ${unit}`,
    readable(ratio),
    target,
    met ? 'yes' : 'NO',
  ]);
  const lines = [['benchmark', 'median', 'reference', 'ratio', 'target', 'met'], ...cells];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')).join('\n');
}

function readable(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(3);
}

function count(option: 'nodes' | 'pods'): number {
  const value = Number(values[option]);
  if (!Number.isInteger(value) || value < 1) fail(`--${option} must be a whole number above zero`);
  return value;
}

function fail(message: string): void {
  console.error(`bench: ${message}`);
  process.exitCode = 1;
}
