import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { KeptKind } from '../../../src/core/kubernetes/kinds.js';
import { Dice } from '../../support/dice.js';
import { nameOf, pause, type ApiServer } from '../api-server.js';
import type { Course, CourseEvent } from './course.js';
import { NAMESPACES, PRIORITY_CLASSES, randomNode, randomNodePatch, randomPod, services } from './random-cluster.js';

export interface LiveOptions {
  readonly pods: number;
  readonly nodes: number;
  /** Pods that are created together. */
  readonly batch: number;
  readonly seed: number;
}

/** Kinds of which the course has all objects, most of them none. */
export const ALL_KINDS: readonly KeptKind[] = [
  ...(['Node', 'Pod', 'Namespace', 'Service', 'ReplicationController', 'ReplicaSet', 'StatefulSet'] as const),
  ...(['PodDisruptionBudget', 'DeviceClass', 'PersistentVolumeClaim', 'PersistentVolume', 'StorageClass'] as const),
  ...(['ResourceQuota', 'CSINode', 'CSIDriver', 'CSIStorageCapacity', 'VolumeAttachment'] as const),
];
const WATCHED = ['/api/v1/nodes', '/api/v1/pods', '/api/v1/namespaces', '/api/v1/services'];
/** How long a batch may take. */
const PATIENCE = 60_000;
const LOOK = 20;
const FIRST_START = Date.UTC(2026, 0, 1);

interface WatchedPod {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: {
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly { readonly type: string }[];
  };
}

/** Creates random nodes and pods in a real control plane, and writes down what its scheduler did, as a watch shows it. */
export async function liveCourse(api: ApiServer, options: LiveOptions): Promise<Course> {
  const dice = new Dice(options.seed);
  await setUp(api, options, dice);
  const initial: JsonObject[] = [];
  const events: { event: Omit<CourseEvent, 'batch'>; version: number; batch: number }[] = [];
  const pods = new Map<string, WatchedPod>();
  let batch = 0;
  const started = new Set<string>();
  const failures: Error[] = [];
  const stops: (() => void)[] = [];
  for (const path of WATCHED) {
    const list = await api.must('GET', path);
    const kind = (list['kind'] as string).replace(/List$/, '');
    initial.push(
      ...(list['items'] as readonly JsonObject[]).map((item) => ({ ...item, apiVersion: list['apiVersion']!, kind })),
    );
    const { resourceVersion } = list['metadata'] as { readonly resourceVersion: string };
    const onEvent = (line: JsonObject): void => {
      const { type, object } = line as unknown as { readonly type: CourseEvent['type']; readonly object: JsonObject };
      const { metadata } = object as unknown as WatchedPod;
      events.push({ event: { type, object, at: Date.now() }, version: Number(metadata.resourceVersion), batch });
      if (kind !== 'Pod') return;
      const key = `${metadata.namespace}/${metadata.name}`;
      if (type === 'DELETED') pods.delete(key);
      else pods.set(key, object as unknown as WatchedPod);
    };
    const onEnd = (error?: Error): unknown => failures.push(error ?? new Error(`the watch of ${path} ended`));
    stops.push(api.watch(`${path}?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=3600`, onEvent, onEnd));
  }
  try {
    let created = 0;
    while (created < options.pods) {
      const size = Math.min(options.batch, options.pods - created);
      const wanted = Array.from({ length: size }, () => randomPod(dice, created++));
      await Promise.all(wanted.map((pod) => api.must('POST', collection(pod), pod)));
      const keys = wanted.map((pod) => `${namespaceOf(pod)}/${nameOf(pod)}`);
      const end = Date.now() + PATIENCE;
      // A pod that was nominated is waited for. Preempted pods are gone.
      const isDecided = (key: string): boolean => {
        const pod = pods.get(key);
        if (pod === undefined || (pod.spec.nodeName ?? '') !== '') return true;
        return isTold(pod) && (pod.status?.nominatedNodeName ?? '') === '';
      };
      const seen = new Set<string>();
      for (;;) {
        for (const key of pods.keys()) seen.add(key);
        if (keys.every((key) => seen.has(key) && isDecided(key)) || Date.now() > end) break;
        if (failures.length > 0) throw failures[0]!;
        await pause(LOOK);
      }
      batch++;
      await startBound(api, pods, started);
      const waiting = [...pods.values()].filter(({ spec }) => (spec.nodeName ?? '') === '');
      await Promise.all(
        waiting.map(({ metadata }) =>
          api.must('DELETE', `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`),
        ),
      );
      if (dice.chance(25)) {
        const node = `n${String(dice.below(options.nodes)).padStart(3, '0')}`;
        await api.must('PATCH', `/api/v1/nodes/${node}`, randomNodePatch(dice));
      }
      // The scheduler sees it before the next pods come.
      await pause(LOOK * 3);
      batch++;
      if (created % 500 < options.batch) process.stderr.write(`${created} pods\n`);
    }
  } finally {
    for (const stop of stops) stop();
  }
  const sorted = events
    .sort((a, b) => a.version - b.version)
    .map(({ event, batch: one }) => ({ ...event, batch: one }));
  return { name: `seed ${options.seed}`, initial, events: sorted, loadedKinds: ALL_KINDS };
}

/** Plays the kubelets: each bound pod starts, at a second of its own, since those decide which are evicted first. */
async function startBound(api: ApiServer, pods: ReadonlyMap<string, WatchedPod>, started: Set<string>): Promise<void> {
  const bound = [...pods].filter(([key, { spec }]) => (spec.nodeName ?? '') !== '' && !started.has(key));
  await Promise.all(
    bound.map(([key, { metadata }]) => {
      const startTime = new Date(FIRST_START + started.add(key).size * 1_000).toISOString().replace('.000Z', 'Z');
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
      return api.ask('PATCH', path, { status: { phase: 'Running', startTime } });
    }),
  );
}

const isTold = ({ status }: WatchedPod): boolean =>
  status?.conditions?.some(({ type }) => type === 'PodScheduled') === true;

const namespaceOf = (object: JsonObject): string => (object['metadata'] as { readonly namespace: string }).namespace;

const collection = (pod: JsonObject): string => `/api/v1/namespaces/${namespaceOf(pod)}/pods`;

async function setUp(api: ApiServer, { nodes }: LiveOptions, dice: Dice): Promise<void> {
  for (const name of NAMESPACES) {
    const metadata = { name, labels: { team: name } };
    await api.must('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  }
  for (const one of PRIORITY_CLASSES) await api.must('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', one);
  for (const service of services()) {
    await api.must('POST', `/api/v1/namespaces/${namespaceOf(service)}/services`, service);
  }
  for (let index = 0; index < nodes; index++) {
    const node = randomNode(dice, index);
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() }];
    await api.must('POST', '/api/v1/nodes', { ...node, status: { ...(node['status'] as JsonObject), conditions } });
  }
  for (const name of NAMESPACES) {
    await api.until(`the service account of ${name}`, async () => {
      const { code } = await api.ask('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`);
      return code === 200 ? true : undefined;
    });
  }
  await api.until('nodes without the not-ready taint', async () => {
    const { items } = (await api.must('GET', '/api/v1/nodes')) as unknown as {
      readonly items: readonly { readonly spec: { readonly taints?: readonly { readonly key: string }[] } }[];
    };
    const left = items.filter(({ spec }) =>
      (spec.taints ?? []).some(({ key }) => key.startsWith('node.kubernetes.io/')),
    );
    return left.length === 0 ? true : undefined;
  });
}
