import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf } from '../cluster/setting.js';
import type { JsonObject } from '../json/json-value.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { WholePod, WholePodSpec } from '../kubernetes/objects/whole-pod.js';
import { readPool, type GivenPool } from '../pools/read-pool.js';
import { addToPod, judgePod } from '../pools/review-pod.js';
import { ADMISSION_PLUGINS, STOCK_ADMISSION, type AdmissionConfiguration } from './admission-configuration.js';
import { POOLS } from './admission-stations.js';
import { additionsOf } from './additions.js';
import { LOOKED_UP_KINDS } from './admission-plugins.js';
import { admitPod, type NewPod } from './admission-chain.js';
import { admissionIn } from './admission-in.js';

const GATES = DEFAULT_GATES;
const ALL: readonly KeptKind[] = LOOKED_UP_KINDS;

const pool = (name: string, given: Partial<GivenPool>): KubernetesObject => {
  const spec = {
    nodes: { matchLabels: { type: name } },
    taints: [`dedicated=${name}:NoSchedule`],
    labels: { dedicated: name },
    users: { namespaces: [name] },
    ...given,
  };
  return settingOf('Pool', name, readPool(spec, FieldPath.of('pool')).pool as unknown as JsonObject);
};
const namespace = (
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  labels = {},
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations, labels },
});
const quota: KubernetesObject & { readonly spec: object; readonly status: object } = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'web' },
  spec: { hard: { pods: '0' } },
  status: { hard: { pods: '0' }, used: { pods: '0' } },
};
const OBJECTS = [namespace('ml'), namespace('web'), pool('ml', {})];
const state = (objects: readonly KubernetesObject[] = OBJECTS, loaded: readonly KeptKind[] = ALL): ClusterState =>
  ClusterState.build(objects, loaded);

const sent = (of: string, spec: Partial<WholePodSpec> = {}): WholePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: of },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const WIDE = { tolerations: [{ operator: 'Exists' }] };
const WORDS =
  'pool "ml" is not open to pods of namespace "web" that run as service account "default": ' +
  'spec.tolerations[0] (Exists without a key, for every taint) tolerates dedicated=ml:NoSchedule';
const DENIED = `admission webhook "refuse-intruders.kube-placement.dev" denied the request: ${WORDS}`;

const create = (pod: WholePod, of = state(), configuration: AdmissionConfiguration = STOCK_ADMISSION) =>
  admitPod({ operation: 'create', pod }, { ...admissionIn(of, pod.metadata.namespace ?? ''), configuration });
const place = (pod: Pod, of: ClusterState, options: Partial<NewPod> = {}) =>
  admitPod({ operation: 'create', pod, known: 'kept', ...options }, admissionIn(of, pod.metadata.namespace ?? ''));
const refusalOf = (admission: ReturnType<typeof create>) =>
  admission.outcome === 'refused' ? admission.refusal : undefined;
const stepsOf = (admission: ReturnType<typeof create>) =>
  admission.steps.map(({ by, type, again }) => `${by} ${type}${again === true ? ' again' : ''}`);

