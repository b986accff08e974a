import type { ClusterState } from '../../cluster/cluster-state.js';
import { internText } from '../../cluster/intern-table.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { SUCCESS, UNKNOWN, type FilterPlugin, type PlacementInput } from '../../placement/plugin.js';
import { dynamicResources } from '../../placement/plugins/dynamic-resources/dynamic-resources.js';
import { imageLocalityScore } from '../../placement/plugins/image-locality/score.js';
import { interPodAffinity } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { nodeAffinity } from '../../placement/plugins/node-affinity/node-affinity.js';
import { nodeAffinityScore } from '../../placement/plugins/node-affinity/score.js';
import { nodeDeclaredFeatures } from '../../placement/plugins/node-declared-features/node-declared-features.js';
import { nodeName } from '../../placement/plugins/node-name/node-name.js';
import { nodeUnschedulable } from '../../placement/plugins/node-unschedulable/node-unschedulable.js';
import { nodePorts } from '../../placement/plugins/node-ports/node-ports.js';
import { nodeResourcesFit } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { nodeVolumeLimits } from '../../placement/plugins/node-volume-limits/node-volume-limits.js';
import { podTopologySpread } from '../../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { schedulingGate } from '../../placement/plugins/scheduling-gates/scheduling-gates.js';
import { taintTolerationScore } from '../../placement/plugins/taint-toleration/score.js';
import { taintToleration } from '../../placement/plugins/taint-toleration/taint-toleration.js';
import { volumeBinding } from '../../placement/plugins/volume-binding/volume-binding.js';
import { volumeRestrictions } from '../../placement/plugins/volume-restrictions/volume-restrictions.js';
import { volumeZone } from '../../placement/plugins/volume-zone/volume-zone.js';
import type { ScorePlugin } from '../../placement/score-plugin.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import { Kept } from './kept.js';

/** The filters whose answers no placed pod changes. */
const STATIC_FILTERS = namesOf(nodeUnschedulable, nodeName, taintToleration, nodeAffinity, nodeDeclaredFeatures);
/** The filters that a pod must have nothing to do with. */
const SKIPPED_FILTERS = namesOf(volumeRestrictions, nodeVolumeLimits, volumeBinding, volumeZone, dynamicResources);
/** The filters that are counted on as pods come. */
const COUNTED_FILTERS = namesOf(nodePorts, nodeResourcesFit, podTopologySpread, interPodAffinity);

/** Whether all filters of a profile are among those that a run knows how to ask once. */
export const knowsFilters = (filters: readonly FilterPlugin[]): boolean =>
  filters.every(({ name }) => [STATIC_FILTERS, SKIPPED_FILTERS, COUNTED_FILTERS].some((names) => names.has(name)));

/** The filters that ask for a node's taints and its cordon. */
const TAINT_FILTERS = namesOf(nodeUnschedulable, taintToleration);

/**
 * What is true of a pod's spec and the nodes, whatever pods come and go, as long as the nodes' taints stay as they are. Raw scores by
 * node; undefined where all are 0.
 */
export interface StaticPart {
  /** By node: 1 where no static filter refuses it. */
  readonly passes: Uint8Array;
  /** By node: 1 where none refuses it but perhaps for its taints or its cordon. */
  readonly passesUntainted: Uint8Array;
  readonly disliked: Float64Array | undefined;
  readonly preferred: Float64Array | undefined;
}

/** A pod is to be decided about in the plain way: a filter or a score does not know, or fails. */
const PLAIN = Symbol('plain');

/** Columns of one plugin that are kept. */
const MOST_COLUMNS = 256;

/** What single plugins say of every node, by what they read of a pod: many pods that differ have that in common. */
export class StaticColumns {
  private readonly filters = new Kept<Uint8Array | undefined | typeof PLAIN>(MOST_COLUMNS);
  private readonly scores = new Kept<Float64Array | undefined | typeof PLAIN>(MOST_COLUMNS);
  private readonly allNodes: Int32Array;

  constructor(
    private readonly state: ClusterState,
    private readonly profile: SchedulingProfile,
  ) {
    this.allNodes = Int32Array.from({ length: state.nodes.count }, (_, node) => node);
  }

