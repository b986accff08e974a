import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import type {
  MachineDeployment,
  MachinePool,
  MachineSet,
  OpenShiftMachineSet,
} from '../kubernetes/objects/machines.js';
import type { Labels, ResourceList } from '../kubernetes/objects/meta.js';
import type { CSINode } from '../kubernetes/objects/storage.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { Quantity } from '../kubernetes/quantity.js';
import { matchesTaint, TAINT_EFFECTS } from '../kubernetes/taint.js';
import { ZONE } from './label-requirements.js';
import type { GroupLimit, GroupReason, NodeGroup, NodeShape } from './node-group.js';
import { shapeOfNodes, zonesOf } from './node-shape.js';
import { templateTaints } from './template-taints.js';

const KINDS = ['MachineDeployment', 'MachineSet', 'MachinePool', 'OpenShiftMachineSet'] as const;
const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io/';
const OPENSHIFT = 'machine.openshift.io/';
const MIN_SIZE = 'cluster-api-autoscaler-node-group-min-size';
const MAX_SIZE = 'cluster-api-autoscaler-node-group-max-size';
const PAUSED = 'cluster.x-k8s.io/paused';
const CLUSTER = 'cluster.x-k8s.io/cluster-name';
export const OWNER_KIND = 'cluster.x-k8s.io/owner-kind';
const OWNER_NAME = 'cluster.x-k8s.io/owner-name';
const UNINITIALIZED: Taint = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' };
/** What the autoscaler takes for granted of a machine whose annotations do not say it. */
const DEFAULT_LABELS: Labels = { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' };
const DEFAULT_MAX_PODS = '110';

type MachineGroup = MachineDeployment | MachineSet | MachinePool;
type AnyMachineGroup = MachineGroup | OpenShiftMachineSet;

const isOfOpenShift = (group: AnyMachineGroup): group is OpenShiftMachineSet => group.kind === 'OpenShiftMachineSet';

/** The autoscaler of OpenShift has the annotations of sizes in another domain. */
const sizeKey = (group: AnyMachineGroup, name: string): string =>
  `${isOfOpenShift(group) ? OPENSHIFT : 'cluster.x-k8s.io/'}${name}`;

/**
 * The groups of Cluster API and of OpenShift that the cluster autoscaler can scale. A MachineSet of a MachineDeployment is a part of it. Groups of other
 * clusters, which a management cluster has, too, are left out, if nodes tell of which cluster they are.
 *
 * Source: kubernetes/autoscaler, commit 55c37cd5 (2026-08-22), cluster-autoscaler/cloudprovider/clusterapi: clusterapi_nodegroup.go,
 * clusterapi_unstructured.go, clusterapi_utils.go; kubernetes-sigs/cluster-api v1.12, api/core/v1beta2. Of OpenShift: the same files of
 * openshift/kubernetes-autoscaler; openshift/machine-api-operator, pkg/util (annotations).
 */
export function machineGroups(state: ClusterState): readonly NodeGroup[] {
  const groups = KINDS.flatMap((kind) => state.objects(kind) as readonly AnyMachineGroup[]).filter(
    ({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === 'MachineDeployment') !== true,
  );
  if (groups.length === 0) return [];
  const nodes = nodesByOwner(state);
  const ofCluster = groups.filter((group) => isOfCluster(group, nodes.cluster));
  const faulty = ofCluster.filter((group) => sizeFault(group) !== undefined);
  return ofCluster.map((group) => {
    const { limits, ...found } = groupOf(group, state, nodes.by.get(ownerKey(group.kind, group.metadata.name)) ?? []);
    return { ...found, limits, reasons: reasonsOf(group, limits, faulty) };
  });
}

function isOfCluster(group: AnyMachineGroup, cluster: string | undefined): boolean {
  if (cluster === undefined || isOfOpenShift(group)) return true;
  return (group.spec?.clusterName ?? cluster) === cluster;
}

interface OwnedNodes {
  /** The cluster that the nodes belong to, by their annotation. */
  readonly cluster: string | undefined;
  readonly by: ReadonlyMap<string, readonly number[]>;
}

const ownerKey = (kind: string, name: string): string => `${kind} ${name}`;

/** Cluster API notes on a node the MachineSet or MachinePool of its machine. */
function nodesByOwner(state: ClusterState): OwnedNodes {
  const deployments = new Map(
    (state.objects('MachineSet') as readonly MachineGroup[]).flatMap(({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'MachineDeployment');
      return owner === undefined ? [] : [[metadata.name, owner.name] as const];
    }),
  );
  const by = new Map<string, number[]>();
  let cluster: string | undefined;
  for (let index = 0; index < state.nodes.count; index++) {
    const annotations = state.nodes.node(index).metadata.annotations ?? {};
    cluster ??= annotations[CLUSTER];
    const key = ownerIn(annotations, deployments);
    if (key === undefined) continue;
    const owned = by.get(key);
    if (owned === undefined) by.set(key, [index]);
    else owned.push(index);
  }
  return { cluster, by };
}

function ownerIn(annotations: Annotations, deployments: ReadonlyMap<string, string>): string | undefined {
  const { [OWNER_KIND]: kind, [OWNER_NAME]: name, [MACHINE]: machine } = annotations;
  if (kind === undefined || name === undefined) {
    const machineSet = MACHINE_NAME.exec(machine ?? '')?.[1];
    return machineSet === undefined ? undefined : ownerKey('OpenShiftMachineSet', machineSet);
  }
  const deployment = kind === 'MachineSet' ? deployments.get(name) : undefined;
  return deployment === undefined ? ownerKey(kind, name) : ownerKey('MachineDeployment', deployment);
}

type Annotations = Readonly<Record<string, string>>;

/** `namespace/name` of a machine of OpenShift. The API server makes the name from that of the MachineSet (`generateName`). */
const MACHINE = `${OPENSHIFT}machine`;
const MACHINE_NAME = /^[^/]+\/(.+)-[a-z0-9]{5}$/;

function groupOf(group: AnyMachineGroup, state: ClusterState, nodes: readonly number[]): Omit<NodeGroup, 'reasons'> {
  const { annotations: given = {}, namespace, name } = group.metadata;
  const annotations = isOfOpenShift(group) ? { ...capacityOfOpenShift(given), ...given } : given;
  const shape = shapeOfNodes(state, nodes) ?? shapeOfAnnotations(annotations);
  const template = templateOf(group);
  const isLikeNode = shape?.source === 'node';
  const annotated = listedLabels(annotations[`${CAPACITY}labels`] ?? '');
  const labels: Labels = isLikeNode ? shape.labels : { ...DEFAULT_LABELS, ...template.labels, ...annotated };
  const sorted = templateTaints(
    merged([
      ...(shape?.taints ?? []),
      ...template.taints.map(({ key, value, effect }) => ({ key, ...defined({ value }), effect })),
      ...(isLikeNode ? [] : listedTaints(annotations[`${CAPACITY}taints`] ?? '')),
    ]),
  );
  const limits = limitsOf(group);
  return {
    kind: group.kind,
    namespace: namespace ?? '',
    name,
    weight: undefined,
    karpenter: undefined,
    labels,
    ...sorted,
    startupTaints: merged([...sorted.startupTaints, ...(isOfOpenShift(group) ? [] : [UNINITIALIZED])]),
    requirements: undefined,
    limits,
    shapes: shape === undefined ? [] : [shape],
    otherZones: [],
    offered: new Map(),
    zones: isLikeNode ? zonesOf(state, nodes) : zonesWithout(labels, template.zones),
    unseenLabels:
      isLikeNode || isOfOpenShift(group)
        ? []
        : [...Object.keys(template.labels), ZONE].filter((key) => annotated[key] === undefined),
  };
}

/** The zones of a group that has no nodes. */
const zonesWithout = ({ [ZONE]: zone }: Labels, ofTemplate: readonly string[] = []): readonly string[] =>
  zone === undefined ? ofTemplate : [zone];

/** What a group gives its nodes. */
function templateOf(group: AnyMachineGroup): {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly zones: readonly string[] | undefined;
} {
  if (isOfOpenShift(group)) {
    const { metadata, taints = [] } = group.spec?.template?.spec ?? {};
    return { labels: metadata?.labels ?? {}, taints, zones: undefined };
  }
  const { template, failureDomains } = group.spec ?? {};
  const { failureDomain, taints = [] } = template?.spec ?? {};
  return {
    labels: managedLabels(template?.metadata?.labels ?? {}),
    taints,
    zones: failureDomain === undefined ? failureDomains : [failureDomain],
  };
}

/** The annotations of OpenShift under the names of the autoscaler, which it prefers if both are there. */
function capacityOfOpenShift(annotations: Annotations): Annotations {
  const given = (name: string): string | undefined => annotations[OPENSHIFT + name];
  const gpus = given('GPU');
  return defined({
    [`${CAPACITY}cpu`]: given('vCPU'),
    // In MiB.
    [`${CAPACITY}memory`]: sizeIn(given('memoryMb')) === undefined ? undefined : `${given('memoryMb')}Mi`,
    [`${CAPACITY}gpu-count`]: gpus,
    [`${CAPACITY}gpu-type`]: gpus === undefined ? undefined : 'nvidia.com/gpu',
    [`${CAPACITY}maxPods`]: given('maxPods'),
  });
}

/** The machine that annotations describe; undefined without CPU and memory, with which the autoscaler can scale from zero. */
function shapeOfAnnotations(annotations: Readonly<Record<string, string>>): NodeShape | undefined {
  const amount = (name: string): string | undefined => positive(annotations[CAPACITY + name]);
  const [cpu, memory] = [amount('cpu'), amount('memory')];
  if (cpu === undefined || memory === undefined) return undefined;
  const [gpuType, gpuCount] = [annotations[`${CAPACITY}gpu-type`], amount('gpu-count')];
  const capacity: ResourceList = {
    cpu,
    memory,
    ...defined({ 'ephemeral-storage': amount('ephemeral-disk') }),
    ...(gpuType !== undefined && gpuType !== '' && gpuCount !== undefined && { [gpuType]: gpuCount }),
    pods: amount('maxPods') ?? DEFAULT_MAX_PODS,
  };
  return {
    source: 'annotations',
    like: undefined,
    labels: {},
    taints: [],
    status: { capacity, allocatable: capacity },
    csiNode: csiNodeOf(annotations[`${CAPACITY}csi-driver`] ?? ''),
  };
}

function positive(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return Quantity.parse(text).sign() > 0 ? text : undefined;
  } catch {
    return undefined;
  }
}

/** `driver=volumes,...` */
function csiNodeOf(text: string): CSINode | undefined {
  const drivers = text.split(',').flatMap((item) => {
    const [name = '', count = ''] = item.trim().split('=');
    return name === '' || !/^\d{1,9}$/.test(count)
      ? []
      : [{ name, nodeID: name, allocatable: { count: Number(count) } }];
  });
  return drivers.length === 0
    ? undefined
    : { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: '' }, spec: { drivers } };
}

