import { describe, expect, it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { ClusterState } from '../cluster/cluster-state.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { defaultPod } from '../kubernetes/defaults.js';
import { defaultWholePod } from '../kubernetes/whole-pod-defaults.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { NOTHING } from './nothing.js';

setFlagsFromString('--allow-natives-syntax');
// As code that has run for a while.
setFlagsFromString('--no-lazy-feedback-allocation');
const haveSameClass = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: unknown, b: unknown) => boolean;

const node = (name: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
  status: { allocatable: { cpu: '1', pods: '1' } },
});

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd' },
  spec: {
    containers: [{ name, image: name, ports: [{ containerPort: 80 }], resources: { requests: { cpu: '2' } } }],
  },
});

describe('copies with further members', () => {
  it('have one hidden class, with nothing before the object', () => {
    const copy = (code: string): object => ({ ...NOTHING, ...{ plugin: 'p', code }, first: true });
    expect(haveSameClass(copy('a'), copy('b'))).toBe(true);
    expect(JSON.stringify(copy('a'))).toBe('{"plugin":"p","code":"a","first":true}');
  });

  it('have one hidden class where reasons are explained', () => {
    const state = ClusterState.build([node('a'), node('b'), node('c')], ['Node', 'Pod']);
    const placement = evaluatePlacement(state, { pod: pod('p') });
    const [, a, b] = [0, 1, 2].map((index) => placement.explainNode(index).reasons);
    expect(a!.map(({ code }) => code)).toEqual(['UntoleratedTaint', 'InsufficientResource']);
    for (const [index, reason] of a!.entries()) expect(haveSameClass(reason, b![index])).toBe(true);
  });

  it.each([
    ['pods', defaultPod],
    ['whole pods', defaultWholePod as unknown as (given: Pod) => Pod],
  ])('have one hidden class where %s get their defaults', (_, withDefaults) => {
    const [, a, b] = ['first', 'a', 'b'].map((name) => withDefaults(pod(name)).spec);
    expect(haveSameClass(a, b)).toBe(true);
    expect(haveSameClass(a!.containers[0], b!.containers[0])).toBe(true);
    expect(haveSameClass(a!.containers[0]!.ports![0], b!.containers[0]!.ports![0])).toBe(true);
  });
});
