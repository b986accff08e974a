import type { readNodeGroups } from '../../contract/nodes/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { NodeResources } from '../../core/cluster/node-table.js';
import { poolsIn } from '../../core/pools/pools-in.js';
import { frontCoded } from '../overview/read-node-matrix.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { taintResponse } from '../taints/taint-response.js';

type Answer = AnswerTo<typeof readNodeGroups>;

/** The labels in which providers and provisioners name the pool of a node. */
const POOL_LABELS = [
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'alpha.eksctl.io/nodegroup-name',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'doks.digitalocean.com/node-pool',
  'kops.k8s.io/instancegroup',
];
const RESOURCES = ['cpu', 'memory', 'pods'];

/** What is common to the nodes of a group. */
type Common = Pick<Answer['groups'][number], 'taints' | 'pools' | 'label'>;

/** Groups the nodes of a revision. */
export class ReadNodeGroups {
  constructor(private readonly readState: ReadState) {}

  async run(
    { cluster, readAt, by = 'taints' }: RequestOf<typeof readNodeGroups>,
    context: RequestContext,
  ): Promise<Answer> {
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const { nodes } = state;
    const groups = new Map<string, { readonly common: () => Common; readonly members: number[] }>();
    for (let node = 0; node < nodes.count; node++) {
      const [key, common] = by === 'taints' ? byTaints(state, node) : byPool(state, node);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { common, members: [node] });
      else group.members.push(node);
    }
    const isReady = (node: number): boolean =>
      nodes.node(node).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    // The sort is stable: equal groups keep the order of their first nodes.
    const sorted = [...groups.values()].sort((a, b) => b.members.length - a.members.length);
    return {
      basis,
      groups: sorted.map(({ common, members }) => ({
        ...common(),
        nodes: members.length,
        ready: members.filter(isReady).length,
        unschedulable: members.filter((node) => nodes.unschedulable[node] === 1).length,
        room: RESOURCES.map((resource) => ({
          resource,
          allocatable: sumOf(nodes.allocatable, resource, members),
          requested: sumOf(nodes.requested, resource, members),
        })),
        names: frontCoded(members.map((node) => nodes.name(node))),
      })),
    };
  }
}

function byTaints({ nodes, taintSets }: ClusterState, node: number): readonly [string, () => Common] {
  const id = nodes.taintSetId(node);
  return [String(id), () => ({ taints: taintSets[id]!.map(taintResponse), pools: null, label: null })];
}

function byPool(state: ClusterState, node: number): readonly [string, () => Common] {
  const labels = state.nodes.labels(node);
  const declared = poolsIn(state).flatMap(({ name, nodeSelector }) => (nodeSelector.matches(labels) ? [name] : []));
  const label = declared.length > 0 ? undefined : POOL_LABELS.find((key) => labels[key] !== undefined);
  const pools = label === undefined ? declared : [labels[label]!];
  return [JSON.stringify([label, pools]), () => ({ taints: null, pools, label: label ?? null })];
}

/** The exact sum: a number if that is exact, otherwise a bigint. */
function sumOf(resources: NodeResources, resource: string, nodes: readonly number[]): number | bigint {
  const sum = nodes.reduce((total, node) => total + BigInt(resources.at(resource, node)), 0n);
  return sum >= BigInt(Number.MIN_SAFE_INTEGER) && sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : sum;
}
