import { describe, expect, it } from '@jest/globals';
import type { PodSpec, ResourceRequirements } from '../kubernetes/objects/pod.js';
import { computeQos, podQos } from './qos.js';

const of = (...resources: ResourceRequirements[]): PodSpec => ({
  containers: resources.map((each, index) => ({ name: `c${index}`, resources: each })),
});
const both = { cpu: '1', memory: '1Gi' };

describe('computeQos', () => {
  it.each<[string, PodSpec, string]>([
    ['no requests', of({}), 'BestEffort'],
    ['requests of zero', of({ requests: { cpu: '0' }, limits: { memory: '0' } }), 'BestEffort'],
    ['only other resources', of({ limits: { 'example.com/gpu': '1' } }), 'BestEffort'],
    ['requests equal to limits', of({ requests: both, limits: both }), 'Guaranteed'],
    [
      'equal in value, spelled differently',
      of({ requests: { cpu: '1000m', memory: '1024Mi' }, limits: both }),
      'Guaranteed',
    ],
    ['limits without requests, before defaulting', of({ limits: both }), 'Burstable'],
    ['one container without limits', of({ requests: both, limits: both }, {}), 'Burstable'],
    [
      'sums that agree by accident',
      of(
        { requests: { cpu: '1', memory: '1' }, limits: { cpu: '2', memory: '2' } },
        { requests: { cpu: '2', memory: '2' }, limits: { cpu: '1', memory: '1' } },
      ),
      'Guaranteed',
    ],
    [
      'an init container without limits',
      { ...of({ requests: both, limits: both }), initContainers: [{ name: 'i' }] },
      'Burstable',
    ],
    ['pod-level resources alone', { ...of({}), resources: { requests: both, limits: both } }, 'Guaranteed'],
    [
      'empty pod-level resources over those of the containers',
      { ...of({ requests: both, limits: both }), resources: {} },
      'BestEffort',
    ],
  ])('%s', (_name, spec, want) => {
    expect(computeQos({ spec })).toBe(want);
  });
});

describe('podQos', () => {
  it('uses the class in the status, unless it is empty', () => {
    expect(podQos({ spec: of({}), status: { qosClass: 'Guaranteed' } })).toBe('Guaranteed');
    expect(podQos({ spec: of({}), status: { qosClass: '' } })).toBe('BestEffort');
  });
});
