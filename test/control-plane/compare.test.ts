import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seededNumbers } from '../../src/core/scheduling/seeded-numbers.js';
import type { Comparison } from './comparison.js';
import { compareAdmittedPods } from './compare-admitted-pods.js';
import { comparePodSecurity } from './compare-pod-security.js';
import { comparePolicies } from './compare-policies.js';
import { missingAssets, startControlPlane, type ControlPlane } from './control-plane.js';

const missing = missingAssets(process.env);
const CASES = 20;

if (missing !== undefined) process.stderr.write(`skipped: the comparison with a running control plane; ${missing}\n`);

describe('a running control plane', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    if (missing === undefined) plane = await startControlPlane();
  }, 120_000);
  afterAll(async () => {
    if (missing === undefined) await plane.stop();
  });

  (missing === undefined ? it : it.skip).each([
    ['admitPod', compareAdmittedPods],
    ['podSecurity', comparePodSecurity],
    ['admissionPolicy', comparePolicies],
  ] as const)(
    'answers to generated objects as the core does: %s',
    async (op, open: () => Promise<Comparison>) => {
      const comparison = await open();
      const next = seededNumbers(1);
      const differences = [];
      for (let number = 0; number < CASES; number++) {
        const compared = await comparison.compare(plane.api, next, `test-${op.toLowerCase()}-${number}`);
        if (compared.outcome === 'different') differences.push(compared);
      }
      expect(differences).toEqual([]);
    },
    600_000,
  );
});
