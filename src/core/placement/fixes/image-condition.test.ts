import { describe, expect, it } from '@jest/globals';
import { imageCondition } from './image-condition.js';

describe('imageCondition', () => {
  it.each([
    [[{ key: 'kubernetes.io/arch', actual: 'arm64' }], 'needs images built for arm64'],
    [[{ key: 'beta.kubernetes.io/arch', actual: 'arm64' }], 'needs images built for arm64'],
    [
      [
        { key: 'kubernetes.io/arch', actual: 'amd64' },
        { key: 'kubernetes.io/os', actual: 'windows' },
      ],
      'needs images built for windows/amd64',
    ],
    [[{ key: 'kubernetes.io/arch', actual: null }], 'needs images built for the architecture of the node'],
    [
      [
        { key: 'kubernetes.io/arch', actual: null },
        { key: 'kubernetes.io/os', actual: 'linux' },
      ],
      'needs images built for linux and the architecture of the node',
    ],
    [[{ key: 'node.kubernetes.io/windows-build', actual: '10.0.20348' }], 'needs images built for 10.0.20348'],
    [[{ key: 'disk', actual: 'ssd' }], undefined],
  ])('of %j is %s', (labels, condition) => {
    expect(imageCondition(labels)).toBe(condition);
  });
});
