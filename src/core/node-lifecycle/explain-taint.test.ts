import { describe, expect, it } from '@jest/globals';
import type { Node } from '../kubernetes/objects/node.js';
import { formatTaint } from '../kubernetes/taint.js';
import { type LifecycleDifference, lifecycleDifferences } from './explain-taint.js';

type Conditions = Readonly<Record<string, string>>;

function differencesOf(
  conditions: Conditions,
  taints: readonly string[],
  unschedulable = false,
): readonly LifecycleDifference[] {
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    spec: {
      unschedulable,
      taints: taints.map((text) => {
        const [key = '', effect = ''] = text.split(':');
        return { key: key === 'own' ? key : `node.kubernetes.io/${key}`, effect };
      }),
    },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  };
  return lifecycleDifferences(node);
}

describe('lifecycleDifferences', () => {
  it.each<[string, Conditions, string[], boolean, string[]]>([
    ['nothing on a node in order', { Ready: 'True', DiskPressure: 'False' }, ['own:NoExecute'], false, []],
    [
      'nothing where every taint has its condition',
      { Ready: 'False', DiskPressure: 'True' },
      ['disk-pressure:NoSchedule', 'not-ready:NoSchedule', 'not-ready:NoExecute'],
      false,
      [],
    ],
    [
      'a pressure without its taint',
      { Ready: 'True', DiskPressure: 'True' },
      [],
      false,
      ['missing disk-pressure:NoSchedule'],
    ],
    ['nothing of a pressure that is unknown', { Ready: 'True', DiskPressure: 'Unknown' }, [], false, []],
    [
      'both taints of a silent node',
      { Ready: 'Unknown' },
      [],
      false,
      ['missing unreachable:NoSchedule', 'missing unreachable:NoExecute'],
    ],
    ['a cordon without its taint', { Ready: 'True' }, [], true, ['missing unschedulable:NoSchedule']],
    [
      'the taint of a cordon without one',
      { Ready: 'True' },
      ['unschedulable:NoSchedule'],
      false,
      ['notCalledFor unschedulable:NoSchedule'],
    ],
    [
      'the same without any condition',
      {},
      ['unschedulable:NoSchedule'],
      false,
      ['notCalledFor unschedulable:NoSchedule'],
    ],
    ['nothing else without any condition', {}, ['not-ready:NoSchedule', 'memory-pressure:NoExecute'], false, []],
    [
      'the taints of a silent node on a ready one',
      { Ready: 'True' },
      ['unreachable:NoSchedule', 'unreachable:NoExecute'],
      false,
      ['notCalledFor unreachable:NoSchedule', 'notCalledFor unreachable:NoExecute'],
    ],
    [
      'the other NoExecute taint of a node that is not ready',
      { Ready: 'False' },
      ['not-ready:NoSchedule', 'unreachable:NoExecute'],
      false,
      ['notCalledFor unreachable:NoExecute'],
    ],
    [
      'an effect that the controller never sets',
      { Ready: 'True', MemoryPressure: 'True' },
      ['memory-pressure:NoSchedule', 'memory-pressure:NoExecute'],
      false,
      ['notCalledFor memory-pressure:NoExecute'],
    ],
  ])('finds %s', (_name, conditions, taints, unschedulable, expected) => {
    const found = differencesOf(conditions, taints, unschedulable).map(({ taint, state }) =>
      `${state} ${formatTaint(taint)}`.replace('node.kubernetes.io/', ''),
    );
    expect(found).toEqual(expected);
  });

  it.each<[string, string, string, boolean, RegExp]>([
    [
      'is taken off a ready node on the next pass',
      'True',
      'unreachable:NoExecute',
      false,
      /removes it on its next pass/,
    ],
    [
      'is exchanged on a node that is not ready',
      'False',
      'unreachable:NoExecute',
      false,
      /replaces it on its next pass/,
    ],
    [
      'is removed immediately if there is no cordon',
      'True',
      'unschedulable:NoSchedule',
      false,
      /removes it immediately/,
    ],
    ['stays if no controller manages it', 'True', 'unschedulable:NoExecute', true, /no controller removes it/],
  ])('explains the future of a taint without a cause: it %s', (_, ready, taint, unschedulable, why) => {
    const found = differencesOf({ Ready: ready }, [taint], unschedulable);
    expect(found.find(({ state }) => state === 'notCalledFor')?.why).toMatch(why);
  });
});
