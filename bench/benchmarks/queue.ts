import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Pod, PodSpec } from '../../src/core/kubernetes/objects/pod.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import { SchedulingRun } from '../../src/core/scheduling/run/scheduling-run.js';
import { schedulePod, type SchedulingProfile } from '../../src/core/scheduling/schedule-pod.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark, Target } from '../measure.js';

const PROFILE: SchedulingProfile = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);

/** The number of pods whose decisions are compared with the naive evaluation before the measurement. */
const CHECKED = 60;

interface Queue {
  readonly name: string;
  readonly about: string;
  readonly target: Target;
  /** The number of pending pods, and the number that the naive evaluation is timed with. */
  readonly pods: number;
  readonly sampled: number;
  readonly spec: (spec: PodSpec, app: string) => PodSpec;
}

/** Schedules pending pods with taints, tolerations, selectors and resources on empty nodes. */
export const plainQueue = (cluster: BenchCluster): Benchmark =>
  queue(cluster, {
    name: 'queue-plain',
    about: 'pending pods with tolerations, node selectors and resources',
    target: { absolute: 10_000, ratio: 20 },
    pods: 20_000,
    sampled: 60,
    spec: (spec) => ({ ...spec, topologySpreadConstraints: [] }),
  });

/** The same, with each workload spread over zones and with anti-affinity to its own pods. */
export const spreadQueue = (cluster: BenchCluster): Benchmark =>
  queue(cluster, {
    name: 'queue-spread',
    about: 'pending pods with zone spread and anti-affinity to their own kind besides',
    target: { absolute: 2000, ratio: 10 },
    pods: 4000,
    sampled: 60,
    spec: (spec, app) => ({
      ...spec,
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app } },
        },
      ],
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
          ],
        },
      },
    }),
  });

function queue(cluster: BenchCluster, { name, about, target, pods, sampled, spec }: Queue): Benchmark {
  return {
    name,
    unit: 'pods/s',
    target,
    about:
      `${pods} ${about}, placed one after another on ${cluster.shape.nodes} nodes, every filter and score; ` +
      `reference: the plain evaluation of the first ${sampled}`,
    rounds: 3,
    prepare: () => {
      const state = emptied(cluster.state);
      const pending = pendingPods(cluster.state, pods, spec);
      check(state, pending.slice(0, CHECKED));
      return {
        subject: () => {
          const started = performance.now();
          const run = new SchedulingRun(state, PROFILE);
          let placed = 0;
          for (const pod of pending) if (run.schedule(pod).outcome === 'placed') placed++;
          const seconds = (performance.now() - started) / 1000;
          console.log(`  ${placed} of ${pending.length} placed`);
          return pending.length / seconds;
        },
        reference: () => {
          let current = state;
          const started = performance.now();
          for (const pod of pending.slice(0, sampled)) current = placePlainly(current, pod).state;
          return sampled / ((performance.now() - started) / 1000);
        },
      };
    },
  };
}

/** The cluster without its pods. */
export function emptied(state: ClusterState): ClusterState {
  const kinds = [...state.loadedKinds].filter((kind) => kind !== 'Pod');
  return ClusterState.build(
    kinds.flatMap((kind) => [...state.objects(kind)]),
    state.loadedKinds,
  );
}

/** Copies of stored pods, except those of DaemonSets, under new names, as if workloads were starting one after another. */
export function pendingPods({ pods }: ClusterState, count: number, change: Queue['spec']): readonly Pod[] {
  const found: Pod[] = [];
  for (let index = 0; found.length < count && index < pods.count; index++) {
    if (pods.ownerReferences(index).some(({ kind }) => kind === 'DaemonSet')) continue;
    const pod = pods.pod(index);
    const spec = { ...pod.spec, nodeName: '' };
    const { labels = {}, namespace = '' } = pod.metadata;
    const app = labels['app.kubernetes.io/name'] ?? labels['app'] ?? '';
    found.push({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: `pending-${index}`, labels: { ...labels, app } },
      spec: change(spec, app),
    });
  }
  return found;
}

function check(state: ClusterState, pods: readonly Pod[]): void {
  const run = new SchedulingRun(state, PROFILE);
  let current = state;
  for (const pod of pods) {
    const fast = run.schedule(pod);
    const plain = placePlainly(current, pod);
    current = plain.state;
    if ((fast.outcome === 'placed' ? fast.node : -1) !== plain.node) {
      throw new Error(`${pod.metadata.name} goes elsewhere than by the plain evaluation`);
    }
  }
}

function placePlainly(state: ClusterState, pod: Pod): { readonly state: ClusterState; readonly node: number } {
  const decision = schedulePod(state, pod, PROFILE);
  if (decision.outcome !== 'placed') return { state, node: -1 };
  const bound: Pod = { ...pod, spec: { ...pod.spec, nodeName: state.nodes.name(decision.node) } };
  return { state: state.apply({ upserts: [bound] }), node: decision.node };
}
