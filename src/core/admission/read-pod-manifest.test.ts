import { describe, expect, it } from '@jest/globals';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { readPodManifest } from './read-pod-manifest.js';

describe('readPodManifest', () => {
  it('refuses names in the words of the version', () => {
    const manifest = { metadata: { name: 'p', namespace: 'a'.repeat(64) }, spec: { containers: [{ name: 'c' }] } };
    const said = [34, 35].map((minor) => {
      const read = readPodManifest('pod', manifest, gatesOf(rulesOfMinor(minor)));
      return 'errors' in read ? read.errors.map(({ message }) => message.replace(/.*no more than /, '')) : [];
    });
    expect(said).toEqual([['63 characters'], ['63 bytes']]);
  });
});
