import type { KubernetesRules } from '../../kubernetes/kubernetes-rules.js';
import { defaultLimitRangeItem } from '../../kubernetes/limit-range-defaults.js';
import { asPod } from '../prepare-pod.js';
import type { ResourceList } from '../../kubernetes/objects/meta.js';
import type { Pod, ResourceRequirements } from '../../kubernetes/objects/pod.js';
import type { LimitRange, ResourceQuota } from '../../kubernetes/objects/quota.js';
import type { WholePod, WholePodSpec } from '../../kubernetes/objects/whole-pod.js';
import { aggregateContainerRequests } from '../../kubernetes/pod-resources/pod-requests.js';
import { decodeQuantity, Quantity } from '../../kubernetes/quantity.js';
import { isOvercommitAllowed } from '../../kubernetes/resource-names.js';
import { defaultWholePod } from '../../kubernetes/whole-pod-defaults.js';
import { demandedByQuota } from '../../quota/demanded-resources.js';
import type { ContainerPlace, LimitFault } from '../limit-constraints.js';
import { admitLimitRanges, faultsOf } from '../limit-ranger.js';
import {
  inContainer,
  inSpec,
  placedContainers,
  type EditingChange,
  lastOfEach,
  type PodEdit,
  type Way,
} from './refusal-change.js';

type Amounts = 'requests' | 'limits';

/** An amount that is to be set: of a container, or (without a place) of the pod itself. */
interface NewAmount {
  readonly place: ContainerPlace | undefined;
  readonly of: Amounts;
  readonly resource: string;
  readonly amount: Quantity;
  readonly condition: string | null;
}

function editOf({ place, of, resource, amount }: Omit<NewAmount, 'condition'>): PodEdit {
  const set = <T extends { readonly resources?: ResourceRequirements }>(owner: T): T => {
    const { resources } = owner;
    return { ...owner, resources: { ...resources, [of]: { ...resources?.[of], [resource]: amount.toString() } } };
  };
  return place === undefined ? inSpec((spec) => set<WholePodSpec>(spec)) : inContainer(place, set);
}

function changeOf(by: EditingChange['by'], pod: WholePod, change: NewAmount): EditingChange {
  const { place, of, resource, amount, condition } = change;
  const name = place && pod.spec[place.list]?.[place.index]?.name;
  const whose = name === undefined ? 'the pod' : `container "${name}"`;
  const what = of === 'requests' ? 'request' : 'limit';
  return {
    by,
    summary: `set the ${resource} ${what} of ${whose} to ${amount.toString()}`,
    condition,
    edit: editOf(change),
    sets: `${place?.list ?? ''} ${place?.index ?? ''} ${of} ${resource}`,
  };
}

const changesOf = (by: EditingChange['by'], pod: WholePod, amounts: readonly NewAmount[]): Way =>
  lastOfEach(amounts.map((amount) => changeOf(by, pod, { ...amount, amount: shortest(amount.amount) })));

/** In the notation that takes fewer letters: `3Gi`, not `3221225472`. */
function shortest(amount: Quantity): Quantity {
  const [binary, decimal] = [amount.in('BinarySI'), amount.in('DecimalSI')];
  const text = amount.toString();
  const shorter = [binary, decimal].find((other) => other.toString().length < text.length);
  return shorter ?? amount;
}

const amountOf = (list: ResourceList | undefined, resource: string): Quantity | undefined =>
  list !== undefined && Object.hasOwn(list, resource) ? decodeQuantity(list[resource]!) : undefined;

/** The amounts of the pod itself and of its containers. */
function resourcesOf({ spec }: Pick<WholePod, 'spec'>): readonly {
  readonly place: ContainerPlace | undefined;
  readonly resources: ResourceRequirements | undefined;
}[] {
  return [
    { place: undefined, resources: spec.resources },
    ...placedContainers(spec).map(({ container: { resources }, ...place }) => ({ place, resources })),
  ];
}

/**
 * The ways to end complaints that a request is more than its limit, or, of what cannot be overcommitted, another amount: to raise the
 * limits, or to lower the requests. And what the pod itself requests or is limited to is raised to
 * what its containers are.
 *
 * @param sent as it is sent
 * @param refused as it was refused
 */
