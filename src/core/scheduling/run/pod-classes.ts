import type { ClusterState } from '../../cluster/cluster-state.js';
import { internText } from '../../cluster/intern-table.js';
import { podRequestOf } from '../../cluster/pod-request.js';
import { controllerOf } from '../../kubernetes/controller-of.js';
import type { OwnerReference } from '../../kubernetes/objects/meta.js';
import type { Container, Pod } from '../../kubernetes/objects/pod.js';
import { nominatedBefore } from '../../placement/ask-pod.js';
import { coschedulingFilter } from '../../placement/coscheduling-filter.js';
import { groupReason, mayBeGrouped, type GroupRules } from '../../placement/pod-groups.js';
import { delegatedResources } from '../../placement/plugins/dynamic-resources/delegated-resources.js';
import { imageState } from '../../placement/plugins/image-locality/image-states.js';
import { normalized } from '../../placement/plugins/image-locality/score.js';
import { NAME as AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { readAffinityTerms } from '../../placement/plugins/inter-pod-affinity/terms.js';
import {
  spreadConstraints,
  SYSTEM_DEFAULT_CONSTRAINTS,
  type WhenUnsatisfiable,
} from '../../placement/plugins/pod-topology-spread/constraints.js';
import { NAME as SPREAD } from '../../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { schedulerRequest } from '../../resources/request-vector.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import { AffinityCounts } from './affinity-counts.js';
import { LruCache } from '../../collections/lru-cache.js';
import type { Held, NodeBoard } from './node-board.js';
import { columnsOf, PodClass } from './pod-class.js';
import { NodeParts } from './node-parts.js';
import type { PodKind, PodKinds } from './pod-kinds.js';
import { RoomBoard } from './room-board.js';
import { SpecBoard } from './spec-board.js';
import { SpreadCounts, spreadGround } from './spread-counts.js';
import { schedulingSpec, type SchedulingSpec } from './scheduling-spec.js';
import { followsFilters } from './filter-dependencies.js';
import { weightsOf, type Weights } from './weights.js';

/** The parts of a pod that decide where it fits. Pods with the same key have the same result. */
export interface PodReading {
  readonly pod: Pod;
  readonly kind: PodKind;
  readonly spec: SchedulingSpec;
  readonly key: string;
}

/**
 * A key for the controller of a pod, because default constraints use its selector: unique for each controller, whatever its
 * name contains; empty without one.
 */
export function controllerKey(references: readonly OwnerReference[] | undefined): string {
  const owner = controllerOf(references);
  return owner === undefined ? '' : JSON.stringify([owner.apiVersion, owner.kind, owner.name]);
}

/** Determines the class of a pod. */
export function readPod(state: ClusterState, kinds: PodKinds, pod: Pod): PodReading {
  const kind = kinds.ofPod(pod);
  const spec = schedulingSpec(pod, (image) => imageState(state, normalized(image)) !== undefined);
  const from = controllerKey(pod.metadata.ownerReferences);
  const spread = pod.spec.topologySpreadConstraints ?? [];
  // The priority affects which nominated pods count.
  const before = state.pods.nominated().length === 0 ? '' : (pod.spec.priority ?? 0);
  const { schedulingGroup, workloadRef } = pod.spec;
  const group = mayBeGrouped(pod) ? internText([schedulingGroup, workloadRef, pod.metadata.uid === undefined]) : '';
  const key = `${kind.id} ${before} ${from} ${spread.length === 0 ? '' : internText(spread)} ${group} ${spec.key}`;
  return { pod, kind, spec, key };
}

/** Cache sizes. An evicted entry is created again when a pod needs it. */
/** Of pods with the same containers. */
const MAX_SIMILAR_PODS = 8;
const MAX_ROOMS = 256;
const MAX_SPECS = 512;
const MAX_CLASSES = 8192;

/**
 * Assigns pods to classes under one profile. The parts that depend on the spec are computed once; after a pod comes to a node
 * or leaves it, only that node is evaluated again.
 */
export class PodClasses {
  private readonly weights: Weights | undefined;
  private readonly rooms = new LruCache<RoomBoard>(MAX_ROOMS);
  private readonly specs = new LruCache<SpecBoard | undefined>(MAX_SPECS);
  /** By what decides, so that different specs that come to the same share one. */
  private readonly boards = new LruCache<SpecBoard>(MAX_SPECS);
  private classes = new LruCache<PodClass | undefined>(MAX_CLASSES);
  private readonly groupRules: GroupRules;
  private readonly isFast: boolean;
  /** The number of classes created; each takes some milliseconds for thousands of nodes. */
  made = 0;
  /** By the list of containers, which replicas share. */
  private readonly readings = new WeakMap<readonly Container[], PodReading[]>();
  private readonly workspace;

  constructor(
    private base: ClusterState,
    private readonly profile: SchedulingProfile,
    private readonly board: NodeBoard,
    private readonly kinds: PodKinds,
    private readonly parts = new NodeParts(base, profile),
  ) {
    this.workspace = columnsOf(base.nodes.count);
    this.weights = weightsOf(profile.scores);
    this.groupRules = { coscheduling: profile.filters.includes(coschedulingFilter) };
    this.isFast = this.weights !== undefined && followsFilters(profile.filters);
  }

  /**
   * Goes on in a state in which other objects have changed: those by whose selectors pods spread by default.
   *
   * @param state its nodes and pods are the same
   */
  rebase(state: ClusterState): void {
    this.base = state;
    this.classes = new LruCache(MAX_CLASSES);
  }

  /** Reads a pod. Replicas share the objects of their parts, and therefore one reading. */
  read(pod: Pod): PodReading {
    const { containers } = pod.spec;
    let known = this.readings.get(containers);
    const like = known?.find((reading) => isReplica(reading.pod, pod));
    if (like !== undefined) return like;
    const reading = readPod(this.base, this.kinds, pod);
    if (known === undefined) this.readings.set(containers, (known = []));
    if (known.length === MAX_SIMILAR_PODS) known.shift();
    known.push(reading);
    return reading;
  }

  /** The amounts that a pod uses on its node. */
  held({ pod, spec }: PodReading): Held {
    return this.rooms.peek(spec.ownKey)?.held ?? podRequestOf({ spec: pod.spec }, this.base.rules);
  }

  /**
   * The class of a pod; undefined if `schedulePod` must decide: for a pod with volumes or claims, if nominated pods count, if
   * the result of a filter or score is unknown, or if there is something to say of the pod's group.
   *
   * @param pod the pod itself, which is like the one of the reading
   * @throws QuantityError for a pod with an invalid quantity in its requests
   */
  of(reading: PodReading, pod: Pod): PodClass | undefined {
    if (!this.isFast || !this.board.isSafe) return undefined;
    if (mayBeGrouped(pod) && groupReason(this.base, pod, this.groupRules) !== undefined) return undefined;
    const found = this.classes.get(reading.key, () => this.make(reading));
    if (found === undefined || found.isUnclear) return undefined;
    const haveChanged = (this.board.nodesNow?.changed.size ?? 0) > 0;
    return haveChanged && found.countsByTaints ? undefined : found;
  }

  private make({ pod, kind, spec }: PodReading): PodClass | undefined {
    const { base, profile } = this;
    const { namespace = '' } = pod.metadata;
    this.made++;
    if (nominatedBefore(base, pod).length > 0) return undefined;
    if (readAffinityTerms(pod.spec, namespace).fault !== undefined) return undefined;
    const hard = this.asks(SPREAD) ? this.spread(pod, 'DoNotSchedule') : undefined;
    const soft = this.spread(pod, 'ScheduleAnyway');
    if (hard === 'unreadable' || soft === 'unreadable') return undefined;
    const board = this.specs.get(spec.key, () => this.makeSpec(spec));
    if (board === undefined) return undefined;
    const affinity = new AffinityCounts(base, kind, profile.args.interPodAffinity);
    const filtersAffinity = this.asks(AFFINITY);
    const groups = soft === undefined ? undefined : this.parts.groups.get(soft.groupsKey, () => soft.groups());
    const neighbours = { affinity, filtersAffinity, hard, soft, groups };
    return new PodClass(board, neighbours, this.kinds, kind, this.board, this.weights!, this.workspace);
  }

  private asks(plugin: string): boolean {
    return this.profile.filters.some(({ name }) => name === plugin);
  }

  private makeSpec({ pod, fixedKey, imagesKey, ownKey }: SchedulingSpec): SpecBoard | undefined {
    const { base, profile, board } = this;
    if (delegatedResources(base, schedulerRequest(pod, base.rules).scalars.keys()).size > 0) return undefined;
    const fixed = this.parts.columns.partOf(pod, fixedKey);
    if (fixed === undefined) return undefined;
    const images = imagesKey === '' ? undefined : this.parts.columns.imagesOf(pod, imagesKey);
    const isStart = board.changes.length === 0 && board.moves.length === 0 && board.nodesNow === undefined;
    const starts = isStart ? { key: ownKey, of: this.parts.rooms } : undefined;
    const room = this.rooms.get(ownKey, () => new RoomBoard(board, this.kinds, pod, profile, starts));
    // While the nodes' taints stay as they are, tolerations that come to the same make no difference.
    const tolerations = board.nodesNow === undefined ? '' : internText(pod.spec.tolerations ?? []);
    return this.boards.get(
      `${fixed.id} ${tolerations} ${imagesKey} ${ownKey}`,
      () => new SpecBoard(board, room, pod, { ...fixed, images }, profile, this.weights!),
    );
  }

  private spread(pod: Pod, when: WhenUnsatisfiable): SpreadCounts | undefined | 'unreadable' {
    const { defaultingType, defaultConstraints } = this.profile.args.podTopologySpread;
    const isSystem = defaultingType === 'System';
    const read = spreadConstraints(this.base, pod, when, isSystem ? SYSTEM_DEFAULT_CONSTRAINTS : defaultConstraints);
    if ('message' in read) return 'unreadable';
    if (read.constraints.length === 0) return undefined;
    const { namespace = '' } = pod.metadata;
    const input = { state: this.base, pod, gates: this.profile.gates };
    const needsAllKeys = when === 'DoNotSchedule' || !read.isDefault || !isSystem;
    const { constraints } = read;
    const said = constraints.map(({ topologyKey, honorsNodeAffinity, honorsNodeTaints }) => [
      topologyKey,
      honorsNodeAffinity,
      honorsNodeTaints,
    ]);
    const { nodeSelector, affinity, tolerations } = pod.spec;
    const key = internText([
      needsAllKeys,
      said,
      constraints.some(({ honorsNodeAffinity }) => honorsNodeAffinity) && [nodeSelector, affinity?.nodeAffinity],
      constraints.some(({ honorsNodeTaints }) => honorsNodeTaints) && tolerations,
    ]);
    const ground = this.parts.grounds.get(key, () => spreadGround(input, constraints, needsAllKeys));
    return new SpreadCounts(pod, constraints, namespace, ground, when);
  }
}

/** Whether two pods consist of the same objects. */
function isReplica({ metadata: a, spec }: Pod, { metadata: b, spec: other }: Pod): boolean {
  return (
    a.namespace === b.namespace &&
    a.ownerReferences === b.ownerReferences &&
    a.deletionTimestamp === b.deletionTimestamp &&
    (a.uid === undefined) === (b.uid === undefined) &&
    hasSameMembers(a.labels ?? NOTHING, b.labels ?? NOTHING) &&
    hasSameMembers(spec, other)
  );
}

const NOTHING = {};

function hasSameMembers<T extends object>(one: T, other: T): boolean {
  if (one === other) return true;
  const keys = Object.keys(one) as (keyof T)[];
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]));
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (Array.isArray(one) && Array.isArray(other) && one.length + other.length === 0);
