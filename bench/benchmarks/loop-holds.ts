import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import type { BenchService } from '../service/bench-service.js';
import { runLoadApart } from '../service/open-loop-process.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { size } from '../brief.js';

const RATE = size(200, 50);
const SECONDS = size(10, 1);
const EVENTS = size(10_000, 100);
/** As many as the service takes. */
const TERMS = 200;
const CONTAINERS = 250;
const ITEMS = size(500, 20);
const GATED = size(500, 20);
const ANTI_AFFINITY = 50;

interface Question {
  readonly name: string;
  readonly about: string;
  readonly ask: (service: BenchService, state: ClusterState) => Promise<unknown>;
}

const path = (rest: string): string => `/clusters/${CLUSTER}/${rest}`;

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

const podWith = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'new', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

/** What held the event loop longest before it was done in time slices. */
const QUESTIONS: readonly Question[] = [
  {
    name: 'events',
    about: `an eviction schedule with ${EVENTS} events`,
    ask: async (service, { nodes }) => {
      const from = Date.now();
      const events = times(EVENTS, (index) => ({
        at: new Date(from + index * 1000).toISOString(),
        do: 'setTaints',
        node: nodes.name(index % nodes.count),
        taints: ['maintenance=true:NoExecute'],
      }));
      await service.ask(path('eviction-schedules'), { asOf: new Date(from).toISOString(), events });
    },
  },
  {
    name: 'landing',
    about: 'where the pods of a zone land that fails',
    ask: (service) => service.ask(path('eviction-schedules'), { outages: [{ zone: 'eu-central-1a' }], landing: true }),
  },
  {
    name: 'drain',
    about: 'a drain of all nodes, 100 at a time',
    ask: (service) =>
      service.ask(path('drains'), {
        nodeSelector: '',
        options: { force: true, ignoreDaemonSets: true, deleteEmptyDirData: true },
        rolling: { maxParallel: 100 },
      }),
  },
  {
    name: 'taints',
    about: 'a preview of a NoExecute taint on all nodes',
    ask: (service) =>
      service.ask(path('taint-changes'), { allNodes: true, dryRun: true, reason: 'bench', taints: ['a=b:NoExecute'] }),
  },
  {
    name: 'findings',
    about: 'the findings of all clusters',
    ask: (service) => service.read('/findings'),
  },
  {
    name: 'lists',
    about: 'pages of 1,000 nodes and their allocations, and the quotas beside the capacity',
    ask: async (service) => {
      for (const list of ['nodes', 'allocations', 'quota-capacity']) await service.read(path(`${list}?limit=1000`));
    },
  },
  {
    name: 'batch',
    about: `a batch of ${ITEMS} pods that fit nowhere, an answer of 12 MB`,
    ask: (service) =>
      service.ask(path('placements/batch'), {
        items: times(ITEMS, (index) => ({ id: `${index}`, pod: podWith({ nodeSelector: { pool: `none-${index}` } }) })),
      }),
  },
  {
    name: 'gate',
    about: `a gate of ${GATED} different pods, which is recorded`,
    ask: (service) => {
      const manifests = times(GATED, (index) => ({
        ...podWith({
          containers: [{ name: 'c', image: `i${index}`, resources: { requests: { cpu: `${1 + index}m` } } }],
        }),
        metadata: { name: `gated-${index}`, namespace: 'default', labels: { app: `a${index % 100}` } },
      }));
      return service.ask(path('gates'), { manifests, proposeChanges: false });
    },
  },
  {
    name: 'comparison',
    about: 'a comparison of where all pods are placed by two versions of Kubernetes, within 2 s a side',
    ask: (service) =>
      service.ask(path('placement-comparisons'), {
        against: { rulesVersion: '1.32' },
        selection: {},
        timeBudgetMs: 2000,
      }),
  },
  {
    name: 'anti-affinity',
    about: `the ranking of a pod with ${ANTI_AFFINITY} terms of anti-affinity over all namespaces`,
    ask: (service) => {
      const terms = times(ANTI_AFFINITY, (index) => ({
        labelSelector: {
          matchExpressions: [{ key: 'app', operator: 'In', values: [`a${index}`, `${Math.random()}`] }],
        },
        topologyKey: 'kubernetes.io/hostname',
        namespaceSelector: {},
      }));
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
      return service.ask(path('placements'), { pod: podWith({ affinity }), ranking: true });
    },
  },
  {
    name: 'graphql',
    about: 'three pages of 1,000 pods over GraphQL, with their tolerations and nodes',
    ask: (service) => {
      const members =
        'name namespace node labels requests tolerations { key operator value effect } boundNode { name labels allocatable conditions { type status } taints { text } }';
      const pages = times(3, (index) => `p${index}: pods(first: 1000) { edges { cursor node { ${members} } } }`);
      return service.query(`{ cluster(name: "${CLUSTER}") { ${pages.join(' ')} } }`);
    },
  },
  {
    name: 'fixes',
    about: `what would make a pod with ${ANTI_AFFINITY} terms of anti-affinity fit that fits nowhere`,
    ask: (service) => {
      const terms = times(ANTI_AFFINITY, (index) => ({
        labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: [`a${index}`, 'web'] }] },
        topologyKey: 'kubernetes.io/hostname',
        namespaceSelector: {},
      }));
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
      const pod = podWith({ affinity, nodeSelector: { pool: `none-${Math.random()}` } });
      return service.ask(path('placements'), { pod, fixes: true, newNodes: true });
    },
  },
  {
    name: 'large-pods',
    about: `pods with ${TERMS} preferred terms and with ${CONTAINERS} containers`,
    ask: async (service) => {
      const preferred = times(TERMS, (index) => ({
        weight: 1 + (index % 100),
        preference: { matchExpressions: [{ key: `k${index}`, operator: 'In', values: ['a', `${Math.random()}`] }] },
      }));
      const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
      const containers = times(CONTAINERS, (index) => ({
        name: `c${index}`,
        image: `registry.example.com/app:${Math.random()}`,
        resources: { requests: { cpu: '1m', memory: '1Mi' } },
      }));
      for (const spec of [{ affinity }, { containers }]) {
        await service.ask(path('placements'), { pod: podWith(spec), limit: 100 });
      }
    },
  },
];

