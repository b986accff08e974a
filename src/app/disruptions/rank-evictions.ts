import {
  kubeletEvictionRank,
  type PressureSignal,
  type RankedPod,
} from '../../core/disruption/kubelet-eviction-rank.js';
import { rankText } from '../../core/disruption/rank-text.js';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.js';
import { escapePointer } from '../../core/json/escape-pointer.js';
import { parseQuantity, Quantity, QuantityError } from '../../core/kubernetes/quantity.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { nodeNotFound } from '../nodes/get-node.js';
import { pageByPosition } from '../paging/page-by-position.js';
import type { rankedPod } from '../../contract/disruptions/eviction-rank.js';
import type { rankEvictions } from '../../contract/disruptions/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Response } from '../../contract/schema.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';

const MAX_NAMED = 100;

/**
 * Ranks the pods of a stored node in the order of the kubelet's node-pressure eviction, by usage figures from the
 * request.
 */
export class RankEvictions {
  constructor(private readonly readState: ReadState) {}

  /**
   * @throws {InvalidRequestError} naming each usage that is not a quantity
   * @throws {ServiceError} `object-not-found` for the node
   */
  async run(
    request: RequestOf<typeof rankEvictions>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof rankEvictions>> {
    const { cluster, readAt, node, signal, page } = request;
    const usage = readUsage(request.usage);
    const usageTexts = [...usage].map(([key, quantity]) => `${key} ${quantity.toString()}`).sort();
    const identity = ['eviction-ranks', node, signal, JSON.stringify(usageTexts)];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const index = state.nodes.indexOf(node);
    if (index < 0) throw nodeNotFound(node);
    const { pods } = state;
    const onNode = [...state.nodes.podsOf(index)].sort((a, b) => (pods.key(a) < pods.key(b) ? -1 : 1));
    const active = onNode.filter((pod) => pods.active(pod)).map((pod) => pods.pod(pod));
    const { order, evicted } = kubeletEvictionRank(signal, active, (pod) => usage.get(keyOf(pod)));
    const names = new Set(onNode.map((pod) => pods.key(pod)));
    const view = (ranked: RankedPod<Pod>, place: number): Response<typeof rankedPod> =>
      rankedPodResponse(signal, ranked, place, evicted);
    const positions = pageByPosition([...order.keys()], page, list, basis.revision);
    return {
      basis,
      node,
      signal,
      evicted: evicted === undefined ? null : keyOf(evicted.pod),
      counts: {
        ranked: order.length,
        critical: order.filter(({ critical }) => critical !== undefined).length,
        withoutStats: order.filter((ranked) => ranked.usage === undefined).length,
        ended: onNode.length - active.length,
      },
      notOnNode: [...usage.keys()].filter((key) => !names.has(key)).slice(0, MAX_NAMED),
      page: {
        ...positions,
        items: positions.items.map(({ item, token }) => ({ item: view(order[item]!, item + 1), token })),
      },
    };
  }
}

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace ?? 'default'}/${metadata.name}`;

function rankedPodResponse(
  signal: PressureSignal,
  ranked: RankedPod<Pod>,
  place: number,
  evicted: RankedPod<Pod> | undefined,
): Response<typeof rankedPod> {
  const { pod, critical, usage, request, exceedsRequest, excess, priority } = ranked;
  return {
    place,
    namespace: pod.metadata.namespace ?? 'default',
    name: pod.metadata.name,
    evicted: ranked === evicted,
    critical: critical ?? null,
    usage: usage?.toString() ?? null,
    request: request?.toString() ?? null,
    exceedsRequest: exceedsRequest ?? null,
    excess: excess?.toString() ?? null,
    priority,
    why: rankText(signal, ranked),
  };
}

const LARGEST = 2n ** 63n - 1n;

/** @throws {InvalidRequestError} naming each entry that is not an amount */
export function readUsage(given: JsonValue): ReadonlyMap<string, Quantity> {
  const usage = new Map<string, Quantity>();
  if (!isJsonObject(given)) {
    throw new InvalidRequestError([
      { pointer: '/usage', field: 'usage', code: 'isMap', message: 'must be a map of namespace/name to quantities' },
    ]);
  }
  const details: ErrorDetail[] = [];
  for (const [key, value] of Object.entries(given)) {
    const amount = readAmount(value);
    if (typeof amount === 'string') {
      details.push({
        pointer: `/usage/${escapePointer(key)}`,
        field: `usage[${key}]`,
        code: 'invalid-quantity',
        message: amount,
      });
    } else usage.set(key, amount);
  }
  if (details.length > 0) throw new InvalidRequestError(details);
  return usage;
}

/**
 * The amount, or an error message. The kubelet's statistics are unsigned 64-bit integers that it converts to signed
 * ones.
 */
function readAmount(value: JsonValue): Quantity | string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return 'must be a quantity or a number';
  }
  let amount: Quantity;
  try {
    amount = parseQuantity(String(value));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return error.message;
  }
  if (amount.sign() < 0) return 'must not be negative';
  if (amount.cmp(Quantity.of(LARGEST)) > 0) return 'must be at most 9223372036854775807';
  return amount;
}
