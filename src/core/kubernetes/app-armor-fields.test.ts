import { describe, expect, it } from '@jest/globals';
import { withAppArmorFields } from './app-armor-fields.js';
import type { Profile, WholePodSpec } from './objects/whole-pod.js';

const profile = (annotation: string, spec: Partial<WholePodSpec> = {}): Profile | undefined =>
  withAppArmorFields({
    metadata: { name: 'p', annotations: { 'container.apparmor.security.beta.kubernetes.io/c': annotation } },
    spec: { containers: [{ name: 'c' }], ...spec },
  }).containers[0]?.securityContext?.appArmorProfile;

describe('withAppArmorFields', () => {
  it.each<[string, Profile | undefined]>([
    ['unconfined', { type: 'Unconfined' }],
    ['runtime/default', { type: 'RuntimeDefault' }],
    ['localhost/my-profile', { type: 'Localhost', localhostProfile: 'my-profile' }],
    ['localhost/', undefined],
    ['localhost/ padded', undefined],
    ['other', undefined],
  ])('sets the field of a container to %s', (annotation, want) => {
    expect(profile(annotation)).toEqual(want);
  });

  it('leaves a field that is set, a profile that is that of the pod, and pods of Windows', () => {
    const own = { type: 'RuntimeDefault' };
    const containers = [{ name: 'c', securityContext: { appArmorProfile: own } }];
    expect(profile('unconfined', { containers })).toEqual(own);
    expect(profile('unconfined', { securityContext: { appArmorProfile: { type: 'Unconfined' } } })).toBeUndefined();
    expect(profile('unconfined', { securityContext: { appArmorProfile: own } })).toEqual({ type: 'Unconfined' });
    expect(profile('unconfined', { os: { name: 'windows' } })).toBeUndefined();
  });
});
