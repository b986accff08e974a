import { describe, expect, it } from '@jest/globals';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { departureOf, departureUnderway, type NodeReach, storedReach } from './departure.js';
import { exactly, type KnownMoment } from './known-moment.js';

const REACHABLE: NodeReach = { reachable: true, reachableAgainAt: null, outOfService: false };
const SILENT: NodeReach = { ...REACHABLE, reachable: false };
const podOf = (grace?: number, phase = 'Running'): Pick<Pod, 'spec' | 'status'> => ({
  spec: { containers: [], ...(grace !== undefined && { terminationGracePeriodSeconds: grace }) },
  status: { phase },
});
const marked: KnownMoment = { earliest: 100_000, latest: 110_000 };

describe('departureOf', () => {
  it.each<[string, Pick<Pod, 'spec' | 'status'>, NodeReach, number, KnownMoment | null, string | null]>([
    [
      'is over a grace period after the mark',
      podOf(60),
      REACHABLE,
      60,
      { earliest: 160_000, latest: 170_000 },
      'kubelet',
    ],
    [
      'takes 30 s where the pod says nothing',
      podOf(),
      REACHABLE,
      30,
      { earliest: 130_000, latest: 140_000 },
      'kubelet',
    ],
    [
      'takes a negative period for a second',
      podOf(-5),
      REACHABLE,
      1,
      { earliest: 101_000, latest: 111_000 },
      'kubelet',
    ],
    ['ends immediately without a grace period', podOf(0), SILENT, 0, marked, 'apiServer'],
    ['ends immediately for a pod that has succeeded', podOf(60, 'Succeeded'), SILENT, 0, marked, 'apiServer'],
    ['ends immediately for a pod that has failed', podOf(60, 'Failed'), SILENT, 0, marked, 'apiServer'],
    ['is never over on a node that does not answer', podOf(60), SILENT, 60, null, null],
    [
      'is over once the node answers again, if that is later than the grace period',
      podOf(60),
      { ...SILENT, reachableAgainAt: 165_000 },
      60,
      { earliest: 165_000, latest: 170_000 },
      'kubelet',
    ],
    [
      'is over when the node answers again, long after the grace period',
      podOf(60),
      { ...SILENT, reachableAgainAt: 900_000 },
      60,
      exactly(900_000),
      'kubelet',
    ],
    [
      'is over on the next pass of the garbage collector, whatever the grace period, on a silent node out of service',
      podOf(3600),
      { ...SILENT, outOfService: true },
      3600,
      { earliest: 100_000, latest: 130_000 },
      'podGarbageCollector',
    ],
    [
      'is left to the kubelet that answers, on a node out of service as well',
      podOf(60),
      { ...REACHABLE, outOfService: true },
      60,
      { earliest: 160_000, latest: 170_000 },
      'kubelet',
    ],
  ])('%s', (_, pod, reach, gracePeriodSeconds, goneAt, by) => {
    expect(departureOf(pod, marked, reach)).toEqual({ markedAt: marked, gracePeriodSeconds, goneAt, by });
  });
});

describe('departureUnderway', () => {
  it('starts a grace period before the deletion timestamp, at which the pod is gone', () => {
    const metadata = { name: 'p', deletionTimestamp: '1970-01-01T00:05:00Z', deletionGracePeriodSeconds: 45 };
    expect(departureUnderway({ metadata }, REACHABLE)).toEqual({
      markedAt: exactly(255_000),
      gracePeriodSeconds: 45,
      goneAt: exactly(300_000),
      by: 'kubelet',
    });
  });

  it('is undefined for a pod whose deletion timestamp is invalid', () => {
    expect(departureUnderway({ metadata: { name: 'p', deletionTimestamp: 'soon' } }, REACHABLE)).toBeUndefined();
  });
});

describe('storedReach', () => {
  const reach = (ready: string | undefined, ...keys: string[]): NodeReach => {
    const node: Node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      spec: { taints: keys.map((key) => ({ key, effect: 'NoExecute' })) },
      status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
    };
    return storedReach(node);
  };

  it.each<[string, string | undefined, boolean]>([
    ['is reachable if the node is ready', 'True', true],
    ['is reachable if the kubelet itself reports not ready', 'False', true],
    ['is not reachable if the condition is Unknown', 'Unknown', false],
    ['is assumed to be reachable if no condition is stored', undefined, true],
  ])('%s', (_, ready, reachable) => {
    expect(reach(ready)).toEqual({ ...REACHABLE, reachable });
  });

  it('recognizes the taint of a node that is out of service', () => {
    expect(reach('Unknown', 'other', 'node.kubernetes.io/out-of-service').outOfService).toBe(true);
  });
});
