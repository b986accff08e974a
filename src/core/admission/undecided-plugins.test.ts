import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { WholePod, WholePodSpec } from '../kubernetes/objects/whole-pod.js';
import { LOOKED_UP_KINDS } from './admission-plugins.js';
import { admitPod, type Admission } from './admission-chain.js';
import { admissionIn } from './admission-in.js';

const ALL: readonly KeptKind[] = LOOKED_UP_KINDS;
const without = (...kinds: readonly KeptKind[]) => ALL.filter((kind) => !kinds.includes(kind));
const pod = (spec: Partial<WholePodSpec> = {}): WholePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team' },
  spec: { containers: [{ name: 'c', image: 'app:v1' }], ...spec },
});
const NAMESPACE: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
const QUOTA = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'team' },
  spec: { hard: { 'limits.cpu': '1' } },
  status: { hard: { 'limits.cpu': '1' }, used: { 'limits.cpu': '0' } },
};

const admitted = (
  loaded: readonly KeptKind[],
  sent = pod(),
  objects: readonly KubernetesObject[] = [NAMESPACE],
): Admission => admitPod({ operation: 'create', pod: sent }, admissionIn(ClusterState.build(objects, loaded), 'team'));
const undecided = (known: Admission) => known.undecided.map(({ plugin, missingKind }) => [plugin, missingKind]);

describe('plugins of which something is not known', () => {
  it('asks every plugin where all kinds are loaded', () => {
    expect(admitted(ALL)).toMatchObject({ undecided: [], certain: true, outcome: 'admitted' });
  });

  it.each<[string, readonly KeptKind[], WholePod, readonly (readonly string[])[]]>([
    [
      'the namespace',
      without('Namespace'),
      pod(),
      [
        ['NamespaceLifecycle', 'Namespace'],
        ['PodSecurity', 'Namespace'],
      ],
    ],
    ['limits', without('LimitRange'), pod(), [['LimitRanger', 'LimitRange']]],
    ['service accounts', without('ServiceAccount'), pod(), [['ServiceAccount', 'ServiceAccount']]],
    ['quotas', without('ResourceQuota'), pod(), [['ResourceQuota', 'ResourceQuota']]],
    ['the default priority', without('PriorityClass'), pod(), [['Priority', 'PriorityClass']]],
    [
      'a class of the API server itself',
      without('PriorityClass'),
      pod({ priorityClassName: 'system-node-critical' }),
      [],
    ],
    [
      'policies',
      without('ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'),
      pod(),
      [['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicy']],
    ],
    ['policies, if nothing binds any', without('ValidatingAdmissionPolicy'), pod(), []],
    ['bindings, if there is no policy', without('ValidatingAdmissionPolicyBinding'), pod(), []],
    ['no runtime class', without('RuntimeClass'), pod(), []],
    ['a runtime class', without('RuntimeClass'), pod({ runtimeClassName: 'kata' }), [['RuntimeClass', 'RuntimeClass']]],
  ])('leaves out who looks up %s in what was never loaded, and refuses nothing for it', (_, loaded, sent, want) => {
    const known = admitted(loaded, sent, loaded.includes('Namespace') ? [NAMESPACE] : []);
    expect(undecided(known)).toEqual(want);
    expect(known).toMatchObject({ certain: want.length === 0, outcome: 'admitted' });
  });

  it('is not certain of the refusal of a quota where limits may have been given before', () => {
    expect(admitted(ALL, pod(), [NAMESPACE, QUOTA])).toMatchObject({
      certain: true,
      refusal: { by: 'ResourceQuota', status: 403 },
    });
    expect(admitted(without('LimitRange'), pod(), [NAMESPACE, QUOTA])).toMatchObject({
      certain: false,
      outcome: 'refused',
    });
  });

  it('is certain of other refusals', () => {
    const known = admitted(without('LimitRange'), pod({ tolerations: [{ operator: 'Equal' }] }));
    expect(known).toMatchObject({ certain: true, refusal: { by: 'validation' } });
  });

  it('is not certain that resources are invalid where a LimitRange may have given a default request', () => {
    const limits = { 'hugepages-2Mi': '4Mi' };
    const sent = pod({ containers: [{ name: 'c', image: 'i', resources: { limits } }] });
    expect(admitted(ALL, sent)).toMatchObject({ certain: true, refusal: { by: 'validation' } });
    expect(admitted(without('LimitRange'), sent)).toMatchObject({ certain: false, refusal: { by: 'validation' } });
  });

  it('leaves out ServiceAccount where the account restricts secrets and those of the pod are not known', () => {
    const locked: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: {
        name: 'locked',
        namespace: 'team',
        annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
      },
    };
    const into = admissionIn(ClusterState.build([NAMESPACE, locked], ALL), 'team');
    const asked = (serviceAccountName: string, more: object = {}): Admission =>
      admitPod({ operation: 'create', pod: pod({ serviceAccountName }), ...more }, into);
    expect(undecided(asked('locked', { known: 'kept' }))).toEqual([['ServiceAccount', null]]);
    expect(undecided(asked('default', { known: 'kept' }))).toEqual([]);
    expect(undecided(asked('locked'))).toEqual([]);
    const volumes = [{ name: 'v', secret: { secretName: 'other' } }];
    const whole = pod({ serviceAccountName: 'locked', volumes });
    expect(asked('locked', { known: 'kept', whole })).toMatchObject({ refusal: { by: 'ServiceAccount', status: 403 } });
  });
});
