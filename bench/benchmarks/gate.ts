import type { JsonObject } from '../../src/core/json/json-value.js';
import { finish } from '../../src/core/collections/finish.js';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { stepGate, type Gate, type GateObject } from '../../src/core/gate/step-gate.js';
import { checkFields } from '../../src/core/kubernetes/manifests/check-fields.js';
import { readManifests } from '../../src/core/kubernetes/manifests/read-manifests.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../../src/core/kubernetes/toleration.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../src/core/scheduling/profile-plugins.js';
import { schedulePod, type SchedulingProfile } from '../../src/core/scheduling/schedule-pod.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark, type Target } from '../measure.js';
import type { TestBed } from '../service/test-bed.js';
import { CLUSTER } from '../service/test-bed.js';
import { sampler } from './placement-http.js';
import { newPodsLike } from './sample-pods.js';

const NOW = Date.UTC(2026, 4, 4);
const PROFILE: SchedulingProfile = profilePlugins(DEFAULT_PROFILE);
/** Distinct requests, asked in turn. */
const REQUESTS = 200;
const RATE = 100;
const SAMPLED = 10;

interface Size {
  readonly name: string;
  readonly target: Target;
  readonly workloads: number;
  readonly replicas: number;
  readonly rounds: number;
}

/** The gate of one Deployment. */
export const gate = (cluster: BenchCluster): Benchmark =>
  gateOf(cluster, { name: 'gate', target: { absolute: 15 }, workloads: 1, replicas: 50, rounds: 20 });

/** The gate of a whole platform's manifests. */
export const gateOfMany = (cluster: BenchCluster): Benchmark =>
  gateOf(cluster, {
    name: 'gate-200-workloads',
    target: { absolute: 1000, ratio: 5 },
    workloads: 200,
    replicas: 5,
    rounds: 3,
  });

function gateOf(cluster: BenchCluster, { name, target, workloads, replicas, rounds }: Size): Benchmark {
  const { nodes, pods } = cluster.shape;
  return {
    name,
    unit: 'ms',
    target,
    about:
      `${workloads === 1 ? 'a Deployment' : `${workloads} Deployments`} of ${replicas} replicas on ${nodes} nodes and ${pods} pods: fields, admission, controllers, ` +
      `scheduler and warnings; reference: the plain evaluation of ${SAMPLED} pods, scaled up to ${workloads * replicas}`,
    rounds,
    prepare: () => {
      const { state } = cluster;
      const manifests = deployments(state, Math.max(REQUESTS, workloads), replicas);
      const requests = workloads === 1 ? manifests.map((one) => [one]) : [manifests.slice(0, workloads)];
      let asked = 0;
      return {
        subject: timed('ms', () => {
          const { judgement, rollout } = ask(state, requests[asked++ % requests.length]!);
          const created = rollout.workloads.reduce((sum, one) => sum + one.created, 0);
          if (created < workloads * replicas) throw new Error(`${judgement.verdict}: ${judgement.summary}`);
        }),
        reference: () => {
          const started = performance.now();
          let current = state;
          for (const pod of newPodsLike(state, SAMPLED)) current = placePlainly(current, pod);
          return ((performance.now() - started) / SAMPLED) * workloads * replicas;
        },
      };
    },
  };
}

/** The gate of one Deployment over HTTP. */
export const gateHttp = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'gate-http',
  unit: 'ms',
  target: { absolute: 25 },
  about: `p99 of gates at ${RATE} requests a second (open loop, from another process), ${REQUESTS} distinct Deployments of 50 replicas in turn, not recorded; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const bodies = deployments(cluster.state, REQUESTS, 50).map((manifest) =>
      JSON.stringify({ manifests: [manifest], record: false }),
    );
    const sampleOf = sampler(service, RATE);
    return {
      subject: sampleOf('gates', { method: 'POST', path: `/api/v1/clusters/${CLUSTER}/gates`, bodies }),
      reference: sampleOf('healthz', { method: 'GET', path: '/healthz', bodies: [] }),
    };
  },
});

export function ask(state: ClusterState, manifests: readonly JsonObject[]): Gate {
  const documents = manifests.map((value, document) => ({
    document,
    format: 'value' as const,
    value,
    pointer: `/manifests/${document}`,
  }));
  const read = readManifests(documents);
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  const objects = read.objects.map((object): GateObject => ({
    object,
    check: checkFields(object, undefined, 'Strict'),
  }));
  const options = { now: NOW, gates: DEFAULT_GATES, fieldValidation: 'Strict', proposes: true } as const;
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
