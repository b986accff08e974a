import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { Quantity } from '../kubernetes/quantity.js';
import { reviewQuotas } from '../quota/quota-admission.js';
import { howManyFit, MAX_REPLICAS } from './how-many-fit.js';
import { reviewObject } from './object-charges.js';
import { reviewReplicas } from './review-replicas.js';
import { Dice } from '../../../test/support/dice.js';

const quota = (name: string, hard: Record<string, string>, used: Record<string, string>): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 'n', name },
  spec: { hard },
  status: { hard, used },
});
const podOf = (requests: Record<string, string>, limits: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'n', name: 'p' },
  spec: { containers: [{ name: 'c', resources: { requests, limits } }] },
});
const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('reviewReplicas', () => {
  it('admits as many replicas as admission one by one', () => {
    const dice = new Dice(7);
    const cpus = ['1m', '250m', '0.1', '3', '1e2', '123456789n', '7u'];
    const memories = ['1', '100Mi', '1e3', '128974848', '0.5Gi', '1500m'];
    for (let round = 0; round < 60; round++) {
      const pod = podOf(
        { cpu: dice.one(cpus), memory: dice.one(memories) },
        dice.chance(50) ? {} : { memory: dice.one(memories) },
      );
      const quotas = Array.from({ length: 1 + dice.below(3) }, (_, index) =>
        quota(
          `q${index}`,
          {
            'requests.cpu': `${dice.below(4000)}m`,
            pods: String(dice.below(40)),
            ...(dice.chance(50) ? { memory: `${dice.below(5000)}Mi` } : {}),
          },
          { 'requests.cpu': `${dice.below(800)}m`, pods: String(dice.below(8)), memory: `${dice.below(900)}Mi` },
        ),
      );
      const wanted = dice.below(50);
      const review = reviewReplicas({ quotas, pod, wanted, now: NOW, rules: DEFAULT_RULES });
      let among: readonly ResourceQuota[] = quotas;
      let admitted = 0;
      let refusal: string | undefined;
      while (admitted < wanted) {
        const one = reviewQuotas(among, { operation: 'create', pod }, { now: NOW, rules: DEFAULT_RULES });
        if (one.outcome === 'refused') {
          refusal = one.refusal.message;
          break;
        }
        among = one.quotas;
        admitted++;
      }
      expect({ admitted: review.admitted, refusal: review.refusal?.message }).toEqual({ admitted, refusal });
      expect(review.quotas.map(({ status }) => status?.used)).toEqual(among.map(({ status }) => status?.used));
      if (review.raises.length === 0) continue;
      const raised = (less?: string): readonly ResourceQuota[] =>
        quotas.map((one) => {
          const own = review.raises.filter((raise) => raise.quota === one.metadata.name);
          const to = own.map(({ resource, to }): [string, string] => [
            resource,
            (less === `${one.metadata.name} ${resource}` ? to.sub(Quantity.parse('1n')) : to).toString(),
          ]);
          const hard: Record<string, string> = { ...one.status?.hard, ...Object.fromEntries<string>(to) };
          return { ...one, status: { ...one.status, hard } };
        });
      // The suggested raises are sufficient, and each of them is necessary.
      expect(reviewReplicas({ quotas: raised(), pod, wanted, now: NOW, rules: DEFAULT_RULES }).admitted).toBe(wanted);
      for (const { quota: name, resource } of review.raises) {
        const tooLow = reviewReplicas({
          quotas: raised(`${name} ${resource}`),
          pod,
          wanted,
          now: NOW,
          rules: DEFAULT_RULES,
        });
        expect(tooLow.admitted).toBeLessThan(wanted);
      }
    }
  });

  it('names the limiting quota and the minimum to raise it to', () => {
    const quotas = [quota('team-quota', { 'requests.cpu': '10', pods: '100' }, { 'requests.cpu': '10', pods: '3' })];
    const review = reviewReplicas({ quotas, pod: podOf({ cpu: '250m' }), wanted: 10, now: NOW, rules: DEFAULT_RULES });
    expect(review).toMatchObject({ admitted: 0, fits: 0, rooms: [{ fits: 0 }, { resource: 'pods', fits: 97 }] });
    expect(review.refusal?.message).toBe(
      'pods "p" is forbidden: exceeded quota: team-quota, requested: requests.cpu=250m, used: requests.cpu=10, limited: requests.cpu=10',
    );
    expect(
      review.raises.map(
        ({ quota, resource, from, to }) => `${quota} ${resource} ${from.toString()} -> ${to.toString()}`,
      ),
    ).toEqual(['team-quota requests.cpu 10 -> 12500m']);
  });

  it('suggests no raise if the pod itself is invalid', () => {
    const quotas = [quota('q', { 'limits.cpu': '1' }, { 'limits.cpu': '0' })];
    expect(
      reviewReplicas({ quotas, pod: podOf({ cpu: '1' }), wanted: 1, now: NOW, rules: DEFAULT_RULES }),
    ).toMatchObject({
      admitted: 0,
      refusal: { message: 'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c' },
      raises: [],
    });
  });

  it('has no maximum if no quota limits the pods', () => {
    expect(
      reviewReplicas({ quotas: [], pod: podOf({ cpu: '1' }), wanted: 5, now: NOW, rules: DEFAULT_RULES }),
    ).toMatchObject({
      admitted: 5,
      fits: undefined,
      refusal: undefined,
    });
  });

  it.each([
    ['10', '0', '3', 3],
    ['10', '10', '1n', 0],
    ['10', '20', '1', 0],
    ['1e99999999999', '0', '1', MAX_REPLICAS],
    ['1', '0', '1e99999999999', 0],
    ['2147483646', '0', '1', 2147483646],
  ])('of %s with %s used fit by %s: %d', (hard, used, charge, count) => {
    expect(howManyFit(Quantity.parse(hard), Quantity.parse(used), Quantity.parse(charge))).toBe(count);
  });
});

describe('reviewObject', () => {
  const full = quota('counts', { 'count/deployments.apps': '2' }, { 'count/deployments.apps': '2' });

  it("counts objects, and refuses them with the API server's message", () => {
    expect(reviewObject([full], 'Deployment', 'web')).toMatchObject({
      outcome: 'refused',
      refusal: {
        status: 403,
        message:
          'deployments.apps "web" is forbidden: exceeded quota: counts, requested: count/deployments.apps=1, used: count/deployments.apps=2, limited: count/deployments.apps=2',
      },
    });
    const room = quota('counts', { 'count/deployments.apps': '3' }, { 'count/deployments.apps': '2' });
    const admitted = reviewObject([room], 'Deployment', 'web');
    expect(admitted).toMatchObject({
      outcome: 'admitted',
      quotas: [{ status: { used: { 'count/deployments.apps': '3' } } }],
    });
  });

  it('ignores quotas with scopes, and those that count other kinds', () => {
    const scoped = { ...full, spec: { ...full.spec, scopes: ['BestEffort'] } };
    expect(reviewObject([scoped], 'Deployment', 'web').outcome).toBe('admitted');
    expect(reviewObject([full], 'StatefulSet', 'web').outcome).toBe('admitted');
  });
});
