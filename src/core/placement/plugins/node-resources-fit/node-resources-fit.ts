import { isSidecar } from '../../../kubernetes/disabled-fields.js';
import type { KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import type { Pod } from '../../../kubernetes/objects/pod.js';
import { isExtendedResource, isHugePageResource, isScalarResource } from '../../../kubernetes/resource-names.js';
import type { ClusterState } from '../../../cluster/cluster-state.js';
import { addInt64, int64, subInt64 } from '../../../cluster/resource-table.js';
import type { Int64 } from '../../../kubernetes/objects/meta.js';
import { Quantity } from '../../../kubernetes/quantity.js';
import { schedulerRequest } from '../../../resources/request-vector.js';
import type { PluginArguments } from '../../plugin-arguments.js';
import { delegatedResources } from '../dynamic-resources/delegated-resources.js';
import {
  SUCCESS,
  UNRESOLVABLE,
  UNSCHEDULABLE,
  type AmountColumn,
  type AmountUnit,
  type Assumption,
  type FilterPlugin,
  type PreFilterExtensions,
  type PlacementInput,
  type Prepared,
  type StatusCode,
} from '../../plugin.js';
import {
  nodeField,
  nodeMapField,
  podField,
  type FieldReference,
  type CommonReason,
  type Reason,
} from '../../reason.js';
import { tooLargeIn, type Demand } from './demand.js';
import { HeldAmounts } from './held-amounts.js';
import { PlainExtensions } from './plain-extensions.js';
import { shortMessage } from './short-message.js';

export const NAME = 'NodeResourcesFit';

/**
 * The node must have room for one more pod, and for what the pod requests of each resource. A request greater than the
 * node's whole allocatable cannot be helped by preemption; before 1.34, the scheduler tries preemption nevertheless.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go, `fitsRequest`.
 */
export const nodeResourcesFit: FilterPlugin = nodeResourcesFitWith({ ignoredResources: [], ignoredResourceGroups: [] });

type Ignored = Pick<PluginArguments['nodeResourcesFit'], 'ignoredResources' | 'ignoredResourceGroups'>;

/** The same in a profile that leaves some extended resources to others (`NodeResourcesFitArgs`). */
export function nodeResourcesFitWith(ignored: Ignored): FilterPlugin {
  return { name: NAME, preFilter: (input) => prepare(input, ignored) };
}

/** Whether a profile leaves a resource to others: one that is extended, and named by itself or by what stands before its slash. */
function isIgnoredResource({ ignoredResources, ignoredResourceGroups }: Ignored, resource: string): boolean {
  if (ignoredResources.length === 0 && ignoredResourceGroups.length === 0) return false;
  if (!isExtendedResource(resource)) return false;
  return ignoredResources.includes(resource) || ignoredResourceGroups.includes(resource.split('/', 1)[0]!);
}

const SIDECARS_OFF = 'Pod has a restartable init container and the SidecarContainers feature is disabled';

/**
 * No node takes a pod with sidecars where their gate is off. The API server makes plain init containers of those of a new pod.
 *
 * Source: k8s.io/kubernetes v1.31.14 and v1.32.13, pkg/scheduler/framework/plugins/noderesources/fit.go, `Filter`; since 1.33 the gate is locked.
 */
function withoutSidecars(initContainers: readonly { readonly restartPolicy?: string }[]): Prepared {
  const fields = initContainers.flatMap((container, index) =>
    isSidecar(container) ? [podField('spec', 'initContainers', index, 'restartPolicy')] : [],
  );
  const reason: Reason = {
    plugin: NAME,
    code: 'SidecarsDisabled',
    status: 'UnschedulableAndUnresolvable',
    message: SIDECARS_OFF,
    facts: {},
    fields,
  };
  return {
    outcome: 'Filter',
    filter: {
      status: () => UNRESOLVABLE,
      commonReasonKey: () => 0,
      commonReasons: () => [{ code: 'SidecarsDisabled', message: SIDECARS_OFF }],
      explain: () => [reason],
    },
  };
}

function prepare(input: PlacementInput, ignored: Ignored): Prepared {
  const { initContainers = [] } = input.pod.spec;
  if (!input.state.rules.featureGates.SidecarContainers && initContainers.some(isSidecar)) {
    return withoutSidecars(initContainers);
  }
  const demands = demandsOf(input, ignored);
  const fit = new Fit(input.state, demands, nominatedUse(input));
  const assumes = assumptions(input.state, demands);
  return {
    outcome: 'Filter',
    ...(assumes.length === 0 ? {} : { assumes }),
    filter: {
      status: (node) => fit.status(node),
      fill: (statuses) => fit.fill(statuses),
      commonReasonKey: (node) => fit.key(node),
      commonReasons: (key) => fit.commonReasons(key),
      amounts: (nodes) => fit.amounts(nodes),
      explain: (node) => fit.explain(node),
      preFilterExtensions: (node, pods) => fit.preFilterExtensions(node, pods),
    },
  };
}

/** As many powers of two add up without loss. */
const MAX_BITS = 50;

/** What nominated pods hold of each node, by resource. */
type NominatedUse = ReadonlyMap<number, ReadonlyMap<string, Int64>>;

class Fit {
  private readonly keys = new Map<number | string, number>();
  private readonly sets: (readonly string[])[] = [];

  constructor(
    private readonly state: ClusterState,
    private readonly demands: readonly Demand[],
    private readonly nominated: NominatedUse,
  ) {
    this.tooLarge = tooLargeIn(state);
    const { allocatable, requested } = state.nodes;
    this.allowedPods = allocatable.column('pods')?.values;
    this.runningPods = requested.column('pods')?.values;
  }

  /** By resource; the same list each time, so that what is made of one can be kept. */
  private readonly fields = new Map<string, readonly FieldReference[]>();
  private demandOf: ReadonlyMap<string, Demand> | undefined;
  private readonly allowedPods: Float64Array | undefined;
  private readonly runningPods: Float64Array | undefined;
  /** The answer for a request greater than the node's allocatable. */
  private readonly tooLarge: StatusCode;

  status(node: number): StatusCode {
    const exact = this.nominated.size > 0 && this.nominated.has(node);
    let code: StatusCode = (exact ? this.tooManyPods(node) : this.tooManyPodsPlain(node)) ? UNSCHEDULABLE : SUCCESS;
    for (const demand of this.demands) {
      const answer = exact ? this.exact(demand, node) : this.plain(demand, node);
      if (answer > code) code = answer;
    }
    return code;
  }

  /** `status` of every node, one resource after the other. */
  fill(statuses: Uint8Array): boolean {
    const { allowedPods, runningPods } = this;
    let any = this.nominated.size > 0;
    for (let node = 0; node < statuses.length; node++) {
      // Not so where a number is NaN.
      if (runningPods !== undefined && allowedPods !== undefined && runningPods[node]! < allowedPods[node]!) continue;
      if (!this.tooManyPodsPlain(node)) continue;
      statuses[node] = UNSCHEDULABLE;
      any = true;
    }
    for (const demand of this.demands) if (this.fillDemand(demand, statuses)) any = true;
    for (const node of this.nominated.keys()) statuses[node] = this.status(node);
    return any;
  }

  private fillDemand(demand: Demand, statuses: Uint8Array): boolean {
    const { tooLarge } = this;
    const { plain, allocatable, used, delegated } = demand;
    let any = false;
    if (allocatable !== undefined && used !== undefined && !delegated && !Number.isNaN(plain)) {
      for (let node = 0; node < statuses.length; node++) {
        const room = allocatable[node]!;
        const free = room - used[node]!;
        // See `plain`. Neither holds where free is NaN: then the exact values decide.
        if (plain <= free) continue;
        const answer = plain > free ? (plain > room ? tooLarge : UNSCHEDULABLE) : this.exact(demand, node);
        if (answer === SUCCESS) continue;
        any = true;
        if (answer > statuses[node]!) statuses[node] = answer;
      }
      return any;
    }
    for (let node = 0; node < statuses.length; node++) {
      const answer = this.plain(demand, node);
      if (answer === SUCCESS) continue;
      any = true;
      if (answer > statuses[node]!) statuses[node] = answer;
    }
    return any;
  }

  /** The short resources, as one number for each combination of them. */
  key(node: number): number {
    const short = this.demands.length < MAX_BITS ? this.shortBits(node) : this.short(node).join('\n');
    let key = this.keys.get(short);
    if (key === undefined) {
      key = this.sets.length;
      this.sets.push(this.short(node));
      this.keys.set(short, key);
    }
    return key;
  }

  /** The short resources as a sum, each with a power of two of its own. */
  private shortBits(node: number): number {
    const exact = this.nominated.has(node);
    let bits = (exact ? this.tooManyPods(node) : this.tooManyPodsPlain(node)) ? 1 : 0;
    let bit = 2;
    for (const demand of this.demands) {
      if ((exact ? this.exact(demand, node) : this.plain(demand, node)) !== SUCCESS) bits += bit;
      bit *= 2;
    }
    return bits;
  }

  commonReasons(key: number): readonly CommonReason[] {
    return this.sets[key]!.map((resource) => ({ code: codeOf(resource), message: shortMessage(resource) }));
  }

  explain(node: number): readonly Reason[] {
    const unresolvable = this.status(node) === UNRESOLVABLE;
    this.demandOf ??= new Map(this.demands.map((demand) => [demand.resource, demand]));
    const { demandOf } = this;
    return this.short(node).map((resource): Reason => {
      const demand = demandOf.get(resource);
      const requested = demand?.request ?? 1;
      const allocatable = this.allocatable(resource, node);
      const used = this.used(resource, node);
      return {
        plugin: NAME,
        code: codeOf(resource),
        status: unresolvable ? 'UnschedulableAndUnresolvable' : 'Unschedulable',
        message: shortMessage(resource),
        facts: {
          resource,
          requested: quantity(resource, requested),
          used: quantity(resource, used),
          allocatable: quantity(resource, allocatable),
          available: quantity(resource, subInt64(allocatable, used)),
        },
        fields: this.fieldsOf(resource),
      };
    });
  }

  /** What nodes that are short of the same resources have of them. */
  amounts(nodes: readonly number[]): readonly AmountColumn[] {
    return this.short(nodes[0]!).flatMap((resource, reason): readonly AmountColumn[] => {
      const unit = unitOf(resource);
      const allocatable = nodes.map((node) => this.allocatable(resource, node));
      const used = nodes.map((node) => this.used(resource, node));
      const available = allocatable.map((amount, index) => subInt64(amount, used[index]!));
      return [
        { reason, fact: 'available', unit, values: available },
        { reason, fact: 'allocatable', unit, values: allocatable },
        { reason, fact: 'used', unit, values: used, isDerived: true },
      ];
    });
  }

  private extensions: { readonly held: HeldAmounts; readonly plain: PlainExtensions } | undefined;

  preFilterExtensions(node: number, moving: readonly number[]): PreFilterExtensions {
    if (this.extensions === undefined) {
      const held = new HeldAmounts(this.state.pods, this.demands);
      this.extensions = { held, plain: new PlainExtensions(this.state, this.demands, held) };
    }
    const { held, plain } = this.extensions;
    if (!this.nominated.has(node) && plain.start(node, moving)) return plain;
    return this.exactExtensions(
      node,
      moving.map((pod) => held.of(pod)),
    );
  }

  /** `held`: by place, what each of the pods that go and come holds. */
  private exactExtensions(node: number, held: readonly (readonly Int64[])[]): PreFilterExtensions {
    const { demands } = this;
    const room = demands.map(({ resource }) => this.allocatable(resource, node));
    const used = demands.map(({ resource }) => this.used(resource, node));
    const allowedPods = this.allocatable('pods', node);
    let pods = this.used('pods', node);
    const answer = (index: number): StatusCode => {
      const { request, delegated } = demands[index]!;
      if (delegated && room[index]! <= 0) return SUCCESS;
      if (request <= subInt64(room[index]!, used[index]!)) return SUCCESS;
      return request > room[index]! ? this.tooLarge : UNSCHEDULABLE;
    };
    const isFull = (): boolean => addInt64(pods, 1) > allowedPods;
    return {
      removePod: (place) => {
        const amounts = held[place]!;
        for (let index = 0; index < used.length; index++) used[index] = subInt64(used[index]!, amounts[index]!);
        pods = subInt64(pods, 1);
      },
      addPod: (place) => {
        const amounts = held[place]!;
        for (let index = 0; index < used.length; index++) used[index] = addInt64(used[index]!, amounts[index]!);
        pods = addInt64(pods, 1);
      },
      status: () => {
        let code: StatusCode = isFull() ? UNSCHEDULABLE : SUCCESS;
        for (let index = 0; index < demands.length; index++) {
          const one = answer(index);
          if (one > code) code = one;
        }
        return code;
      },
      messages: () => [
        ...(isFull() ? [shortMessage('pods')] : []),
        ...demands.filter((_, index) => answer(index) !== SUCCESS).map(({ resource }) => shortMessage(resource)),
      ],
    };
  }

  private fieldsOf(resource: string): readonly FieldReference[] {
    let fields = this.fields.get(resource);
    if (fields === undefined) {
      fields =
        resource === 'pods'
          ? [nodeField('status', 'allocatable', 'pods')]
          : [podField('spec', 'containers'), nodeMapField(['status', 'allocatable'], resource)];
      this.fields.set(resource, fields);
    }
    return fields;
  }

  private short(node: number): readonly string[] {
    return [
      ...(this.tooManyPods(node) ? ['pods'] : []),
      ...this.demands.filter((demand) => this.exact(demand, node) !== SUCCESS).map(({ resource }) => resource),
    ];
  }

  private allocatable(resource: string, node: number): Int64 {
    return this.state.nodes.allocatable.at(resource, node);
  }

  private used(resource: string, node: number): Int64 {
    const used = this.state.nodes.requested.at(resource, node);
    const nominated = this.nominated.get(node)?.get(resource);
    return nominated === undefined ? used : addInt64(used, nominated);
  }

  private tooManyPods(node: number): boolean {
    return addInt64(this.used('pods', node), 1) > this.allocatable('pods', node);
  }

  private tooManyPodsPlain(node: number): boolean {
    const allowed = this.allowedPods === undefined ? 0 : this.allowedPods[node]!;
    const running = this.runningPods === undefined ? 0 : this.runningPods[node]!;
    return Number.isNaN(allowed) ? this.tooManyPods(node) : running + 1 > allowed;
  }

  private plain(demand: Demand, node: number): StatusCode {
    const allocatable = demand.allocatable === undefined ? 0 : demand.allocatable[node]!;
    const used = demand.used === undefined ? 0 : demand.used[node]!;
    // One difference of safe integers: where it is rounded it is far beyond any safe request, so the comparison holds.
    const free = allocatable - used;
    if (Number.isNaN(free) || Number.isNaN(demand.plain)) return this.exact(demand, node);
    if (demand.delegated && allocatable <= 0) return SUCCESS;
    if (demand.plain <= free) return SUCCESS;
    return demand.plain > allocatable ? this.tooLarge : UNSCHEDULABLE;
  }

  private exact({ resource, request, delegated }: Demand, node: number): StatusCode {
    const allocatable = this.allocatable(resource, node);
    if (delegated && allocatable <= 0) return SUCCESS;
    if (request <= subInt64(allocatable, this.used(resource, node))) return SUCCESS;
    return request > allocatable ? this.tooLarge : UNSCHEDULABLE;
  }
}

function demandsOf({ state, pod }: PlacementInput, ignored: Ignored): readonly Demand[] {
  const asked = askedAmounts(pod, ignored, state.rules);
  const { allocatable, requested } = state.nodes;
  const delegated = delegatedResources(state, asked.map(([resource]) => resource).filter(isScalarResource));
  return asked.map(([resource, amount]) => {
    const request = int64(amount);
    return {
      resource,
      request,
      plain: typeof request === 'number' ? request : Number.NaN,
      allocatable: allocatable.column(resource)?.values,
      used: requested.column(resource)?.values,
      delegated: delegated.has(resource),
    };
  });
}

/** What the pod asks a node for, those resources aside that are ignored; never an amount of 0. */
export function askedAmounts(
  pod: Pod,
  ignored: Ignored,
  rules: KubernetesRules,
): readonly (readonly [resource: string, amount: bigint])[] {
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod, rules);
  const amounts: readonly (readonly [string, bigint])[] = [
    ['cpu', milliCPU],
    ['memory', memory],
    ['ephemeral-storage', ephemeralStorage],
    ...[...scalars].filter(([resource]) => !isIgnoredResource(ignored, resource)),
  ];
  return amounts.filter(([, amount]) => amount > 0n);
}

