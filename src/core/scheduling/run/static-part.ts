import type { ClusterState } from '../../cluster/cluster-state.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { SUCCESS, UNKNOWN, UNRESOLVABLE, type FilterPlugin, type PlacementInput } from '../../placement/plugin.js';
import type { ScoreDeclaration } from '../../placement/in-tree-plugin.js';
import { imageLocalityPlugin } from '../../placement/plugins/image-locality/plugin.js';
import { fillStatuses } from '../../placement/fill-statuses.js';
import { inTreePlugin } from '../../placement/plugins/in-tree-plugins.js';
import { nodeAffinityPlugin } from '../../placement/plugins/node-affinity/plugin.js';
import { schedulingGate } from '../../placement/plugins/scheduling-gates/scheduling-gates.js';
import { taintTolerationPlugin } from '../../placement/plugins/taint-toleration/plugin.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import { Candidates } from './candidates.js';
import { CLAIM_FILTERS, STATIC_FILTERS, TAINT_FILTERS } from './filter-dependencies.js';
import { LruCache } from '../../collections/lru-cache.js';

/**
 * The results for a pod's spec on every node that do not depend on other pods, for the nodes' stored taints. Raw scores are by
 * node; undefined if all are 0.
 */
export interface StaticPart {
  /** By node: 1 if no static filter refuses it. */
  readonly passes: Uint8Array;
  /** By node: 1 if no static filter except those on taints and cordons refuses it. */
  readonly passesUntainted: Uint8Array;
  /** Those of `passesUntainted`. */
  readonly candidates: Candidates;
  readonly disliked: Float64Array | undefined;
  readonly preferred: Float64Array | undefined;
}

/** `schedulePod` must decide: the result of a filter or score is unknown, or it fails. */
const PLAIN = Symbol('plain');

/**
 * The results of single plugins for every node, cached by the fields of a pod that they read, which different pods can share.
 */
export class StaticColumns {
  private readonly filters: LruCache<Uint8Array | undefined | typeof PLAIN>;
  private readonly scores: LruCache<Float64Array | undefined | typeof PLAIN>;
  private readonly parts: LruCache<StaticPart | undefined>;
  private readonly allNodes: Int32Array;

  /** @param most the maximum number of cached columns, of filters and of scores */
  constructor(
    private readonly state: ClusterState,
    private readonly profile: SchedulingProfile,
    most: number,
  ) {
    this.filters = new LruCache(most);
    this.scores = new LruCache(most);
    this.parts = new LruCache(most);
    this.allNodes = Int32Array.from({ length: state.nodes.count }, (_, node) => node);
  }

  /**
   * @param fixedKey of the pod: see `SchedulingSpec`
   * @returns undefined if `schedulePod` must decide: for a pod with volumes, claims or a scheduling gate, or if the result of
   *   a filter or score is unknown or an error
   */
  partOf(pod: Pod, fixedKey: string): StaticPart | undefined {
    return this.parts.get(fixedKey, () => this.join(pod, fixedKey));
  }

  private join(pod: Pod, fixedKey: string): StaticPart | undefined {
    const { state } = this;
    const { gates, filters } = this.profile;
    if (schedulingGate(pod) !== undefined) return undefined;
    const input: PlacementInput = { state, pod, gates, filterNames: undefined, filters, nominated: [] };
    const skipped = filters.filter(({ name }) => CLAIM_FILTERS.has(name));
    if (!skipped.every(({ preFilter }) => preFilter(input).outcome === 'Skip')) return undefined;
    const passes = new Uint8Array(state.nodes.count).fill(1);
    const passesUntainted = passes.slice();
    for (const filter of filters.filter(({ name }) => STATIC_FILTERS.has(name))) {
      const key = `${filter.name} ${inTreePlugin(filter.name)?.filter?.signPod?.(pod) ?? fixedKey}`;
      const column = this.filters.get(key, () => filterColumn(filter, input));
      if (column === PLAIN) return undefined;
      if (column === undefined) continue;
      takeOut(passes, column);
      if (!TAINT_FILTERS.has(filter.name)) takeOut(passesUntainted, column);
    }
    const disliked = this.scored(taintTolerationPlugin.score, input, fixedKey);
    const preferred = this.scored(nodeAffinityPlugin.score, input, fixedKey);
    if (disliked === PLAIN || preferred === PLAIN) return undefined;
    return { passes, passesUntainted, candidates: new Candidates(passesUntainted), disliked, preferred };
  }

  /** The scores of nodes for the images that they have; undefined if all are 0. */
  imagesOf(pod: Pod, imagesKey: string): Float64Array | undefined {
    const { state, profile } = this;
    const column = this.scored(imageLocalityPlugin.score, { state, pod, gates: profile.gates }, imagesKey);
    return column === PLAIN ? undefined : column;
  }

  /** @param key of the pod, for a plugin without `signPod` */
  private scored(
    { plugin, signPod }: ScoreDeclaration,
    { state, pod, gates }: Pick<PlacementInput, 'state' | 'pod' | 'gates'>,
    key: string,
  ): Float64Array | undefined | typeof PLAIN {
    const { args, scores } = this.profile;
    if (!scores.some((weighted) => weighted.plugin === plugin)) return undefined;
    return this.scores.get(`${plugin.name} ${signPod?.(pod) ?? key}`, () => {
      const scored = plugin.score({ state, pod, gates, nodes: this.allNodes, args });
      if (scored.outcome === 'Error' || scored.outcome === 'Unknown') return PLAIN;
      return scored.outcome === 'Skip' ? undefined : varied(scored.raw);
    });
  }
}

/** By node: 0 if a filter passes; undefined if it is skipped, or passes on all nodes. */
function filterColumn({ preFilter }: FilterPlugin, input: PlacementInput): Uint8Array | undefined | typeof PLAIN {
  const prepared = preFilter(input);
  if (prepared.outcome === 'Rejected') return PLAIN;
  if (prepared.outcome === 'Skip') return undefined;
  const { filter, nodeNames, mayRejectPod } = prepared;
  if (mayRejectPod === true) return PLAIN;
  const { nodes } = input.state;
  const column = new Uint8Array(nodes.count);
  const refuses = fillStatuses(filter, column);
  if (refuses && column.includes(UNKNOWN)) return PLAIN;
  if (nodeNames === undefined) return refuses ? column : undefined;
  for (let node = 0; node < column.length; node++) if (!nodeNames.has(nodes.name(node))) column[node] = UNRESOLVABLE;
  return column;
}

/** Takes out the nodes that a filter refuses. */
function takeOut(passes: Uint8Array, column: Uint8Array): void {
  for (let node = 0; node < passes.length; node++) if (column[node] !== SUCCESS) passes[node] = 0;
}

/** Undefined for a column of zeros. */
function varied(column: Float64Array | undefined): Float64Array | undefined {
  return column?.some((value) => value !== 0) === true ? column : undefined;
}