/** The labels of machines that Cluster API copies to their nodes. The autoscaler looks for them where Cluster API has none. */
function managedLabels(labels: Labels): Labels {
  return Object.fromEntries(
    Object.entries(labels).filter(([key]) => {
      const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
      return (
        domain === 'node-role.kubernetes.io' ||
        ['node-restriction.kubernetes.io', 'node.cluster.x-k8s.io'].some(
          (managed) => domain === managed || domain.endsWith(`.${managed}`),
        )
      );
    }),
  );
}

/** `key=value,...`; the autoscaler does not trim keys and values. */
function listedLabels(text: string): Labels {
  return Object.fromEntries(
    text.split(',').flatMap((item) => {
      const at = item.indexOf('=');
      return at <= 0 ? [] : [[item.slice(0, at), item.slice(at + 1)]];
    }),
  );
}

/** `key=value:Effect,...` */
function listedTaints(text: string): readonly Taint[] {
  return text.split(',').flatMap((item) => {
    const [given = '', effect = '', ...more] = item.trim().split(':');
    const [key = '', value, ...others] = given.split('=');
    if (key === '' || more.length + others.length > 0) return [];
    return (TAINT_EFFECTS as readonly string[]).includes(effect) ? [{ key, ...defined({ value }), effect }] : [];
  });
}

