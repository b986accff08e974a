import { ClusterState } from '../cluster/cluster-state.js';
import { compare } from '../json/compare.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { decodeQuantity, QuantityError, type Quantity } from '../kubernetes/quantity.js';
import { familyHeader, formatLabels, formatSample, type MetricFamily } from './metric-family.js';

/** Pods, nodes or quotas processed between two yields. */
const STRIDE = 1024;

export interface KubeStateMetricsOptions {
  /** Names of families; all by default. */
  readonly families?: ReadonlySet<string> | undefined;
  /** Replaces each value of a taint or toleration. */
  readonly valueMask?: string | undefined;
}

/**
 * A state in the text format of Prometheus: the metrics of kube-state-metrics on overhead, runtime classes, taints,
 * tolerations and quotas, with its names, types and labels. A generator of pieces of text, some of them empty, so that the
 * caller can let other work run in between. With {@link OPENMETRICS_END} the text is a page of OpenMetrics.
 *
 * As in kube-state-metrics, ended pods are included. Two differences: equal tolerations of a pod result in one sample even if
 * they have `tolerationSeconds`, since a page with a duplicate sample is invalid; and resources are in the order of their
 * names.
 *
 * Source: k8s.io/kube-state-metrics/v2, docs/metrics and internal/store/{pod,node,resourcequota}.go.
 */
export function* stepKubeStateMetrics(
  state: ClusterState,
  { families, valueMask }: KubeStateMetricsOptions = {},
): Generator<string, undefined> {
  const pods = new PodLabels(state, valueMask);
  const quotas = state.objects('ResourceQuota') as readonly ResourceQuota[];
  const page: readonly (readonly [MetricFamily, number, (index: number) => readonly Sample[]])[] = [
    [NODE_SPEC_TAINT, state.nodes.count, (node) => taintSamples(state, node, valueMask)],
    [POD_OVERHEAD_CPU_CORES, state.pods.count, (pod) => overheadSamples(pods, pod, 'cpu')],
    [POD_OVERHEAD_MEMORY_BYTES, state.pods.count, (pod) => overheadSamples(pods, pod, 'memory')],
    [POD_RUNTIMECLASS_NAME_INFO, state.pods.count, (pod) => runtimeClassSamples(pods, pod)],
    [POD_TOLERATIONS, state.pods.count, (pod) => tolerationSamples(pods, pod)],
    [RESOURCEQUOTA, quotas.length, (index) => quotaSamples(quotas[index]!)],
  ];
  for (const [family, count, samplesOf] of page) {
    if (families?.has(family.name) !== false) yield* stepFamily(family, count, samplesOf);
  }
  return undefined;
}

/** The last line of a page of OpenMetrics; the older text format has no such line. */
export const OPENMETRICS_END = '# EOF\n';

/** The samples of a pod on that page, one line each. */
export function podMetricLines(pod: Pod, options: KubeStateMetricsOptions = {}): readonly string[] {
  const page = [...stepKubeStateMetrics(ClusterState.build([pod], ['Pod']), options)].join('');
  return page.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
}

const NODE_SPEC_TAINT: MetricFamily = {
  name: 'kube_node_spec_taint',
  help: 'The taint of a cluster node.',
  stable: true,
};
const POD_OVERHEAD_CPU_CORES: MetricFamily = {
  name: 'kube_pod_overhead_cpu_cores',
  help: 'The pod overhead in regards to cpu cores associated with running a pod.',
};
const POD_OVERHEAD_MEMORY_BYTES: MetricFamily = {
  name: 'kube_pod_overhead_memory_bytes',
  help: 'The pod overhead in regards to memory associated with running a pod.',
};
const POD_RUNTIMECLASS_NAME_INFO: MetricFamily = {
  name: 'kube_pod_runtimeclass_name_info',
  help: 'The runtimeclass associated with the pod.',
};
const POD_TOLERATIONS: MetricFamily = {
  name: 'kube_pod_tolerations',
  help: 'Information about the pod tolerations',
};
const RESOURCEQUOTA: MetricFamily = {
  name: 'kube_resourcequota',
  help: 'Information about resource quota.',
  stable: true,
};

/** The names of the families, in the order of the page. */
export const METRIC_FAMILY_NAMES: readonly string[] = [
  NODE_SPEC_TAINT,
  POD_OVERHEAD_CPU_CORES,
  POD_OVERHEAD_MEMORY_BYTES,
  POD_RUNTIMECLASS_NAME_INFO,
  POD_TOLERATIONS,
  RESOURCEQUOTA,
].map(({ name }) => name);

