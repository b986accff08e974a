import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { WholePod } from '../../kubernetes/objects/whole-pod.js';
import { admitPod, stepAdmitPod } from '../admission-chain.js';
import { admissionIn } from '../admission-in.js';
import { LOOKED_UP_KINDS } from '../admission-plugins.js';
import { PolicyWork } from './policy-work.js';

const NUMBERS = `[${Array.from({ length: 60 }, (_, index) => index).join(',')}]`;
/** Costs more than one expression may. */
const ENDLESS = `${NUMBERS}.all(a, ${NUMBERS}.all(b, ${NUMBERS}.all(c, a + b + c >= 0 && object.spec.containers.size() > 0)))`;
/** An empty list of the right type. */
const NO_PATCH = `object.metadata.name == 'other' ? [JSONPatch{op: 'remove', path: '/x'}] : []`;
const CONSTRAINTS = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
};
const API = 'admissionregistration.k8s.io/v1';

const validating = (name: string, spec: object): readonly object[] => [
  {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { failurePolicy: 'Fail', matchConstraints: CONSTRAINTS, ...spec },
  },
  {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  },
];
const mutating = (name: string, expression: string): readonly object[] => [
  {
    apiVersion: API,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      matchConstraints: CONSTRAINTS,
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    },
  },
  { apiVersion: API, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
];
const pod = (name = 'web'): WholePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team' },
  spec: { containers: [{ name: 'c', image: 'app:v1' }] },
});
const times = (count: number, expression: string): object => ({
  validations: Array.from({ length: count }, () => ({ expression })),
});

function admission(objects: readonly object[], work: PolicyWork) {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  const state = ClusterState.build([namespace, ...objects] as readonly KubernetesObject[], LOOKED_UP_KINDS);
  return admissionIn(state, 'team', { work });
}

function stepped(objects: readonly object[], work: PolicyWork, sent = pod()) {
  const steps = stepAdmitPod({ operation: 'create', pod: sent }, admission(objects, work));
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done === true) return { pauses, admission: step.value };
  }
}

describe('the expressions of policies in one request', () => {
  it('pause after each that costs much, and come to what they come to without pauses', () => {
    const policy = validating('endless', times(12, ENDLESS));
    const work = new PolicyWork();
    const { pauses, admission: made } = stepped(policy, work);
    expect(made).toMatchObject({
      outcome: 'refused',
      refusal: {
        message:
          "pods \"web\" is forbidden: ValidatingAdmissionPolicy 'endless' with binding 'endless' denied request: validation failed due to running out of cost budget, no further validation rules will be run",
      },
    });
    // Each costs a little more than 1,000,000 of 10,000,000.
    expect([pauses, work.evaluations]).toEqual([9, 10]);
    const whole = admitPod({ operation: 'create', pod: pod() }, admission(policy, new PolicyWork()));
    expect(made).toEqual(whole);
  });

  it('are evaluated once for equal pods', () => {
    const work = new PolicyWork();
    const into = admission(validating('some', times(3, 'object.spec.containers.size() > 0')), work);
    const admit = (sent: WholePod) => admitPod({ operation: 'create', pod: sent }, into).outcome;
    expect([admit(pod()), admit(pod()), work.evaluations]).toEqual(['admitted', 'admitted', 3]);
    expect([admit(pod('other')), work.evaluations]).toEqual(['admitted', 6]);
  });

  it('are evaluated once for the same pod in every order of mutating policies', () => {
    const work = new PolicyWork();
    const names = ['a', 'b', 'c', 'd'];
    const { admission: made } = stepped(
      names.flatMap((name) => mutating(name, NO_PATCH)),
      work,
    );
    expect([made.undecided, made.outcome]).toEqual([[], 'admitted']);
    // 24 orders of four policies, none of which changes the pod.
    expect(work.evaluations).toBe(4);
  });

  it('leave the pod unknown, by the name of the policy, beyond what all of them may cost', () => {
    const policy = { ...times(2, ENDLESS), failurePolicy: 'Ignore' };
    const { admission: made } = stepped(
      ['a', 'b', 'c'].flatMap((name) => validating(name, policy)),
      new PolicyWork(3_000_000),
    );
    expect(made).toMatchObject({ outcome: 'admitted', certain: false });
    expect(made.undecided).toEqual([
      {
        plugin: 'ValidatingAdmissionPolicy',
        missingKind: null,
        why: 'ValidatingAdmissionPolicy "b" depends on something that is not known or not evaluated: expressions that cost more than 3000000 in one request',
      },
    ]);
  });
});