/** Of two taints with the same key and effect, the later one counts. */
function merged(taints: readonly Taint[]): readonly Taint[] {
  return taints.filter((taint, index) => !taints.slice(index + 1).some((later) => matchesTaint(later, taint)));
}

function limitsOf(group: AnyMachineGroup): readonly GroupLimit[] {
  const { metadata, spec, status } = group;
  const most = sizeIn(metadata.annotations?.[sizeKey(group, MAX_SIZE)]);
  if (most === undefined) return [];
  return [{ resource: 'nodes', limit: String(most), used: String(spec?.replicas ?? status?.replicas ?? 0) }];
}

const sizeIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

/** Why the autoscaler does not accept the sizes of a group; undefined if it does. */
function sizeFault(group: AnyMachineGroup): string | undefined {
  const { annotations = {} } = group.metadata;
  const [least = '0', most = '0'] = [MIN_SIZE, MAX_SIZE].map((name) => annotations[sizeKey(group, name)]);
  if (![least, most].every((size) => /^[+-]?\d+$/.test(size))) return 'sizes that are no integers';
  if (Number(least) < 0 || Number(most) < 0) return 'a negative size';
  return Number(most) < Number(least) ? `a minimum size of ${least} and a maximum size of ${most}` : undefined;
}

const kindOf = (group: AnyMachineGroup): string => (isOfOpenShift(group) ? 'MachineSet' : group.kind);

