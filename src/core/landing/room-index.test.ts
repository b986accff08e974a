import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import { bitsFor, countCommon, eachCommon, hasBit, setBit } from './node-bits.js';
import { PodShape } from './pod-shape.js';
import { RoomIndex } from './room-index.js';
import { RoomLedger, type Entries } from './room-ledger.js';

const NODES = 300;

/** The same for the same seed. */
function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

function cluster(): ClusterState {
  const nodes = Array.from({ length: NODES }, (_, i): Node => {
    const name = `n${String(i).padStart(3, '0')}`;
    const allocatable = { cpu: String(2 + (i % 3)), memory: '8Gi', pods: '20' };
    return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable } };
  });
  return ClusterState.build(nodes, ['Node', 'Pod']);
}

describe('the index of nodes with room', () => {
  it.each([
    ['every node', 1],
    ['a few nodes', 40],
  ])('finds among %s what a look at each finds, while room is taken', (_, every) => {
    const random = seeded(every);
    const ledger = new RoomLedger(cluster());
    const demands = [
      { request: 500, column: ledger.column('cpu') },
      { request: 2 ** 30, column: ledger.column('memory') },
    ];
    const shape = new PodShape(demands, ledger);
    const index = new RoomIndex(shape, ledger, NODES);
    const entries: Entries = [
      ['cpu', 500],
      ['memory', 2 ** 30],
      ['pods', 1],
    ];
    const among = bitsFor(NODES);
    for (let node = 0; node < NODES; node += every) setBit(among, node, true);
    let full = 0;
    // The last ones take more at once than is followed one by one.
    for (const changes of [...Array.from({ length: 300 }, () => 1 + random(9)), 5 * NODES]) {
      for (let i = 0; i < changes; i++) ledger.take(random(NODES), entries);
      index.refresh();
      const fitting: number[] = [];
      for (let node = 0; node < NODES; node += every) if (shape.fits(node)) fitting.push(node);
      full += Number(fitting.length < NODES / every);
      const byShare = [...fitting].sort((a, b) => shape.share(a) - shape.share(b) || a - b);
      expect(index.count(among)).toBe(fitting.length);
      expect(index.best(among, fitting.length, 5)).toEqual(byShare.slice(0, 5));
    }
    expect(full).toBeGreaterThan(10);
  });

  it('lets a shape that asks for nothing onto nodes on which more is taken than they have', () => {
    const ledger = new RoomLedger(cluster());
    ledger.take(0, [['cpu', 999_000]]);
    const nothing = new PodShape([], ledger);
    const some = new PodShape([{ request: 1, column: ledger.column('cpu') }], ledger);
    expect([nothing.fits(0), some.fits(0), some.fits(1)]).toEqual([true, false, true]);
  });

  it('counts the number of pods, and gives room back', () => {
    const ledger = new RoomLedger(cluster());
    const shape = new PodShape([], ledger);
    ledger.take(0, [['pods', 20]]);
    expect(shape.fits(0)).toBe(false);
    ledger.take(0, [['pods', -1]]);
    expect(shape.fits(0)).toBe(true);
  });
});

describe('bits for nodes', () => {
  it('are counted and met in order, the last of a word and of all as well', () => {
    const [a, b] = [bitsFor(100), bitsFor(100)];
    for (const node of [0, 1, 31, 32, 63, 64, 99]) setBit(a, node, true);
    for (const node of [1, 31, 32, 50, 99]) setBit(b, node, true);
    setBit(b, 32, false);
    const met: number[] = [];
    eachCommon(a, b, (node) => {
      met.push(node);
    });
    expect(met).toEqual([1, 31, 99]);
    expect(countCommon(a, b)).toBe(3);
    expect([hasBit(b, 31), hasBit(b, 32)]).toEqual([true, false]);
    const all = bitsFor(64);
    for (let node = 0; node < 64; node++) setBit(all, node, true);
    expect(countCommon(all, all)).toBe(64);
  });
});
