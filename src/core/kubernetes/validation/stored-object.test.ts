import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '../../json/lossless-json.js';
import { decodeObject } from '../decode.js';
import { validateStoredObject } from './stored-object.js';

function fieldsOf(manifest: object): string[] {
  const decoded = decodeObject(parseJson(stringifyJson(manifest)));
  if (decoded.outcome !== 'object') throw new Error(stringifyJson(decoded));
  return validateStoredObject(decoded.object).map(({ field }) => field);
}

const pod = (spec: object, metadata: object = { name: 'web' }): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [{ name: 'app' }], ...spec },
});

const node = (more: object, metadata: object = { name: 'n1' }): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata,
  ...more,
});

const long = 'a'.repeat(64);

describe('validateStoredObject', () => {
  it.each<[string, object, string[]]>([
    ['an ordinary pod', pod({ nodeName: 'ip-10-0-0-1.ec2.internal' }), []],
    ['a pod without a name', pod({}, {}), ['metadata.name']],
    ['a pod whose name is no DNS name', pod({}, { name: 'Web_1' }), ['metadata.name']],
    ['a pod in a namespace that cannot be', pod({}, { name: 'web', namespace: 'a.b' }), ['metadata.namespace']],
    ['a pod on a node that cannot be', pod({ nodeName: 'a b' }), ['spec.nodeName']],
    ['a pod that is not bound', pod({ nodeName: '' }), []],
    ['a pod whose tolerations compare', pod({ tolerations: [{ key: 'a', operator: 'Gt', value: '5' }] }), []],
    [
      'a pod whose toleration compares with no number',
      pod({ tolerations: [{ key: 'a', operator: 'Lt', value: 'x' }] }),
      ['spec.tolerations[0].value', 'spec.tolerations[0].value'],
    ],
    [
      'a pod whose toleration has an unknown operator',
      pod({ tolerations: [{ operator: 'Exists' }, { key: 'a', operator: 'In' }] }),
      ['spec.tolerations[1].operator'],
    ],
    [
      'a pod that requests less than nothing',
      pod({ containers: [{ name: 'a' }, { name: 'b', resources: { requests: { cpu: '-1' } } }] }),
      ['spec.containers[1].resources.requests[cpu]'],
    ],
    [
      'a pod whose init container is limited to less than nothing',
      pod({ initContainers: [{ name: 'a', resources: { limits: { memory: '-0.5Gi' } } }] }),
      ['spec.initContainers[0].resources.limits[memory]'],
    ],
    ['a pod that requests nothing, with a sign', pod({ overhead: { cpu: '-0' } }), []],
    [
      'a node with a taint without effect and one of an unknown effect',
      node({ spec: { taints: [{ key: 'a' }, { key: 'b', effect: 'NoRun' }] } }),
      ['spec.taints[0].effect', 'spec.taints[1].effect'],
    ],
    [
      'a quota of a resource that is none, of half a pod, of less than nothing, and with a scope that is none',
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q', namespace: 'd' },
        spec: { hard: { bogus: '1', pods: '1.5', 'requests.cpu': '-1' }, scopes: ['Nope'] },
      },
      ['spec.hard[bogus]', 'spec.hard[bogus]', 'spec.hard[pods]', 'spec.hard[requests.cpu]', 'spec.scopes'],
    ],
    [
      'an ordinary quota',
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q', namespace: 'd' },
        spec: {
          hard: { pods: '4', 'requests.nvidia.com/gpu': '2', 'count/deployments.apps': '3' },
          scopes: ['NotTerminating'],
        },
      },
      [],
    ],
    [
      'a node with less than no capacity',
      node({ status: { capacity: { cpu: '-1', memory: '1Gi' } } }),
      ['status.capacity[cpu]'],
    ],
    [
      'a node with bad labels',
      node({}, { name: 'n1', labels: { 'a b': 'x', 'ok/ok.ok_ok': '', c: '-x', d: long } }),
      ['metadata.labels', 'metadata.labels', 'metadata.labels'],
    ],
    [
      'a node with valid labels that are out of the ordinary',
      node({}, { name: 'n1', labels: { 'a--b.example.com/x..y__z': 'A--b..c__d', [`${long}.${long}/x`]: 'y' } }),
      [],
    ],
    [
      'a budget with a name that no pod could have, which was never refused',
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'Web_PDB' } },
      [],
    ],
    [
      'a budget with a name that is no part of a URL',
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'a/b' } },
      ['metadata.name'],
    ],
    [
      'a namespace with a dot in its name',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } },
      ['metadata.name'],
    ],
  ])('judges %s', (_, manifest, fields) => {
    expect(fieldsOf(manifest)).toEqual(fields);
  });
});
