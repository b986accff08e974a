import { describe, expect, it } from '@jest/globals';
import { KindTotal } from '../../storage/kind-total.js';
import { KindMirror } from './kind-mirror.js';

/** As long as that of a stored object. */
const hash = (digit: string): string => digit.repeat(32);

describe('KindMirror', () => {
  it('finds what was set, with what an object lacks, and its total', () => {
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
      { namespace: 'a', name: 'two', uid: 'ü=', resourceVersion: '', hash: hash('0') },
    ];
    for (const { namespace, name, ...object } of objects) {
      mirror.set(namespace, name, { ...object, hash: hash('1') });
      mirror.set(namespace, name, object);
      total.add({ namespace, name, ...object });
    }
    for (const { namespace, name, ...object } of objects) expect(mirror.find(namespace, name)).toEqual(object);
    expect([mirror.count, mirror.hash]).toEqual([3, total.hash]);
    mirror.delete('a', 'one');
    mirror.delete('a', 'none');
    total.remove(objects[0]!);
    expect(mirror.find('a', 'one')).toBeUndefined();
    expect([mirror.count, mirror.hash]).toEqual([2, total.hash]);
  });
});
