import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { ReplicaSet } from '../kubernetes/objects/workloads.js';
import { KINDS } from '../kubernetes/kinds.js';
import { judgeAdmission, refusedPod } from './judge-admission.js';

const KEPT_KINDS = KINDS.map(({ kind }) => kind);

/** As a real API server said it. */
const WORDS =
  'pods "api-d868b87c4-6r6db" is forbidden: exceeded quota: team, requested: pods=1, used: pods=70, limited: pods=70';

function replicaSet(message?: string): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'api-d868b87c4', namespace: 'shop', uid: '1' },
    spec: {
      replicas: 80,
      selector: { matchLabels: { app: 'api' } },
      template: { metadata: { labels: { app: 'api' } }, spec: { containers: [{ name: 'main' }] } },
    },
    status: {
      replicas: 70,
      ...(message !== undefined && {
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }],
      }),
    },
  };
}

function stateOf(used: number, kinds = KEPT_KINDS, more: readonly KubernetesObject[] = []): ClusterState {
  const hard = { pods: '70' };
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team', namespace: 'shop' },
    spec: { hard },
    status: { hard, used: { pods: String(used) } },
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'shop' } };
  return ClusterState.build([namespace, account, quota, ...more], kinds);
}

const judged = (before: ClusterState, after: ClusterState, words = WORDS): ReturnType<typeof judgeAdmission> =>
  judgeAdmission([before, after], refusedPod(before, replicaSet(words))!);

describe('a pod that the API server refused', () => {
  it('agrees to the letter, except for the name that is drawn', () => {
    expect(judged(stateOf(70), stateOf(70))).toEqual({ rule: 'admission', outcome: 'agreed' });
  });

  it('agrees with the words on the state after, in which the pods in between count', () => {
    expect(judged(stateOf(10), stateOf(70)).outcome).toBe('agreed');
  });

  it('disagrees on other words, with both', () => {
    const words = WORDS.replace('exceeded quota: team', 'exceeded quota: other');
    expect(judged(stateOf(70), stateOf(70), words)).toMatchObject({
      outcome: 'disagreed',
      difference: { ours: expect.stringContaining('exceeded quota: team'), theirs: expect.stringContaining('other') },
    });
  });

  it('disagrees where nothing refuses it', () => {
    const words = 'pods "api-d868b87c4-6r6db" is forbidden: violates PodSecurity "restricted:latest": privileged';
    expect(judged(stateOf(0), stateOf(0), words)).toMatchObject({
      outcome: 'disagreed',
      text: `the API server would create the pod, and refused it: ${words}`,
    });
  });

  it('is unknown where only the amounts in between differ', () => {
    expect(judged(stateOf(71), stateOf(71))).toMatchObject({ outcome: 'unknown', because: 'order' });
    expect(judged(stateOf(0), stateOf(0))).toMatchObject({ outcome: 'unknown', because: 'order' });
  });

  it('is unknown where a kind that decides was never loaded', () => {
    const kinds = KEPT_KINDS.filter((kind) => kind !== 'LimitRange');
    expect(judged(stateOf(0, kinds), stateOf(0, kinds))).toMatchObject({
      outcome: 'unknown',
      because: 'admissionNotKnown',
    });
  });

  it('is judged once, while the condition stays', () => {
    const told = replicaSet(WORDS);
    expect(refusedPod(stateOf(70, KEPT_KINDS, [told]), told)).toBeUndefined();
    expect(refusedPod(stateOf(70), replicaSet())).toBeUndefined();
  });
});
