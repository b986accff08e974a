import { describe, expect, it } from '@jest/globals';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { LimitRange, LimitRangeItem } from '../kubernetes/objects/quota.js';
import { admitLimitRanges, validateLimitRanges } from './limit-ranger.js';

const limitRange = (name: string, ...items: readonly LimitRangeItem[]): LimitRange => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name, namespace: 'team-a' },
  spec: { limits: items },
});
const pod = (spec: Partial<Pod['spec']>, metadata: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team-a', ...metadata },
  spec: { containers: [{ name: 'c' }], ...spec },
});

function refusalOf(given: Pod, ...limitRanges: readonly LimitRange[]): AdmissionRefusal | undefined {
  try {
    validateLimitRanges(given, limitRanges);
    return undefined;
  } catch (error) {
    if (error instanceof AdmissionRefusal) return error;
    throw error;
  }
}

describe('admitLimitRanges', () => {
  it('gives what is missing, by the order of names, and notes what the last one set', () => {
    const admitted = admitLimitRanges(pod({ initContainers: [{ name: 'i' }] }), [
      limitRange('b', { type: 'Container', default: { memory: '1Gi', cpu: '2' } }),
      limitRange('a', { type: 'Container', defaultRequest: { cpu: '100m' }, default: { cpu: '500m' } }),
    ]);
    const resources = { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '500m', memory: '1Gi' } };
    expect(admitted.spec).toEqual({
      containers: [{ name: 'c', resources }],
      initContainers: [{ name: 'i', resources }],
    });
    expect(admitted.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: memory request for container c; memory limit for container c; ' +
        'memory request for init container i; memory limit for init container i',
    });
  });

  it('leaves a pod alone that lacks nothing', () => {
    const given = pod({ containers: [{ name: 'c', resources: { limits: { cpu: '1' }, requests: { cpu: '1' } } }] });
    expect(admitLimitRanges(given, [limitRange('a', { type: 'Container', default: { cpu: '2' } })])).toBe(given);
  });

  it('takes names of resources that are names of every object', () => {
    const list = Object.fromEntries([['__proto__', '1']]);
    const admitted = admitLimitRanges(pod({}), [limitRange('a', { type: 'Container', default: list })]);
    expect(Object.keys(admitted.spec.containers[0]?.resources?.limits ?? {})).toEqual(['__proto__']);
  });
});

describe('validateLimitRanges', () => {
  it('tells all that the first LimitRange finds wrong, each once, and nothing of the next', () => {
    const given = pod({ containers: ['a', 'b'].map((name) => ({ name, resources: { requests: { cpu: '1m' } } })) });
    const refusal = refusalOf(
      given,
      limitRange('z', { type: 'Container', min: { memory: '1Gi' } }),
      limitRange('a', { type: 'Container', min: { cpu: '10m' } }, { type: 'Pod', max: { cpu: '1' } }),
    );
    expect(refusal?.message).toBe(
      'pods "web" is forbidden: [minimum cpu usage per Container is 10m, but request is 1m, ' +
        'maximum cpu usage per Pod is 1.  No limit is specified]',
    );
  });

  it('calls a pod that has no name yet by what its name will begin with', () => {
    const refusal = refusalOf(
      pod({}, { name: '', generateName: 'web-' }),
      limitRange('a', { type: 'Container', min: { cpu: '1' } }),
    );
    expect(refusal?.message).toMatch(/^pods "web-" is forbidden: /);
  });

  it('takes cpu and memory of the pod itself in the place of the sums, and nothing else', () => {
    const given = pod({
      containers: [{ name: 'c', resources: { limits: { cpu: '1', 'hugepages-2Mi': '2Mi' } } }],
      resources: { limits: { cpu: '3', 'hugepages-2Mi': '6Mi' } },
    });
    const refusal = refusalOf(given, limitRange('a', { type: 'Pod', max: { cpu: '2', 'hugepages-2Mi': '4Mi' } }));
    expect(refusal?.reasons).toEqual(['maximum cpu usage per Pod is 2, but limit is 3']);
  });

  it('compares whole units where thousandths do not fit into 64 bits', () => {
    const asked = { requests: { memory: '9e15' }, limits: { memory: '9223372036854775.8' } };
    const given = pod({ containers: [{ name: 'c', resources: asked }] });
    expect(
      refusalOf(given, limitRange('a', { type: 'Container', max: { memory: '9223372036854775.7' } })),
    ).toBeUndefined();
  });
});
