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
import { FEASIBLE, INFEASIBLE, NOT_KNOWN, type Placement } from '../placement/placement.js';
import { delegatedResources } from '../placement/plugins/dynamic-resources/delegated-resources.js';
import {
  interPodAffinity,
  NAME as INTER_POD_AFFINITY,
} from '../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import {
  existingTermCovers,
  readAffinityTerms,
  type AffinityTerm,
} from '../placement/plugins/inter-pod-affinity/terms.js';
import { NAME as NODE_PORTS } from '../placement/plugins/node-ports/node-ports.js';
import { NAME as NODE_RESOURCES_FIT } from '../placement/plugins/node-resources-fit/node-resources-fit.js';
import { NAME as NODE_UNSCHEDULABLE } from '../placement/plugins/node-unschedulable/node-unschedulable.js';
import { NAME as NODE_VOLUME_LIMITS } from '../placement/plugins/node-volume-limits/node-volume-limits.js';
import { NAME as POD_TOPOLOGY_SPREAD } from '../placement/plugins/pod-topology-spread/pod-topology-spread.js';
import { schedulingGate } from '../placement/plugins/scheduling-gates/scheduling-gates.js';
import { NAME as TAINT_TOLERATION } from '../placement/plugins/taint-toleration/taint-toleration.js';
import { NAME as VOLUME_BINDING } from '../placement/plugins/volume-binding/volume-binding.js';
import { NAME as VOLUME_RESTRICTIONS } from '../placement/plugins/volume-restrictions/volume-restrictions.js';
import { DEFAULT_FILTERS } from '../placement/profile.js';
import { schedulerRequest, type ResourceVector } from '../resources/request-vector.js';
import { Ground } from './ground.js';
import type { UnknownLanding } from './landing.js';
import { hasOwnClaims, looksAtPods, usesVolumes } from './looks-at-pods.js';
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
  POD_TOPOLOGY_SPREAD,
  VOLUME_RESTRICTIONS,
  NODE_VOLUME_LIMITS,
]);
const LASTING = DEFAULT_FILTERS.map(({ name }) => name).filter((name) => !CHANGING.has(name));

