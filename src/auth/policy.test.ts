import { describe, expect, it } from '@jest/globals';
import type { Binding } from './auth-file.js';
import type { Caller } from './caller.js';
import { Policy } from './policy.js';
import { processorTime } from '../../test/support/processor-time.js';

const binding = (subjects: string[], clusters: string[], rest: Partial<Binding> = {}): Binding => ({
  subjects,
  clusters,
  roles: ['read'],
  taintValues: true,
  onBehalfOf: false,
  ...rest,
});
const alice: Caller = { name: 'alice', kind: 'oidc', groups: ['sre'], issuer: 'https://id.example' };
const aliceToken: Caller = { name: 'alice', kind: 'token', groups: [] };

describe('a pattern of clusters', () => {
  it.each([
    ['prod', 'prod', true],
    ['prod', 'prod-a', false],
    ['prod-*', 'prod-a', true],
    ['prod-*', 'prod-', true],
    ['prod-*', 'prod', false],
    ['*', 'anything', true],
    ['*-eu', 'a-eu', true],
    ['*-eu', 'a-eu-1', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['ab*ba', 'aba', false],
    ['a.c', 'abc', false],
    ['a*a', 'a', false],
  ])('%s covers %s: %s', (pattern, cluster, covered) => {
    expect(new Policy([binding(['*'], [pattern])]).accessOf(alice).sees(cluster)).toBe(covered);
  });

  it('with many stars is matched in linear time', () => {
    const pattern = `${'*a'.repeat(120)}*b`;
    const access = new Policy([binding(['*'], [pattern])]).accessOf(alice);
    const used = processorTime();
    expect(access.sees('a'.repeat(253))).toBe(false);
    expect(used()).toBeLessThan(10);
  });
});

describe('bindings', () => {
  it.each([
    ['user:alice', true, false],
    ['token:alice', false, true],
    ['group:sre', true, false],
    ['*', true, true],
    ['user:bob', false, false],
    ['group:alice', false, false],
  ])('of %s apply to the user: %s, to the token of that name: %s', (subject, user, token) => {
    const policy = new Policy([binding([subject], ['*'])]);
    expect(policy.accessOf(alice).sees('a')).toBe(user);
    expect(policy.accessOf(aliceToken).sees('a')).toBe(token);
  });

  it('accumulate for each cluster', () => {
    const policy = new Policy([
      binding(['*'], ['*'], { taintValues: false }),
      binding(['group:sre'], ['prod-*'], { roles: ['change'], onBehalfOf: true }),
      binding(['user:alice'], ['prod-a'], { roles: ['audit'], taintValues: false }),
    ]);
    const access = policy.accessOf(alice);
    const rights = (cluster: string) =>
      (['read', 'evaluate', 'change', 'audit', 'admin'] as const).filter((right) => access.may(right, cluster));
    expect(rights('prod-a')).toEqual(['read', 'evaluate', 'change', 'audit']);
    expect(rights('prod-b')).toEqual(['read', 'evaluate', 'change']);
    expect(rights('test')).toEqual(['read']);
    expect([access.seesTaintValues('prod-a'), access.seesTaintValues('test')]).toEqual([true, false]);
    expect([access.mayActFor('prod-a'), access.mayActFor('test')]).toEqual([true, false]);
    expect([access.mayEverywhere('read'), access.mayEverywhere('change')]).toEqual([true, false]);
  });
});
