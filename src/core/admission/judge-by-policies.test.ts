import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type {
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../kubernetes/objects/admission-policies.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import { admitPod, type Admission, type PodToAdmit } from './admission-chain.js';
import { STOCK_ADMISSION } from './admission-configuration.js';
import { admissionIn } from './admission-in.js';
import { LOOKED_UP_KINDS } from './admission-plugins.js';

const PODS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] };
const NAMESPACE: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', labels: { env: 'prod' } },
};
const policy = (expression: string, spec: Partial<ValidatingAdmissionPolicySpec> = {}, name = 'p'): KubernetesObject =>
  ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [PODS] }, validations: [{ expression }], ...spec },
  }) as KubernetesObject;
const binding = (spec: Partial<ValidatingAdmissionPolicyBindingSpec> = {}, name = 'b'): KubernetesObject =>
  ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
  }) as KubernetesObject;
const pod = (spec: Partial<WholePod['spec']> = {}, metadata: object = {}): WholePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team', ...metadata },
  spec: { containers: [{ name: 'c', image: 'app:v1' }], ...spec },
});

const admit = (
  request: PodToAdmit,
  objects: readonly KubernetesObject[],
  loaded: readonly KeptKind[] = LOOKED_UP_KINDS,
): Admission => admitPod(request, admissionIn(ClusterState.build([NAMESPACE, ...objects], loaded), 'team'));
const create = (sent: WholePod, objects: readonly KubernetesObject[], loaded?: readonly KeptKind[]): Admission =>
  admit({ operation: 'create', pod: sent }, objects, loaded);
const doubts = (admission: Admission): readonly string[] =>
  admission.undecided.filter(({ plugin }) => plugin === 'ValidatingAdmissionPolicy').map(({ why }) => why);

const LATER = 'ValidatingAdmissionPolicy "p" depends on something that is not known or not evaluated: ';
const DENIED = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";

describe('a pod that fails a policy', () => {
  it('is refused with status, words and cause of the API server', () => {
    const spec = { validations: [{ expression: 'false', message: 'never', reason: 'Forbidden' }] };
    const admission = create(pod(), [policy('', spec), binding()]);
    expect(admission).toMatchObject({
      outcome: 'refused',
      certain: true,
      refusal: {
        by: 'ValidatingAdmissionPolicy',
        status: 403,
        message: `pods "web" is forbidden: ${DENIED}never`,
        causes: [{ type: '', field: '', message: `${DENIED}never` }],
      },
    });
    expect(create(pod(), [policy('false'), binding()])).toMatchObject({ refusal: { status: 422 } });
  });

  it('is judged as the plugins have changed it, before the quotas are asked', () => {
    const expression =
      'object.spec.serviceAccountName == "default" && object.spec.tolerations.size() == 2 && object.status.phase == "Pending"';
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'team' },
      spec: { hard: { pods: '0' } },
      status: { hard: { pods: '0' }, used: { pods: '0' } },
    };
    expect(create(pod(), [policy(expression), binding(), quota])).toMatchObject({ refusal: { by: 'ResourceQuota' } });
    expect(create(pod(), [policy(`!(${expression})`), binding(), quota])).toMatchObject({
      refusal: { by: 'ValidatingAdmissionPolicy' },
    });
  });

  it('is admitted with a warning and an audit annotation where the binding says so', () => {
    const objects = [policy('false'), binding({ validationActions: ['Warn', 'Audit'] })];
    const failure = `[{"message":"failed expression: false","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Warn","Audit"]}]`;
    expect(create(pod(), objects)).toMatchObject({
      outcome: 'admitted',
      certain: true,
      policyReport: {
        warnings: ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: false"],
        auditAnnotations: { 'validation.policy.admission.k8s.io/validation_failure': failure },
      },
    });
  });

  it('is refused also if the outcome of another policy is not known', () => {
    const unknown = [policy('object.metadata.uid == ""', {}, 'a'), binding({ policyName: 'a' }, 'a')];
    expect(create(pod(), [policy('false'), binding(), ...unknown])).toMatchObject({
      outcome: 'refused',
      certain: true,
    });
    expect(create(pod(), [policy('true'), binding(), ...unknown])).toMatchObject({
      outcome: 'admitted',
      certain: false,
    });
  });

  it('is not certainly refused if a plugin that is not decided may change it', () => {
    const admission = create(
      pod(),
      [policy('has(object.spec.containers[0].resources.limits)'), binding()],
      LOOKED_UP_KINDS.filter((kind) => kind !== 'LimitRange'),
    );
    expect(admission).toMatchObject({ outcome: 'admitted', certain: false });
    expect(doubts(admission)).toEqual([
      'a policy refuses the pod as far as it is known, but LimitRanger may change it: LimitRange was never loaded: which default limits and constraints the namespace has is not known',
    ]);
  });

  it('passes where the plugin is off', () => {
    const state = ClusterState.build([NAMESPACE, policy('false'), binding()], LOOKED_UP_KINDS);
    const plugins = STOCK_ADMISSION.plugins.filter((name) => name !== 'ValidatingAdmissionPolicy');
    const into = { ...admissionIn(state, 'team'), configuration: { ...STOCK_ADMISSION, plugins } };
    expect(admitPod({ operation: 'create', pod: pod() }, into).outcome).toBe('admitted');
  });
});

