import { stringifyJson } from '../../src/core/json/lossless-json.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { writeBareChanges } from '../service/bare-changes-process.js';
import { sendOneByOne } from '../service/one-by-one-process.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { size } from '../brief.js';

/** The number of changes in one sample. Of 300, the p99 would be the third slowest. */
const CHANGES = size(1000, 6);
const KEY = 'bench.example.com/change';

/** Changes the taints of one node, measured from request to response. The reference writes the same rows directly. */
export const taintChange = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'taint-change',
  unit: 'ms',
  target: { absolute: 10 },
  about: `p99 of ${CHANGES} changes of one node over HTTP, one after another, from another process, with their records, effects and revision; reference: p99 of bare transactions that write the same rows`,
  rounds: 2,
  prepare: async () => {
    const { state } = cluster;
    const service = await bed.service();
    const url = new URL(`/api/v1/clusters/${CLUSTER}/taint-changes`, service.url).href;
    let made = 0;
    const next = (): string => {
      const node = state.nodes.name((Math.floor(made / 2) * 37) % state.nodes.count);
      const word = made % 2 === 0 ? `${KEY}=yes:NoSchedule` : `${KEY}:NoSchedule-`;
      made++;
      return stringifyJson({ nodes: [node], taints: [word], reason: 'a benchmark' });
    };
    const change = (count: number) => sendOneByOne({ url, bodies: Array.from({ length: count }, next) });
    await change(2);
    await service.untilIdle();
    const databaseUrl = await bed.sharedDatabase();
    return {
      subject: async () => p99(await change(CHANGES)),
      reference: async () => p99(await writeBareChanges({ databaseUrl, count: CHANGES })),
    };
  },
});

/** Changes the taints of all nodes and reverts the change. */
export const taintChangeAll = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'taint-change-all-nodes',
  unit: 's',
  target: { absolute: 1 },
  about: `one change of all ${cluster.shape.nodes} nodes over HTTP, with a record for each; reference: COPY of the same rows`,
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const databaseUrl = await bed.sharedDatabase();
    let made = 0;
    const subject = async (): Promise<number> => {
      const word = made++ % 2 === 0 ? `${KEY}=all:NoSchedule` : `${KEY}:NoSchedule-`;
      const started = performance.now();
      await service.ask(`/clusters/${CLUSTER}/taint-changes`, {
        allNodes: true,
        taints: [word],
        reason: 'a benchmark',
      });
      return (performance.now() - started) / 1000;
    };
    return { subject, reference: () => secondsOfLastChange(databaseUrl) };
  },
});

function p99(taken: readonly number[]): number {
  const sorted = taken.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
  console.log(
    `  p50 ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms, greatest ${sorted.at(-1)!.toFixed(2)} ms`,
  );
  return at(0.99);
}

/** @returns the seconds needed to copy the rows of the last change into identical tables */
async function secondsOfLastChange(databaseUrl: string): Promise<number> {
  const [taken] = await writeBareChanges({ databaseUrl, count: 1 });
  return taken! / 1000;
}
