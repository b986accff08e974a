import { describe, expect, it } from '@jest/globals';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { Pod, ResourceRequirements } from '../kubernetes/objects/pod.js';
import { admitResize } from './resize-pod.js';

const pod = (resources: ResourceRequirements, whole?: ResourceRequirements): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i', resources }], ...(whole && { resources: whole }) },
});

const refusalOf = (minor: number, stored: Pod, resized: Pod): string | undefined => {
  try {
    admitResize('p', () => resized, stored, { rules: rulesOfMinor(minor), findNode: () => undefined });
    return undefined;
  } catch (error) {
    if (error instanceof AdmissionRefusal) return error.message;
    throw error;
  }
};

describe('admitResize', () => {
  it.each([33, 34, 35, 36])('refuses in 1.%d to change the QoS class', (minor) => {
    const burstable = pod({ requests: { cpu: '1' }, limits: { cpu: '2' } });
    const same = { cpu: '2', memory: '1Gi' };
    const guaranteed = pod({ requests: same, limits: same });
    const refusal = (qos: string): string =>
      `Pod "p" is invalid: spec: Invalid value: "${qos}": Pod QOS Class may not change as a result of resizing`;
    const less = { cpu: '1', memory: '1Gi' };
    expect(refusalOf(minor, guaranteed, pod({ requests: less, limits: same }))).toBe(refusal('Guaranteed'));
    expect(refusalOf(minor, guaranteed, pod({ requests: less, limits: less }))).toBeUndefined();
    const known: Pod = { ...burstable, status: { qosClass: 'BestEffort' } };
    expect(refusalOf(minor, known, burstable)).toBe(refusal('BestEffort'));
  });

  it('names the missing gate beside the class in 1.35, and alone before', () => {
    const whole = { requests: { cpu: '1' } };
    const [stored, resized] = [pod({}, whole), pod({}, { requests: { cpu: '0' } })];
    const resizing = 'pods with pod-level resources';
    expect(refusalOf(34, stored, resized)).toContain(`Forbidden: ${resizing} cannot be resized`);
    expect(refusalOf(34, stored, resized)).not.toContain('QOS');
    expect(refusalOf(35, stored, resized)).toMatch(new RegExp(`QOS.*Forbidden: resize of ${resizing} is forbidden`));
  });
});
