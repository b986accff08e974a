import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import {
  EventOutOfOrderError,
  type EvictionEvent,
  type EvictionState,
  NO_EVICTIONS,
  stepTaintEviction,
} from './taint-eviction.js';

const gates = DEFAULT_GATES;
const execute = (key: string, value?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(value !== undefined && { value }),
});
const exists = (key: string, seconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds !== undefined && { tolerationSeconds: seconds }),
});
const setNode = (seconds: number, ...taints: Taint[]): EvictionEvent => ({
  at: seconds * 1000,
  do: 'setNode',
  node: 'n',
  taints,
});
const setPod = (seconds: number, ...tolerations: Toleration[]): EvictionEvent => ({
  at: seconds * 1000,
  do: 'setPod',
  namespace: 'default',
  name: 'p',
  node: 'n',
  tolerations,
});
const on = (seconds: number, what: 'stopController' | 'startController' | 'wait'): EvictionEvent => ({
  at: seconds * 1000,
  do: what,
});
const p = { namespace: 'default', name: 'p' };

/** When the pod was evicted, in seconds; null if it was not within the next hour. */
function evictedAt(events: readonly EvictionEvent[]): readonly number[] {
  const found: number[] = [];
  let state: EvictionState = NO_EVICTIONS;
  for (const event of [...events, on(3600, 'wait')]) {
    const next = stepTaintEviction(state, event, gates);
    state = next.state;
    found.push(...next.evictions.map(({ at }) => at / 1000));
  }
  return found;
}

