import { DEFAULT_RULES } from '../../src/core/kubernetes/kubernetes-rules.js';
import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { KubernetesObject } from '../../src/core/kubernetes/objects/meta.js';
import type { ResourceQuota } from '../../src/core/kubernetes/objects/quota.js';
import { recountQuota } from '../../src/core/quota/recount.js';
import { stepChangedQuotaUsage } from '../../src/core/quota/step-changed-quota-usage.js';
import { stepQuotaUsage, type QuotaUsages } from '../../src/core/quota/step-quota-usage.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { size } from '../brief.js';

const QUOTAS = size(1_000, 20);
/** The number of quotas in the reference's sample: all of them would take minutes. */
const SAMPLE = 10;
const NOW = Date.parse('2026-01-01T00:00:00Z');
const HARD = { 'requests.cpu': '10k', 'requests.memory': '100Ti', 'limits.cpu': '20k', pods: '100k' };

/** The generated cluster with several quotas in each namespace, some with scopes. */
function withQuotas({ state }: BenchCluster): ClusterState {
  const namespaces = new Set<string>();
  for (let pod = 0; pod < state.pods.count; pod++) namespaces.add(state.pods.namespace(pod));
  const names = [...namespaces].sort();
  const upserts: KubernetesObject[] = Array.from({ length: QUOTAS }, (_, index): ResourceQuota => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: names[index % names.length]!, name: `quota-${index}` },
    spec: { hard: HARD, ...(index % 3 === 0 ? { scopes: ['NotBestEffort'] } : {}) },
  }));
  return state.fork().apply({ upserts, loadedKinds: ['ResourceQuota'] });
}

function finished<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Computes quota usage from a loaded state. */
export const quotaUsage = (cluster: BenchCluster): Benchmark => ({
  name: 'quota-usage',
  unit: 'ms',
  target: { absolute: 1_000, ratio: 10 },
  about: `what ${QUOTAS} quotas have used, from a loaded state; reference: the plain loop over the pods of each quota's namespace, over ${SAMPLE} quotas spread evenly and scaled up to all`,
  rounds: 3,
  prepare: () => {
    const state = withQuotas(cluster);
    return {
      subject: timed('ms', () => finished(stepQuotaUsage(state, { now: NOW }))),
      reference: timed('ms', () => plainLoop(state), SAMPLE / QUOTAS),
    };
  },
});

function plainLoop(state: ClusterState): number {
  const { pods } = state;
  let counted = 0;
  const quotas = state.objects('ResourceQuota') as readonly ResourceQuota[];
  for (let index = 0; index < SAMPLE; index++) {
    const quota = quotas[Math.floor((index * quotas.length) / SAMPLE)]!;
    const found = (function* () {
      for (let pod = 0; pod < pods.count; pod++) {
        if (pods.namespace(pod) === quota.metadata.namespace) yield pods.pod(pod);
      }
    })();
    counted += recountQuota(quota, found, { now: NOW, rules: DEFAULT_RULES, others: () => undefined }).size;
  }
  return counted;
}

/** Computes the same after one pod has changed. */
export const quotaUsageDelta = (cluster: BenchCluster): Benchmark => ({
  name: 'quota-usage-delta',
  unit: 'ms',
  target: { absolute: 5, ratio: 20 },
  about: `what ${QUOTAS} quotas have used after one pod has changed; reference: counted from scratch`,
  rounds: 7,
  prepare: () => {
    const before = withQuotas(cluster);
    const former: QuotaUsages = finished(stepQuotaUsage(before, { now: NOW }));
    const pod = before.pods.pod(Math.floor(before.pods.count / 2));
    const state = before.apply({
      upserts: [{ ...pod, status: { ...pod.status, phase: 'Succeeded' } } as KubernetesObject],
    });
    const { namespace = '', name } = pod.metadata;
    const changed = [{ kind: 'Pod', namespace, name }];
    return {
      subject: timed('ms', () => finished(stepChangedQuotaUsage(former, { state, now: NOW, changed }))),
      reference: timed('ms', () => finished(stepQuotaUsage(state, { now: NOW }))),
    };
  },
});