export function overLimitWays(sent: WholePod, refused: Pod): readonly Way[] {
  const [raised, lowered]: [NewAmount[], NewAmount[]] = [[], []];
  for (const { place, resources } of resourcesOf(refused)) {
    for (const [resource, text] of Object.entries(resources?.requests ?? {})) {
      const request = decodeQuantity(text);
      const limit = amountOf(resources?.limits, resource);
      const isFixed = !isOvercommitAllowed(resource);
      if (limit === undefined ? !isFixed : isFixed ? request.cmp(limit) === 0 : request.cmp(limit) <= 0) continue;
      raised.push({ place, of: 'limits', resource, amount: request, condition: null });
      if (limit !== undefined) lowered.push({ place, of: 'requests', resource, amount: limit, condition: null });
    }
  }
  const sums: NewAmount[] = [];
  const most = greatestLimits(refused);
  for (const [resource, limit] of most) {
    const ofPod = amountOf(refused.spec.resources?.limits, resource);
    if (ofPod !== undefined && limit.cmp(ofPod) > 0) {
      sums.push({ place: undefined, of: 'limits', resource, amount: limit, condition: null });
    }
  }
  for (const [resource, sum] of aggregateContainerRequests({ spec: refused.spec })) {
    const ofPod = amountOf(refused.spec.resources?.requests, resource);
    if (ofPod !== undefined && sum.cmp(ofPod) > 0) {
      sums.push({ place: undefined, of: 'requests', resource, amount: sum, condition: null });
    }
  }
  const ways = [[...sums, ...raised], lowered.length > 0 ? [...sums, ...lowered] : []];
  return ways.filter((way) => way.length > 0).map((way) => changesOf('validation', sent, way));
}

/** The greatest limit of any container, for each resource. */
function greatestLimits(pod: WholePod): ReadonlyMap<string, Quantity> {
  const greatest = new Map<string, Quantity>();
  for (const { container } of placedContainers(pod.spec)) {
    for (const [resource, text] of Object.entries(container.resources?.limits ?? {})) {
      const limit = decodeQuantity(text);
      const known = greatest.get(resource);
      if (known === undefined || limit.cmp(known) > 0) greatest.set(resource, limit);
    }
  }
  return greatest;
}

/** Bounds that a pod is brought within before it is given up. */
const MOST_BOUNDS = 64;

/**
 * The ways to bring a pod within the LimitRanges of its namespace, each amount to the bound. Where a limit is too many times the request,
 * the request is raised, or the limit lowered.
 *
 * @param sent as it is sent
 */
export function withinLimitRanges(sent: WholePod, limitRanges: readonly LimitRange[]): readonly Way[] {
  const raising = bounded(sent, limitRanges, 'requests');
  if (!raising.hasRatio) return raising.way === undefined ? [] : [raising.way];
  return [raising.way, bounded(sent, limitRanges, 'limits').way].filter((way) => way !== undefined);
}

function bounded(
  sent: WholePod,
  limitRanges: readonly LimitRange[],
  byRatio: Amounts,
): { readonly way: Way | undefined; readonly hasRatio: boolean } {
  const amounts: NewAmount[] = [];
  let pod = sent;
  let hasRatio = false;
  for (let round = 0; round < MOST_BOUNDS; round++) {
    const judged = admitLimitRanges(asPod(defaultWholePod(pod)), limitRanges);
    const fault = limitRanges.flatMap((limitRange) => faultsOf(limitRange, judged))[0];
    if (fault === undefined) return { way: changesOf('LimitRanger', sent, amounts), hasRatio };
    hasRatio ||= fault.rule === 'maxLimitRequestRatio';
    // A ratio that no int64 has in thousandths.
    if (fault.rule === 'maxLimitRequestRatio' && fault.enforced.milliValue() <= 0n) break;
    const next = (fault.container === undefined ? ofPod(judged, fault, byRatio) : ofContainer(fault, byRatio)).map(
      (amount) => ({ ...amount, resource: fault.resource, condition: null }),
    );
    if (next.length === 0) break;
    amounts.push(...next);
    pod = next.reduce((changed, amount) => editOf(amount)(changed), pod);
  }
  return { way: undefined, hasRatio };
}

type AmountAt = Pick<NewAmount, 'place' | 'of' | 'amount'>;