  /**
   * @param fixedKey of the pod: see `SchedulingSpec`
   * @returns undefined for a pod that is to be decided about in the plain way: with volumes, claims or a scheduling gate, or with a filter
   *   or score that does not know, or fails
   */
  partOf(pod: Pod, fixedKey: string): StaticPart | undefined {
    const { state } = this;
    const { gates, filters } = this.profile;
    if (schedulingGate(pod) !== undefined) return undefined;
    const input: PlacementInput = { state, pod, gates, rules: undefined, filters, nominated: [] };
    const skipped = filters.filter(({ name }) => SKIPPED_FILTERS.has(name));
    if (!skipped.every(({ preFilter }) => preFilter(input).outcome === 'Skip')) return undefined;
    const passes = new Uint8Array(state.nodes.count).fill(1);
    const passesUntainted = passes.slice();
    for (const filter of filters.filter(({ name }) => STATIC_FILTERS.has(name))) {
      const key = `${filter.name} ${readBy(filter.name, pod) ?? fixedKey}`;
      const column = this.filters.get(key, () => filterColumn(filter, input));
      if (column === PLAIN) return undefined;
      if (column === undefined) continue;
      for (const joined of TAINT_FILTERS.has(filter.name) ? [passes] : [passes, passesUntainted]) {
        for (let node = 0; node < joined.length; node++) joined[node]! &= column[node]!;
      }
    }
    const disliked = this.scored(taintTolerationScore, input, internText(pod.spec.tolerations ?? []));
    const preferred = this.scored(nodeAffinityScore, input, internText(pod.spec.affinity?.nodeAffinity ?? {}));
    if (disliked === PLAIN || preferred === PLAIN) return undefined;
    return { passes, passesUntainted, disliked, preferred };
  }

  /** What nodes score for the images that they have; undefined where none does. */
  imagesOf(pod: Pod, imagesKey: string): Float64Array | undefined {
    const { state, profile } = this;
    const column = this.scored(imageLocalityScore, { state, pod, gates: profile.gates }, imagesKey);
    return column === PLAIN ? undefined : column;
  }

  private scored(
    plugin: ScorePlugin,
    { state, pod, gates }: Pick<PlacementInput, 'state' | 'pod' | 'gates'>,
    read: string,
  ): Float64Array | undefined | typeof PLAIN {
    const { args, scores } = this.profile;
    if (!scores.some((weighted) => weighted.plugin === plugin)) return undefined;
    return this.scores.get(`${plugin.name} ${read}`, () => {
      const scored = plugin.score({ state, pod, gates, nodes: this.allNodes, args });
      if (scored.outcome === 'Error' || scored.outcome === 'Unknown') return PLAIN;
      return scored.outcome === 'Skip' ? undefined : varied(scored.raw);
    });
  }
}

/** What a filter reads of a pod; undefined where that is not said here. */
function readBy(name: string, { spec }: Pod): string | undefined {
  if (TAINT_FILTERS.has(name)) return internText(spec.tolerations ?? []);
  if (name === nodeName.name) return spec.nodeName ?? '';
  if (name === nodeAffinity.name) return internText([spec.nodeSelector, spec.affinity?.nodeAffinity]);
  return undefined;
}

/** By node: 1 where a filter passes; undefined where it is skipped. */
function filterColumn({ preFilter }: FilterPlugin, input: PlacementInput): Uint8Array | undefined | typeof PLAIN {
  const prepared = preFilter(input);
  if (prepared.outcome === 'Rejected') return PLAIN;
  if (prepared.outcome === 'Skip') return undefined;
  const { filter, nodeNames, mayRejectPod } = prepared;
  if (mayRejectPod === true) return PLAIN;
  const { nodes } = input.state;
  const passes = new Uint8Array(nodes.count);
  for (let node = 0; node < passes.length; node++) {
    const status = filter.status(node);
    if (status === UNKNOWN) return PLAIN;
    passes[node] = status === SUCCESS && nodeNames?.has(nodes.name(node)) !== false ? 1 : 0;
  }
  return passes;
}

/** Undefined for a column of zeros. */
function varied(column: Float64Array | undefined): Float64Array | undefined {
  return column?.some((value) => value !== 0) === true ? column : undefined;
}

function namesOf(...filters: readonly FilterPlugin[]): ReadonlySet<string> {
  return new Set(filters.map(({ name }) => name));
}
