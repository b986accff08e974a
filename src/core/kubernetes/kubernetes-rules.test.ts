import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RULES, KNOWN_RULES, NEWEST_MINOR, OLDEST_MINOR, rulesOfMinor } from './kubernetes-rules.js';
import { gatesOf } from './toleration.js';

describe('rulesOfMinor', () => {
  it('gives the rules of each version, with the feature gates that are on by default there', () => {
    expect(rulesOfMinor(33)).toMatchObject({
      minor: 33,
      release: 'v1.33.13',
      featureGates: { InPlacePodVerticalScaling: true, PodLevelResources: false },
    });
    expect(rulesOfMinor(34).featureGates).toMatchObject({ PodLevelResources: true, NodeDeclaredFeatures: false });
    expect(KNOWN_RULES.map(({ minor }) => minor)).toEqual([31, 32, 33, 34, 35, 36]);
  });

  it('gives the nearest known rules for older and newer versions', () => {
    expect(rulesOfMinor(19)).toBe(rulesOfMinor(OLDEST_MINOR));
    expect(rulesOfMinor(40)).toBe(rulesOfMinor(NEWEST_MINOR));
    expect(DEFAULT_RULES).toBe(rulesOfMinor(NEWEST_MINOR));
  });
});

describe('gatesOf', () => {
  it('turns TaintTolerationComparisonOperators on only where it exists, and gives the same object each time', () => {
    expect(gatesOf(rulesOfMinor(34), true).comparisonOperators).toBe(false);
    expect(gatesOf(rulesOfMinor(35), true).comparisonOperators).toBe(true);
    expect(gatesOf(rulesOfMinor(35)).comparisonOperators).toBe(false);
    expect(gatesOf(rulesOfMinor(35), true)).toBe(gatesOf(rulesOfMinor(35), true));
  });
});
