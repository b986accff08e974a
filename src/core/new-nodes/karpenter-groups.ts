import { allNodes } from '../cluster/all-nodes.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeClaim, NodeClaimTemplateSpec, NodePool } from '../kubernetes/objects/karpenter.js';
import { imageTag } from '../kubernetes/image-tag.js';
import type { Labels, ResourceList } from '../kubernetes/objects/meta.js';
import type { Deployment } from '../kubernetes/objects/workloads.js';
import { Quantity } from '../kubernetes/quantity.js';
import {
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  isNodeClass,
  isOfOffering,
  NODE_POOL,
  REGION,
  requirementsOf,
  ZONE,
} from './label-requirements.js';
import type { GroupLimit, GroupReason, NodeGroup, NodeShape } from './node-group.js';
import { shapeOfNode, zonesOf } from './node-shape.js';

/** The label by which Karpenter finds the nodes that it launched from a class. */
const nodeClassLabel = ({ group, kind, name }: { group?: string; kind?: string; name?: string }) =>
  group === undefined || kind === undefined ? {} : { [`${group}/${kind.toLowerCase()}`]: name ?? '' };

const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

/**
 * The NodePools of Karpenter in the order in which it tries them: by weight, then by name.
 *
 * Source: sigs.k8s.io/karpenter v1.9.1, pkg/controllers/provisioning (provisioner.go, `NewScheduler`; scheduling/nodeclaimtemplate.go;
 * scheduling/scheduler.go, `addToNewNodeClaim`), pkg/utils/nodepool.
 */
export function karpenterGroups(state: ClusterState): readonly NodeGroup[] {
  const pools = state.objects('NodePool') as readonly NodePool[];
  if (pools.length === 0) return [];
  const claims = state.objects('NodeClaim') as readonly NodeClaim[];
  const shapes = shapesByType(state, claims);
  const version = versionOf(state);
  return pools
    .map((pool) => groupOf(pool, { state, claims, shapes, version }))
    .sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0) || (a.name < b.name ? -1 : 1));
}

/** What a state shows of all NodePools. */
interface Found {
  readonly state: ClusterState;
  readonly claims: readonly NodeClaim[];
  readonly shapes: readonly NodeShape[];
  readonly version: number | undefined;
}

/** The image that AWS publishes, or a copy of it; its version is that of Karpenter's core up to the minor. */
const IMAGE = /(?:^|\/)karpenter\/controller[:@]/;

/** The minor version of Karpenter 1 on AWS, if the state has its Deployment and all its images agree. */
function versionOf(state: ClusterState): number | undefined {
  const minors = new Set<string | undefined>();
  for (const { spec } of state.objects('Deployment') as readonly Deployment[]) {
    for (const { image = '' } of spec?.template?.spec?.containers ?? []) {
      if (IMAGE.test(image)) minors.add(/^v?1\.(\d{1,4})\./.exec(imageTag(image))?.[1]);
    }
  }
  const [minor] = minors;
  return minors.size === 1 && minor !== undefined ? Number(minor) : undefined;
}

