import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import { KINDS } from '../../kubernetes/kinds.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { DEFAULT_PROFILE } from '../../scheduler-configuration/default-profile.js';
import { profilePlugins } from '../profile-plugins.js';
import { SchedulingRun } from './scheduling-run.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);

const node = (name: string, more: Partial<Node>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  ...more,
  status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' }, ...more.status },
});
const pod = (name: string, spec: Partial<PodSpec>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }], ...spec },
});

const TOLERATES_CORDON: Partial<PodSpec> = {
  tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }],
};
const NEEDS_FEATURE: Partial<PodSpec> = { hostNetwork: true, hostUsers: false };

describe('pods that share the results of filters', () => {
  // The node `best` is the emptier one, so that each pod goes there that may.
  it.each<[string, Partial<Node>, Partial<PodSpec>, Partial<PodSpec>]>([
    ['a cordon', { spec: { unschedulable: true } }, TOLERATES_CORDON, {}],
    ['features that nodes declare', {}, {}, NEEDS_FEATURE],
    [
      'a taint',
      { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } },
      { tolerations: [{ key: 'k', operator: 'Exists' }] },
      { tolerations: [{ key: 'k', operator: 'Equal', value: 'w' }] },
    ],
  ])('do not share those on %s if they differ in it', (_, best, may, mayNot) => {
    const objects = [
      node('best', best),
      node('other', { status: { declaredFeatures: ['UserNamespacesHostNetworkSupport'] } }),
      pod('resident', { nodeName: 'other', containers: [{ name: 'c', resources: { requests: { cpu: '4' } } }] }),
    ];
    const state = ClusterState.build(
      objects,
      KINDS.map(({ kind }) => kind),
    );
    for (const specs of [
      [may, mayNot],
      [mayNot, may],
    ]) {
      const run = new SchedulingRun(state, PROFILE);
      const places = specs.map((spec, index) => {
        const decision = run.schedule(pod(`pod-${index}`, spec));
        return decision.outcome === 'placed' ? run.nodeName(decision.node) : decision.outcome;
      });
      expect(places).toEqual(specs.map((spec) => (spec === may ? 'best' : 'other')));
    }
  });
});
