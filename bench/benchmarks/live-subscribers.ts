import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { BareFanOut } from '../service/bare-fan-out.js';
import type { BenchService } from '../service/bench-service.js';
import { preciseNow, Subscribers } from '../service/subscribers.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { size } from '../brief.js';

const SUBSCRIBERS = size(200, 4);
const RATE = 20;
const SECONDS = size(15, 1);
/** The time after which an event counts as lost, in milliseconds. */
const PATIENCE = 10_000;
/** Changes made until all subscriptions have begun, and the time that each is waited for, in milliseconds. */
const FIRST_CHANGES = 20;
const FIRST_PATIENCE = 1000;
const KEY = 'bench.example.com/live';

/** Makes one change. Resolves with its id when the service acknowledges it. */
type Change = () => Promise<string>;

/** Measures event delivery to many subscribers of one changing cluster. */
export const liveSubscribers = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'live-200-subscribers',
  unit: 'ms',
  target: { absolute: 100 },
  about:
    `p99 from the answer to a change to its news at each of ${SUBSCRIBERS} followers, half server-sent events and half GraphQL, ` +
    `${RATE} changes a second; reference: a process that writes notifications of the same size to ${SUBSCRIBERS} connections`,
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const bare = await BareFanOut.start(await bed.sharedDatabase());
    const change = changesOf(service, cluster);
    // Make the first changes before anyone subscribes, so that their cost is not attributed to the subscribers.
    for (let made = 0; made < 10; made++) await change();
    return {
      subject: async () => {
        const before = await service.memory();
        const half = SUBSCRIBERS / 2;
        const path = `/api/v1/clusters/${CLUSTER}/events?types=taintChangeRecorded`;
        const subscribers = await Subscribers.open({
          sse: { url: `${service.url}${path}`, count: half },
          graphql: { url: service.url, cluster: CLUSTER, count: half },
        });
        try {
          const taken = await delays(subscribers, change);
          const { resident } = await service.memory();
          console.log(`  ${said(taken)}; memory ${Math.round(before.resident)} MB, then ${Math.round(resident)} MB`);
          return at(taken, 0.99);
        } finally {
          subscribers.close();
        }
      },
      reference: async () => {
        const subscribers = await Subscribers.open({ sse: { url: bare.url, count: SUBSCRIBERS } });
        try {
          const taken = await delays(subscribers, async () => {
            const id = randomUUID();
            await bare.notify(JSON.stringify({ change: id, padding: 'x'.repeat(600) }));
            return id;
          });
          console.log(`  reference: ${said(taken)}`);
          return at(taken, 0.99);
        } finally {
          subscribers.close();
        }
      },
      teardown: () => bare.stop(),
    };
  },
});

function changesOf(service: BenchService, { state }: BenchCluster): Change {
  let made = 0;
  return async () => {
    const node = state.nodes.name((Math.floor(made / 2) * 37) % state.nodes.count);
    const word = made % 2 === 0 ? `${KEY}=yes:PreferNoSchedule` : `${KEY}:PreferNoSchedule-`;
    made++;
    const body = { nodes: [node], taints: [word], reason: 'a benchmark' };
    const answer = (await service.ask(`/clusters/${CLUSTER}/taint-changes`, body)) as { change: { id: string } };
    return answer.change.id;
  };
}

/** Delays from each acknowledgement to each arrival, in milliseconds, ascending; 0 for an event that arrived first. */
async function delays(subscribers: Subscribers, change: Change): Promise<readonly number[]> {
  await begun(subscribers, change);
  const acknowledged = new Map<string, number>();
  const start = performance.now();
  for (let made = 0; made < RATE * SECONDS; made++) {
    await sleep(Math.max(0, start + (made * 1000) / RATE - performance.now()));
    const id = await change();
    acknowledged.set(id, preciseNow());
  }
  const arrivals = await until(subscribers, [...acknowledged.keys()]);
  const taken = [...acknowledged].flatMap(([id, since]) =>
    arrivals[id]!.map((arrived) => Math.max(0, arrived - since)),
  );
  return taken.sort((a, b) => a - b);
}

/** Makes changes until every subscriber receives one: GraphQL does not acknowledge that a subscription has begun. */
async function begun(subscribers: Subscribers, change: Change): Promise<void> {
  for (let made = 1; made < FIRST_CHANGES; made++) {
    try {
      await until(subscribers, [await change()], FIRST_PATIENCE);
      return;
    } catch (error) {
      if (!(error instanceof LostNews)) throw error;
    }
  }
  await until(subscribers, [await change()]);
}

class LostNews extends Error {}

/** Waits until every subscriber has received the event of each change exactly once. */
async function until(subscribers: Subscribers, ids: readonly string[], patience = PATIENCE) {
  const end = performance.now() + patience;
  for (;;) {
    const arrivals = await subscribers.arrivals();
    const counts = ids.map((id) => arrivals[id]?.length ?? 0);
    if (counts.every((count) => count === SUBSCRIBERS)) return arrivals;
    if (counts.some((count) => count > SUBSCRIBERS)) throw new Error('an event was delivered twice');
    if (performance.now() > end) throw new LostNews(`news were lost: ${Math.min(...counts)} of ${SUBSCRIBERS} came`);
    await sleep(50);
  }
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

function said(taken: readonly number[]): string {
  const [p50, p99, greatest] = [0.5, 0.99, 1].map((share) => at(taken, share).toFixed(2));
  return `${taken.length} deliveries, p50 ${p50} ms, p99 ${p99} ms, greatest ${greatest} ms`;
}