/** Nominated pods count on their node (`addGENominatedPods`): what they hold only adds, so the first of upstream's two passes decides. */
function nominatedUse({ state, nominated }: PlacementInput): NominatedUse {
  const use = new Map<number, Map<string, Int64>>();
  for (const { pod, nodeIndex } of nominated) {
    const row = use.get(nodeIndex) ?? new Map<string, Int64>();
    use.set(nodeIndex, row);
    const { milliCPU, memory, ephemeralStorage, scalars } = state.pods.requests(pod);
    const entries = [
      ['cpu', milliCPU],
      ['memory', memory],
      ['ephemeral-storage', ephemeralStorage],
      ['pods', 1n],
      ...scalars,
    ] as const;
    for (const [resource, amount] of entries) row.set(resource, addInt64(row.get(resource) ?? 0, int64(amount)));
  }
  return use;
}

/** An extended resource may be a DeviceClass' other name; without DeviceClasses it is taken for a device plugin's. */
function assumptions(state: ClusterState, demands: readonly Demand[]): readonly Assumption[] {
  if (state.loadedKinds.has('DeviceClass') || !state.rules.featureGates.DRAExtendedResource) return [];
  return demands
    .filter(({ resource, delegated }) => !delegated && isExtendedResource(resource))
    .map(({ resource }) => ({
      plugin: NAME,
      kind: 'DeviceClass' as const,
      message: `no DeviceClass is known, so ${resource} is assumed to be an allocatable resource of nodes, not a device of a driver`,
    }));
}

