import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { ClusterDevices, preparePod } from '../../src/core/devices/dynamic-resources.js';
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../src/core/kubernetes/objects/dra.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import { evaluatePlacement } from '../../src/core/placement/evaluate-placement.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import { SchedulingRun } from '../../src/core/scheduling/run/scheduling-run.js';
import { schedulePod } from '../../src/core/scheduling/schedule-pod.js';
import {
  COSTLY_REQUEST,
  deviceCluster,
  nodeNames,
  partitionedGpus,
  plainDevices,
  podWithClaims,
  slice,
} from '../generator/device-cluster.js';
import type { Benchmark } from '../measure.js';
import { size } from '../brief.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
const NODES = size(1_000, 30);
const MANY_DEVICES = size(10_000, 100);

/** What is measured: a pod with claims of its own in a cluster that has been asked about another pod. */
interface OnePod {
  readonly name: string;
  readonly about: string;
  readonly target: number;
  readonly cluster: () => ClusterState;
  readonly pod: Pod;
  /** The nodes on which the pod fits. */
  readonly feasible: number;
}

const GPU_NODES = nodeNames(NODES);

/** One pod against all nodes, whose claims are like no others. */
const onePod = ({ name, about, target, cluster, pod, feasible }: OnePod): Benchmark => ({
  name,
  unit: 'ms',
  target: { absolute: target },
  about: `${about}, every filter, with nothing kept of the same claims; reference: the devices alone, node by node, with nothing kept at all`,
  rounds: 5,
  prepare: () => {
    const state = cluster();
    evaluatePlacement(state, { pod });
    return {
      subject: () => {
        const { now, asked } = withOwnClaims(state, pod);
        const started = performance.now();
        const { counts } = evaluatePlacement(now, { pod: asked });
        const taken = performance.now() - started;
        if (counts.feasible !== feasible)
          throw new Error(`${name}: ${counts.feasible} of ${feasible} nodes are feasible`);
        return taken;
      },
      reference: () => {
        const { now, asked } = withOwnClaims(state, pod);
        const started = performance.now();
        let fits = 0;
        const devices = devicesOf(now);
        for (let node = 0; node < now.nodes.count; node++) {
          const prepared = preparePod(devices, asked, undefined);
          if (prepared.code === 'Success' && prepared.pod.on(now.nodes.node(node)).code === 'Success') fits += 1;
        }
        const taken = performance.now() - started;
        if (fits !== feasible) throw new Error(`${name}: the two disagree`);
        return taken;
      },
    };
  },
});

/** The pod with claims that are there, each with a spec of its own. */
function withOwnClaims(state: ClusterState, pod: Pod): { readonly now: ClusterState; readonly asked: Pod } {
  const claims = (pod.spec.resourceClaims ?? []).map(({ name, resourceClaimTemplateName = '' }): ResourceClaim => {
    const template = state.find('ResourceClaimTemplate', 'default', resourceClaimTemplateName) as ResourceClaimTemplate;
    const { spec = {} } = structuredClone(template.spec ?? {});
    return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata: { name, namespace: 'default' }, spec };
  });
  const resourceClaims = claims.map(({ metadata: { name } }) => ({ name, resourceClaimName: name }));
  return { now: state.apply({ upserts: claims }), asked: { ...pod, spec: { ...pod.spec, resourceClaims } } };
}

const devicesOf = (state: ClusterState): ClusterDevices =>
  ClusterDevices.of({
    claims: state.objects('ResourceClaim') as readonly ResourceClaim[],
    templates: state.objects('ResourceClaimTemplate') as readonly ResourceClaimTemplate[],
    classes: state.objects('DeviceClass') as readonly DeviceClass[],
    slices: state.objects('ResourceSlice') as readonly ResourceSlice[],
    taintRules: [],
  });

const gpuCluster = (): ClusterState =>
  deviceCluster(
    GPU_NODES,
    GPU_NODES.flatMap((name) => partitionedGpus(name)),
  );