describe('pools in admission', () => {
  it('give a pod of theirs what the webhook gives, after the plugins that change it and before those that judge', () => {
    const known = create(sent('ml'));
    expect(known).toMatchObject({
      outcome: 'admitted',
      pod: {
        spec: {
          tolerations: [
            { key: 'node.kubernetes.io/not-ready' },
            { key: 'node.kubernetes.io/unreachable' },
            { key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' },
          ],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'dedicated', operator: 'In', values: ['ml'] }] }],
              },
            },
          },
        },
      },
    });
    const steps = stepsOf(known);
    expect(steps.slice(steps.indexOf('RuntimeClass mutating'))).toEqual([
      'RuntimeClass mutating',
      'MutatingAdmissionPolicy mutating',
      'MutatingAdmissionWebhook mutating',
      'pools mutating',
      'preparation mutating',
      'validation validating',
      'LimitRanger validating',
      'ServiceAccount validating',
      'PodSecurity validating',
      'RuntimeClass validating',
      'ValidatingAdmissionPolicy validating',
      'ValidatingAdmissionWebhook validating',
      'pools validating',
      'ResourceQuota validating',
    ]);
    const of = state();
    const before = { ...sent('ml'), spec: { ...sent('ml').spec, tolerations: [] } } as unknown as Pod;
    const added = additionsOf(place(before, of, { without: ['DefaultTolerationSeconds'] }).steps);
    const unchanged = place(before, of, { skipAdmission: true });
    if (unchanged.outcome === 'refused') throw new Error(unchanged.refusal.message);
    const { patch } = addToPod(of, unchanged.pod, GATES);
    expect(added.filter(({ by }) => by === POOLS).map(({ pointer, value, why }) => [pointer, value, why])).toEqual(
      patch.map((one) => [one.path, one.op === 'remove' ? undefined : one.value, one.why]),
    );
  });

  it('refuse an intruder before a quota does, as the API server hands on what a webhook says', () => {
    const of = state([...OBJECTS, quota]);
    expect(refusalOf(create(sent('web'), of))).toMatchObject({ by: 'ResourceQuota', status: 403 });
    const refusal = refusalOf(create(sent('web', WIDE), of));
    expect(refusal).toEqual({ by: 'pools', status: 403, message: DENIED, causes: [] });
    const pod = sent('web', WIDE) as unknown as Pod;
    expect(judgePod(of, pod, undefined, GATES).message).toBe(WORDS);
    expect(place(pod, of)).toMatchObject({ refusal: { by: 'pools', status: 403, message: DENIED }, reason: WORDS });
    expect(place(pod, of, { skipAdmission: true })).toMatchObject({ pod: { spec: WIDE } });
  });

  it('refuse an update for what it adds alone, and add nothing to one', () => {
    const update = (pod: WholePod, stored: WholePod) =>
      admitPod({ operation: 'update', pod, stored }, admissionIn(state(), 'web'));
    const stored = (spec: Partial<WholePodSpec>): WholePod => {
      const admission = create(sent('web', spec), state([namespace('web')]));
      if (admission.outcome !== 'admitted') throw new Error('the pod is to be stored');
      return admission.pod;
    };
    const wide = stored(WIDE);
    expect(update(wide, wide).outcome).toBe('admitted');
    const plain = stored({});
    const widened = {
      ...plain,
      spec: { ...plain.spec, tolerations: [...plain.spec.tolerations!, ...WIDE.tolerations] },
    };
    expect(update(widened, plain)).toMatchObject({ outcome: 'refused', refusal: { by: 'pools' } });
    expect(update(plain, plain).steps.some(({ by, type }) => by === POOLS && type === 'mutating')).toBe(false);
  });

  it('have the plugins asked again about what they added, and only then', () => {
    const strict = namespace('ml', {
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': '[{"key":"ok","operator":"Exists"}]',
    });
    const plugins = ADMISSION_PLUGINS.filter((name) => name !== 'DefaultTolerationSeconds' && name !== 'AlwaysDeny');
    const known = create(sent('ml'), state([strict, pool('ml', {})]), { plugins });
    expect(refusalOf(known)).toMatchObject({ by: 'PodTolerationRestriction' });
    expect(stepsOf(known).at(-1)).toBe('pools mutating');
    expect(create(sent('ml'), state([strict]), { plugins }).outcome).toBe('admitted');
  });

  it('are not asked where the API server asks no webhooks, and not there where none is declared', () => {
    const plugins = STOCK_ADMISSION.plugins.filter((name) => !name.endsWith('AdmissionWebhook'));
    const off = create(sent('web', WIDE), state(), { ...STOCK_ADMISSION, plugins });
    expect([off.outcome, stepsOf(off).some((step) => step.startsWith(POOLS))]).toEqual(['admitted', false]);
    const none = create(sent('web', WIDE), state([namespace('web')]));
    expect(stepsOf(none).some((step) => step.startsWith(POOLS))).toBe(false);
  });

  it('neither guess nor refuse where the labels of a namespace are not known', () => {
    const open = pool('ml', { users: { namespaceSelector: { matchLabels: { team: 'ml' } } } });
    const without = ALL.filter((kind) => kind !== 'Namespace');
    for (const spec of [{}, WIDE]) {
      const known = create(sent('ml', spec), state([open], without));
      expect(known).toMatchObject({
        certain: false,
        outcome: 'admitted',
        undecided: [
          { plugin: 'NamespaceLifecycle' },
          { plugin: 'PodSecurity' },
          {
            plugin: 'pools',
            missingKind: 'Namespace',
            why: 'whether this pod may use pool ml depends on the labels of namespace ml, which are not known',
          },
        ],
      });
    }
    const named = pool('ml', {
      users: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ml' } } },
    });
    expect(create(sent('ml'), state([named, namespace('ml')]))).toMatchObject({ certain: true, undecided: [] });
  });

  it('know a namespace that is stored where not all are', () => {
    const without = ALL.filter((kind) => kind !== 'Namespace');
    const of = state([namespace('ml', {}, { team: 'ml' })], without);
    expect(create(sent('ml'), of)).toMatchObject({ certain: true, undecided: [] });
    expect(create(sent('other'), of)).toMatchObject({
      certain: false,
      outcome: 'admitted',
      undecided: [{ plugin: 'NamespaceLifecycle' }, { plugin: 'PodSecurity' }],
    });
  });
});