const codeOf = (resource: string): 'TooManyPods' | 'InsufficientResource' =>
  resource === 'pods' ? 'TooManyPods' : 'InsufficientResource';

/** An amount of a resource in Kubernetes' notation: cpu is held in thousandths, memory and its like read in binary units. */
export function quantity(resource: string, amount: Int64): string {
  const written = resource === 'cpu' ? writtenMilli : isBinary(resource) ? writtenBinary : writtenDecimal;
  return written(amount);
}

const unitOf = (resource: string): AmountUnit =>
  resource === 'cpu' ? 'millicores' : isBinary(resource) ? 'bytes' : 'count';

const isBinary = (resource: string): boolean =>
  resource === 'memory' || resource === 'ephemeral-storage' || isHugePageResource(resource);

/** Amounts come again with every pod that is placed: what nodes have, and what their pods hold. */
const MAX_WRITTEN = 20_000;

function remembering(write: (amount: bigint) => Quantity): (amount: Int64) => string {
  const known = new Map<Int64, string>();
  return (amount) => {
    let text = known.get(amount);
    if (text === undefined) {
      text = write(BigInt(amount)).toString();
      if (known.size >= MAX_WRITTEN) known.clear();
      known.set(amount, text);
    }
    return text;
  };
}

const writtenMilli = remembering((amount) => Quantity.of(amount, 'DecimalSI', -3));
const writtenBinary = remembering((amount) => Quantity.of(amount, 'BinarySI'));
const writtenDecimal = remembering((amount) => Quantity.of(amount, 'DecimalSI'));
