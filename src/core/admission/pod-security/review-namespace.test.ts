import { describe, expect, it } from '@jest/globals';
import type { Labels } from '../../kubernetes/objects/meta.js';
import { STOCK_POD_SECURITY, type PodSecurityConfiguration } from './pod-security-configuration.js';
import { reviewNamespaceLabels, reviewNewNamespace, type ExistingPod } from './review-namespace.js';

const labels = (given: Record<string, string>): Labels =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]));
const team = (given: Record<string, string>) => ({ name: 'team', labels: labels(given) });
const EXEMPT: PodSecurityConfiguration = {
  ...STOCK_POD_SECURITY,
  exemptions: { usernames: [], namespaces: ['team'], runtimeClasses: ['kata'] },
};
const pod = (name: string, owner?: string, runtimeClassName?: string): ExistingPod => ({
  metadata: { name, ...(owner !== undefined && { ownerReferences: [{ uid: owner, controller: true }] }) },
  spec: {
    containers: [{ name: 'c', image: 'i' }],
    hostPID: true,
    ...(runtimeClassName !== undefined && { runtimeClassName }),
  },
});
const HEAD = 'existing pods in namespace "team" violate the new PodSecurity enforce level "baseline:latest"';

describe('reviewNewNamespace', () => {
  it('warns that the labels of an exempt namespace are ignored', () => {
    const warning =
      'namespace "team" is exempt from Pod Security, and the policy (enforce=baseline:v1.30, warn=restricted:latest) will be ignored';
    const given = { enforce: 'baseline', 'enforce-version': 'v1.30', warn: 'restricted', audit: 'privileged' };
    expect(reviewNewNamespace(team(given), EXEMPT)).toEqual({ outcome: 'allowed', warnings: [warning] });
    expect(reviewNewNamespace(team({ enforce: 'privileged' }), EXEMPT)).toEqual({ outcome: 'allowed', warnings: [] });
    expect(reviewNewNamespace(team(given), STOCK_POD_SECURITY)).toEqual({ outcome: 'allowed', warnings: [] });
  });
});

describe('reviewNamespaceLabels', () => {
  const enforced = (pods: readonly ExistingPod[], configuration = STOCK_POD_SECURITY) =>
    reviewNamespaceLabels(team({ enforce: 'baseline' }), {}, pods, configuration);

  it('takes labels that were as invalid before', () => {
    const before = labels({ enforce: 'none' });
    expect(reviewNamespaceLabels(team({ enforce: 'none' }), before, [], STOCK_POD_SECURITY).outcome).toBe('allowed');
    expect(reviewNamespaceLabels(team({ enforce: 'nothing' }), before, [], STOCK_POD_SECURITY).outcome).toBe('refused');
  });

  it('leaves out pods of exempt runtime classes, and all of an exempt namespace', () => {
    const classes = { ...EXEMPT, exemptions: { ...EXEMPT.exemptions, namespaces: [] } };
    expect(enforced([pod('b'), pod('a', undefined, 'kata')], classes)).toEqual({
      outcome: 'allowed',
      warnings: [HEAD, 'b: host namespaces'],
    });
    expect(enforced([pod('b')], EXEMPT)).toEqual({
      outcome: 'allowed',
      warnings: [
        'namespace "team" is exempt from Pod Security, and the policy (enforce=baseline:latest) will be ignored',
      ],
    });
  });

  it('looks at 3000 pods, and at one of each controller first', () => {
    const replicas = Array.from({ length: 3000 }, (_, index) => pod(`web-${index}`, 'web'));
    expect(enforced([...replicas, pod('a-last')])).toEqual({
      outcome: 'allowed',
      warnings: [
        'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
        HEAD,
        'a-last (and 2999 other pods): host namespaces',
      ],
    });
  });
});