/** What a container is to ask for; nothing where that cannot be told. */
function ofContainer(fault: LimitFault, byRatio: Amounts): readonly AmountAt[] {
  const { rule, enforced, request, limit, container: place } = fault;
  const at = (of: Amounts, amount: Quantity): AmountAt => ({ place, of, amount });
  switch (rule) {
    case 'min':
      return [
        ...(request === undefined || request.cmp(enforced) < 0 ? [at('requests', enforced)] : []),
        ...(limit !== undefined && limit.cmp(enforced) < 0 ? [at('limits', enforced)] : []),
      ];
    case 'max':
      return [
        ...(limit === undefined || limit.cmp(enforced) > 0 ? [at('limits', enforced)] : []),
        ...(request !== undefined && request.cmp(enforced) > 0 ? [at('requests', enforced)] : []),
      ];
    case 'maxLimitRequestRatio': {
      if (request === undefined || request.isZero()) {
        return limit === undefined || limit.isZero() ? [] : [at('requests', ratioed(limit, enforced, 'requests'))];
      }
      if (limit === undefined || limit.isZero()) return [at('limits', request)];
      const [given, of] = byRatio === 'requests' ? [limit, byRatio] : [request, byRatio];
      return [at(of, ratioed(given, enforced, of))];
    }
  }
}

/** The least request for a limit, or the greatest limit for a request, that a ratio allows; in thousandths only where it has to be. */
function ratioed(given: Quantity, ratio: Quantity, of: Amounts): Quantity {
  const inMillis = given.milliValue() % 1000n !== 0n || given.value() < 1000n;
  const [amount, times] = [inMillis ? given.milliValue() : given.value(), ratio.milliValue()];
  const value = of === 'requests' ? (amount * 1000n + times - 1n) / times : (amount * times) / 1000n;
  return Quantity.of(value, given.format === '' ? 'DecimalSI' : given.format, inMillis ? -3 : 0);
}

/** The sums of a pod are brought to a bound by what holds most of them: the pod's own amount, or the container with the greatest. */
function ofPod(judged: Pod, fault: LimitFault, byRatio: Amounts): readonly AmountAt[] {
  const { rule, resource, enforced, request, limit } = fault;
  const own = judged.spec.resources;
  const hasOwn = amountOf(own?.limits, resource) !== undefined || amountOf(own?.requests, resource) !== undefined;
  if (hasOwn && (resource === 'cpu' || resource === 'memory')) {
    return ofContainer({ ...fault, container: undefined }, byRatio).map((amount) => ({ ...amount, place: undefined }));
  }
  const moved = (of: Amounts, from: Quantity, to: Quantity): readonly AmountAt[] =>
    byGreatest(judged, of, resource, from, to);
  switch (rule) {
    case 'min':
      if (request === undefined) return statedFirst(resource, enforced);
      return request.cmp(enforced) < 0
        ? moved('requests', request, enforced)
        : limit === undefined
          ? []
          : moved('limits', limit, enforced);
    case 'max':
      if (limit === undefined) return statedLimits(judged, resource, enforced);
      return limit.cmp(enforced) > 0
        ? moved('limits', limit, enforced)
        : request === undefined
          ? []
          : moved('requests', request, enforced);
    case 'maxLimitRequestRatio': {
      if (request === undefined || request.isZero()) return [];
      if (limit === undefined || limit.isZero()) return statedLimits(judged, resource, request);
      return byRatio === 'requests'
        ? moved('requests', request, ratioed(limit, enforced, 'requests'))
        : moved('limits', limit, ratioed(request, enforced, 'limits'));
    }
  }
}

/** Gives a container as much more or less as a sum lacks or has in excess; the other amount follows where it would be on the wrong side. */
function byGreatest(pod: Pod, of: Amounts, resource: string, from: Quantity, to: Quantity): readonly AmountAt[] {
  const held = resourcesOf(pod as WholePod)
    .filter(({ place }) => place !== undefined)
    .flatMap(({ place, resources }) => {
      const amount = amountOf(resources?.[of], resource);
      return amount === undefined ? [] : [{ place, amount, resources }];
    })
    .sort((a, b) => b.amount.cmp(a.amount));
  const [greatest] = held;
  if (greatest === undefined) return [];
  const amount = greatest.amount.add(to.sub(from));
  if (amount.sign() <= 0) return [];
  const { place, resources } = greatest;
  const other = of === 'requests' ? 'limits' : 'requests';
  const paired = amountOf(resources?.[other], resource);
  const isPassed = paired !== undefined && (of === 'requests' ? paired.cmp(amount) < 0 : paired.cmp(amount) > 0);
  return [{ place, of, amount }, ...(isPassed ? [{ place, of: other, amount } as const] : [])];
}

