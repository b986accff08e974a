import { describe, expect, it } from '@jest/globals';
import type { ObjectChanges } from './object-reader.js';
import { RecentChanges } from './recent-changes.js';

const changes = (name: string, content = ''): ObjectChanges => ({
  upserts: [{ kind: 'Pod', namespace: 'x', name, hash: '', content, resourceVersion: null }],
  deletes: [],
});
const committed = (): Promise<void> => Promise.resolve();

describe('the changes of the last commits', () => {
  it('are known by cluster and revision once they are committed; who asks before waits', async () => {
    const recent = new RecentChanges();
    let commit = (): void => undefined;
    const committing = recent.during(1, 7, changes('a'), () => new Promise<void>((resolve) => (commit = resolve)));
    let isAnswered = false;
    const asked = recent.of(1, 7).finally(() => (isAnswered = true));
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    commit();
    await committing;
    expect(await asked).toEqual(changes('a'));
    expect([await recent.of(1, 8), await recent.of(2, 7)]).toEqual([undefined, undefined]);
  });

  it('are not known of a commit that failed, or may have failed: another replica may have made that revision', async () => {
    const recent = new RecentChanges();
    const failing = recent.during(1, 7, changes('a'), () => Promise.reject(new Error('lost')));
    const asked = recent.of(1, 7);
    await expect(failing).rejects.toThrow('lost');
    expect([await asked, await recent.of(1, 7)]).toEqual([undefined, undefined]);
    await recent.during(1, 7, changes('b'), committed);
    expect(await recent.of(1, 7)).toEqual(changes('b'));
  });

  it('are forgotten, the oldest first, beyond so many characters', async () => {
    const recent = new RecentChanges(3_000);
    for (const [at, name] of ['a', 'b', 'c'].entries())
      await recent.during(1, at, changes(name, 'x'.repeat(600)), committed);
    expect(await recent.of(1, 0)).toBeUndefined();
    expect(await Promise.all([recent.of(1, 1), recent.of(1, 2)])).toEqual([
      changes('b', 'x'.repeat(600)),
      changes('c', 'x'.repeat(600)),
    ]);
  });
});
