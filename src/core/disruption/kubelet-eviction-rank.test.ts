import { describe, expect, it } from '@jest/globals';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import { parseQuantity } from '../kubernetes/quantity.js';
import { kubeletEvictionRank, type PressureSignal } from './kubelet-eviction-rank.js';

interface Subject {
  readonly name: string;
  readonly usage?: string;
  readonly request?: string;
  readonly priority?: number;
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const rank = (
  signal: PressureSignal,
  subjects: Subject[],
): { readonly order: string; readonly evicted: string | undefined } => {
  const usage = new Map(subjects.map((subject) => [subject.name, subject.usage]));
  const resource = signal === 'memory' ? 'memory' : 'ephemeral-storage';
  const pods = subjects.map(({ name, request, priority, spec, annotations }) => ({
    metadata: { name, ...(annotations !== undefined && { annotations }) },
    spec: {
      containers: [{ name: 'c', ...(request !== undefined && { resources: { requests: { [resource]: request } } }) }],
      ...(priority !== undefined && { priority }),
      ...spec,
    },
  }));
  const { order, evicted } = kubeletEvictionRank(signal, pods, ({ metadata }) => {
    const used = usage.get(metadata.name);
    return used === undefined ? undefined : parseQuantity(used);
  });
  return { order: order.map(({ pod }) => pod.metadata.name).join(' '), evicted: evicted?.pod.metadata.name };
};

describe('kubeletEvictionRank', () => {
  it.each<[string, PressureSignal, Subject[], string, string | undefined]>([
    [
      'a pod over its request goes before one of lower priority that is not',
      'memory',
      [
        { name: 'low', usage: '1Gi', request: '1Gi', priority: -5 },
        { name: 'over', usage: '2Gi', request: '1Gi', priority: 1000 },
        { name: 'blind', request: '1Gi', priority: 5000 },
      ],
      'blind over low',
      'blind',
    ],
    [
      'then lower priority, then the larger excess',
      'memory',
      [
        { name: 'a', usage: '2Gi', request: '1Gi', priority: 1 },
        { name: 'b', usage: '2Gi', request: '1Gi' },
        { name: 'c', usage: '3Gi', request: '1Gi' },
      ],
      'c b a',
      'c',
    ],
    [
      'pod-level resources put the request of the containers out of force, overhead comes only on top of one',
      'memory',
      [
        {
          name: 'pod-level',
          usage: '1Mi',
          request: '1Gi',
          spec: { resources: { limits: { cpu: '1' } }, overhead: { memory: '1Gi' } },
        },
        { name: 'overhead', usage: '1100Mi', request: '1Gi', spec: { overhead: { memory: '100Mi' } } },
      ],
      'pod-level overhead',
      'pod-level',
    ],
    [
      'inodes are held against no request, but less the bytes of ephemeral storage',
      'inodes',
      [
        { name: 'none', usage: '0', request: '1' },
        { name: 'more', usage: '1000', request: '1000' },
        { name: 'less', usage: '10' },
      ],
      'less more none',
      'less',
    ],
    [
      'processes: priority first, then pods without stats, then the number',
      'pid',
      [
        { name: 'many', usage: '900', priority: 1 },
        { name: 'few', usage: '3' },
        { name: 'blind', request: '1Gi' },
        { name: 'some', usage: '30' },
      ],
      'blind some few many',
      'blind',
    ],
    [
      'critical pods keep their place and are passed over',
      'memory',
      [
        { name: 'static', annotations: { 'kubernetes.io/config.source': 'file' }, usage: '9Gi' },
        { name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' }, usage: '8Gi' },
        { name: 'system', usage: '7Gi', priority: 2_000_000_000 },
        { name: 'user', usage: '6Gi', priority: 1_999_999_999, annotations: { 'kubernetes.io/config.source': 'api' } },
      ],
      'static mirror user system',
      'user',
    ],
    ['where all are critical none is evicted', 'pid', [{ name: 'a', priority: 2_000_001_000 }], 'a', undefined],
  ])('%s', (_, signal, subjects, order, evicted) => {
    expect(rank(signal, subjects)).toEqual({ order, evicted });
  });
});
