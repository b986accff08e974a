import { setTimeout as wait } from 'node:timers/promises';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark, Sample } from '../measure.js';
import { BenchService } from '../service/bench-service.js';
import { runLoadApart } from '../service/open-loop-process.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { newPodsLike } from './sample-pods.js';

const RATE = 500;
/** The number of different pods to request; of some of them, the service still has the evaluation when it is asked again. */
const PODS = 1000;
const PAGE = 100;
const WARM_UP_SECONDS = 6;
const SECONDS = 10;

const LOAD = `p99 from the moment a request is due to its last byte, at ${RATE} requests a second (open loop, from another process, not compressed), ${PODS} distinct pods in turn, first page of ${PAGE} nodes`;

/** Evaluates one pod against all nodes over HTTP. */
export const placementHttp = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http',
  unit: 'ms',
  target: { absolute: 10 },
  about: `${LOAD}; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => loads(await bed.service(), cluster.state),
});

/** The same while the service ingests one full snapshot after another into a different cluster. */
export const placementHttpWhileIngesting = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http-while-ingesting',
  unit: 'ms',
  target: { absolute: 10 },
  about: `${LOAD}, while full snapshots of another cluster are taken in; reference: GET /healthz at the same rate, meanwhile too`,
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const stop = ingestOnAndOn(service, await bed.dump());
    return { ...loads(service, cluster.state), teardown: stop };
  },
});

/** The same, with the response grouped by nodes that are equal for the pod, including all node names. */
export const placementHttpGroups = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http-groups',
  unit: 'ms',
  target: { absolute: 10 },
  about: `${LOAD.replace(`first page of ${PAGE} nodes`, 'by groups, with the names of all nodes')}; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => loads(await bed.service(), cluster.state, 'groups'),
});

const WORKERS = 2;
const RATE_OF_WORKERS = 1000;

/** The same, twice as fast, from several processes on one port. */
export const placementHttpWorkers = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http-workers',
  unit: 'ms',
  target: { absolute: 50 },
  about: `${LOAD.replace(String(RATE), String(RATE_OF_WORKERS))}, with WORKERS=${WORKERS}; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => {
    await bed.service();
    const service = await BenchService.start(await bed.sharedDatabase(), [], { WORKERS: String(WORKERS) });
    return { ...loads(service, cluster.state, 'nodes', RATE_OF_WORKERS), teardown: () => service.stop() };
  },
});

type View = 'groups' | 'nodes';

function loads(
  service: BenchService,
  state: ClusterState,
  view: View = 'nodes',
  rate = RATE,
): { readonly subject: Sample; readonly reference: Sample } {
  const sampleOf = sampler(service, rate);
  const bodies = placementBodies(state, PODS, view);
  return {
    subject: sampleOf('placements', { method: 'POST', path: `/api/v1/clusters/${CLUSTER}/placements`, bodies }),
    reference: sampleOf('healthz', { method: 'GET', path: '/healthz', bodies: [] }),
  };
}

/** Measures the p99 latency at a request rate, in milliseconds. The first call is a shorter warm-up. */
export function sampler(service: BenchService, rate = RATE, warmUpSeconds = WARM_UP_SECONDS) {
  return (about: string, request: Pick<Parameters<typeof runLoadApart>[0], 'method' | 'path' | 'bodies'>): Sample => {
    let sent = 0;
    return async (): Promise<number> => {
      const seconds = sent === 0 ? warmUpSeconds : SECONDS;
      const result = await runLoadApart({ url: service.url, ...request, firstBody: sent, rate, seconds });
      sent += result.sent;
      const { p50, p99, greatest, meanBytes, unanswered } = result;
      const sizes = `${(meanBytes / 1000).toFixed(1)} KB an answer${unanswered === 0 ? '' : `, ${unanswered} not answered in time`}`;
      console.log(
        `  ${about}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, greatest ${greatest.toFixed(1)} ms, ${sizes}`,
      );
      return p99;
    };
  };
}

/** Manifests of pods like those of the cluster, as a client would send them: without status, owner or node. */
export function placementBodies(state: ClusterState, count = PODS, view: View = 'nodes'): readonly string[] {
  return newPodsLike(state, count).map(({ metadata: { name, namespace, labels }, spec }) =>
    stringifyJson({
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec },
      ...(view === 'nodes' ? { view, limit: PAGE } : { view }),
    }),
  );
}

/**
 * Ingests snapshots continuously.
 * @returns a function that stops the loop and aborts the current snapshot
 */
function ingestOnAndOn(service: BenchService, dump: string): () => Promise<void> {
  const stopping = new AbortController();
  const ended = (async () => {
    for (let number = 1; !stopping.signal.aborted; number++) {
      const name = `incoming-${number}`;
      try {
        await service.takeSnapshot(name, dump, stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) throw error;
        // The service detects the disconnect and discards the snapshot.
        await wait(500);
        return;
      }
      await service.deleteCluster(name);
      console.log(`  a snapshot was taken in meanwhile`);
    }
  })();
  ended.catch(() => undefined);
  return async () => {
    stopping.abort();
    await ended;
  };
}
