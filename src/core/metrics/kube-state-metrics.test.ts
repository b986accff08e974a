import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { METRIC_FAMILY_NAMES, podMetricLines, stepKubeStateMetrics } from './kube-state-metrics.js';
import { formatSample } from './metric-family.js';

const pod = (name: string, spec: Partial<Pod['spec']>, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns1', uid: `uid-${name}` },
  spec: { containers: [], ...spec },
  status: { phase },
});

const page = (...objects: readonly KubernetesObject[]): string =>
  [...stepKubeStateMetrics(ClusterState.build(objects, ['Node', 'Pod', 'ResourceQuota']))].join('');

/** The samples of one family. */
const samples = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`));

describe('stepKubeStateMetrics', () => {
  it('writes the name and type of every family, even for an empty state', () => {
    expect(page()).toBe(
      `# HELP kube_node_spec_taint [STABLE] The taint of a cluster node.
# TYPE kube_node_spec_taint gauge
# HELP kube_pod_overhead_cpu_cores The pod overhead in regards to cpu cores associated with running a pod.
# TYPE kube_pod_overhead_cpu_cores gauge
# HELP kube_pod_overhead_memory_bytes The pod overhead in regards to memory associated with running a pod.
# TYPE kube_pod_overhead_memory_bytes gauge
# HELP kube_pod_runtimeclass_name_info The runtimeclass associated with the pod.
# TYPE kube_pod_runtimeclass_name_info gauge
# HELP kube_pod_tolerations Information about the pod tolerations
# TYPE kube_pod_tolerations gauge
# HELP kube_resourcequota [STABLE] Information about resource quota.
# TYPE kube_resourcequota gauge
`,
    );
  });

  it('shows the runtime class, and overhead in cores and bytes, also for ended pods', () => {
    const text = page(
      pod('a', { runtimeClassName: 'kata', overhead: { cpu: '250m', memory: '120Mi' } }, 'Succeeded'),
      pod('b', { overhead: { memory: '1' } }),
      pod('c', { runtimeClassName: 'runc', overhead: { cpu: 'no quantity' } }),
    );
    expect(samples(text, 'kube_pod_overhead_cpu_cores')).toEqual([
      'kube_pod_overhead_cpu_cores{namespace="ns1",pod="a",uid="uid-a"} 0.25',
    ]);
    expect(samples(text, 'kube_pod_overhead_memory_bytes')).toEqual([
      'kube_pod_overhead_memory_bytes{namespace="ns1",pod="a",uid="uid-a"} 1.2582912e+08',
      'kube_pod_overhead_memory_bytes{namespace="ns1",pod="b",uid="uid-b"} 1',
    ]);
    expect(samples(text, 'kube_pod_runtimeclass_name_info')).toEqual([
      'kube_pod_runtimeclass_name_info{namespace="ns1",pod="a",uid="uid-a",runtimeclass_name="kata"} 1',
      'kube_pod_runtimeclass_name_info{namespace="ns1",pod="c",uid="uid-c",runtimeclass_name="runc"} 1',
    ]);
  });

  it('shows each taint and toleration once, in the order of the object', () => {
    const seconds = { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
    const text = page(
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n1' },
        spec: {
          taints: [
            { key: 'z', effect: 'NoSchedule' },
            { key: 'a', value: 'x"\\\n', effect: 'NoExecute' },
            { key: 'z', effect: 'NoSchedule' },
          ],
        },
      } as KubernetesObject,
      pod('a', { tolerations: [seconds, {}, seconds] }),
    );
    expect(samples(text, 'kube_node_spec_taint')).toEqual([
      'kube_node_spec_taint{node="n1",key="z",value="",effect="NoSchedule"} 1',
      String.raw`kube_node_spec_taint{node="n1",key="a",value="x\"\\\n",effect="NoExecute"} 1`,
    ]);
    const ofPod = 'kube_pod_tolerations{namespace="ns1",pod="a",uid="uid-a"';
    expect(samples(text, 'kube_pod_tolerations')).toEqual([
      `${ofPod},key="k",operator="Exists",value="",effect="NoExecute",toleration_seconds="300"} 1`,
      `${ofPod},key="",operator="",value="",effect="",toleration_seconds=""} 1`,
    ]);
  });

  it('shows the limits of a quota and the usage in its status', () => {
    const text = page({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'ns1' },
      status: { hard: { pods: '4', 'limits.cpu': '4300m' }, used: { pods: '1' } },
    } as KubernetesObject);
    expect(samples(text, 'kube_resourcequota')).toEqual([
      'kube_resourcequota{namespace="ns1",resourcequota="q",resource="limits.cpu",type="hard"} 4.3',
      'kube_resourcequota{namespace="ns1",resourcequota="q",resource="pods",type="hard"} 4',
      'kube_resourcequota{namespace="ns1",resourcequota="q",resource="pods",type="used"} 1',
    ]);
  });

  it('yields a long page in pieces', () => {
    const pods = Array.from({ length: 3000 }, (_, index) => pod(`p${index}`, { runtimeClassName: 'kata' }));
    const pieces = [...stepKubeStateMetrics(ClusterState.build(pods, ['Pod']))];
    expect(Math.max(...pieces.map((piece) => piece.split('\n').length))).toBeLessThan(1100);
    expect(samples(pieces.join(''), 'kube_pod_runtimeclass_name_info')).toHaveLength(3000);
  });
});

describe('options of the page', () => {
  const state = ClusterState.build(
    [
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n1' },
        spec: { taints: [{ key: 'k', value: 'secret', effect: 'NoSchedule' }] },
      } as KubernetesObject,
      pod('a', {
        tolerations: [
          { key: 'k', operator: 'Equal', value: 'secret' },
          { key: 'k', operator: 'Equal', value: 'other' },
        ],
      }),
    ],
    ['Node', 'Pod'],
  );
  const textOf = (options: Parameters<typeof stepKubeStateMetrics>[1]): string =>
    [...stepKubeStateMetrics(state, options)].join('');

  it.each(METRIC_FAMILY_NAMES.map((name) => [name]))('give %s alone', (name) => {
    const text = textOf({ families: new Set([name]) });
    expect(text.match(/^# TYPE .*$/gm)).toEqual([`# TYPE ${name} gauge`]);
  });

  it('mask values, and still show no sample twice', () => {
    const text = textOf({ valueMask: '***' });
    expect(text).not.toMatch(/secret|other/);
    expect(samples(text, 'kube_node_spec_taint')).toEqual([
      'kube_node_spec_taint{node="n1",key="k",value="***",effect="NoSchedule"} 1',
    ]);
    expect(samples(text, 'kube_pod_tolerations')).toHaveLength(1);
  });
});

describe('podMetricLines', () => {
  it('are the lines of the pod on the page', () => {
    const one = pod('a', { runtimeClassName: 'kata', overhead: { cpu: '250m', memory: '120Mi' } });
    expect(podMetricLines(one)).toEqual(
      page(one)
        .split('\n')
        .filter((line) => line.includes('pod="a"')),
    );
    expect(podMetricLines(one)).toHaveLength(3);
  });
});

describe('formatSample', () => {
  it.each([
    [0, '0'],
    [-1, '-1'],
    [0.25, '0.25'],
    [0.1 + 0.2, '0.30000000000000004'],
    [999_999.5, '999999.5'],
    [1_000_000, '1e+06'],
    [335_544_320, '3.3554432e+08'],
    [1e100, '1e+100'],
    [0.0001, '0.0001'],
    [0.00015, '0.00015'],
    [-0.0001, '-0.0001'],
    [0.00001, '1e-05'],
    [Number.NaN, 'NaN'],
    [-Infinity, '-Inf'],
  ])('writes %d as Go does', (value, text) => {
    expect(formatSample('m', 'a="b"', value)).toBe(`m{a="b"} ${text}\n`);
  });
});
