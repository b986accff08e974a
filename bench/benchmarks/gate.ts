import { documentsOf } from '../../src/app/manifests/given-manifests.js';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { finish } from '../../src/core/collections/finish.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { stepGate, type Gate, type GateObject } from '../../src/core/gate/step-gate.js';
import { findFields } from '../../src/core/kubernetes/manifests/check-fields.js';
import { readManifests } from '../../src/core/kubernetes/manifests/read-manifests.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import type { Deployment } from '../../src/core/kubernetes/objects/workloads.js';
import { DEFAULT_GATES, gatesOf } from '../../src/core/kubernetes/toleration.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import { schedulePod, type SchedulingProfile } from '../../src/core/scheduling/schedule-pod.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark, type Target } from '../measure.js';
import type { TestBed } from '../service/test-bed.js';
import { CLUSTER } from '../service/test-bed.js';
import { sampler } from './placement-http.js';
import { newPodsLike } from './sample-pods.js';
import { size } from '../brief.js';

const NOW = Date.UTC(2026, 4, 4);
const PROFILE: SchedulingProfile = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
/** Distinct requests, asked in turn. */
const REQUESTS = size(200, 5);
const REPLICAS = size(50, 2);
const WORKLOADS = size(200, 3);
/** Of the Deployments that are updated, at least; most of their pods have a node afterwards. */
const UPDATED_REPLICAS = size(24, 2);
const RATE = size(100, 10);
const SAMPLED = size(10, 2);
/** A gate runs through so much code that V8 goes on optimizing it for some thousand requests. */
const WARM_UP_SECONDS = size(30, 1);

interface Size {
  readonly name: string;
  readonly target: Target;
  /** What is sent. */
  readonly what: string;
  readonly requests: (state: ClusterState) => readonly (readonly JsonObject[])[];
  /** Pods that have a node afterwards, at least. */
  readonly pods: number;
  readonly rounds: number;
}

/** The gate of one Deployment. */
export const gate = (cluster: BenchCluster): Benchmark =>
  gateOf(cluster, {
    name: 'gate',
    target: { absolute: 15 },
    what: `a Deployment of ${REPLICAS} replicas`,
    requests: (state) => deployments(state, REQUESTS, REPLICAS).map((one) => [one]),
    pods: REPLICAS,
    rounds: 20,
  });

/** The gate of a whole platform's manifests. */
export const gateOfMany = (cluster: BenchCluster): Benchmark =>
  gateOf(cluster, {
    name: 'gate-200-workloads',
    target: { absolute: 1000, ratio: 5 },
    what: `${WORKLOADS} Deployments of 5 replicas`,
    requests: (state) => [deployments(state, WORKLOADS, 5)],
    pods: WORKLOADS * 5,
    rounds: 3,
  });

/** The gate of a Deployment that is there, with another template: every pod that waits may take the place of an old one. */
export const gateOfUpdate = (cluster: BenchCluster): Benchmark =>
  gateOf(cluster, {
    name: 'gate-update',
    target: { absolute: 3000 },
    what: 'an update of a stored Deployment of 20 replicas or more',
    requests: (state) => updates(state).map((one) => [one]),
    pods: UPDATED_REPLICAS - UPDATED_REPLICAS / 6,
    rounds: 3,
  });

/** The gate of a DaemonSet with a pod on each node. */
export const gateOfDaemonSet = (cluster: BenchCluster): Benchmark =>
  gateOf(cluster, {
    name: 'gate-daemon-set',
    target: { absolute: 1500 },
    what: 'a DaemonSet for every node',
    requests: () => [[DAEMON_SET]],
    pods: cluster.shape.nodes,
    rounds: 3,
  });

function gateOf(
  cluster: BenchCluster,
  { name, target, what, requests: requestsIn, pods: expected, rounds }: Size,
): Benchmark {
  const { nodes, pods } = cluster.shape;
  return {
    name,
    unit: 'ms',
    target,
    about:
      `${what} on ${nodes} nodes and ${pods} pods: fields, admission, controllers, scheduler and warnings; ` +
      `reference: the plain evaluation of ${SAMPLED} pods, scaled up to ${expected}`,
    rounds,
    prepare: () => {
      const { state } = cluster;
      const requests = requestsIn(state);
      let asked = 0;
      return {
        subject: timed('ms', () => {
          const { judgement, rollout } = ask(state, requests[asked++ % requests.length]!);
          const bound = rollout.workloads.reduce((sum, one) => sum + (one.object === undefined ? 0 : one.bound), 0);
          if (bound < expected) throw new Error(`${judgement.verdict}: ${judgement.summary}`);
        }),
        reference: () => {
          const started = performance.now();
          let current = state;
          for (const pod of newPodsLike(state, SAMPLED)) current = placePlainly(current, pod);
          return ((performance.now() - started) / SAMPLED) * expected;
        },
      };
    },
  };
}

