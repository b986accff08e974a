import { describe, expect, it } from '@jest/globals';
import type { Namespace } from '../kubernetes/objects/namespace.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { admitNodeSelector, type ClusterNodeSelectors } from './pod-node-selector.js';

const namespace = (selector?: string): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: 'team-a',
    annotations: selector === undefined ? {} : { 'scheduler.alpha.kubernetes.io/node-selector': selector },
  },
});
const pod = (nodeSelector?: Readonly<Record<string, string>>, name = 'web'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team-a' },
  spec: { containers: [], ...(nodeSelector && { nodeSelector }) },
});

describe('admitNodeSelector', () => {
  it.each<[string, Namespace, ClusterNodeSelectors, object | undefined]>([
    ["the namespace's, spaces taken off", namespace(' pool = a ,b='), {}, { pool: 'a', b: '' }],
    [
      "the cluster's where the namespace has none",
      namespace(),
      { clusterDefaultNodeSelector: 'pool=b' },
      { pool: 'b' },
    ],
    ['nothing where the namespace says so', namespace(''), { clusterDefaultNodeSelector: 'pool=b' }, undefined],
  ])('gives %s', (_, given, selectors, want) => {
    expect(admitNodeSelector(pod(), given, selectors).spec.nodeSelector).toEqual(want);
  });

  it.each<[string, Pod, Namespace | undefined, ClusterNodeSelectors, number, string]>([
    [
      'another value than the namespace',
      pod({ pool: 'b' }, ''),
      namespace('pool=a'),
      {},
      403,
      'pods is forbidden: pod node label selector conflicts with its namespace node label selector',
    ],
    [
      'what the whitelist does not list',
      pod({ constructor: 'b' }),
      namespace('pool=a'),
      { 'team-a': 'pool=a' },
      403,
      'pods "web" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    ],
    ['a pair with two signs', pod(), namespace('a=b=c'), {}, 500, 'invalid selector: [a b c]'],
    ['a whitelist that is none', pod(), namespace(), { 'team-a': 'a in (b)' }, 500, 'invalid selector: [a in (b)]'],
    [
      'a value with more space within than a slow reading would get through',
      pod(),
      namespace(`a=b${' '.repeat(200_000)}c`),
      {},
      500,
      expect.stringMatching(/^\[a\]: Invalid value: "b {200000}c": /) as unknown as string,
    ],
    ['no namespace', pod(), undefined, {}, 500, 'Internal error occurred: namespace team-a does not exist'],
  ])('refuses %s', (_, given, within, selectors, status, message) => {
    expect(() => admitNodeSelector(given, within, selectors)).toThrow(expect.objectContaining({ status, message }));
  });
});
