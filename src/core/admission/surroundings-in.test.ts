import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { settingOf } from '../cluster/setting.js';
import type { JsonObject } from '../json/json-value.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { STOCK_ADMISSION } from './admission-configuration.js';
import { LOOKED_UP_KINDS } from './admission-plugins.js';
import { admissionConfigurationIn, surroundingsIn } from './surroundings-in.js';

const object = (kind: string, name: string, namespace?: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const ALL: readonly KeptKind[] = LOOKED_UP_KINDS;
const state = (objects: readonly KubernetesObject[], loaded: readonly KeptKind[] = ALL) =>
  ClusterState.build(objects, loaded);

describe('surroundingsIn', () => {
  it('has what the namespace holds, and nothing of its neighbours', () => {
    const found = surroundingsIn(
      state([
        object('Namespace', 'b'),
        ...['a', 'b', 'b', 'ba'].map((namespace, index) => object('LimitRange', `l${index}`, namespace)),
        ...['a', 'b', 'c'].map((namespace) => object('ResourceQuota', 'q', namespace)),
      ]),
      'b',
      7,
    );
    expect(found.namespace?.metadata.name).toBe('b');
    expect(found.limitRanges.map(({ metadata }) => metadata.name)).toEqual(['l1', 'l2']);
    expect(found.quotas.map(({ metadata }) => metadata.namespace)).toEqual(['b']);
    expect(found).toMatchObject({ now: 7, notLoaded: [] });
  });

  it('knows the classes that the API server makes itself, unless they are stored', () => {
    const stored = { ...object('PriorityClass', 'system-node-critical'), value: 5 };
    const { priorityClasses } = surroundingsIn(state([stored]), 'a', 0);
    expect(priorityClasses.map(({ metadata, value }) => [metadata.name, value])).toEqual([
      ['system-node-critical', 5],
      ['system-cluster-critical', 2_000_000_000],
    ]);
  });

  it('knows that a namespace is missing only where namespaces were loaded, and never one of the system', () => {
    expect(surroundingsIn(state([]), 'a', 0).namespace).toBeUndefined();
    expect(surroundingsIn(state([]), 'default', 0).namespace?.metadata.name).toBe('default');
    const unknown = surroundingsIn(
      state([], ['LimitRange', 'ServiceAccount', 'PriorityClass', 'RuntimeClass']),
      'a',
      0,
    );
    expect(unknown.namespace?.metadata.name).toBe('a');
    expect(unknown.notLoaded).toEqual([
      'Namespace',
      'ResourceQuota',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });
});

describe('admissionConfigurationIn', () => {
  it('is stock until something is declared, and that then', () => {
    expect(admissionConfigurationIn(state([]))).toBe(STOCK_ADMISSION);
    const declared = { plugins: ['Priority'], otherPlugins: [] };
    expect(admissionConfigurationIn(state([settingOf('AdmissionConfiguration', 'default', declared)]))).toEqual(
      declared,
    );
  });

  it('evaluates plugins that were on before they could be evaluated', () => {
    const declared = {
      plugins: ['NamespaceLifecycle', 'Priority'],
      otherPlugins: ['ServiceAccount', 'PodSecurity', 'ValidatingAdmissionPolicy', 'ImagePolicyWebhook'],
    };
    const read = (content: JsonObject) =>
      admissionConfigurationIn(state([settingOf('AdmissionConfiguration', 'default', content)]));
    expect(read(declared)).toEqual({
      plugins: ['NamespaceLifecycle', 'ServiceAccount', 'PodSecurity', 'Priority', 'ValidatingAdmissionPolicy'],
      otherPlugins: ['ImagePolicyWebhook'],
    });
    expect(read({ plugins: declared.plugins }).plugins).toEqual([
      'NamespaceLifecycle',
      'ServiceAccount',
      'PodSecurity',
      'Priority',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionWebhook',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionWebhook',
    ]);
  });

  it('carries over what changes besides', () => {
    const declared = state([settingOf('Pool', 'gpu', { a: 1 }), settingOf('Pool', 'b', {})]);
    const after = declared
      .fork()
      .apply({ upserts: [object('Namespace', 'x')] })
      .compacted();
    expect(after.setting('Pool', 'gpu')?.content).toEqual({ a: 1 });
    expect(after.settings('Pool').map(({ metadata }) => metadata.name)).toEqual(['b', 'gpu']);
    expect(after.apply({ deletes: [{ kind: 'Pool', name: 'gpu' }] }).setting('Pool', 'gpu')).toBeUndefined();
  });
});