/** How long others wait at most while a question is asked again and again. */
export const loopHolds = (cluster: BenchCluster, bed: TestBed): readonly Benchmark[] =>
  QUESTIONS.map(({ name, about, ask }) => ({
    name: `holds-${name}`,
    unit: 'ms',
    target: { absolute: 50 },
    about:
      `the longest GET /healthz, ${RATE} a second for ${SECONDS} s from another process, while ${about} is asked on and on; ` +
      'reference: nothing else is asked',
    rounds: 2,
    prepare: async () => {
      const service = await bed.service();
      return {
        subject: async () => {
          const stop = onAndOn(() => ask(service, cluster.state));
          const longest = await longestOf(service, about);
          await stop();
          return longest;
        },
        reference: () => longestOf(service, 'nothing'),
      };
    },
  }));

async function longestOf({ url }: BenchService, asked: string): Promise<number> {
  const load = {
    url,
    method: 'GET' as const,
    path: '/healthz',
    bodies: [],
    firstBody: 0,
    rate: RATE,
    seconds: SECONDS,
  };
  const { p50, p99, greatest } = await runLoadApart(load);
  console.log(`  ${asked}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, greatest ${greatest.toFixed(1)} ms`);
  return greatest;
}

/** @returns stops, and waits for the last answer */
function onAndOn(ask: () => Promise<unknown>): () => Promise<void> {
  let isStopped = false;
  const ended = (async () => {
    while (!isStopped) await ask();
  })();
  ended.catch(() => undefined);
  return async () => {
    isStopped = true;
    await ended;
  };
}
