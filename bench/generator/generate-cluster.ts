import { DEFAULT_SHAPE, type ClusterShape } from './cluster-shape.js';
import { generateNode, generateNodeRoom, type NodeRoom } from './generated-node.js';
import { generatePod } from './generated-pod.js';
import { generatePools, generateTolerationSets, type Pool } from './generated-pools.js';
import { generateWorkload, generateWorkloadObjects, requestOf, type GeneratedWorkload } from './generated-workload.js';
import { Random } from './random.js';

/** An unpruned object as `kubectl get -o json` shows it. */
export type RawObject = Readonly<Record<string, unknown>>;

/**
 * Generates the objects of a synthetic cluster one by one: nodes, namespaces, service accounts, workloads, then pods. The same shape and
 * seed produce the same bytes. Bound pods fit their nodes (cpu, memory, pod count) and tolerate all taints of their
 * nodes except cordons. Pods that find no room are pending, in addition to the pending share.
 */
export function* generateCluster(shape: Partial<ClusterShape> = {}): Generator<RawObject> {
  const full = { ...DEFAULT_SHAPE, ...shape };
  const random = new Random(full.seed);
  const pools = generatePools(full);
  const rooms = generateRooms(full, pools);
  for (const [index, room] of rooms.entries()) yield generateNode(room, index, random);

  const workloads = generateWorkloads(full, pools, random);
  for (const namespace of new Set(workloads.map((workload) => workload.namespace))) {
    yield namespaceNamed(namespace);
    yield serviceAccountNamed('default', namespace);
  }
  for (const workload of workloads) {
    yield serviceAccountNamed(workload.name, workload.namespace);
    yield* generateWorkloadObjects(workload);
  }
  yield* generatePods(full, workloads, rooms, random);
}

/** The pool without taints gets two fifths of the nodes; the other pools share the rest. */
function generateRooms({ nodes, taintSets }: ClusterShape, pools: readonly [Pool, ...Pool[]]): readonly NodeRoom[] {
  const general = pools.length === 1 ? nodes : Math.floor(nodes * 0.4);
  const rooms: NodeRoom[] = [];
  for (let index = 0; index < nodes; index++) {
    // First one node for each taint set, so that every set occurs; then by share.
    const pool =
      index < pools.length
        ? pools[index]!
        : index < taintSets
          ? pools[index - pools.length]!
          : index < general
            ? pools[0]
            : pools[1 + ((index * 7) % (pools.length - 1))]!;
    const first = index >= pools.length && index < taintSets;
    const more = pool.cordons && index % 97 === 0 && index >= taintSets;
    rooms.push(generateNodeRoom(index, pool, first || more));
  }
  return rooms;
}

function generateWorkloads(
  shape: ClusterShape,
  pools: readonly [Pool, ...Pool[]],
  random: Random,
): readonly GeneratedWorkload[] {
  const sets = generateTolerationSets(shape, pools);
  const workloads: GeneratedWorkload[] = [];
  let left = shape.pods;
  const most = Math.max(4, Math.min(120, Math.floor(shape.pods / 100)));
  // A tenth of the pods belong to DaemonSets, which run on every node; at least one DaemonSet if there is room.
  const daemonSets = Math.min(8, Math.max(left > shape.nodes * 2 ? 1 : 0, Math.floor((left * 0.1) / shape.nodes)));
  for (let i = 0; i < daemonSets; i++) {
    workloads.push(generateWorkload(workloads.length, 'DaemonSet', shape.nodes, sets[0], random));
    left -= shape.nodes;
  }
  for (let index = 0; left > 0; index++) {
    const set = sets[index < sets.length ? index : random.skewed(sets.length)] ?? sets[0];
    const kind = random.chance(0.1) ? 'StatefulSet' : random.chance(0.08) ? 'Job' : 'Deployment';
    // Leave at least one pod for each remaining toleration set.
    const spare = Math.max(1, left - Math.max(0, sets.length - index - 1));
    const replicas = Math.min(spare, 1 + random.skewed(kind === 'StatefulSet' ? 12 : most));
    workloads.push(generateWorkload(workloads.length, kind, replicas, set, random));
    left -= replicas;
  }
  return workloads;
}

function* generatePods(
  { pendingShare }: ClusterShape,
  workloads: readonly GeneratedWorkload[],
  rooms: readonly NodeRoom[],
  random: Random,
): Generator<RawObject> {
  const byPool = new Map<number, NodeRoom[]>();
  for (const room of rooms) {
    const list = byPool.get(room.pool.index) ?? [];
    byPool.set(room.pool.index, list);
    list.push(room);
  }
  for (const workload of workloads) {
    if (workload.kind === 'DaemonSet') {
      for (const [ordinal, room] of rooms.entries()) {
        const fits = take(room, workload);
        yield generatePod(workload, ordinal, fits ? room : undefined, random);
      }
      continue;
    }
    const own = byPool.get(workload.set.pool.index) ?? [];
    const general = byPool.get(0) ?? [];
    let cursor = random.below(1_000_000);
    for (let ordinal = 0; ordinal < workload.replicas; ordinal++) {
      const waits = random.chance(pendingShare);
      const [first, second] = workload.selectsPool ? [own, []] : random.chance(0.5) ? [own, general] : [general, own];
      const room = waits ? undefined : (findRoom(first, cursor++, workload) ?? findRoom(second, cursor++, workload));
      yield generatePod(workload, ordinal, room, random);
    }
  }
}

/** The first node with room for a pod among at most 50 nodes starting at an index. */
function findRoom(rooms: readonly NodeRoom[], start: number, workload: GeneratedWorkload): NodeRoom | undefined {
  for (let step = 0; step < Math.min(50, rooms.length); step++) {
    const room = rooms[(start + step) % rooms.length]!;
    if (take(room, workload)) return room;
  }
  return undefined;
}

function take(room: NodeRoom, workload: GeneratedWorkload): boolean {
  const [milliCPU, memoryMi] = requestOf(workload);
  if (room.freePods < 1 || room.freeMilliCPU < milliCPU || room.freeMemoryMi < memoryMi) return false;
  room.freePods--;
  room.freeMilliCPU -= milliCPU;
  room.freeMemoryMi -= memoryMi;
  return true;
}

const namespaceNamed = (name: string): RawObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
});

const serviceAccountNamed = (name: string, namespace: string): RawObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace },
});
