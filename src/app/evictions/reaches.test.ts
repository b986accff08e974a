import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import type { Outage } from '../../core/node-lifecycle/outage.js';
import { Reaches } from './reaches.js';

const nodeThatIs = (ready: 'True' | 'Unknown'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a' },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const silent = (fromAt: number, untilAt?: number): Outage => ({
  nodes: [0],
  how: 'silent',
  fromAt,
  ...(untilAt !== undefined && { untilAt }),
});

describe('a kubelet', () => {
  it.each([
    ['responds before its outage', 'True', [silent(100, 200)], 99, true, null],
    ['does not respond during its outage', 'True', [silent(100, 200)], 100, false, 200],
    ['responds after its outage', 'True', [silent(100, 200)], 200, true, null],
    ['never responds again after an outage without an end', 'True', [silent(100)], 150, false, null],
    [
      'does not respond until the last of several overlapping outages ends',
      'True',
      [silent(100, 200), silent(150, 300)],
      120,
      false,
      300,
    ],
    ['does not respond between adjacent outages', 'True', [silent(200, 300), silent(100, 200)], 150, false, 300],
    [
      'never responds again if one of the outages has no end',
      'True',
      [silent(100, 200), silent(150)],
      120,
      false,
      null,
    ],
    [
      'is not affected by an outage that begins after a pause',
      'True',
      [silent(100, 200), silent(201, 300)],
      150,
      false,
      200,
    ],
    ['that is stored as silent stays silent until its outage ends', 'Unknown', [silent(100, 200)], 50, false, null],
    ['that is stored as silent responds after its outage', 'Unknown', [silent(100, 200)], 250, true, null],
    [
      'that is stored as silent responds if it reports that it is not ready',
      'Unknown',
      [{ nodes: [0], how: 'notReady', fromAt: 100 } satisfies Outage],
      150,
      true,
      null,
    ],
  ] as const)('%s', (_, ready, outages, at, reachable, reachableAgainAt) => {
    const state = ClusterState.build([nodeThatIs(ready)], ['Node']);
    const reach = new Reaches({ state, outages }, []).at(0, at);
    expect(reach).toEqual({ reachable, reachableAgainAt, outOfService: false });
  });
});
