import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeResources } from '../cluster/node-table.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { Quantity } from '../kubernetes/quantity.js';
import { quantityOf } from '../kubernetes/quantity-of.js';
import { findUntolerated, type TolerationGates } from '../kubernetes/toleration.js';
import { toleratesCordon } from '../placement/plugins/node-unschedulable/node-unschedulable.js';

/** The total of a resource over some nodes. */
export interface NodeRoom {
  readonly allocatable: Quantity;
  /** Allocatable minus the pods' requests; an overcommitted node has nothing free. */
  readonly free: Quantity;
}

const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

/**
 * The nodes that admit pods with certain tolerations, judged by taints and cordons alone, and the resources of those
 * nodes.
 */
export class NodeRooms {
  /** Nodes with equal taints and cordon. */
  private readonly classes: readonly {
    readonly taintSetId: number;
    readonly cordoned: boolean;
    readonly nodes: readonly number[];
  }[];
  private readonly tolerated = new Map<readonly Toleration[], readonly number[]>();

  constructor(
    private readonly state: ClusterState,
    private readonly gates: TolerationGates,
  ) {
    const classes = new Map<number, { taintSetId: number; cordoned: boolean; nodes: number[] }>();
    const { nodes } = state;
    for (let node = 0; node < nodes.count; node++) {
      const taintSetId = nodes.taintSetId(node);
      const cordoned = nodes.unschedulable[node] === 1;
      const key = taintSetId * 2 + Number(cordoned);
      const known = classes.get(key);
      if (known === undefined) classes.set(key, { taintSetId, cordoned, nodes: [node] });
      else known.nodes.push(node);
    }
    this.classes = [...classes.values()];
  }

  /**
   * The nodes whose NoSchedule and NoExecute taints and cordon are all tolerated, by index.
   *
   * @param tolerations must be the same list each time for the result to be cached
   */
  nodesFor(tolerations: readonly Toleration[]): readonly number[] {
    let nodes = this.tolerated.get(tolerations);
    if (nodes === undefined) {
      const { taintSets } = this.state;
      nodes = this.classes
        .filter(
          ({ taintSetId, cordoned }) =>
            findUntolerated(tolerations, taintSets[taintSetId] ?? [], HARD_EFFECTS, this.gates) === undefined &&
            (!cordoned || toleratesCordon(tolerations, this.gates)),
        )
        .flatMap((of) => of.nodes);
      this.tolerated.set(tolerations, nodes);
    }
    return nodes;
  }

  /** The given nodes that have all of these labels. */
  selected(nodes: readonly number[], selector: Labels): readonly number[] {
    const wanted = Object.entries(selector);
    if (wanted.length === 0) return nodes;
    return nodes.filter((node) => {
      const labels = this.state.nodes.labels(node);
      return wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
    });
  }

  /** The amount of a resource on some nodes, by its name on nodes. */
  roomOf(nodes: Iterable<number>, resource: string): NodeRoom {
    const { allocatable, requested } = this.state.nodes;
    let [all, free] = [0n, 0n];
    for (const node of nodes) {
      const has = amountOf(allocatable, resource, node);
      const left = has - amountOf(requested, resource, node);
      all += has;
      if (left > 0n) free += left;
    }
    return { allocatable: quantityOf(resource, all), free: quantityOf(resource, free) };
  }
}

const amountOf = (resources: NodeResources, resource: string, node: number): bigint =>
  BigInt(resources.at(resource, node));
