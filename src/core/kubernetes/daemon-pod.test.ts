import { DEFAULT_GATES } from './toleration.js';
import { describe, expect, it } from '@jest/globals';
import { daemonPod, daemonPodTolerations, nodeShouldRunDaemonPod } from './daemon-pod.js';
import type { Node } from './objects/node.js';
import type { PodSpec } from './objects/pod.js';
import type { Taint, Toleration } from './objects/taints.js';
import type { DaemonSet } from './objects/workloads.js';

const daemonSet = (spec: Partial<PodSpec>): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'kube-system', uid: 'u1' },
  spec: { template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [], ...spec } } },
});
const node = (spec: { taints?: Taint[]; unschedulable?: boolean } = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { disk: 'ssd' } },
  spec,
});
const notReady = (more: Partial<Toleration> = {}): Toleration => ({
  key: 'node.kubernetes.io/not-ready',
  operator: 'Exists',
  effect: 'NoExecute',
  ...more,
});
const tolerated = (spec: Partial<PodSpec>): readonly Toleration[] => daemonPodTolerations({ containers: [], ...spec });

describe('daemonPodTolerations', () => {
  it('adds six tolerations in a fixed order, and a seventh for host network', () => {
    const keys = tolerated({ hostNetwork: true }).map(
      ({ key, effect }) => `${key?.split('/')[1] ?? ''}:${effect ?? ''}`,
    );
    expect(keys).toEqual([
      'not-ready:NoExecute',
      'unreachable:NoExecute',
      'disk-pressure:NoSchedule',
      'memory-pressure:NoSchedule',
      'pid-pressure:NoSchedule',
      'unschedulable:NoSchedule',
      'network-unavailable:NoSchedule',
    ]);
    expect(tolerated({})).toHaveLength(6);
  });

  it('replaces at its position each toleration that differs from an added one only in its seconds', () => {
    const own = [notReady({ tolerationSeconds: 300 }), { key: 'x' }, notReady()];
    expect(tolerated({ tolerations: own }).slice(0, 4)).toEqual([
      notReady(),
      { key: 'x' },
      notReady(),
      notReady({ key: 'node.kubernetes.io/unreachable' }),
    ]);
  });

  it("keeps both if the template's toleration differs in any other way", () => {
    const own = notReady({ effect: '', tolerationSeconds: 300 });
    expect(tolerated({ tolerations: [own] }).slice(0, 2)).toEqual([own, notReady()]);
  });
});

describe('daemonPod', () => {
  it("replaces required node affinity with the node's name, and keeps the rest", () => {
    const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }];
    const pod = daemonPod(
      daemonSet({
        nodeSelector: { disk: 'ssd' },
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: preferred,
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
          },
        },
      }),
      'n1',
    );
    expect(pod.spec.affinity?.nodeAffinity).toEqual({
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
      },
    });
    expect(pod.spec.nodeSelector).toEqual({ disk: 'ssd' });
    expect(pod.spec.nodeName).toBeUndefined();
    expect(pod.metadata).toMatchObject({
      generateName: 'agent-',
      namespace: 'kube-system',
      labels: { app: 'agent' },
      ownerReferences: [{ kind: 'DaemonSet', name: 'agent', uid: 'u1', controller: true }],
    });
  });
});

describe('nodeShouldRunDaemonPod', () => {
  const taint = (effect: string, key = 'k'): Taint => ({ key, effect });
  const decide = (spec: Partial<PodSpec>, on: Node): [boolean, boolean] => {
    const decision = nodeShouldRunDaemonPod(daemonSet(spec), on, DEFAULT_GATES);
    return [decision.shouldRun, decision.shouldContinueRunning];
  };

  it.each<[string, Partial<PodSpec>, Node, [boolean, boolean]]>([
    ['runs on a cordoned node', {}, node({ unschedulable: true }), [true, true]],
    ['does not mind PreferNoSchedule', {}, node({ taints: [taint('PreferNoSchedule')] }), [true, true]],
    ['stays, but does not start, with NoSchedule', {}, node({ taints: [taint('NoSchedule')] }), [false, true]],
    ['leaves a node with NoExecute', {}, node({ taints: [taint('NoExecute')] }), [false, false]],
    [
      'runs on a node that is not ready',
      {},
      node({ taints: [taint('NoExecute', 'node.kubernetes.io/not-ready')] }),
      [true, true],
    ],
    ['runs on the node it names', { nodeName: 'n1' }, node(), [true, true]],
    ['runs on no other node than the one it names', { nodeName: 'n2' }, node(), [false, false]],
    ['wants its node selector', { nodeSelector: { disk: 'hdd' } }, node(), [false, false]],
    [
      'matches nothing with a bad affinity term',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In' }] }],
            },
          },
        },
      },
      node(),
      [false, false],
    ],
  ])('%s', (_name, spec, on, want) => {
    expect(decide(spec, on)).toEqual(want);
  });
});