/** A family, with the samples of each of its objects. */
function* stepFamily(
  family: MetricFamily,
  count: number,
  samplesOf: (index: number) => readonly Sample[],
): Generator<string, undefined> {
  let text = familyHeader(family);
  for (let index = 0; index < count; index++) {
    for (const { labels, value } of samplesOf(index)) text += formatSample(family.name, labels, value);
    if (index % STRIDE === STRIDE - 1) {
      yield text;
      text = '';
    }
  }
  yield text;
  return undefined;
}

interface Sample {
  /** In the format of `formatLabels`. */
  readonly labels: string;
  readonly value: number;
}

const NO_SAMPLES: readonly Sample[] = [];

/** The labels of pods, with caches for parts that many pods share. */
class PodLabels {
  private readonly tolerations = new Map<number, readonly string[]>();

  constructor(
    readonly state: ClusterState,
    private readonly valueMask: string | undefined,
  ) {}

  /** `namespace`, `pod` and `uid`. */
  of(pod: number): string {
    const { pods } = this.state;
    return formatLabels([
      ['namespace', pods.namespace(pod)],
      ['pod', pods.name(pod)],
      ['uid', pods.uid(pod)],
    ]);
  }

  tolerationsOf(pod: number): readonly string[] {
    const set = this.state.pods.tolerationSetId(pod);
    let labels = this.tolerations.get(set);
    if (labels === undefined) {
      const { valueMask } = this;
      labels = [...new Set(this.state.tolerationSets[set]!.map((one) => tolerationLabels(one, valueMask)))];
      this.tolerations.set(set, labels);
    }
    return labels;
  }
}

function taintSamples(
  { nodes, taintSets }: ClusterState,
  node: number,
  valueMask: string | undefined,
): readonly Sample[] {
  const labels = taintSets[nodes.taintSetId(node)]!.map(({ key, value = '', effect }) =>
    formatLabels([
      ['node', nodes.name(node)],
      ['key', key],
      ['value', shownValue(value, valueMask)],
      ['effect', effect],
    ]),
  );
  return [...new Set(labels)].map((text) => ({ labels: text, value: 1 }));
}

function overheadSamples(labels: PodLabels, pod: number, resource: 'cpu' | 'memory'): readonly Sample[] {
  const { pods } = labels.state;
  const amount = pods.specOf(pods.specId(pod)).overhead?.[resource];
  const value = amount === undefined ? undefined : valueOf(amount);
  return value === undefined ? NO_SAMPLES : [{ labels: labels.of(pod), value }];
}

function runtimeClassSamples(labels: PodLabels, pod: number): readonly Sample[] {
  const { pods } = labels.state;
  const { runtimeClassName } = pods.specOf(pods.specId(pod));
  if (runtimeClassName === undefined) return NO_SAMPLES;
  return [{ labels: `${labels.of(pod)},${formatLabels([['runtimeclass_name', runtimeClassName]])}`, value: 1 }];
}

function tolerationSamples(labels: PodLabels, pod: number): readonly Sample[] {
  const tolerations = labels.tolerationsOf(pod);
  if (tolerations.length === 0) return NO_SAMPLES;
  const ofPod = labels.of(pod);
  return tolerations.map((text) => ({ labels: `${ofPod},${text}`, value: 1 }));
}

const shownValue = (value: string, mask: string | undefined): string => (value === '' ? '' : (mask ?? value));

function tolerationLabels(toleration: Toleration, valueMask: string | undefined): string {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  return formatLabels([
    ['key', key],
    ['operator', operator],
    ['value', shownValue(value, valueMask)],
    ['effect', effect],
    ['toleration_seconds', tolerationSeconds?.toString() ?? ''],
  ]);
}

function quotaSamples({ metadata, status }: ResourceQuota): readonly Sample[] {
  const samplesOf = (list: ResourceList = {}, type: string): readonly Sample[] =>
    Object.entries(list)
      .sort(([a], [b]) => compare(a, b))
      .flatMap(([resource, amount]) => {
        const value = valueOf(amount);
        if (value === undefined) return [];
        const labels = formatLabels([
          ['namespace', metadata.namespace ?? ''],
          ['resourcequota', metadata.name],
          ['resource', resource],
          ['type', type],
        ]);
        return [{ labels, value }];
      });
  return [...samplesOf(status?.hard, 'hard'), ...samplesOf(status?.used, 'used')];
}

const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

/** `convertValueToFloat64`: counts in thousandths if they fit; undefined for text that is not a quantity. */
function valueOf(text: string): number | undefined {
  let quantity: Quantity;
  try {
    quantity = decodeQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
  const whole = quantity.value();
  return whole > MAX_MILLI_VALUE ? Number(whole) : Number(quantity.milliValue()) / 1000;
}
