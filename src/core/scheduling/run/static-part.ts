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
  /** The same for all specs that share the part. */
  readonly id: number;
}

/** The results of one plugin. */
interface Column<Values> {
  readonly id: number;
  /** By node. */
  readonly values: Values;
}

/** `schedulePod` must decide: the result of a filter or score is unknown, or it fails. */
const PLAIN = Symbol('plain');

/**
 * The results of single plugins for every node, cached by the fields of a pod that they read, which different pods can share.
 */
export class StaticColumns {
  private readonly filters: LruCache<Column<Uint8Array> | undefined | typeof PLAIN>;
  private readonly scores: LruCache<Column<Float64Array> | undefined | typeof PLAIN>;
  /** By the fields of a pod, of which many come to the same. */
  private readonly parts: LruCache<StaticPart | undefined>;
  private readonly joined: LruCache<StaticPart>;
  /** The number of columns and parts made. */
  private made = 0;
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
    this.joined = new LruCache(most);
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
    const columns: Column<Uint8Array>[] = [];
    const taintColumns: Column<Uint8Array>[] = [];
    for (const filter of filters.filter(({ name }) => STATIC_FILTERS.has(name))) {
      const key = `${filter.name} ${inTreePlugin(filter.name)?.filter?.signPod?.(input) ?? fixedKey}`;
      const column = this.filters.get(key, () => this.numbered(filterColumn(filter, input)));
      if (column === PLAIN) return undefined;
      if (column !== undefined) (TAINT_FILTERS.has(filter.name) ? taintColumns : columns).push(column);
    }
    const disliked = this.scored(taintTolerationPlugin.score, input, fixedKey);
    const preferred = this.scored(nodeAffinityPlugin.score, input, fixedKey);
    if (disliked === PLAIN || preferred === PLAIN) return undefined;
    const ids = [columns, taintColumns, [disliked], [preferred]].map((list) => list.map((column) => column?.id).join());
    return this.joined.get(ids.join(' '), () => {
      const { count } = state.nodes;
      const passesUntainted = passesOf(columns, new Uint8Array(count).fill(1));
      const passes = passesOf(taintColumns, passesUntainted.slice());
      const candidates = new Candidates(passesUntainted);
      const scores = { disliked: disliked?.values, preferred: preferred?.values };
      return { passes, passesUntainted, candidates, ...scores, id: this.made++ };
    });
  }

  /** The scores of nodes for the images that they have; undefined if all are 0. */
  imagesOf(pod: Pod, imagesKey: string): Float64Array | undefined {
    const { state, profile } = this;
    const column = this.scored(imageLocalityPlugin.score, { state, pod, gates: profile.gates }, imagesKey);
    return column === PLAIN ? undefined : column?.values;
  }

  /** @param key of the pod, for a plugin without `signPod` */
  private scored(
    { plugin, signPod }: ScoreDeclaration,
    { state, pod, gates }: Pick<PlacementInput, 'state' | 'pod' | 'gates'>,
    key: string,
  ): Column<Float64Array> | undefined | typeof PLAIN {
    const { args, scores } = this.profile;
    if (!scores.some((weighted) => weighted.plugin === plugin)) return undefined;
    return this.scores.get(`${plugin.name} ${signPod?.({ state, pod, gates }) ?? key}`, () => {
      const scored = plugin.score({ state, pod, gates, nodes: this.allNodes, args });
      if (scored.outcome === 'Error' || scored.outcome === 'Unknown') return PLAIN;
      return scored.outcome === 'Skip' ? undefined : this.numbered(varied(scored.raw));
    });
  }

  private numbered<T extends object>(values: T | undefined | typeof PLAIN): Column<T> | undefined | typeof PLAIN {
    return values === undefined || values === PLAIN ? values : { id: this.made++, values };
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

/** Takes out the nodes that a filter refuses. @param passes by node: 1 if no other filter refuses it */
function passesOf(columns: readonly Column<Uint8Array>[], passes: Uint8Array): Uint8Array {
  for (const { values } of columns) {
    for (let node = 0; node < passes.length; node++) if (values[node] !== SUCCESS) passes[node] = 0;
  }
  return passes;
}

/** Undefined for a column of zeros. */
function varied(column: Float64Array | undefined): Float64Array | undefined {
  return column?.some((value) => value !== 0) === true ? column : undefined;
}
