import type { ClusterState } from '../cluster/cluster-state.js';
import { hostPortsOf } from '../cluster/host-ports.js';
import { podRequestOf } from '../cluster/pod-request.js';
import { int64 } from '../cluster/resource-table.js';
import { stringifyJson } from '../json/lossless-json.js';
import type { Int64, Labels } from '../kubernetes/objects/meta.js';
import type { Container, Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { QuantityError } from '../kubernetes/quantity.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { INFEASIBLE, type Placement } from '../placement/placement.js';
import { delegatedResources } from '../placement/plugins/dynamic-resources/delegated-resources.js';
import {
  interPodAffinity,
  NAME as INTER_POD_AFFINITY,
} from '../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { NAME as NODE_PORTS } from '../placement/plugins/node-ports/node-ports.js';
import { NAME as NODE_RESOURCES_FIT } from '../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as NODE_UNSCHEDULABLE } from '../placement/plugins/node-unschedulable/node-unschedulable.js';
import { schedulingGate } from '../placement/plugins/scheduling-gates/scheduling-gates.js';
import { NAME as TAINT_TOLERATION } from '../placement/plugins/taint-toleration/taint-toleration.js';
import { DEFAULT_FILTERS } from '../placement/profile.js';
import { schedulerRequest, type ResourceVector } from '../resources/request-vector.js';
import { Ground } from './ground.js';
import type { UnknownLanding } from './landing.js';
import { madeAnew, withoutPin } from './made-anew.js';
import { Tolerance, type NodesNow } from './nodes-now.js';
import type { Entries, RoomLedger } from './room-ledger.js';
import type { RoomSearch, SearchedShape } from './room-search.js';

/** The filters whose answers change while pods leave and land, and taints come and go. */
const CHANGING: ReadonlySet<string> = new Set([
  NODE_UNSCHEDULABLE,
  TAINT_TOLERATION,
  NODE_PORTS,
  NODE_RESOURCES_FIT,
  INTER_POD_AFFINITY,
]);
const LASTING = DEFAULT_FILTERS.map(({ name }) => name).filter((name) => !CHANGING.has(name));

/** Pods that no filter can tell apart, but for a node that they are pinned to. */
export interface PodClass {
  readonly id: number;
  readonly priority: number;
  /** Where labels, taints and cordons let them go. */
  readonly ground: Ground;
  /** What they ask for, those resources aside that a device class may provide. */
  readonly shape: SearchedShape;
  /** What each takes of its node. */
  readonly entries: Entries;
  readonly requested: { readonly milliCPU: Int64; readonly memory: Int64 };
  /** Whether the answer hangs on other pods than by the room that they take, so that every filter has to be asked. */
  readonly hangsOnPods: boolean;
  /** Whether other pods' answers may hang on these. */
  readonly affectsPods: boolean;
  /** The filters that are not built and that may refuse the pods. */
  readonly unknownBecause: readonly UnknownLanding[];
}

/** A class, and the node that a pod of it is pinned to; -1 where it is to none, -2 where that is not stored. */
export interface Classified {
  readonly podClass: PodClass;
  readonly pin: number;
}

export const NO_PIN = -1;
export const PIN_NOT_STORED = -2;

/** What the lasting filters say of every node, for pods that demand the same of them. */
interface Lasting {
  readonly verdicts: Uint8Array;
  readonly unknownBecause: readonly UnknownLanding[];
}

/** Gives the pods that controllers make anew their classes, so that each distinct demand is worked out once. */
export class PodClasses {
  private readonly classes: PodClass[] = [];
  private readonly byKey = new Map<string, PodClass | undefined>();
  private readonly byText = new Map<string, PodClass>();
  private readonly lasting = new Map<string, Lasting>();
  private readonly tolerances = new Map<number, Tolerance>();
  private readonly grounds = new Map<string, Ground>();
  private readonly lastingIds = new Map<Lasting, number>();
  private readonly labelIds = new Map<Labels, number>();
  private readonly repelling: Repelling;

  constructor(
    private readonly state: ClusterState,
    private readonly nodes: NodesNow,
    private readonly ledger: RoomLedger,
    private readonly search: RoomSearch,
    private readonly gates: TolerationGates,
  ) {
    this.repelling = repellingPods(state);
  }

  /** How many classes there are so far: each cost about as much as one evaluation of a placement. */
  get count(): number {
    return this.classes.length;
  }

  /** The class of the pod made in place of a stored one; undefined where it requests something that cannot be read. */
  of(pod: number, isDaemon: boolean): Classified | undefined {
    const { pods, nodes } = this.state;
    const spec = pods.specOf(pods.specId(pod));
    let pin = NO_PIN;
    if (isDaemon) pin = pods.nodeIndex(pod);
    else if (spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined) {
      const pinned = withoutPin(pods.pod(pod));
      if (pinned !== undefined) {
        pin = nodes.indexOf(pinned.pin);
        if (pin < 0) pin = PIN_NOT_STORED;
      }
    }
    const key = `${pods.specId(pod)} ${pin === NO_PIN ? '' : isDaemon ? 'd' : 'p'} ${this.labelsKey(pod)}`;
    let found = this.byKey.get(key);
    if (found === undefined && !this.byKey.has(key)) {
      found = this.make(pod, isDaemon);
      this.byKey.set(key, found);
    }
    return found === undefined ? undefined : { podClass: found, pin };
  }

  private labelsKey(pod: number): string {
    const { pods } = this.state;
    const namespace = pods.namespace(pod);
    if (!this.repelling.everywhere && !this.repelling.namespaces.has(namespace)) return '';
    const labels = pods.labels(pod);
    let id = this.labelIds.get(labels);
    if (id === undefined) this.labelIds.set(labels, (id = this.labelIds.size));
    return `${id} ${namespace}`;
  }

  private make(index: number, isDaemon: boolean): PodClass | undefined {
    const { pods, nodes } = this.state;
    const anew = madeAnew(pods.pod(index), isDaemon ? nodes.name(pods.nodeIndex(index)) : undefined);
    const pod = withoutPin(anew)?.pod ?? anew;
    let request: ResourceVector;
    try {
      request = schedulerRequest(pod);
    } catch (error) {
      if (error instanceof QuantityError) return undefined;
      throw error;
    }
    const mayBeRepelled = this.labelsKey(index) !== '';
    const text = `${lastingText(pod.spec, true)} ${mayBeRepelled ? stringifyJson([pod.metadata.namespace, pod.metadata.labels ?? {}]) : ''}`;
    const known = this.byText.get(text);
    if (known !== undefined) return known;
    const ownTerms = hasOwnTerms(this.state, pod, this.gates);
    const lasting = this.lastingOf(pod, ownTerms);
    const ground = this.groundOf(lasting, index, pod);
    const { milliCPU, memory, ephemeralStorage, scalars } = request;
    const amounts: readonly (readonly [string, bigint])[] = [
      ['cpu', milliCPU],
      ['memory', memory],
      ['ephemeral-storage', ephemeralStorage],
      ...scalars,
    ];
    const delegated = delegatedResources(this.state, scalars.keys());
    const demands = amounts
      .filter(([resource, amount]) => amount > 0n && !delegated.has(resource))
      .map(([resource, amount]) => ({ resource, request: int64(amount), column: this.ledger.column(resource) }));
    const hangsOnPods =
      hostPortsOf(pod.spec).length > 0 ||
      delegated.size > 0 ||
      pods.nominated().some((other) => pods.priority(other.pod) >= (pod.spec.priority ?? 0)) ||
      (!ownTerms && mayBeRepelled && this.isRepelled(pod));
    const made: PodClass = {
      id: this.classes.length,
      priority: pod.spec.priority ?? 0,
      ground,
      shape: this.search.shape(demands),
      entries: podRequestOf({ spec: pod.spec }).entries,
      requested: { milliCPU: int64(milliCPU), memory: int64(memory) },
      hangsOnPods,
      affectsPods: hostPortsOf(pod.spec).length > 0 || ownTerms,
      unknownBecause: lasting.unknownBecause,
    };
    this.classes.push(made);
    this.byText.set(text, made);
    return made;
  }

  private isRepelled(pod: Pod): boolean {
    const { outcome } = interPodAffinity.preFilter({
      state: this.state,
      pod,
      gates: this.gates,
      rules: undefined,
      nominated: [],
    });
    return outcome !== 'Skip';
  }

  private lastingOf(pod: Pod, ownTerms: boolean): Lasting {
    const text = lastingText(pod.spec, false);
    let lasting = this.lasting.get(text);
    if (lasting === undefined) {
      const rules = ownTerms ? [...LASTING, INTER_POD_AFFINITY] : LASTING;
      const placement = evaluatePlacement(this.state, { pod, rules, gates: this.gates });
      // A copy, since the column is part of a larger piece of memory.
      const verdicts = placement.verdicts.slice();
      if (schedulingGate(pod) !== undefined) verdicts.fill(INFEASIBLE);
      lasting = { verdicts, unknownBecause: notBuiltIn(placement) };
      this.lasting.set(text, lasting);
      this.lastingIds.set(lasting, this.lastingIds.size);
    }
    return lasting;
  }

  private groundOf(lasting: Lasting, index: number, pod: Pod): Ground {
    const set = this.state.pods.tolerationSetId(index);
    const key = `${this.lastingIds.get(lasting)!} ${set}`;
    let ground = this.grounds.get(key);
    if (ground === undefined) {
      let tolerance = this.tolerances.get(set);
      if (tolerance === undefined) {
        tolerance = new Tolerance(pod.spec.tolerations ?? [], this.nodes, this.gates);
        this.tolerances.set(set, tolerance);
      }
      ground = new Ground(lasting.verdicts, tolerance, this.nodes);
      this.grounds.set(key, ground);
    }
    return ground;
  }
}

/** What a placement's filters that are not built say. */
export function notBuiltIn(placement: Placement): readonly UnknownLanding[] {
  return placement
    .rollUp()
    .filter(({ code }) => code === 'NotBuilt' || code === 'KindNotLoaded')
    .map(({ plugin, message }) => ({ code: 'filterNotBuilt', message, plugin }));
}

/** Whether the pod itself requires something of other pods, which InterPodAffinity then says of every node alike. */
function hasOwnTerms(state: ClusterState, pod: Pod, gates: TolerationGates): boolean {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const both = [podAffinity, podAntiAffinity];
  if (both.some((terms) => (terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0)) return true;
  if (both.every((terms) => (terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length === 0)) return false;
  const prepared = interPodAffinity.preFilter({ state, pod, gates, rules: undefined, nominated: [] });
  return prepared.outcome === 'Filter' && prepared.mayRejectPod === true;
}

interface Repelling {
  /** Whether some pod's required anti-affinity looks beyond its own namespace. */
  readonly everywhere: boolean;
  /** The namespaces of the pods with required anti-affinity. */
  readonly namespaces: ReadonlySet<string>;
}

function repellingPods({ pods }: ClusterState): Repelling {
  const namespaces = new Set<string>();
  let everywhere = false;
  const add = (pod: number): void => {
    const terms = pods.requiredAntiAffinity(pod);
    if (terms.length === 0) return;
    namespaces.add(pods.namespace(pod));
    everywhere ||= terms.some(
      ({ namespaces: others = [], namespaceSelector }) => others.length > 0 || namespaceSelector !== undefined,
    );
  };
  for (const pod of pods.withRequiredAntiAffinity()) add(pod);
  for (const { pod } of pods.nominated()) add(pod);
  return { everywhere, namespaces };
}

const NOT_LASTING: ReadonlySet<string> = new Set([
  'tolerations',
  'priority',
  'priorityClassName',
  'preemptionPolicy',
  'overhead',
  'resources',
  'serviceAccountName',
  'terminationGracePeriodSeconds',
  'activeDeadlineSeconds',
]);
const NOT_LASTING_OF_CONTAINERS: ReadonlySet<string> = new Set(['name', 'image', 'resources', 'resizePolicy', 'ports']);
const NEVER_ASKED_OF_CONTAINERS: ReadonlySet<string> = new Set(['name', 'image']);

/**
 * A text that is the same for specs that the lasting filters cannot tell apart; with `whole`, that no filter can. Which claim a pod
 * uses is left out: that is not evaluated yet, and a StatefulSet's pods differ in nothing else.
 */
function lastingText(spec: PodSpec, whole: boolean): string {
  const containers = (list: readonly Container[] | undefined): readonly object[] =>
    (list ?? []).map((one) => without(one, whole ? NEVER_ASKED_OF_CONTAINERS : NOT_LASTING_OF_CONTAINERS));
  return stringifyJson({
    ...(whole ? spec : without(spec, NOT_LASTING)),
    containers: containers(spec.containers),
    initContainers: containers(spec.initContainers),
    volumes: (spec.volumes ?? []).map((volume) => ({
      ...volume,
      name: '',
      ...(volume.persistentVolumeClaim !== undefined && { persistentVolumeClaim: {} }),
    })),
  });
}

function without(value: object, keys: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)));
}
