import { describe, expect, it } from '@jest/globals';
import type { ServiceAccount } from '../kubernetes/objects/service-account.js';
import type { WholePod, WholePodSpec } from '../kubernetes/objects/whole-pod.js';
import { admitServiceAccount, nameServiceAccount, validateServiceAccount } from './service-account.js';

const account = (name: string, more: Partial<ServiceAccount> = {}, annotations = {}): ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'team', annotations },
  ...more,
});
const ACCOUNTS = [
  account('default'),
  account('builder', { imagePullSecrets: [{ name: 'regcred' }, { name: 'extra' }] }),
  account('no-mount', { automountServiceAccountToken: false }),
  account(
    'locked',
    { secrets: [{ name: 'allowed' }], imagePullSecrets: [{ name: 'pull' }] },
    { 'kubernetes.io/enforce-mountable-secrets': 'T' },
  ),
];
const pod = (spec: Partial<WholePodSpec> = {}, annotations = {}): WholePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team', annotations },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const MIRROR = { 'kubernetes.io/config.mirror': 'x' };
const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount';
const mountsOf = ({ spec }: WholePod): unknown =>
  [...(spec.initContainers ?? []), ...spec.containers].map(({ volumeMounts = [] }) =>
    volumeMounts.map(({ name, mountPath }) => [name, mountPath]),
  );
const env = (name: string): Pick<WholePodSpec, 'containers'> => ({
  containers: [{ name: 'c', env: [{ name: 'A', valueFrom: { secretKeyRef: { name, key: 'k' } } }] }],
});

describe('admitServiceAccount', () => {
  it('names the account of a pod that names none, and mounts its token in every container', () => {
    const admitted = admitServiceAccount(pod({ initContainers: [{ name: 'i' }] }), ACCOUNTS);
    expect(admitted.spec.serviceAccountName).toBe('default');
    const mount = ['kube-api-access-xxxxx', TOKEN];
    expect(mountsOf(admitted)).toEqual([[mount], [mount]]);
    expect(admitted.spec.volumes).toEqual([
      {
        name: 'kube-api-access-xxxxx',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
        },
      },
    ]);
    expect(admitServiceAccount(admitted, ACCOUNTS)).toEqual(admitted);
  });

  it('mounts the token in a volume that is there for it', () => {
    const volumes = [{ name: 'kube-api-access-abcde' }];
    const admitted = admitServiceAccount(pod({ volumes }), ACCOUNTS);
    expect(mountsOf(admitted)).toEqual([[['kube-api-access-abcde', TOKEN]]]);
    expect(admitted.spec.volumes).toEqual(volumes);
  });

  it.each<[string, Partial<WholePodSpec>]>([
    ['the pod says so', { automountServiceAccountToken: false }],
    ['the account says so', { serviceAccountName: 'no-mount' }],
    [
      'the container mounts something there',
      { containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: TOKEN }] }] },
    ],
  ])('mounts no token where %s', (_, spec) => {
    expect(admitServiceAccount(pod(spec), ACCOUNTS).spec).not.toHaveProperty('volumes');
  });

  it('mounts the token of an account without one where the pod says so', () => {
    const spec = { serviceAccountName: 'no-mount', automountServiceAccountToken: true };
    expect(admitServiceAccount(pod(spec), ACCOUNTS).spec.volumes).toHaveLength(1);
  });

  it('adds the pull secrets of the account to a pod that names none', () => {
    const spec = { serviceAccountName: 'builder' };
    expect(admitServiceAccount(pod(spec), ACCOUNTS).spec.imagePullSecrets).toEqual([
      { name: 'regcred' },
      { name: 'extra' },
    ]);
    const own = [{ name: 'mine' }];
    expect(admitServiceAccount(pod({ ...spec, imagePullSecrets: own }), ACCOUNTS).spec.imagePullSecrets).toEqual(own);
  });

  it('changes no mirror pod', () => {
    const mirror = pod({}, MIRROR);
    expect(admitServiceAccount(mirror, ACCOUNTS)).toBe(mirror);
    expect(nameServiceAccount(mirror)).toBe(mirror);
  });

  const restricted = (spec: Partial<WholePodSpec>): WholePod => pod({ serviceAccountName: 'locked', ...spec });
  const SECRET =
    'secret.secretName="other" is not allowed because service account locked does not reference that secret';

  it.each<[string, WholePod, string]>([
    [
      'an account that does not exist',
      pod({ serviceAccountName: 'absent' }),
      'error looking up service account team/absent: serviceaccount "absent" not found',
    ],
    [
      'another secret in a volume',
      restricted({ volumes: [{ name: 'v', secret: { secretName: 'other' } }] }),
      `volume with ${SECRET}`,
    ],
    ['another secret in a variable', restricted(env('other')), `container c with envVar A referencing ${SECRET}`],
    [
      'another secret in the variables of an init container',
      restricted({ initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'other' } }] }] }),
      `init container i with envFrom referencing ${SECRET}`,
    ],
    [
      'another pull secret',
      restricted({ imagePullSecrets: [{ name: 'pull' }, { name: 'mine' }] }),
      'imagePullSecrets[1].name="mine" is not allowed because service account locked does not reference that imagePullSecret',
    ],
    [
      'a mirror pod with an account',
      pod({ serviceAccountName: 'default' }, MIRROR),
      'a mirror pod may not reference service accounts',
    ],
    ['a mirror pod with a secret', pod(env('any'), MIRROR), 'a mirror pod may not reference secrets'],
    [
      'a mirror pod with the secret of a volume driver',
      pod({ volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'any' } } }] }, MIRROR),
      'a mirror pod may not reference secrets',
    ],
    [
      'a mirror pod with a token',
      pod({ volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] }, MIRROR),
      'a mirror pod may not use ServiceAccountToken volume projections',
    ],
  ])('refuses %s', (_, sent, reason) => {
    expect(() => admitServiceAccount(sent, ACCOUNTS)).toThrow(`pods "web" is forbidden: ${reason}`);
    expect(() => {
      validateServiceAccount(nameServiceAccount(sent), ACCOUNTS);
    }).toThrow(reason);
  });

  it('lets a restricted pod refer to the secrets of its account', () => {
    const spec = { ...env('allowed'), volumes: [{ name: 'v', secret: { secretName: 'allowed' } }] };
    expect(admitServiceAccount(restricted(spec), ACCOUNTS).spec.imagePullSecrets).toEqual([{ name: 'pull' }]);
  });
});
