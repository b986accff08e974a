import { kubeletEvictionRank, type PressureSignal } from '../../../src/core/disruption/kubelet-eviction-rank.js';
import type { Int64 } from '../../../src/core/kubernetes/objects/meta.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import { Quantity } from '../../../src/core/kubernetes/quantity.js';
import type { Op } from '../op.js';

export const evictionRank: Op = {
  answer: (input) => {
    const { signal, pods, usage } = input as unknown as {
      signal: PressureSignal;
      pods: Pod[];
      usage: Readonly<Record<string, Int64>>;
    };
    const { order, evicted } = kubeletEvictionRank(signal, pods, (pod) => {
      const key = keyOf(pod);
      return Object.hasOwn(usage, key) ? Quantity.of(usage[key]!) : undefined;
    });
    return {
      order: order.map(({ pod }) => keyOf(pod)),
      critical: order.filter(({ critical }) => critical !== undefined).map(({ pod }) => keyOf(pod)),
      evicted: evicted === undefined ? null : keyOf(evicted.pod),
    };
  },
};

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace ?? ''}/${metadata.name}`;
