import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { KindTotal } from '../../storage/kind-total.js';
import { KindMirror, type MirroredObject } from './kind-mirror.js';

/** As long as that of a stored object. */
const hash = (digit: string): string => digit.repeat(32);

describe('KindMirror', () => {
  it('holds what was set, with what an object lacks, and its total', () => {
    const mirror = new KindMirror();
    const total = KindTotal.empty();
    const objects = [
      {
        namespace: 'a',
        name: 'one',
        uid: 'b2c9e1f0-0d6a-4a3c-9a60-3f4b1f9f0001',
        resourceVersion: '17',
        hash: hash('8'),
      },
      { namespace: '', name: 'node-ü', uid: null, resourceVersion: null, hash: hash('f') },
      { namespace: 'a', name: 'two', uid: '', resourceVersion: '', hash: hash('0') },
    ];
    for (const { namespace, name, ...object } of objects) {
      mirror.set(namespace, name, { ...object, hash: hash('1') });
      mirror.set(namespace, name, object);
      total.add({ namespace, name, ...object });
    }
    for (const { namespace, name, uid, hash: stored } of objects) {
      expect(mirror.has(namespace, name)).toBe(true);
      expect(mirror.holds(namespace, name, { uid, hash: stored })).toBe(true);
      expect(mirror.holds(namespace, name, { uid, hash: hash('1') })).toBe(false);
      expect(mirror.holds(namespace, name, { uid: uid === null ? '' : null, hash: stored })).toBe(false);
    }
    expect([mirror.count, mirror.hash]).toEqual([3, total.hash]);
    mirror.delete('a', 'one');
    mirror.delete('a', 'none');
    total.remove(objects[0]!);
    expect(mirror.has('a', 'one')).toBe(false);
    expect([mirror.count, mirror.hash]).toEqual([2, total.hash]);
  });

  it.each([1, 2, 3, 4, 5])('is what a Map would be after any changes (%i)', (seed) => {
    const dice = new Dice(seed);
    const mirror = new KindMirror();
    const objects = new Map<string, MirroredObject>();
    const names = Array.from({ length: 40 * seed }, (_, index) => `pod-${index}`);
    for (let change = 0; change < 4_000; change++) {
      const name = dice.one(names);
      if (dice.chance(50)) {
        mirror.delete('ns', name);
        objects.delete(name);
      } else {
        const object = { uid: name, resourceVersion: String(change), hash: hash(String(dice.below(10))) };
        mirror.set('ns', name, object);
        objects.set(name, object);
      }
      if (change % 400 !== 399) continue;
      const total = KindTotal.empty();
      for (const [of, object] of objects) total.add({ namespace: 'ns', name: of, ...object });
      expect([mirror.count, mirror.hash]).toEqual([total.count, total.hash]);
      for (const of of names) {
        const object = objects.get(of);
        expect([of, mirror.has('ns', of)]).toEqual([of, object !== undefined]);
        if (object !== undefined) expect(mirror.holds('ns', of, object)).toBe(true);
      }
    }
  });
});
