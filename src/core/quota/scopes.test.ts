import { describe, expect, it } from '@jest/globals';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { matchesScope, matchesScopes, scopeFactsOf, scopesOf } from './scopes.js';

const factsOf = (spec: Partial<PodSpec>, status: NonNullable<Pod['status']> = {}) =>
  scopeFactsOf({ spec: { containers: [{ name: 'a' }], ...spec }, status });

describe('matchesScope', () => {
  it.each([
    ['a deadline of zero makes a pod Terminating', { activeDeadlineSeconds: 0 }, 'Terminating', true],
    ['a pod without a deadline is not Terminating', {}, 'Terminating', false],
    ['a pod that asks for nothing is BestEffort', {}, 'BestEffort', true],
    ['a pod with pod-level resources is not', { resources: { requests: { cpu: '1' } } }, 'BestEffort', false],
    ['a class is within PriorityClass', { priorityClassName: 'high' }, 'PriorityClass', true],
    ['no pod is within VolumeAttributesClass', { priorityClassName: 'high' }, 'VolumeAttributesClass', false],
    [
      'an empty list of namespaces crosses none',
      {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k', namespaces: [] }] },
        },
      },
      'CrossNamespacePodAffinity',
      false,
    ],
    [
      'an empty selector of namespaces crosses',
      {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { topologyKey: 'k', namespaceSelector: {} } },
            ],
          },
        },
      },
      'CrossNamespacePodAffinity',
      true,
    ],
  ] as const)('%s', (_, spec, scopeName, matches) => {
    expect(matchesScope(factsOf(spec as Partial<PodSpec>), { scopeName, operator: 'Exists' })).toBe(matches);
  });

  it('prefers the QoS class in the status to the computed one', () => {
    expect(matchesScope(factsOf({}, { qosClass: 'Burstable' }), { scopeName: 'BestEffort', operator: 'Exists' })).toBe(
      false,
    );
  });

  it('evaluates the operator only for PriorityClass', () => {
    const facts = factsOf({});
    expect(matchesScope(facts, { scopeName: 'BestEffort', operator: 'DoesNotExist' })).toBe(true);
    expect(matchesScope(facts, { scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] })).toBe(true);
    expect(() => matchesScope(facts, { scopeName: 'PriorityClass', operator: '' })).toThrow(
      'failed to parse and convert selector: "" is not a valid scope selector operator',
    );
  });

  it('refuses a class name of more than 63 characters, because it is compared as a label value', () => {
    const scope = { scopeName: 'PriorityClass', operator: 'In', values: ['x'.repeat(64)] };
    expect(() => matchesScope(factsOf({}), scope)).toThrow('must be no more than 63');
  });
});

describe('matchesScopes', () => {
  it('requires all scopes, and fails for an invalid one whatever the others are', () => {
    const scopes = scopesOf({
      spec: {
        scopes: ['Terminating'],
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [] }] },
      },
    });
    expect(() => matchesScopes(factsOf({}), scopes)).toThrow("values set can't be empty");
    expect(matchesScopes(factsOf({}), scopesOf({ spec: { scopes: ['BestEffort', 'NotTerminating'] } }))).toBe(true);
    expect(matchesScopes(factsOf({}), scopesOf({ spec: { scopes: ['BestEffort', 'Terminating'] } }))).toBe(false);
    expect(matchesScopes(factsOf({}), scopesOf({}))).toBe(true);
  });
});
