import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from '../../src/core/json/lossless-json.js';
import { traced } from '../../src/tracing/tracing.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark, Sample } from '../measure.js';
import { BenchService } from '../service/bench-service.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { placementBodies } from './placement-http.js';
import { size } from '../brief.js';

const CALLS = size(1_000_000, 1000);

/** The places where spans would begin, in a service that sends no traces. */
export const tracingOff = (): Benchmark => ({
  name: 'tracing-off',
  unit: 'ms',
  target: { ratio: 0.9 },
  about: `${CALLS} awaited calls through a place where a span would begin, without tracing; reference: the same calls without such a place`,
  rounds: 5,
  prepare: () => {
    let calls = 0;
    const work = (): Promise<number> => Promise.resolve(calls++);
    return Promise.resolve({
      subject: () => each(() => traced('work', work, { attributes: () => ({ calls }) })),
      reference: () => each(() => work()),
    });
  },
});

/** @returns milliseconds of all calls */
async function each(call: () => Promise<number>): Promise<number> {
  const started = performance.now();
  for (let at = 0; at < CALLS; at += 1) await call();
  return performance.now() - started;
}

const REQUESTS = size(250, 5);

/** What the spans of a request cost: its own, those of the question, of the evaluation and of each statement. */
export const tracingOn = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'tracing-on',
  unit: 'ms',
  target: { ratio: 0.8 },
  about: `processor time of the service for a placement over HTTP (distinct pods, first page of nodes), every trace sent by OTLP to a collector, mean of ${REQUESTS}; reference: a service without tracing, on the same database`,
  rounds: 5,
  prepare: async () => {
    const plain = await bed.service();
    let exports = 0;
    const collector = createServer((request, response) => {
      exports += 1;
      request.resume().once('end', () => response.writeHead(200).end());
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const tracing = await BenchService.start(await bed.sharedDatabase(), [], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    });
    const manifests = placementBodies(cluster.state, REQUESTS).map((body) => parseJson(body));
    const sampleOf =
      (service: BenchService): Sample =>
      async () => {
        const before = await service.cpuSeconds();
        for (const manifest of manifests) await service.ask(`/clusters/${CLUSTER}/placements`, manifest);
        return (((await service.cpuSeconds()) - before) / REQUESTS) * 1000;
      };
    return {
      subject: sampleOf(tracing),
      reference: sampleOf(plain),
      teardown: async () => {
        await tracing.stop();
        collector.close();
        if (exports === 0) throw new Error('no traces were sent');
      },
    };
  },
});