/** A group whose sizes are not valid keeps the autoscaler from every group of the same provider that it discovers. */
function reasonsOf(
  group: AnyMachineGroup,
  limits: readonly GroupLimit[],
  faulty: readonly AnyMachineGroup[],
): readonly GroupReason[] {
  const { annotations = {}, deletionTimestamp } = group.metadata;
  const kind = kindOf(group);
  const reasons: GroupReason[] = [];
  const note = (code: GroupReason['code'], verdict: GroupReason['verdict'], message: string): void => {
    reasons.push({ code, verdict, message });
  };
  if (deletionTimestamp !== undefined) note('BeingDeleted', 'infeasible', `the ${kind} is being deleted`);
  const [size] = limits;
  const fault = sizeFault(group);
  if (fault !== undefined) {
    note('SizeInvalid', 'infeasible', `the ${kind} has ${fault}, which the cluster autoscaler does not accept`);
  } else if (size === undefined || size.limit === '0') {
    const what = size === undefined ? `has no annotation ${sizeKey(group, MAX_SIZE)}` : 'has a maximum size of 0';
    note('NotAutoscaled', 'infeasible', `the ${kind} ${what}, so the cluster autoscaler leaves it`);
  } else if (annotations[PAUSED] !== undefined) {
    note('NotAutoscaled', 'infeasible', `the ${kind} is paused (${PAUSED}), so the cluster autoscaler leaves it`);
  } else if (Number(size.used) >= Number(size.limit)) {
    note('SizeAtMaximum', 'infeasible', `the ${kind} has ${size.used} of at most ${size.limit} replicas`);
  }
  const other = faulty.find((one) => isOfOpenShift(one) === isOfOpenShift(group));
  if (fault === undefined && other !== undefined) {
    note(
      'SizeInvalid',
      'unknown',
      `${kindOf(other)} ${other.metadata.name} has ${sizeFault(other)!}: if the cluster autoscaler discovers it, it scales no group`,
    );
  }
  return reasons;
}