describe('what is not known to a policy', () => {
  const params = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  };

  it.each<[string, string, WholePod, Partial<ValidatingAdmissionPolicySpec>]>([
    ['metadata.uid', 'object.metadata.uid != ""', pod(), {}],
    ['metadata.name', 'object.metadata.name != ""', pod({}, { name: '', generateName: 'web-' }), {}],
    ['kube-api-access-xxxxx', 'object.spec.volumes.all(v, v.name != "x")', pod(), {}],
    ['status.conditions', 'has(object.status.conditions)', pod({ schedulingGates: [{ name: 'g' }] }), {}],
    ['metadata.annotations', 'has(namespaceObject.metadata.annotations)', pod(), {}],
    ['request.userInfo', 'request.userInfo.username == "x"', pod(), {}],
    ['params of kind ConfigMap', 'params.data.x == "y"', pod(), params],
  ])('is named: %s', (what, expression, sent, spec) => {
    const paramRef = { name: 'x', parameterNotFoundAction: 'Deny' };
    const admission = create(sent, [policy(expression, spec), binding(spec === params ? { paramRef } : {})]);
    expect(doubts(admission)).toEqual([LATER + what]);
    expect(admission).toMatchObject({ outcome: 'admitted', certain: false });
    expect(admission.steps.some(({ by }) => by === 'ValidatingAdmissionPolicy')).toBe(false);
  });

  it('leaves alone what is known beside it', () => {
    const expression =
      'namespaceObject.metadata.labels["kubernetes.io/metadata.name"] == "team" && namespaceObject.metadata.labels.env == "prod" && request.name == "web" && !request.dryRun && object.spec.volumes.exists(v, has(v.projected))';
    expect(create(pod(), [policy(expression), binding()])).toMatchObject({ outcome: 'admitted', certain: true });
  });

  it('includes what a controller adds to its pods', () => {
    const of = (expression: string, controller: 'Deployment' | 'Job', spec = {}) =>
      doubts(admit({ operation: 'create', pod: pod(), controller }, [policy(expression, spec), binding()]));
    expect(of('object.metadata.labels["pod-template-hash"] != ""', 'Deployment')).toEqual([
      `${LATER}metadata.labels.pod-template-hash`,
    ]);
    const objectSelector = { matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' }] };
    const matchConstraints = { resourceRules: [PODS], objectSelector };
    expect(of('true', 'Deployment', { matchConstraints })).toEqual([`${LATER}metadata.labels.pod-template-hash`]);
    expect(of('object.spec.containers.size() == 1', 'Deployment')).toEqual([]);
    expect(of('true', 'Job')).toEqual([
      'ValidatingAdmissionPolicy "p" applies to the pod, and not everything is known that its controller adds to it',
    ]);
  });
});

describe('a pod of which the kept fields pass the plugins', () => {
  const kept: Pod = pod() as unknown as Pod;
  const objects = [policy('object.spec.containers.all(c, has(c.command)) && has(object.spec.priority)'), binding()];
  const ask = (more: object): Admission => admit({ operation: 'create', pod: kept, known: 'kept', ...more }, objects);

  it('is judged by all of the manifest, as the plugins would change it', () => {
    const command = { containers: [{ name: 'c', image: 'app:v1', command: ['x'] }] };
    expect(ask({ whole: pod(command) })).toMatchObject({ outcome: 'admitted', certain: true });
    expect(ask({ whole: pod() })).toMatchObject({ outcome: 'refused', refusal: { by: 'ValidatingAdmissionPolicy' } });
  });

  it('is judged also if a workload that is not stored yet owns it', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true };
    const whole = pod({}, { ownerReferences: [owner] });
    expect(ask({ whole, controller: 'Deployment' })).toMatchObject({ refusal: { by: 'ValidatingAdmissionPolicy' } });
  });

  it('is not judged without, unless no policy applies to it', () => {
    const why = 'ValidatingAdmissionPolicy "p" applies to the pod, and not all of its fields are stored';
    expect(doubts(ask({}))).toEqual([why]);
    expect(doubts(admit({ operation: 'create', pod: pod(), pruned: true }, objects))).toEqual([why]);
    expect(doubts(update(objects, true))).toEqual([why]);
    const selected = { namespaceSelector: { matchLabels: { env: 'dev' } } };
    const elsewhere = [policy('false'), binding({ matchResources: selected })];
    expect(admit({ operation: 'create', pod: kept, known: 'kept' }, elsewhere)).toMatchObject({ certain: true });
  });

  it('is not judged by a manifest that the API server would refuse before', () => {
    expect(doubts(ask({ whole: pod({ containers: [{ name: 'c' }] }) }))).toEqual([
      'ValidatingAdmissionPolicy "p" applies to the pod, and the API server would refuse it before: spec.containers[0].image: Required value',
    ]);
  });
});

function update(objects: readonly KubernetesObject[], pruned = false): Admission {
  const created = create(pod(), []);
  if (created.outcome !== 'admitted') throw new Error('the pod is to be stored');
  const stored = created.pod as unknown as WholePod;
  const changed = { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } };
  return admit({ operation: 'update', pod: changed, stored, pruned }, objects);
}

describe('an update', () => {
  it('is judged with the pod that it replaces', () => {
    const ask = (expression: string): Admission => update([policy(expression), binding()]);
    expect(ask('object.metadata.labels.a == "b" && !has(oldObject.metadata.labels)').outcome).toBe('admitted');
    expect(ask('request.operation != "UPDATE"')).toMatchObject({ refusal: { by: 'ValidatingAdmissionPolicy' } });
  });
});
