import { describe, expect, it } from '@jest/globals';
import type { Labels } from '../../kubernetes/objects/meta.js';
import type { WholePodSpec } from '../../kubernetes/objects/whole-pod.js';
import type { SecuredPod } from './check.js';
import { NO_POLICY } from './namespace-policy.js';
import { STOCK_POD_SECURITY, type PodSecurityConfiguration } from './pod-security-configuration.js';
import { reviewPod, reviewTemplate } from './review-pod.js';

const pod = (spec: Partial<WholePodSpec> = {}): SecuredPod => ({
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const HOST = pod({ hostPID: true });
const BASELINE = { level: 'baseline', version: 'latest' } as const;
const configured = (given: Partial<PodSecurityConfiguration>): PodSecurityConfiguration => ({
  ...STOCK_POD_SECURITY,
  ...given,
});
const exempting = (given: Partial<PodSecurityConfiguration['exemptions']>): PodSecurityConfiguration =>
  configured({ exemptions: { ...STOCK_POD_SECURITY.exemptions, ...given } });
const labels = (given: Record<string, string>): Labels =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]));
const inside = (given: Record<string, string>, of = HOST) => ({
  pod: of,
  namespace: { name: 'team', labels: labels(given) },
});
const VIOLATED = 'host namespaces (hostPID=true)';

describe('reviewPod', () => {
  it('has the defaults of the API server for modes without labels', () => {
    const defaults = { ...NO_POLICY, enforce: BASELINE };
    expect(reviewPod(inside({}), configured({ defaults }))).toEqual({
      refusal: `violates PodSecurity "baseline:latest": ${VIOLATED}`,
      warnings: [],
      audit: { 'enforce-policy': 'baseline:latest' },
    });
    expect(reviewPod(inside({ enforce: 'privileged', warn: 'baseline' }), configured({ defaults }))).toEqual({
      warnings: [`would violate PodSecurity "baseline:latest": ${VIOLATED}`],
      audit: { 'enforce-policy': 'privileged:latest' },
    });
    // A level that the API server enforces by default does not warn.
    const { warnings } = reviewTemplate(inside({ audit: 'baseline' }), configured({ defaults }));
    expect(warnings).toEqual([]);
  });

  it('warns by a default that is stricter than the level that a label enforces', () => {
    const defaults = { ...NO_POLICY, warn: { level: 'restricted', version: 'v1.20' } } as const;
    const { refusal, warnings } = reviewPod(inside({ enforce: 'baseline' }, pod()), configured({ defaults }));
    expect([refusal, warnings]).toEqual([
      undefined,
      [expect.stringMatching(/^would violate PodSecurity "restricted:v1.20": allowPrivilegeEscalation != false/)],
    ]);
  });

  it('exempts namespaces, users and runtime classes, and says why in the audit log', () => {
    const strict = { enforce: 'restricted', warn: 'restricted', audit: 'restricted' };
    const exempt = (reason: string): object => ({ warnings: [], audit: { exempt: reason } });
    expect(reviewPod(inside(strict), exempting({ namespaces: ['team'] }))).toEqual(exempt('namespace'));
    const users = exempting({ usernames: ['admin'] });
    expect(reviewPod({ ...inside(strict), username: 'admin' }, users)).toEqual(exempt('user'));
    expect(reviewPod({ ...inside(strict), username: 'other' }, users).refusal).toBeDefined();
    const classes = exempting({ runtimeClasses: ['kata'] });
    const of = (runtimeClassName: string): SecuredPod => pod({ hostPID: true, runtimeClassName });
    expect(reviewPod(inside(strict, of('kata')), classes)).toEqual(exempt('runtimeClass'));
    expect(reviewPod(inside(strict, of('runc')), classes).refusal).toBeDefined();
    expect(reviewTemplate(inside(strict), exempting({ namespaces: ['team'] }))).toEqual(exempt('namespace'));
  });

  it('looks at an update only where an image changes or a container comes', () => {
    const review = (after: SecuredPod, before: SecuredPod): boolean =>
      reviewPod(inside({ enforce: 'baseline' }, after), STOCK_POD_SECURITY, before).refusal !== undefined;
    const of = (given: Partial<WholePodSpec>): SecuredPod => pod({ hostPID: true, ...given });
    expect(review(HOST, HOST)).toBe(false);
    expect(review(of({ containers: [{ name: 'c', image: 'j' }] }), HOST)).toBe(true);
    expect(review(of({ initContainers: [{ name: 'a', image: 'i' }] }), HOST)).toBe(true);
    const debug = of({ ephemeralContainers: [{ name: 'd', image: 'i' }] });
    expect(review(debug, HOST)).toBe(true);
    expect(review(debug, debug)).toBe(false);
    expect(review(of({ ephemeralContainers: [{ name: 'd', image: 'j' }] }), debug)).toBe(true);
  });

  it('takes a ReplicationController without a template', () => {
    const { namespace } = inside({ warn: 'restricted' });
    expect(reviewTemplate({ namespace }, STOCK_POD_SECURITY)).toEqual({ warnings: [], audit: {} });
  });
});
