import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from '../measure.js';
import { bareWork } from '../service/bare-reader-process.js';
import type { BenchService } from '../service/bench-service.js';
import { connect, follow, FOLLOWED, type FollowBed, untilStored, untilWatched } from '../service/follow-bed.js';
import type { GeneratedApiServer } from '../service/generated-api-server.js';
import { size } from '../brief.js';

const EVENTS = size(50_000, 500);
const SMALL_CLUSTERS = size(200, 3);
const SMALL = { nodes: 5, pods: 50, taintSets: 3, tolerationSets: 10 };
const MEDIUM = { nodes: size(500, 10), pods: size(10_000, 100) };
/** Milliseconds without changes, first for what follows a first list, then for what is measured. */
const IDLE = size(20_000, 500);

/** Reads and stores a cluster for the first time. */
export const followFirstList = (bed: FollowBed): Benchmark => ({
  name: 'follow-first-list',
  unit: 's',
  target: { absolute: 60 },
  about: `a cluster of ${bed.shape.nodes} nodes and ${bed.shape.pods} pods from its connection to the stored head and watches of all kinds; reference: the same pages read and put through JSON.parse, in another process`,
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const { api, seconds } = await bed.big();
    return { subject: () => seconds, reference: async () => (await lists(api)).seconds };
  },
});

/** The memory that this takes. */
export const followFirstListMemory = (bed: FollowBed): Benchmark => ({
  name: 'follow-first-list-memory',
  unit: 'MB',
  target: { absolute: 1000 },
  about: `peak resident memory of the service (its Postgres apart) meanwhile; reference: that of the process that reads and parses the pages, one after another`,
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const { api, peakMemory } = await bed.big();
    return { subject: () => peakMemory, reference: async () => (await lists(api)).peakMemory };
  },
});

const lists = ({ served }: GeneratedApiServer) => bareWork({ ...served, work: 'lists', cluster: 'bare' });

/** Takes in what changes, as fast as it can. */
export const followEvents = (bed: FollowBed): Benchmark => ({
  name: 'follow-events',
  unit: 'events/s',
  target: { absolute: 2000 },
  about: `${EVENTS} events of pods that changed in the followed cluster of ${bed.shape.pods} pods, from the first sent to the last stored; reference: the same events read and put through JSON.parse, in another process`,
  rounds: 2,
  warmUp: false,
  prepare: async () => {
    const { api, service } = await bed.big();
    return {
      subject: async () => {
        const started = performance.now();
        const { version } = await api.events(FOLLOWED, EVENTS);
        await untilStored(service, FOLLOWED, 'Pod', version);
        return (EVENTS / (performance.now() - started)) * 1000;
      },
      reference: async () => {
        const { seconds } = await bareWork({ ...api.served, work: 'events', cluster: 'bare', count: EVENTS }, () =>
          api.events('bare', EVENTS),
        );
        return EVENTS / seconds;
      },
    };
  },
});

/** From a write at the API server to an answer that knows it. */
export const followWriteToAnswer = (bed: FollowBed): Benchmark => ({
  name: 'follow-write-to-answer',
  unit: 'ms',
  target: { absolute: 1500 },
  about: `p99 from a taint that the API server of the ${bed.shape.pods} pods tells its watches of to an answer with it, in a cluster that was asked before, with changes collected for a second; reference: the median of the same`,
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const { api, service } = await bed.big();
    const taint = (key: string): Promise<Write> => api.taint(FOLLOWED, key);
    // The first question loads the state.
    const first = await answered(taint, service, FOLLOWED, 1, 0);
    console.log(`  the first question since the cluster was read is answered after ${first.median.toFixed(0)} ms`);
    const taken = await answered(taint, service, FOLLOWED, size(40, 2), 700);
    return { subject: () => taken.p99, reference: () => taken.median };
  },
});

/** The same without collecting changes. */
export const followWriteToAnswerAtOnce = (bed: FollowBed): Benchmark => ({
  name: 'follow-write-to-answer-0',
  unit: 'ms',
  target: { absolute: 100 },
  about: `the same in a cluster of ${MEDIUM.nodes} nodes and ${MEDIUM.pods} pods with FOLLOW_COALESCE_MS=0; reference: the median of the same`,
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const api = await bed.api(MEDIUM);
    const service = await bed.service(await bed.newDatabase(), { FOLLOW_COALESCE_MS: '0' });
    await follow(service, api, 'medium');
    await untilWatched(service, 'medium');
    const taint = (key: string): Promise<Write> => api.taint('medium', key);
    await answered(taint, service, 'medium', 10, 50);
    const taken = await answered(taint, service, 'medium', size(200, 5), 50);
    return { subject: () => taken.p99, reference: () => taken.median, teardown: () => service.stop() };
  },
});

interface Taken {
  readonly p99: number;
  readonly median: number;
}

let tainted = 0;

/** When something was written, in milliseconds since the epoch, and the node. */
interface Write {
  readonly at: number;
  readonly node: string;
}