describe('stepTaintEviction', () => {
  const a = execute('a');
  const b = execute('b');
  it.each<[string, EvictionEvent[], number[]]>([
    ['immediately evicts a pod without tolerations', [setNode(0), setPod(0), setNode(5, a)], [5]],
    ['evicts a pod that comes to a tainted node', [setNode(0, a), setPod(7)], [7]],
    ['counts from when the pod is bound, if that is later', [setNode(0, a), setPod(7, exists('a', 10))], [17]],
    ['never changes a running timer for a shorter toleration', shortened(4), [11]],
    ['never changes a running timer for a longer toleration', shortened(60), [11]],
    ['never changes a running timer for no time at all', shortened(0), [11]],
    ['cancels a timer when the toleration gets no end', shortened(undefined), []],
    [
      'keeps the first timer whatever the second taint would give',
      [setPod(0, exists('a', 12), exists('b', 2)), setNode(1, a), setNode(4, a, b)],
      [13],
    ],
    [
      'keeps it when the taints are swapped at once',
      [setPod(0, exists('a', 9), exists('b', 2)), setNode(1, a), setNode(3, b)],
      [10],
    ],
    [
      'evicts at once for a second taint that is not tolerated',
      [setPod(0, exists('a', 9)), setNode(1, a), setNode(3, a, b)],
      [3],
    ],
    [
      'cancels when what is left is tolerated for ever',
      [setPod(0, exists('a', 9), exists('b')), setNode(1, a, b), setNode(3, b)],
      [],
    ],
    [
      'starts again for a taint that comes again',
      [setPod(0, exists('a', 5)), setNode(1, a), setNode(4), setNode(6, a)],
      [11],
    ],
    [
      'lets a timer outlive its node',
      [setPod(0, exists('a', 5)), setNode(1, a), { at: 2000, do: 'deleteNode', node: 'n' }],
      [6],
    ],
    [
      'cancels it when the node comes again without the taint',
      [setPod(0, exists('a', 5)), setNode(1, a), { at: 2000, do: 'deleteNode', node: 'n' }, setNode(3)],
      [],
    ],
    [
      'forgets timers with its memory, and starts them all anew',
      [setPod(0, exists('a', 5)), setNode(1, a), on(2, 'stopController'), on(30, 'startController')],
      [35],
    ],
    ['does nothing while it is not running', [setPod(0), on(1, 'stopController'), setNode(2, a)], []],
    [
      'takes a new start without an end before for both',
      [setPod(0, exists('a', 5)), setNode(1, a), on(4, 'startController')],
      [9],
    ],
    [
      'does not evict a pod whose object is gone',
      [setPod(0, exists('a', 5)), setNode(1, a), { at: 3000, do: 'deletePod', ...p }],
      [],
    ],
    [
      'does not report a pod that is being deleted already',
      [setPod(0, exists('a', 5)), setNode(1, a), { at: 3000, do: 'markPod', ...p }],
      [],
    ],
    [
      'does not evict a pod by the timer of another node that it has left',
      [
        setPod(0, exists('a', 5)),
        setNode(1, a),
        { at: 3000, do: 'setPod', ...p, node: 'other', tolerations: [exists('a', 5)] },
      ],
      [],
    ],
    [
      'looks again when a taint gets another value',
      [
        setPod(0, { key: 'a', operator: 'Equal', value: 'x' }),
        setNode(1, execute('a', 'x')),
        setNode(4, execute('a', 'y')),
      ],
      [4],
    ],
    ['reports each pod once', [setPod(0), setNode(1, a), setNode(2, a, b)], [1]],
    [
      'starts afresh for a pod of the same name',
      [setPod(0, exists('a', 5)), setNode(1, a), { at: 3000, do: 'deletePod', ...p }, setPod(4, exists('a', 5))],
      [9],
    ],
    [
      'takes no notice of effects other than NoExecute',
      [setPod(0, exists('a', 5)), setNode(1, a), setNode(3, a, { key: 'z', effect: 'NoSchedule' })],
      [6],
    ],
    ['ignores timeAdded', [setPod(0, exists('a', 5)), setNode(1, { ...a, timeAdded: '2001-01-01T00:00:00Z' })], [6]],
    ['fires before what happens at the same moment', [setPod(0, exists('a', 5)), setNode(1, a), setNode(6)], [6]],
    [
      'lets the last of several writes of one moment decide',
      [setPod(0, exists('a', 9), exists('b', 2)), setNode(1, a), setNode(1, a, b)],
      [3],
    ],
  ])('%s', (_, events, expected) => {
    expect(evictedAt(events)).toEqual(expected);
  });

  function shortened(seconds: number | undefined): EvictionEvent[] {
    return [setPod(0, exists('a', 10)), setNode(1, a), setPod(3, exists('a', seconds))];
  }

  it('reports the taint, and when the timer was set', () => {
    const start = stepTaintEviction(NO_EVICTIONS, setPod(0, exists('a', 5)), gates).state;
    const tainted = stepTaintEviction(start, setNode(1, a), gates).state;
    const { evictions } = stepTaintEviction(tainted, on(10, 'wait'), gates);
    expect(evictions).toEqual([
      {
        ...p,
        at: 6000,
        node: 'n',
        startedAt: 1000,
        because: { action: 'after', noExecute: 1, used: [exists('a', 5)], delay: 5_000_000_000n },
      },
    ]);
  });

  it('does not modify the previous state', () => {
    const start = stepTaintEviction(NO_EVICTIONS, setPod(0, exists('a', 5)), gates).state;
    const tainted = stepTaintEviction(start, setNode(1, a), gates).state;
    const healed = stepTaintEviction(tainted, setNode(2), gates).state;
    expect(stepTaintEviction(tainted, on(10, 'wait'), gates).evictions).toHaveLength(1);
    expect(stepTaintEviction(healed, on(10, 'wait'), gates).evictions).toHaveLength(0);
  });

  it('rejects an event from the past', () => {
    const { state } = stepTaintEviction(NO_EVICTIONS, setNode(5), gates);
    expect(() => stepTaintEviction(state, setNode(4), gates)).toThrow(EventOutOfOrderError);
  });

  it('evicts many pods in the order of their times', () => {
    const tolerations = [7, 3, 9, 1, 5].map((seconds) => exists('a', seconds));
    const events = tolerations.map((toleration, index): EvictionEvent => ({
      at: 0,
      do: 'setPod',
      namespace: 'x',
      name: `p${index}`,
      node: 'n',
      tolerations: [toleration],
    }));
    expect(evictedAt([...events, setNode(0, a)])).toEqual([1, 3, 5, 7, 9]);
  });
});