const DAEMON_SET: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'new-agent', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { app: 'new-agent' } },
    template: {
      metadata: { labels: { app: 'new-agent' } },
      spec: {
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            name: 'agent',
            image: 'registry.example.com/agent:1',
            resources: { requests: { cpu: '1m', memory: '1Mi' } },
          },
        ],
      },
    },
  },
};

/** Stored Deployments with another label in their templates, so that their pods are replaced. */
function updates(state: ClusterState): readonly JsonObject[] {
  const large = (state.objects('Deployment') as readonly Deployment[]).filter(
    ({ spec }) => (spec?.replicas ?? 1) >= UPDATED_REPLICAS,
  );
  return large.slice(0, REQUESTS).map(({ apiVersion, kind, metadata: { name, namespace = '' }, spec }) => {
    const { template, ...rest } = spec!;
    const labels = { ...template?.metadata?.labels, version: 'next' };
    const changed = { ...template, metadata: { ...template?.metadata, labels } };
    return {
      apiVersion,
      kind,
      metadata: { name, namespace },
      spec: { ...rest, template: changed },
    } as unknown as JsonObject;
  });
}

/** The gate of one Deployment over HTTP. */
export const gateHttp = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'gate-http',
  unit: 'ms',
  target: { absolute: 25 },
  about: `p99 of gates at ${RATE} requests a second (open loop, from another process), ${REQUESTS} distinct Deployments of ${REPLICAS} replicas in turn, not recorded, after ${WARM_UP_SECONDS} s of them; reference: GET /healthz at the same rate`,
  rounds: 3,
  prepare: async () => {
    const service = await bed.service();
    const bodies = deployments(cluster.state, REQUESTS, REPLICAS).map((manifest) =>
      JSON.stringify({ manifests: [manifest], record: false }),
    );
    const sampleOf = sampler(service, RATE, WARM_UP_SECONDS);
    return {
      subject: sampleOf('gates', { method: 'POST', path: `/api/v1/clusters/${CLUSTER}/gates`, bodies }),
      reference: sampleOf('healthz', { method: 'GET', path: '/healthz', bodies: [] }),
    };
  },
});

export function ask(state: ClusterState, manifests: readonly JsonObject[]): Gate {
  const read = readManifests(documentsOf(manifests, '/manifests'));
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  const objects = read.objects.map((object): GateObject => ({
    object,
    fields: findFields(object, undefined),
  }));
  const options = { now: NOW, gates: gatesOf(state.rules), fieldValidation: 'Strict', proposes: true } as const;
  return finish(stepGate(state, objects, options));
}

/** Deployments with the pods of others: their tolerations, selectors and requests, under new names. */
export function deployments(state: ClusterState, count: number, replicas: number): readonly JsonObject[] {
  const { pods } = state;
  const found: JsonObject[] = [];
  for (const { metadata, spec } of newPodsLike(state, count * 2)) {
    if (found.length === count) break;
    if (metadata.ownerReferences?.[0]?.kind !== 'ReplicaSet') continue;
    const name = `new-${found.length}`;
    const labels = { app: name };
    const { containers, tolerations, nodeSelector } = spec;
    found.push({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: metadata.namespace!, labels },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: containers.map(({ resources }, index) => ({
              name: `c${index}`,
              image: 'registry.example.com/app:1',
              ...(resources && { resources: resources as unknown as JsonObject }),
            })),
            ...(tolerations && { tolerations: tolerations as unknown as JsonObject[] }),
            ...(nodeSelector && { nodeSelector: nodeSelector as JsonObject }),
          },
        },
      },
    });
  }
  if (found.length < count) throw new Error(`only ${found.length} of ${pods.count} pods belong to a ReplicaSet`);
  return found;
}

function placePlainly(state: ClusterState, pod: Pod): ClusterState {
  const decision = schedulePod(state, pod, PROFILE);
  if (decision.outcome !== 'placed') return state;
  const bound: Pod = { ...pod, spec: { ...pod.spec, nodeName: state.nodes.name(decision.node) } };
  return state.apply({ upserts: [bound] });
}
