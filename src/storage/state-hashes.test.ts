import { describe, expect, it } from '@jest/globals';
import { packKey } from './object-key.js';
import { HASH_BYTES, type StateGroup, StateHashes } from './state-hashes.js';

type Given = readonly [name: string, resourceVersion: string | null];

function group(kind: string, namespace: string, objects: readonly Given[]): StateGroup {
  const texts = objects.map(([name, version]) => `${name}\0${version ?? ''}`).join('\0');
  const hashes = Buffer.concat(objects.map(([name]) => Buffer.alloc(HASH_BYTES, name.length)));
  return { kind, namespace, count: objects.length, hashes, texts: Buffer.from(texts) };
}

describe('the objects of a state', () => {
  const pods: readonly Given[] = [
    ['a', '12'],
    ['ab', null],
    ['ä𝄞', '9007199254740993'],
    ['b', '007'],
    ['c', 'opaque'],
    ['d', '0'],
  ];
  const nodes: readonly Given[] = [['a', '999999999999999']];

  it('have their keys, hashes and resourceVersions', async () => {
    const state = await StateHashes.of([group('Pod', 'n', pods), group('Node', '', nodes)]);
    expect(state.size).toBe(7);
    [...pods, ...nodes].forEach(([name, version], index) => {
      const key = index < pods.length ? packKey('Pod', 'n', name) : packKey('Node', '', name);
      expect(state.key(index)).toBe(key);
      expect(state.indexOf(key)).toBe(index);
      expect(state.kind(index)).toBe(index < pods.length ? 'Pod' : 'Node');
      expect(state.resourceVersion(index)).toBe(version);
      expect(state.hasResourceVersion(index, version)).toBe(true);
      expect(state.hasResourceVersion(index, '13')).toBe(false);
      expect(state.hasHash(index, Buffer.alloc(HASH_BYTES, name.length), 0)).toBe(true);
    });
    expect(state.hasResourceVersion(3, '7')).toBe(false);
  });

  it('are not found by the keys of others', async () => {
    const state = await StateHashes.of([group('Pod', 'n', pods), group('Node', '', nodes)]);
    const others = [
      packKey('Pod', '', 'a'),
      packKey('Pod', 'm', 'a'),
      packKey('Node', 'n', 'a'),
      packKey('Node', '', 'ab'),
    ];
    for (const key of [...others, packKey('Pod', 'n', ''), packKey('Pod', 'n', 'x'.repeat(5000))]) {
      expect(state.indexOf(key)).toBe(-1);
    }
    expect(StateHashes.none.indexOf(packKey('Pod', 'n', 'a'))).toBe(-1);
  });

  it('are found among many', async () => {
    const many = Array.from({ length: 5000 }, (_, index): Given => [`pod-${index}`, String(index + 1)]);
    const state = await StateHashes.of([group('Pod', 'n', many), group('Pod', 'm', many)]);
    expect(many.map(([name]) => state.indexOf(packKey('Pod', 'm', name)) - 5000)).toEqual([...many.keys()]);
  });
});
