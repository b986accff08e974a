import { describe, expect, it } from '@jest/globals';
import { actorOf, actorOfManager, managerOf } from './actor.js';
import type { AuditEvent } from './audit-event.js';

const event = (username: string | undefined, userAgent: string, impersonated?: string): AuditEvent => ({
  auditID: 'a',
  level: 'Metadata',
  stage: 'ResponseComplete',
  verb: 'patch',
  requestURI: '/api/v1/nodes/n',
  node: 'n',
  ...(username !== undefined && { user: { username, groups: [] } }),
  ...(impersonated !== undefined && { impersonatedUser: { username: impersonated, groups: [] } }),
  sourceIPs: [],
  userAgent,
  dryRun: false,
  requestReceivedTimestamp: '2026-11-20T21:19:39Z',
  stageTimestamp: '2026-11-20T21:19:39Z',
  truncated: false,
  requested: { taints: 'unknown', unschedulable: 'unknown' },
});

describe('actorOf', () => {
  it.each([
    ['alice', 'kubectl/v1.36.2', 'person', 'user'],
    ['alice', 'curl/8.5.0', 'person', 'user'],
    [
      'system:serviceaccount:kube-system:node-controller',
      'kube-controller-manager/v1',
      'nodeLifecycleController',
      'user',
    ],
    [
      'system:kube-controller-manager',
      'kube-controller-manager/v1 (x) y/node-controller',
      'nodeLifecycleController',
      'userAgent',
    ],
    ['system:kube-controller-manager', 'kube-controller-manager/v1', 'kubeControllerManager', 'user'],
    ['system:node:a', 'kubelet/v1', 'kubelet', 'user'],
    ['system:serviceaccount:kube-system:cluster-autoscaler', 'cluster-autoscaler/v1', 'clusterAutoscaler', 'user'],
    ['system:serviceaccount:karpenter:karpenter', 'x', 'karpenter', 'user'],
    ['system:serviceaccount:infra:scaler', 'karpenter.sh/1.0', 'karpenter', 'userAgent'],
    ['system:serviceaccount:ci:deployer', 'kubectl/v1.36.2', 'controller', 'user'],
    ['eks:node-manager', 'vpcLambda', 'controller', 'user'],
    [undefined, 'truth-http/1.0', 'unknown', 'nothing'],
  ])('takes %s with %s for %s', (username, userAgent, actor, from) => {
    expect(actorOf(event(username, userAgent))).toMatchObject({ class: actor, from });
  });

  it('does not mistake a person for the controller that the user agent claims to be', () => {
    expect(actorOf(event('mallory', 'kube-controller-manager/v1')).class).toBe('person');
    expect(actorOf(event('mallory', 'karpenter.sh/1')).class).toBe('person');
  });

  it('identifies the impersonated user, whose permissions were used', () => {
    expect(actorOf(event('alice', 'kubectl/v1', 'system:node:a')).class).toBe('kubelet');
  });
});

describe('managerOf', () => {
  it.each([
    ['the user agent up to its first slash', 'truth-http/1.0 (x)', undefined, 'truth-http'],
    ['the manager that the request names', 'kubectl/v1', 'gitops', 'gitops'],
    ['printable characters only', 'a\u0007\u00a0 b/1', undefined, 'a b'],
    ['128 bytes at most, no character cut', `${'é'.repeat(64)}x/1`, undefined, 'é'.repeat(64)],
  ])('is %s', (_name, userAgent, fieldManager, manager) => {
    expect(managerOf({ ...event('u', userAgent), ...(fieldManager !== undefined && { fieldManager }) })).toBe(manager);
  });
});

describe('actorOfManager', () => {
  it.each([
    ['kubectl-taint', 'kubectl'],
    ['kubectl', 'kubectl'],
    ['kubectlx', 'unknown'],
    ['kube-controller-manager', 'kubeControllerManager'],
    ['karpenter', 'karpenter'],
    ['gitops', 'unknown'],
  ])('takes %s for %s', (manager, actor) => {
    expect(actorOfManager(manager).class).toBe(actor);
  });
});
