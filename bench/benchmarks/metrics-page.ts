import { get } from 'node:http';
import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import { stepKubeStateMetrics } from '../../src/core/metrics/kube-state-metrics.js';
import type { BenchCluster } from '../bench-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { BenchService } from '../service/bench-service.js';
import { CLUSTER, type TestBed } from '../service/test-bed.js';

/** Renders a loaded state as kube-state-metrics would export it. */
export const metricsPage = (cluster: BenchCluster): Benchmark => ({
  name: 'metrics-page',
  unit: 'ms',
  target: { absolute: 3000, ratio: 1 },
  about:
    'the metrics page of the cluster, made and encoded piece by piece; reference: a plain loop over nodes and pods that writes the same lines, object by object',
  rounds: 5,
  prepare: () => {
    const { state } = cluster;
    if (bytesOf(stepKubeStateMetrics(state)) !== bytesOf(plainPage(state))) {
      throw new Error('metrics-page: the page and the plain loop have not as many bytes');
    }
    return {
      subject: timed('ms', () => bytesOf(stepKubeStateMetrics(state))),
      reference: timed('ms', () => bytesOf(plainPage(state))),
    };
  },
});

/** Measures the additional memory of a service with a loaded cluster while a client reads that page. */
export const metricsPageMemory = (bed: TestBed): Benchmark => ({
  name: 'metrics-page-memory',
  unit: 'MB',
  target: { absolute: 200 },
  about:
    'peak resident memory of a service that has loaded the cluster, over what it held before, while the page is read over HTTP; reference: the size of the page',
  rounds: 3,
  prepare: async () => {
    // A running shared service implies that its database contains the cluster. Use a second one, whose peak excludes the
    // ingest.
    await bed.service();
    const service = await BenchService.start(await bed.sharedDatabase());
    await service.read(`/clusters/${CLUSTER}/nodes?limit=1`);
    let size = 0;
    return {
      subject: async () => {
        const before = await service.forgetPeak();
        size = (await readToTheEnd(`${service.url}/api/v1/clusters/${CLUSTER}/metrics`)) / 1e6;
        return Math.max(0, (await service.memory()).peak - before);
      },
      reference: () => size,
      teardown: () => service.stop(),
    };
  },
});

function readToTheEnd(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.once('end', () => {
        resolve(bytes);
      });
      response.once('error', reject);
    }).once('error', reject);
  });
}

function bytesOf(pieces: Iterable<string>): number {
  let bytes = 0;
  for (const piece of pieces) bytes += Buffer.from(piece).length;
  return bytes;
}

const HEADERS = [
  ['kube_node_spec_taint', '[STABLE] The taint of a cluster node.'],
  ['kube_pod_overhead_cpu_cores', 'The pod overhead in regards to cpu cores associated with running a pod.'],
  ['kube_pod_overhead_memory_bytes', 'The pod overhead in regards to memory associated with running a pod.'],
  ['kube_pod_runtimeclass_name_info', 'The runtimeclass associated with the pod.'],
  ['kube_pod_tolerations', 'Information about the pod tolerations'],
  ['kube_resourcequota', '[STABLE] Information about resource quota.'],
] as const;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

/** The naive reference: reads every object and escapes every label. The generated cluster has no overhead and no quotas. */
function* plainPage({ nodes, pods }: ClusterState): Generator<string> {
  const header = ([name, help]: (typeof HEADERS)[number]): string => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
  yield header(HEADERS[0]);
  for (let index = 0; index < nodes.count; index++) {
    const { metadata, spec = {} } = nodes.node(index);
    for (const { key, value = '', effect } of spec.taints ?? []) {
      yield `kube_node_spec_taint{node="${escaped(metadata.name)}",key="${escaped(key)}",value="${escaped(value)}",effect="${escaped(effect)}"} 1\n`;
    }
  }
  yield header(HEADERS[1]) + header(HEADERS[2]) + header(HEADERS[3]) + header(HEADERS[4]);
  for (let index = 0; index < pods.count; index++) {
    const { metadata, spec } = pods.pod(index);
    const { namespace = '', name, uid = '' } = metadata;
    const ofPod = `namespace="${escaped(namespace)}",pod="${escaped(name)}",uid="${escaped(uid)}"`;
    for (const { key = '', operator = '', value = '', effect = '', tolerationSeconds = '' } of spec.tolerations ?? []) {
      yield `kube_pod_tolerations{${ofPod},key="${escaped(key)}",operator="${escaped(operator)}",value="${escaped(value)}",effect="${escaped(effect)}",toleration_seconds="${tolerationSeconds}"} 1\n`;
    }
  }
  yield header(HEADERS[5]);
}