/** A claim that is made for a pod and with it: nothing is known of the one for the pod made anew. */
const OWN_CLAIM: UnknownLanding = {
  code: 'filterNotBuilt',
  message: 'the pod gets a claim of its own, of whose volume nothing is known before it is made',
  plugin: VOLUME_BINDING,
};

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
  /** Whether it may hang on any pod at all, so that every one that leaves or lands has to be followed. */
  readonly looksAtPods: boolean;
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
  /** By spec id. */
  private readonly lookingSpecs = new Map<number, boolean>();
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
    const spec = pods.specId(pod);
    let looks = this.lookingSpecs.get(spec);
    if (looks === undefined) this.lookingSpecs.set(spec, (looks = looksAtPods(pods.specOf(spec))));
    if (!looks && !this.repelling.everywhere && !this.repelling.namespaces.has(namespace)) return '';
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
    const isItself = this.labelsKey(index) !== '';
    const text = `${lastingText(pod.spec, true)} ${isItself ? stringifyJson([pod.metadata.namespace, pod.metadata.labels ?? {}]) : ''}`;
    const known = this.byText.get(text);
    if (known !== undefined) return known;
    const lasting = this.lastingOf(pod);
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
    const looks = looksAtPods(pod.spec);
    const hangsOnPods =
      !hasOwnClaims(pod.spec) &&
      (looks ||
        hostPortsOf(pod.spec).length > 0 ||
        delegated.size > 0 ||
        pods.nominated().some((other) => pods.priority(other.pod) >= (pod.spec.priority ?? 0)) ||
        this.minedByAffinity(pod));
    const made: PodClass = {
      id: this.classes.length,
      priority: pod.spec.priority ?? 0,
      ground,
      shape: this.search.shape(demands),
      entries: podRequestOf({ spec: pod.spec }).entries,
      requested: { milliCPU: int64(milliCPU), memory: int64(memory) },
      hangsOnPods,
      looksAtPods: hangsOnPods && looks,
      affectsPods: hostPortsOf(pod.spec).length > 0 || repels(pod.spec),
      unknownBecause: lasting.unknownBecause,
    };
    this.classes.push(made);
    this.byText.set(text, made);
    return made;
  }

  /** Whether some pod's required anti-affinity may repel this one from somewhere, or its own terms cannot be read. */
  private minedByAffinity(pod: Pod): boolean {
    const { namespace = '', labels = {} } = pod.metadata;
    const { state, gates } = this;
    const mayRepel = this.repelling.terms.some(
      (term) => term.selector.matches(labels) && existingTermCovers(state, term, namespace) !== 'no',
    );
    if (mayRepel) return true;
    if (pod.spec.affinity?.podAffinity === undefined && pod.spec.affinity?.podAntiAffinity === undefined) return false;
    return (
      interPodAffinity.preFilter({ state, pod, gates, rules: undefined, filters: DEFAULT_FILTERS, nominated: [] })
        .outcome !== 'Skip'
    );
  }

  private lastingOf(pod: Pod): Lasting {
    const namespace = usesVolumes(pod.spec) ? (pod.metadata.namespace ?? '') : '';
    const text = `${namespace} ${lastingText(pod.spec, false)}`;
    let lasting = this.lasting.get(text);
    if (lasting === undefined) {
      const isOpen = hasOwnClaims(pod.spec);
      const rules = isOpen ? LASTING.filter((rule) => rule !== VOLUME_BINDING) : LASTING;
      const placement = evaluatePlacement(this.state, { pod, rules, gates: this.gates });
      // A copy, since the column is part of a larger piece of memory.
      let verdicts = placement.verdicts.slice();
      if (isOpen) verdicts = verdicts.map((verdict) => (verdict === FEASIBLE ? NOT_KNOWN : verdict));
      if (schedulingGate(pod) !== undefined) verdicts.fill(INFEASIBLE);
      lasting = { verdicts, unknownBecause: isOpen ? [OWN_CLAIM] : notBuiltIn(placement) };
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

const repels = ({ affinity }: PodSpec): boolean =>
  (affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;

interface Repelling {
  /** Whether some pod's required anti-affinity looks beyond its own namespace. */
  readonly everywhere: boolean;
  /** The namespaces of the pods with required anti-affinity. */
  readonly namespaces: ReadonlySet<string>;
  /** The distinct terms of all pods, wherever they are: those that wait may land. */
  readonly terms: readonly AffinityTerm[];
}

function repellingPods({ pods }: ClusterState): Repelling {
  const namespaces = new Set<string>();
  const terms = new Map<string, readonly AffinityTerm[]>();
  const repelling: boolean[] = [];
  for (let pod = 0; pod < pods.count; pod++) {
    const spec = pods.specId(pod);
    if (!(repelling[spec] ??= repels(pods.specOf(spec))) || !pods.active(pod)) continue;
    const namespace = pods.namespace(pod);
    namespaces.add(namespace);
    const key = `${spec} ${namespace}`;
    if (!terms.has(key)) terms.set(key, readAffinityTerms(pods.specOf(spec), namespace).terms.requiredAntiAffinity);
  }
  const all = [...terms.values()].flat();
  const everywhere = all.some(
    ({ namespaces: named, namespaceSelector }) => named.size !== 1 || namespaceSelector.requirements !== undefined,
  );
  return {
    everywhere: everywhere || all.some((term) => !namespaces.has([...term.namespaces][0]!)),
    namespaces,
    terms: all,
  };
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
 * A text that is the same for specs that the lasting filters cannot tell apart; with `whole`, that no filter can.
 */
function lastingText(spec: PodSpec, whole: boolean): string {
  const containers = (list: readonly Container[] | undefined): readonly object[] =>
    (list ?? []).map((one) => without(one, whole ? NEVER_ASKED_OF_CONTAINERS : NOT_LASTING_OF_CONTAINERS));
  return stringifyJson({
    ...(whole ? spec : without(spec, NOT_LASTING)),
    containers: containers(spec.containers),
    initContainers: containers(spec.initContainers),
    volumes: (spec.volumes ?? []).map((volume) => ({ ...volume, name: '' })),
  });
}

function without(value: object, keys: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)));
}