/** What nobody requests, the first container does. */
function statedFirst(resource: string, amount: Quantity): readonly AmountAt[] {
  const place: ContainerPlace = { list: 'containers', index: 0 };
  const request: AmountAt = { place, of: 'requests', amount };
  return isOvercommitAllowed(resource) ? [request] : [{ place, of: 'limits', amount }, request];
}

/**
 * A limit for every container: as high as its request; or none at all of what cannot be overcommitted, which a container without a
 * limit is not given either; or its share of the bound.
 */
function statedLimits(pod: Pod, resource: string, bound: Quantity): readonly AmountAt[] {
  const containers = pod.spec.containers.map(({ resources }, index) => ({
    place: { list: 'containers' as const, index },
    request: amountOf(resources?.requests, resource),
  }));
  const isMillis = resource === 'cpu';
  const total = isMillis ? bound.milliValue() : bound.value();
  const share = Quantity.of(
    total / BigInt(containers.length),
    bound.format === '' ? 'DecimalSI' : bound.format,
    isMillis ? -3 : 0,
  );
  const none = isOvercommitAllowed(resource) ? undefined : Quantity.ZERO;
  return containers.map(({ place, request }) => {
    const isGiven = request !== undefined && !request.isZero();
    return { place, of: 'limits' as const, amount: isGiven ? request : (none ?? share) };
  });
}

/** What kube-scheduler takes a container for that requests nothing, when it scores nodes: k8s.io/kubernetes v1.36.2, pkg/scheduler/util/pod_resources.go. */
const ASSUMED: ReadonlyMap<string, Quantity> = new Map([
  ['cpu', decodeQuantity('100m')],
  ['memory', decodeQuantity('200Mi')],
]);

/**
 * The amounts that a quota demands of containers which lack them: a limit as high as the request, where there is one; else what
 * kube-scheduler assumes, within the bounds of the LimitRanges.
 *
 * @param sent as it is sent
 * @param refused as it was refused
 */
export function demandedAmounts(
  sent: WholePod,
  refused: Pod,
  {
    quotas,
    limitRanges,
    rules,
  }: {
    readonly quotas: readonly ResourceQuota[];
    readonly limitRanges: readonly LimitRange[];
    readonly rules: KubernetesRules;
  },
): readonly Way[] {
  const amounts: NewAmount[] = [];
  for (const { resource: demanded, containers } of demandedByQuota(quotas, refused, rules)) {
    const of: Amounts = demanded.startsWith('limits.') ? 'limits' : 'requests';
    const resource = demanded.slice(demanded.indexOf('.') + 1);
    for (const { container, list, index } of placedContainers((refused as WholePod).spec)) {
      if (!containers.includes(container.name)) continue;
      const request = of === 'limits' ? amountOf(container.resources?.requests, resource) : undefined;
      const amount = request ?? withinBounds(resource, ASSUMED.get(resource)!, limitRanges);
      const condition = `the programs in container "${container.name}" do with ${amount.toString()} of ${resource}`;
      amounts.push({ place: { list, index }, of, resource, amount, condition });
    }
  }
  return amounts.length === 0 ? [] : [changesOf('ResourceQuota', sent, amounts)];
}

function withinBounds(resource: string, amount: Quantity, limitRanges: readonly LimitRange[]): Quantity {
  const items = limitRanges
    .flatMap(({ spec }) => spec?.limits ?? [])
    .filter(({ type }) => type === 'Container')
    .map(defaultLimitRangeItem);
  let within = amount;
  for (const { min } of items) {
    const least = amountOf(min, resource);
    if (least !== undefined && least.cmp(within) > 0) within = least;
  }
  for (const { max } of items) {
    const most = amountOf(max, resource);
    if (most !== undefined && most.cmp(within) < 0) within = most;
  }
  return within;
}
