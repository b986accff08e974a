import { describe, expect, it } from '@jest/globals';
import { chooseRules, faultOfGate } from './cluster-version.js';
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

describe('feature gates that depend on others', () => {
  const rules = (version: string, featureGates: Readonly<Record<string, boolean>>) =>
    chooseRules({ declared: { version, featureGates }, apiServer: null, kubelets: null }).rules;

  it('are off without them, which is a fault of the declaration', () => {
    const alone = { GangScheduling: true };
    expect(rules('1.36', alone).featureGates.GangScheduling).toBe(false);
    expect(faultOfGate('GangScheduling', true, 36, alone)).toBe(
      'GangScheduling depends on the feature gate GenericWorkload, which is off',
    );
    for (const both of [
      { ...alone, GenericWorkload: true },
      { ...alone, AllAlpha: true },
    ]) {
      expect(rules('1.36', both).featureGates.GangScheduling).toBe(true);
      expect(faultOfGate('GangScheduling', true, 36, both)).toBeUndefined();
    }
  });

  it('are off where one of them is turned off, which only versions that check dependencies refuse', () => {
    const off = { PodLevelResources: false };
    const without = rules('1.36', off);
    expect(without.id).toBe('1.36+InPlacePodLevelResourcesVerticalScaling=false+PodLevelResources=false');
    expect(faultOfGate('PodLevelResources', false, 36, off)).toBe(
      'the feature gate InPlacePodLevelResourcesVerticalScaling, which is on, depends on it',
    );
    const both = { ...off, InPlacePodLevelResourcesVerticalScaling: false };
    expect(faultOfGate('PodLevelResources', false, 36, both)).toBeUndefined();
    expect(rules('1.36', both)).toBe(without);
    expect([34, 35].map((minor) => faultOfGate('PodLevelResources', false, minor, off))).toEqual([
      undefined,
      undefined,
    ]);
    const spread = { MatchLabelKeysInPodTopologySpread: false };
    expect(faultOfGate('MatchLabelKeysInPodTopologySpread', false, 34, spread)).toBeUndefined();
    expect(faultOfGate('MatchLabelKeysInPodTopologySpread', false, 35, spread)).toContain('depends on it');
  });
});
