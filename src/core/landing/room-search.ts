import { stringifyJson } from '../json/lossless-json.js';
import { FreestNodes } from './freest-nodes.js';
import type { Ground } from './ground.js';
import { eachCommon } from './node-bits.js';
import { PodShape, type Demand } from './pod-shape.js';
import { RoomIndex } from './room-index.js';
import type { RoomLedger } from './room-ledger.js';

/** Shapes with an index: each index takes about 20 bytes a node, and some time for each change. */
const MOST_INDEXES = 128;
/** Searches without an index before a shape gets one. */
const SEARCHES = 4;

/** Where a pod can go, other pods apart but for the room that they take. */
export interface Found {
  readonly feasible: number;
  /** Nodes with room that a filter that is not built may refuse. */
  readonly unknown: number;
  /** The first few of the feasible nodes, the freest first. */
  readonly best: readonly number[];
}

/** A shape of pods, with the index over the nodes that it has, or may get. */
export interface SearchedShape extends PodShape {
  index?: RoomIndex;
  searches?: number;
}

/**
 * Finds the nodes with room, those with the most room left first: where the larger of the shares of cpu and memory that would then be taken
 * is the smallest; by name where shares are equal.
 */
export class RoomSearch {
  private readonly shapes = new Map<string, SearchedShape>();
  private indexes = 0;

  constructor(
    private readonly ledger: RoomLedger,
    private readonly nodes: number,
  ) {}

  /** The shape of pods with these demands; the same for the same. */
  shape(demands: readonly (Demand & { readonly resource: string })[]): SearchedShape {
    const key = stringifyJson(demands.map(({ resource, request }) => [resource, request]));
    let shape = this.shapes.get(key);
    if (shape === undefined) this.shapes.set(key, (shape = new PodShape(demands, this.ledger)));
    return shape;
  }

  /** @returns what was found, with not more than so many nodes, and about how many nodes were looked at */
  find(ground: Ground, shape: SearchedShape, most: number): Found & { readonly looked: number } {
    const { open, perhaps } = ground.nodes();
    const index = this.indexOf(shape);
    if (index !== undefined) {
      const looked = index.refresh();
      const feasible = index.count(open);
      const unknown = perhaps === undefined ? 0 : index.count(perhaps);
      return { feasible, unknown, best: index.best(open, feasible, most), looked };
    }
    let feasible = 0;
    let unknown = 0;
    const freest = new FreestNodes(most);
    eachCommon(open, open, (node) => {
      if (!shape.fits(node)) return;
      feasible++;
      freest.add(shape.share(node), node);
    });
    if (perhaps !== undefined) {
      eachCommon(perhaps, perhaps, (node) => {
        if (shape.fits(node)) unknown++;
      });
    }
    return { feasible, unknown, best: freest.nodes, looked: this.nodes };
  }

  private indexOf(shape: SearchedShape): RoomIndex | undefined {
    if (shape.index !== undefined) return shape.index;
    shape.searches = (shape.searches ?? 0) + 1;
    if (shape.searches <= SEARCHES || this.indexes >= MOST_INDEXES) return undefined;
    this.indexes++;
    shape.index = new RoomIndex(shape, this.ledger, this.nodes);
    return shape.index;
  }
}
