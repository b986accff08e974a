import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { WholePod, WholePodSpec } from '../kubernetes/objects/whole-pod.js';
import { admitKnown, type KnownAdmission } from './admit-known.js';
import { STOCK_ADMISSION } from './admission-configuration.js';
import { surroundingsIn } from './surroundings-in.js';

const ALL: readonly KeptKind[] = ['Namespace', 'LimitRange', 'ResourceQuota', 'PriorityClass', 'RuntimeClass'];
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
): KnownAdmission =>
  admitKnown(
    { operation: 'create', pod: sent },
    surroundingsIn(ClusterState.build(objects, loaded), 'team', 0),
    STOCK_ADMISSION,
    { comparisonOperators: false },
  );
const undecided = (known: KnownAdmission) => known.undecided.map(({ plugin, missingKind }) => [plugin, missingKind]);

describe('admitKnown', () => {
  it('asks every plugin where all kinds are loaded', () => {
    expect(admitted(ALL)).toMatchObject({ undecided: [], certain: true, admission: { outcome: 'admitted' } });
  });

  it.each<[string, readonly KeptKind[], WholePod, readonly (readonly string[])[]]>([
    ['the namespace', without('Namespace'), pod(), [['NamespaceLifecycle', 'Namespace']]],
    ['limits', without('LimitRange'), pod(), [['LimitRanger', 'LimitRange']]],
    ['quotas', without('ResourceQuota'), pod(), [['ResourceQuota', 'ResourceQuota']]],
    ['the default priority', without('PriorityClass'), pod(), [['Priority', 'PriorityClass']]],
    [
      'a class of the API server itself',
      without('PriorityClass'),
      pod({ priorityClassName: 'system-node-critical' }),
      [],
    ],
    ['no runtime class', without('RuntimeClass'), pod(), []],
    ['a runtime class', without('RuntimeClass'), pod({ runtimeClassName: 'kata' }), [['RuntimeClass', 'RuntimeClass']]],
  ])('leaves out who looks up %s in what was never loaded, and refuses nothing for it', (_, loaded, sent, want) => {
    const known = admitted(loaded, sent, loaded.includes('Namespace') ? [NAMESPACE] : []);
    expect(undecided(known)).toEqual(want);
    expect(known).toMatchObject({ certain: want.length === 0, admission: { outcome: 'admitted' } });
  });

  it('is not certain of the refusal of a quota where limits may have been given before', () => {
    expect(admitted(ALL, pod(), [NAMESPACE, QUOTA])).toMatchObject({
      certain: true,
      admission: { refusal: { by: 'ResourceQuota', status: 403 } },
    });
    expect(admitted(without('LimitRange'), pod(), [NAMESPACE, QUOTA])).toMatchObject({
      certain: false,
      admission: { outcome: 'refused' },
    });
  });

  it('is certain of other refusals', () => {
    const known = admitted(without('LimitRange'), pod({ tolerations: [{ operator: 'Equal' }] }));
    expect(known).toMatchObject({ certain: true, admission: { refusal: { by: 'validation' } } });
  });
});
