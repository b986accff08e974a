import { describe, expect, it } from '@jest/globals';
import { containerCpus } from './container-cpu.js';
import { sharesToRuntimeWeight } from './cpu-shares.js';

describe('sharesToRuntimeWeight', () => {
  it.each([
    [0n, 1n],
    [2n, 1n],
    [3n, 2n],
    [102n, 17n],
    [1024n, 100n],
    [2000n, 170n],
    [262_144n, 10_000n],
    [1_000_000n, 10_000n],
  ])('makes %s shares a weight of %s', (shares, weight) => {
    expect(sharesToRuntimeWeight(shares)).toBe(weight);
  });
});

describe('containerCpus', () => {
  it("uses the request, even zero, otherwise the limit, otherwise the pod's limit", () => {
    const found = containerCpus({
      spec: {
        containers: [
          { name: 'asks', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } },
          { name: 'zero', resources: { requests: { cpu: '0' }, limits: { cpu: '2' } } },
          { name: 'limited', resources: { limits: { cpu: '2' } } },
        ],
        initContainers: [{ name: 'neither' }],
        resources: { limits: { cpu: '4' } },
      },
    });
    expect(
      found.map(({ container, cpuShares, weightBefore, weightSince }) => [
        container,
        cpuShares,
        weightBefore,
        weightSince,
      ]),
    ).toEqual([
      ['asks', 1024n, 39n, 100n],
      ['zero', 2n, 1n, 1n],
      ['limited', 2048n, 79n, 174n],
      ['neither', 4096n, 157n, 303n],
    ]);
  });
});