export const devicesOnePod = (): Benchmark =>
  onePod({
    name: 'devices-one-pod',
    about: `one pod with two claims, for a whole GPU and for the half of one, against ${NODES} nodes of 8 GPUs each with partitions`,
    target: 20,
    cluster: gpuCluster,
    pod: podWithClaims('asked'),
    feasible: NODES,
  });

export const devicesOneNode = (): Benchmark =>
  onePod({
    name: 'devices-one-node',
    about: `one pod with two claims against a node of ${MANY_DEVICES} devices, of which the last two are what it wants`,
    target: 1_000,
    cluster: () => deviceCluster(['a'], [slice('a', 'devices', { devices: plainDevices(MANY_DEVICES) })]),
    pod: podWithClaims('asked'),
    feasible: 1,
  });

/** Of every third node the new generation lacks a slice; of every third the old one is still there. */
export const devicesLyingSlices = (): Benchmark =>
  onePod({
    name: 'devices-lying-slices',
    about: `the same pod against ${NODES} nodes of whose pools a third is complete, a third lacks a slice of its new generation, and a third has two complete generations`,
    target: 30,
    cluster: () =>
      deviceCluster(
        GPU_NODES,
        GPU_NODES.flatMap((name, index) => {
          if (index % 3 === 0) return partitionedGpus(name);
          const old = partitionedGpus(name);
          return index % 3 === 1
            ? [...old, ...partitionedGpus(name, { generation: 2, resourceSliceCount: 3 })]
            : [...old, ...partitionedGpus(name, { generation: 2 })];
        }),
      ),
    pod: podWithClaims('asked'),
    feasible: GPU_NODES.filter((_, index) => index % 3 !== 1).length,
  });

/** Few, because the reference evaluates the selector on a device of each. */
const COSTLY_NODES = GPU_NODES.slice(0, 10);

export const devicesCostlySelector = (): Benchmark =>
  onePod({
    name: 'devices-costly-selector',
    about: `one pod whose selector costs more than Kubernetes allows on each device, against ${COSTLY_NODES.length} nodes of 8 GPUs`,
    target: 5_000,
    cluster: () =>
      deviceCluster(
        COSTLY_NODES,
        COSTLY_NODES.flatMap((name) => partitionedGpus(name)),
        [COSTLY_REQUEST],
      ),
    pod: podWithClaims('asked', [COSTLY_REQUEST.name]),
    feasible: 0,
  });

const PODS = size(2_000, 50);
const SAMPLED = size(20, 2);

/** Pods with devices, each after those before it. */
export const devicesQueue = (): Benchmark => ({
  name: 'devices-queue',
  unit: 'pods/s',
  target: { absolute: 100, ratio: 2 },
  about: `${PODS} pods with two claims each, placed one after another on ${NODES} nodes of 8 GPUs with partitions, every filter and score; reference: the plain evaluation of the first ${SAMPLED}`,
  rounds: 3,
  prepare: () => {
    const pods = Array.from({ length: PODS }, (_, index) => podWithClaims(`pod-${index}`));
    return {
      subject: () => placedPerSecond(gpuCluster(), pods, (run, _state, pod) => run.schedule(pod).outcome === 'placed'),
      reference: () =>
        placedPerSecond(gpuCluster(), pods.slice(0, SAMPLED), (run, state, pod) => {
          const decision = schedulePod(state().compacted(), pod, PROFILE);
          return decision.outcome === 'placed' && run.schedule(pod).outcome === 'placed';
        }),
    };
  },
});

function placedPerSecond(
  state: ClusterState,
  pods: readonly Pod[],
  place: (run: SchedulingRun, state: () => ClusterState, pod: Pod) => boolean,
): number {
  const started = performance.now();
  const run = new SchedulingRun(state, PROFILE);
  for (const pod of pods) {
    if (!place(run, () => run.state(), pod)) throw new Error(`devices-queue: ${pod.metadata.name} was not placed`);
  }
  return (pods.length * 1000) / (performance.now() - started);
}
