import { setTimeout as wait } from 'node:timers/promises';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { decodeQuantity } from '../../src/core/kubernetes/quantity.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark, Sample } from '../measure.js';
import { BenchService } from '../service/bench-service.js';
import type { Load } from '../service/open-loop.js';
import { runLoadApart } from '../service/open-loop-process.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { newPodsLike } from './sample-pods.js';
import { size } from '../brief.js';

const RATE = size(500, 20);
/** The number of different pods to request; of most of them, the service still has the answer when it is asked again. */
const PODS = size(1000, 20);
const PAGE = 100;
const WARM_UP_SECONDS = size(6, 1);
const SECONDS = size(10, 1);

const IN_TURN = `${PODS} distinct pods in turn`;
const LOAD = `p99 from the moment a request is due to its last byte, at ${RATE} requests a second (open loop, from another process, not compressed), ${IN_TURN}, first page of ${PAGE} nodes`;

/** Evaluates one pod against all nodes over HTTP. */
export const placementHttp = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http',
  unit: 'ms',
  target: { absolute: 10 },
  about: `${LOAD}; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => loads(await bed.service(), placementBodies(cluster.state)),
});

/** The same for pods that nobody has asked about before, each with a spec of its own: nothing of their answers is kept. */
export const placementHttpNewPods = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http-new-pods',
  unit: 'ms',
  target: { absolute: 10 },
  about: `${LOAD.replace(IN_TURN, 'pods that were never asked about, each with a name and a request of its own')}; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => loads(await bed.service(), newPodBodies(cluster.state)),
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
    return { ...loads(service, placementBodies(cluster.state)), teardown: stop };
  },
});

/** The same, with the response grouped by nodes that are equal for the pod, including all node names. */
export const placementHttpGroups = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http-groups',
  unit: 'ms',
  target: { absolute: 10 },
  about: `${LOAD.replace(`first page of ${PAGE} nodes`, 'by groups, with the names of all nodes')}; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => loads(await bed.service(), placementBodies(cluster.state, PODS, 'groups')),
});

const WORKERS = 2;
/** Each process keeps an answer from its third time on, which takes twice as long as in one. */
const WARM_UP_SECONDS_OF_WORKERS = size(20, 1);
const RATE_OF_WORKERS = size(1000, 20);

/** The same, twice as fast, from several processes on one port. */
export const placementHttpWorkers = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'placement-http-workers',
  unit: 'ms',
  target: { absolute: 50 },
  about: `${LOAD.replace(String(RATE), String(RATE_OF_WORKERS))}, with WORKERS=${WORKERS}, after ${WARM_UP_SECONDS_OF_WORKERS} s of the same; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => {
    const service = await BenchService.start(await bed.databaseAlone(), [], { WORKERS: String(WORKERS) });
    return {
      ...loads(service, placementBodies(cluster.state), RATE_OF_WORKERS, WARM_UP_SECONDS_OF_WORKERS),
      teardown: () => service.stop(),
    };
  },
});

type View = 'groups' | 'nodes';

/** Sent in a cycle; or made, so many from the first on, so that none is sent twice. */
type Bodies = readonly string[] | ((first: number, count: number) => readonly string[]);

function loads(
  service: BenchService,
  bodies: Bodies,
  rate = RATE,
  warmUpSeconds = WARM_UP_SECONDS,
): { readonly subject: Sample; readonly reference: Sample } {
  const sampleOf = sampler(service, rate, warmUpSeconds);
  return {
    subject: sampleOf('placements', { method: 'POST', path: `/api/v1/clusters/${CLUSTER}/placements`, bodies }),
    reference: sampleOf('healthz', { method: 'GET', path: '/healthz', bodies: [] }),
  };
}

/** Measures the p99 latency at a request rate, in milliseconds. The first call is a shorter warm-up. */
export function sampler(service: BenchService, rate = RATE, warmUpSeconds = WARM_UP_SECONDS) {
  return (about: string, request: Pick<Load, 'method' | 'path'> & { readonly bodies: Bodies }): Sample => {
    let sent = 0;
    return async (): Promise<number> => {
      const seconds = sent === 0 ? warmUpSeconds : SECONDS;
      const { bodies: given, ...rest } = request;
      const isMade = typeof given === 'function';
      const bodies = isMade ? given(sent, rate * seconds) : given;
      const firstBody = isMade ? 0 : sent;
      const result = await runLoadApart({ url: service.url, ...rest, bodies, firstBody, rate, seconds });
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
  return newPodsLike(state, count).map((pod) => bodyOf(pod, view));
}

function bodyOf({ metadata: { name, namespace, labels }, spec }: Pod, view: View): string {
  return stringifyJson({
    pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec },
    ...(view === 'nodes' ? { view, limit: PAGE } : { view }),
  });
}

/** The same pods in turn, each time under another name, and with a byte of memory less. */
function newPodBodies(state: ClusterState): Bodies {
  const pods = newPodsLike(state, PODS);
  return (first, count) =>
    Array.from({ length: count }, (_, index) => {
      const number = first + index;
      return bodyOf(withLessMemory(pods[number % pods.length]!, number), 'nodes');
    });
}

function withLessMemory({ metadata, spec, ...pod }: Pod, bytes: number): Pod {
  const [first, ...others] = spec.containers;
  const { requests = {}, limits = {} } = first?.resources ?? {};
  const memory = decodeQuantity(requests['memory'] ?? limits['memory'] ?? '64Mi').value() - BigInt(bytes);
  const resources = { ...first?.resources, requests: { ...requests, memory: String(memory) } };
  const containers = [{ ...first!, resources }, ...others];
  return { ...pod, metadata: { ...metadata, name: `never-asked-${bytes}` }, spec: { ...spec, containers } };
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
