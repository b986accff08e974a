import { beforeAll, describe, expect, it } from '@jest/globals';
import { runConformance, type Tally } from './run-conformance.js';

/** The ops and recorded folders that must hold without a single failure. */
const REQUIRED = [
  'admission',
  'admitPod',
  'admissionPolicy',
  'admitTolerations',
  'audit',
  'cgroup',
  'conditions',
  'daemonPod',
  'declaredFeatures',
  'describeNode',
  'describeTaints',
  'describeTolerations',
  'deviceEviction',
  'deviceTolerates',
  'draFilter',
  'eviction',
  'evictionTime',
  'filterCluster',
  'filterNode',
  'labelSelector',
  'limitRanger',
  'minTolerationTime',
  'nodeSelector',
  'pdb',
  'podDefaults',
  'podLimits',
  'podNodeSelector',
  'podRequests',
  'podSecurity',
  'podTolerationRestriction',
  'preempt',
  'priority',
  'qos',
  'quantity',
  'quota',
  'quotaConstraints',
  'quotaMatches',
  'quotaScopes',
  'quotaUsage',
  'runtimeClass',
  'scheduleSequence',
  'schedulerConfig',
  'scheduling',
  'scoreCluster',
  'scoreNodes',
  'selectorString',
  'tolerates',
  'untolerated',
  'validateLimitRange',
  'validateNode',
  'validatePDB',
  'validatePod',
  'validateResourceQuota',
  'validateRuntimeClass',
  'validateTaints',
  'validateTolerations',
  'versions',
  'volumeFilters',
  'wire',
];

describe('recordings of Kubernetes v1.36.2', () => {
  let tallies: ReadonlyMap<string, Tally>;
  beforeAll(async () => {
    const all = await runConformance('test/conformance', new Set(REQUIRED));
    tallies = new Map(all.map((tally) => [tally.name, tally]));
    // Minutes on a machine that is busy with other tests.
  }, 900_000);

  it.each(REQUIRED)('%s agrees in every case', (op) => {
    const tally = tallies.get(op);
    expect(tally?.failures).toEqual([]);
    expect(tally?.failed).toBe(0);
    expect(tally?.passed).toBeGreaterThan(0);
  });
});

describe('the conformance runner', () => {
  it('counts a requested op that does not exist as failed, under its name', async () => {
    const [tally] = await runConformance('test/conformance', new Set(['noSuchOp']));
    expect(tally).toMatchObject({ name: 'noSuchOp', passed: 0, failed: 1 });
  });

  it('counts a folder without cases as failed', async () => {
    const tallies = await runConformance('test/conformance/ops');
    expect(tallies).toMatchObject([{ name: 'conformance', failed: 1 }]);
  });
});