/** @param between milliseconds between two writes, by which they also move against the rhythm of the commits */
async function answered(
  taint: (key: string) => Promise<Write>,
  service: BenchService,
  cluster: string,
  writes: number,
  between: number,
): Promise<Taken> {
  const taken: number[] = [];
  for (let write = 0; write < writes; write += 1) {
    const key = `written-${(tainted += 1)}`;
    const { at, node } = await taint(key);
    for (;;) {
      const answer = await service.read(`/clusters/${cluster}/nodes/${node}`);
      if (JSON.stringify(answer).includes(`"${key}"`)) break;
    }
    taken.push(performance.timeOrigin + performance.now() - at);
    await sleep(between + (write % 7) * 13);
  }
  taken.sort((a, b) => a - b);
  return { p99: taken[Math.ceil(taken.length * 0.99) - 1]!, median: taken[taken.length >> 1]! };
}

const LIVE = 'live';

/** A real API server, from the connection to the stored head. */
export const followLiveFirstList = (bed: FollowBed): Benchmark => ({
  name: 'follow-live-first-list',
  unit: 's',
  target: { absolute: 10 },
  about:
    'a running control plane with 500 nodes and 2000 pods, from its connection to the stored head and watches of all kinds; reference: its nodes and pods read in pages and parsed',
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const { plane, seconds } = await bed.live();
    return { subject: () => seconds, reference: () => plane.read() };
  },
});

/** From the API server's answer to a write to an answer of the service that knows it. */
export const followLiveWriteToAnswer = (bed: FollowBed): Benchmark => ({
  name: 'follow-live-write-to-answer',
  unit: 'ms',
  target: { absolute: 1500 },
  about: 'p99 from a taint written to that control plane to an answer with it; reference: the median of the same',
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const { plane, service } = await bed.live();
    const taken = await answered((key) => plane.taint(key), service, LIVE, size(60, 2), 700);
    return { subject: () => taken.p99, reference: () => taken.median };
  },
});

/** The same without collecting changes. */
export const followLiveWriteToAnswerAtOnce = (bed: FollowBed): Benchmark => ({
  name: 'follow-live-write-to-answer-0',
  unit: 'ms',
  target: { absolute: 100 },
  about: 'the same with FOLLOW_COALESCE_MS=0; reference: the median of the same',
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const { plane } = await bed.live();
    const service = await bed.service(await bed.newDatabase(), { FOLLOW_COALESCE_MS: '0' });
    await connect(service, plane.kubeconfig, LIVE);
    await untilWatched(service, LIVE);
    const taint = (key: string): Promise<Write> => plane.taint(key);
    await answered(taint, service, LIVE, 10, 50);
    const taken = await answered(taint, service, LIVE, size(200, 5), 50);
    return { subject: () => taken.p99, reference: () => taken.median, teardown: () => service.stop() };
  },
});

/** What a followed cluster in which nothing happens costs. */
export const followIdleMemory = (bed: FollowBed): Benchmark => ({
  name: 'follow-idle-memory',
  unit: 'MB',
  target: { absolute: 5 },
  about: `resident memory of a service that follows ${SMALL_CLUSTERS} clusters of ${SMALL.nodes} nodes and ${SMALL.pods} pods, each kind with a watch, above that before, per cluster; reference: that of a process with as many open watches over TLS`,
  rounds: 1,
  warmUp: false,
  prepare: async () => {
    const api = await bed.api(SMALL);
    const service = await bed.service(await bed.newDatabase());
    const { resident } = await service.memory();
    const started = performance.now();
    for (let cluster = 0; cluster < SMALL_CLUSTERS; cluster += 1) await follow(service, api, `small-${cluster}`);
    for (let cluster = 0; cluster < SMALL_CLUSTERS; cluster += 1) await untilWatched(service, `small-${cluster}`);
    console.log(`  all watched after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    await sleep(IDLE);
    const before = await service.cpuSeconds();
    await sleep(IDLE);
    const load = (((await service.cpuSeconds()) - before) / (IDLE / 1000)) * 100;
    console.log(`  ${load.toFixed(1)} % of a core while nothing happens`);
    return {
      subject: async () => ((await service.memory()).resident - resident) / SMALL_CLUSTERS,
      reference: async () => (await bareWork({ ...api.served, work: 'idle', clusters: SMALL_CLUSTERS })).peakMemory,
      teardown: () => service.stop(),
    };
  },
});

/** How long a followed cluster is nobody's after its follower has died. */
export const followTakeover = (bed: FollowBed): Benchmark => ({
  name: 'follow-takeover',
  unit: 's',
  target: { absolute: 15 },
  about: `from the death of the replica that follows a cluster of ${MEDIUM.nodes} nodes and ${MEDIUM.pods} pods to an answer of the other one with what was written after it; reference: from the end of one that is told to end`,
  rounds: 3,
  warmUp: false,
  prepare: async () => {
    const api = await bed.api(MEDIUM);
    const databaseUrl = await bed.newDatabase();
    const start = (): Promise<BenchService> => bed.service(databaseUrl);
    let holder = await start();
    await follow(holder, api, 'medium');
    await untilWatched(holder, 'medium');
    const without = async (end: (service: BenchService) => Promise<void>): Promise<number> => {
      const other = await start();
      // Its first round has ended: it waits for the lease.
      await sleep(4_000);
      const started = performance.now();
      const ended = end(holder);
      holder = other;
      await ended;
      const key = `written-${(tainted += 1)}`;
      const { node } = await api.taint('medium', key);
      while (!JSON.stringify(await other.read(`/clusters/medium/nodes/${node}`)).includes(`"${key}"`)) await sleep(50);
      return (performance.now() - started) / 1000;
    };
    return {
      subject: () => without((service) => service.kill()),
      reference: () => without((service) => service.stop()),
    };
  },
});