function groupOf({ metadata, spec = {}, status }: NodePool, { state, claims, shapes, version }: Found): NodeGroup {
  const { name } = metadata;
  const { spec: template = {}, metadata: { labels: own = {} } = {} } = spec.template ?? {};
  const labels = {
    ...own,
    [NODE_POOL]: name,
    ...nodeClassLabel(template.nodeClassRef ?? {}),
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  const offered = offeredTo(labels, state, claims);
  const zones = [...(offered.get(ZONE) ?? [])].sort();
  const limits = limitsOf(name, spec.limits ?? {}, state, claims);
  return {
    kind: 'NodePool',
    namespace: undefined,
    name,
    weight: spec.weight ?? 0,
    karpenter: template.nodeClassRef?.group === 'karpenter.k8s.aws' ? version : undefined,
    labels,
    taints: template.taints ?? [],
    startupTaints: [...(template.startupTaints ?? []), ...(isBeta(template) ? [] : [UNREGISTERED])],
    undeclaredTaints: [],
    requirements: requirementsOf(template.requirements ?? [], labels),
    limits,
    reasons: reasonsOf({ metadata, spec, ...(status && { status }) }, limits),
    // Those of the pool itself first.
    shapes: [
      ...shapes.filter((shape) => shape.labels[NODE_POOL] === name),
      ...shapes.filter((shape) => shape.labels[NODE_POOL] !== name).map(ofAnotherGroup),
    ],
    zones,
    otherZones: zonesOf(state, allNodes(state)).filter((zone) => !zones.includes(zone)),
    unseenLabels: [],
    offered,
  };
}

/**
 * The values of labels of offerings that nodes and NodeClaims of the same pool or class show. A class has the subnets, and so the zones, of its
 * nodes; the region is that of the cluster. Every cloud provider of Karpenter has on-demand and spot machines.
 */
function offeredTo(
  labels: Labels,
  { nodes }: ClusterState,
  claims: readonly NodeClaim[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const offered = new Map([[CAPACITY_TYPE, new Set(['on-demand', 'spot'])]]);
  const own = Object.keys(labels).filter((key) => key === NODE_POOL || isNodeClass(key));
  const add = (shown: Labels): void => {
    const isOfPool = own.some((key) => shown[key] === labels[key]);
    for (const [key, value] of Object.entries(shown)) {
      if ((isOfPool || key === REGION) && isOfOffering(key)) {
        offered.set(key, (offered.get(key) ?? new Set()).add(value));
      }
    }
  };
  for (let node = 0; node < nodes.count; node++) add(nodes.labels(node));
  for (const { metadata } of claims) add(metadata.labels ?? {});
  return offered;
}

/** Karpenter before 1.0 knew no such taint; its references to classes had no group. */
const isBeta = ({ nodeClassRef }: NodeClaimTemplateSpec): boolean =>
  nodeClassRef !== undefined && nodeClassRef.group === undefined;

const ofAnotherGroup = (shape: NodeShape): NodeShape =>
  shape.source === 'node' ? { ...shape, source: 'nodeOfAnotherGroup' } : shape;

type Judged = Pick<NodePool, 'metadata' | 'spec' | 'status'>;

function reasonsOf({ metadata, spec, status }: Judged, limits: readonly GroupLimit[]): readonly GroupReason[] {
  const reasons: GroupReason[] = [];
  const refuse = (code: GroupReason['code'], message: string): void => {
    reasons.push({ code, verdict: 'infeasible', message });
  };
  if (metadata.deletionTimestamp !== undefined) refuse('BeingDeleted', 'the NodePool is being deleted');
  if (spec?.replicas !== undefined) {
    refuse('StaticSize', `the NodePool is static: it keeps ${spec.replicas} nodes, whatever pods need`);
  }
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready !== undefined && ready.status !== 'True') {
    refuse('NotReady', `the NodePool is not ready${ready.reason === undefined ? '' : ` (${ready.reason})`}`);
  }
  for (const { resource, limit, used } of limits) {
    // Every machine has CPU and memory, and is one node; of other resources it may have none.
    const isEverywhere = ['nodes', 'cpu', 'memory'].includes(resource);
    const over = Quantity.parse(used).cmp(Quantity.parse(limit));
    if (over > 0 || (isEverywhere && over === 0)) {
      refuse('LimitReached', `the NodePool has ${used} of at most ${limit} ${resource}`);
    }
  }
  return reasons;
}

/** What the nodes of a pool have of what is limited; a NodeClaim without a node counts with what it will have. */
function limitsOf(
  pool: string,
  limits: ResourceList,
  { nodes }: ClusterState,
  claims: readonly NodeClaim[],
): readonly GroupLimit[] {
  const names = Object.keys(limits).filter((name) => isQuantity(limits[name]!));
  if (names.length === 0) return [];
  const used = new Map(names.map((name) => [name, Quantity.ZERO]));
  const add = (capacity: ResourceList): void => {
    for (const name of names) {
      const amount = name === 'nodes' ? '1' : capacity[name];
      if (amount !== undefined && isQuantity(amount)) used.set(name, used.get(name)!.add(Quantity.parse(amount)));
    }
  };
  for (let node = 0; node < nodes.count; node++) {
    if (nodes.labels(node)[NODE_POOL] === pool) add(nodes.node(node).status?.capacity ?? {});
  }
  for (const { metadata, status } of claims) {
    const isNode = status?.nodeName !== undefined && nodes.indexOf(status.nodeName) >= 0;
    if (!isNode && metadata.labels?.[NODE_POOL] === pool) add(status?.capacity ?? {});
  }
  return names.sort().map((resource) => ({
    resource,
    limit: limits[resource]!,
    used: used.get(resource)!.toString(),
  }));
}

function isQuantity(text: string): boolean {
  try {
    Quantity.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A machine of each instance type, pool by pool: of nodes of the same type, the first by name that is ready. */
function shapesByType(state: ClusterState, claims: readonly NodeClaim[]): readonly NodeShape[] {
  const { nodes } = state;
  const found = new Map<string, NodeShape>();
  for (let index = 0; index < nodes.count; index++) {
    const { [INSTANCE_TYPE]: type, [NODE_POOL]: pool } = nodes.labels(index);
    if (type === undefined) continue;
    const key = JSON.stringify([pool, type]);
    if (found.has(key)) continue;
    const shape = shapeOfNode(state, index);
    if (shape !== undefined) found.set(key, shape);
  }
  for (const { metadata, status } of claims) {
    const { labels = {} } = metadata;
    const key = JSON.stringify([labels[NODE_POOL], labels[INSTANCE_TYPE]]);
    const { capacity, allocatable = capacity } = status ?? {};
    if (allocatable === undefined || labels[INSTANCE_TYPE] === undefined || found.has(key)) continue;
    found.set(key, {
      source: 'nodeClaim',
      like: metadata.name,
      labels,
      taints: [],
      status: { capacity: capacity ?? allocatable, allocatable },
      csiNode: undefined,
    });
  }
  return [...found.values()];
}
