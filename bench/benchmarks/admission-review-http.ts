import { stringifyJson } from '../../src/core/json/lossless-json.js';
import type { BenchCluster } from '../bench-cluster.js';
import type { Benchmark } from '../measure.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';
import { sampler } from './placement-http.js';
import { newPodsLike } from './sample-pods.js';
import { size } from '../brief.js';

const PODS = size(1000, 50);
const BASE = `/api/v1/clusters/${CLUSTER}`;

/** Calls the mutating webhook as an API server does. One pod in four gets an addition, which is stored before the response. */
export const admissionReviewHttp = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'admission-review-http',
  unit: 'ms',
  target: { absolute: 10 },
  about: `p99 of webhook calls at 500 a second (open loop, from another process), ${PODS} distinct pods in turn, of which one in four may use a pool: what is added is on the record before the answer; reference: GET /healthz at the same rate`,
  rounds: 2,
  prepare: async () => {
    const service = await bed.service();
    const pods = newPodsLike(cluster.state, PODS);
    const call = async (method: string, body?: object): Promise<void> => {
      const answer = await fetch(`${service.url}${BASE}/pools/bench`, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`the pool was not ${method}: ${await answer.text()}`);
    };
    await call('PUT', {
      nodes: { matchLabels: { 'kubernetes.io/os': 'linux' } },
      taints: ['bench=pool:NoSchedule'],
      labels: { bench: 'pool' },
      users: { namespaces: ['bench-users'] },
    });
    const bodies = pods.map(({ metadata: { name, labels }, spec }, index) => {
      const namespace = index % 4 === 0 ? 'bench-users' : 'bench-others';
      return stringifyJson({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
          kind: { group: '', version: 'v1', kind: 'Pod' },
          resource: { group: '', version: 'v1', resource: 'pods' },
          namespace,
          name,
          operation: 'CREATE',
          userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
          object: { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec },
          oldObject: null,
          dryRun: false,
        },
      });
    });
    const sampleOf = sampler(service);
    return {
      subject: sampleOf('webhook', { method: 'POST', path: `${BASE}/webhooks/mutate-pods?timeout=10s`, bodies }),
      reference: sampleOf('healthz', { method: 'GET', path: '/healthz', bodies: [] }),
      teardown: () => call('DELETE'),
    };
  },
});
