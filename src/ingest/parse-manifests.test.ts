import { describe, expect, it } from '@jest/globals';
import { readManifests } from '../core/kubernetes/manifests/read-manifests.js';
import { parseManifests } from './parse-manifests.js';

const DEPLOYMENT = 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n';
const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n';

/** Objects as `kind namespace/name @document.item:line pointer`. */
function objectsOf(text: string, namespace?: string): readonly string[] {
  const { documents, faults } = parseManifests(text);
  expect(faults).toEqual([]);
  const read = readManifests(documents, namespace === undefined ? {} : { namespace });
  if ('faults' in read) return read.faults.map(({ code, message, line }) => `${code} ${line}: ${message}`);
  return read.objects.map(({ kind, namespace: own, name, source: { document, item, line, pointer } }) =>
    [kind, `${own ?? '-'}/${name}`, `${document}${item === undefined ? '' : `.${item}`}:${line}`, pointer]
      .join(' ')
      .trim(),
  );
}

const faultsOf = (text: string): readonly string[] => {
  const { documents, faults } = parseManifests(text);
  const read = readManifests(documents, { faults });
  return ('faults' in read ? read.faults : []).map(
    ({ code, message, document, line }) => `${code} ${document}:${line}: ${message}`,
  );
};

describe('the documents of a text', () => {
  it('are YAML documents between lines of dashes; comments and empty documents do not count', () => {
    const text = `# Source: web/templates/deployment.yaml\n---\n# nothing\n---\n---  # next\n# Source: a\n${DEPLOYMENT}---\n\n${POD}...\n---\n`;
    expect(objectsOf(text)).toEqual(['Deployment default/web 0:7', 'Pod default/web 1:13']);
  });

  it('are JSON objects one after another, also next to YAML', () => {
    const json = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME"}}';
    const text = `${json.replace('NAME', 'a')}${json.replace('NAME', 'b')}\n\n${json.replace('NAME', 'c')}\n---\n${POD}`;
    expect(objectsOf(text)).toEqual([
      'Pod default/a 0:1',
      'Pod default/b 1:1',
      'Pod default/c 2:3',
      'Pod default/web 3:5',
    ]);
  });

  it('are YAML if they begin with a brace and are not JSON', () => {
    expect(
      objectsOf(
        '{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1,\n kind: Pod, metadata: {name: b}}',
      ),
    ).toEqual(['Pod default/a 0:1', 'Pod default/b 1:3']);
  });

  it('may have carriage returns, a directive, and dashes inside a block of text', () => {
    const text = `%YAML 1.1\r\n---\r\n${POD.replaceAll('\n', '\r\n')}  annotations:\r\n    a: |\r\n      ---\r\n      b\r\n---\r\n${DEPLOYMENT}`;
    expect(objectsOf(text)).toEqual(['Pod default/web 0:3', 'Deployment default/web 1:12']);
  });

  it('keep 64-bit integers exact', () => {
    for (const text of [
      'apiVersion: v1\nkind: Pod\nspec:\n  terminationGracePeriodSeconds: 9223372036854775807',
      '{"apiVersion":"v1","kind":"Pod","spec":{"terminationGracePeriodSeconds":9223372036854775807}}',
    ]) {
      expect(parseManifests(text).documents[0]?.value).toMatchObject({
        spec: { terminationGracePeriodSeconds: 9223372036854775807n },
      });
    }
  });
});

describe('the objects of documents', () => {
  it('are the items of Lists, of typed lists, and of Lists in Lists, each with its line', () => {
    const text = [
      'apiVersion: v1',
      'kind: List',
      'items:',
      '- apiVersion: v1',
      '  kind: Pod',
      '  metadata: {name: a}',
      '- apiVersion: v1',
      '  kind: List',
      '  items:',
      '  - {apiVersion: v1, kind: Pod, metadata: {name: b}}',
      '- apiVersion: v1',
      '  kind: PodList',
      '  items:',
      '  - metadata: {name: c, namespace: x}',
      '',
    ].join('\n');
    const want = [
      'Pod default/a 0.0:4 /items/0',
      'Pod default/b 0.1:10 /items/1/items/0',
      'Pod x/c 0.2:14 /items/2/items/0',
    ];
    expect(objectsOf(text)).toEqual(want);
    const json =
      '{"apiVersion":"v1","kind":"List",\n"items":[\n{"apiVersion":"v1","kind":"Pod"},\n\n{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}]}';
    expect(objectsOf(json)).toEqual(['Pod default/ 0.0:3 /items/0', 'Pod default/b 0.1:5 /items/1']);
  });

  it('get a namespace if their kind has one: their own, that of the request, or that of a CustomResourceDefinition', () => {
    const text = [
      '{apiVersion: v1, kind: Namespace, metadata: {name: shop, namespace: x}}',
      '{apiVersion: v1, kind: Secret, metadata: {name: a}}',
      '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}',
      '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}, spec: {group: g.io, names: {kind: Thing}, scope: Namespaced}}',
      '{apiVersion: g.io/v1, kind: Thing, metadata: {name: a}}',
      '{apiVersion: h.io/v1, kind: Thing, metadata: {name: a}}',
      '{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: a}}',
      '{apiVersion: policy/v1beta1, kind: PodSecurityPolicy, metadata: {name: a}}',
    ].join('\n---\n');
    expect(objectsOf(text, 'team').map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'Namespace -/shop',
      'Secret team/a',
      'ClusterRole -/a',
      'CustomResourceDefinition -/a',
      'Thing team/a',
      'Thing -/a',
      'Deployment team/a',
      'PodSecurityPolicy -/a',
    ]);
    const read = readManifests(parseManifests(text).documents);
    expect('notLookedAt' in read && read.notLookedAt.map(({ object, why }) => `${object.kind}: ${why}`)).toEqual([
      'Secret: the kind Secret does not decide where pods can run',
      'ClusterRole: the kind ClusterRole does not decide where pods can run',
      'CustomResourceDefinition: the kind CustomResourceDefinition does not decide where pods can run',
      'Thing: Thing is not a kind of Kubernetes: what a controller makes of it is not known',
      'Thing: Thing is not a kind of Kubernetes: what a controller makes of it is not known',
      'PodSecurityPolicy: the kind PodSecurityPolicy does not decide where pods can run',
    ]);
  });
});

describe('manifests that cannot be used', () => {
  it.each([
    ['an empty text', '', ['empty-manifests undefined:undefined: there is no object in the manifests']],
    ['comments', '# a\n---\n# b\n', ['empty-manifests undefined:undefined: there is no object in the manifests']],
    [
      'an empty List',
      'apiVersion: v1\nkind: List\nitems: []',
      ['empty-manifests undefined:undefined: there is no object in the manifests'],
    ],
    ['HTML', '<!DOCTYPE html>\n<html></html>', ['malformed-manifests 0:1: it is HTML or XML, not a manifest']],
    [
      'text',
      'Thank you for installing web.\nYour release is named x.\n',
      ['not-an-object 0:1: the document is text, not an object'],
    ],
    ['a list', '[{"apiVersion":"v1","kind":"Pod"}]', ['not-an-object 0:1: the document is an array, not an object']],
    ['a binary', 'a: b\n\u0000\u0001', ['malformed-manifests 0:2: it is not text: control characters are not allowed']],
    [
      'a separator with content',
      `--- a: b\n${POD}`,
      ['malformed-manifests 0:1: only a comment may follow --- on its line'],
    ],
  ])('are refused: %s', (_what, text, want) => {
    expect(faultsOf(text)).toEqual(want);
  });

  it('name every bad document at once, with its line', () => {
    const text = `${POD}---\na: [\n---\n${DEPLOYMENT}---\nkind: Pod\n---\napiVersion: 1\nkind: {}\n---\n{"a": ]\n---\nname: {{ .Values.name }}: x\n---\n${POD}`;
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(/^malformed-manifests 1:\d+: it is not YAML: /),
      'incomplete-object 3:13: apiVersion not set',
      'incomplete-object 4:15: apiVersion is not a string, kind is not a string',
      'malformed-manifests 5:18: it is not JSON: unexpected character "]"',
      expect.stringMatching(/^malformed-manifests 6:20: it is not YAML: .*a template has to be rendered first/),
      'duplicate-object 7:22: Pod web in namespace default is there twice; the first is document 1, line 1',
    ]);
  });

  it('refuse a Status, a page of a list, and items that are not objects', () => {
    expect(
      faultsOf(
        '{"apiVersion":"v1","kind":"Status"}\n{"apiVersion":"v1","kind":"PodList","metadata":{"continue":"x"},"items":[]}\n{"apiVersion":"v1","kind":"List","items":[1,null]}',
      ),
    ).toEqual([
      'unusable-object 0:1: it is a Status, which the API server returns instead of objects',
      'unusable-object 1:2: the PodList is only a page of a longer list (metadata.continue)',
      'not-an-object 2:3: the item is an integer, not an object',
      'not-an-object 2:3: the item is null, not an object',
    ]);
  });

  it('refuse circles of owners, once each', () => {
    const owned = (name: string, owner: string): string =>
      `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: ${name}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: ${owner}, uid: u}]}}`;
    expect(
      faultsOf([owned('a', 'b'), owned('b', 'c'), owned('c', 'b'), owned('d', 'd'), owned('e', 'd')].join('\n---\n')),
    ).toEqual([
      'owner-cycle 1:3: owner references lead in a circle: ReplicaSet b in namespace default, owned by ReplicaSet c in namespace default, owned by ReplicaSet b in namespace default',
      'owner-cycle 3:7: owner references lead in a circle: ReplicaSet d in namespace default, owned by ReplicaSet d in namespace default',
    ]);
  });

  it('refuse too many documents before they are parsed, and too many items', () => {
    expect(faultsOf(`${POD}---\n`.repeat(10_000))).toEqual([
      'too-many-documents undefined:undefined: there are more than 2000 documents in the manifests',
    ]);
    expect(
      faultsOf(`{"apiVersion":"v1","kind":"List","items":[${'{"apiVersion":"v1","kind":"Pod"},'.repeat(3000)}{}]}`),
    ).toEqual(['too-many-documents undefined:undefined: there are more than 2000 objects in the manifests']);
  });

  it('refuse aliases that expand without end, and values that are nested without end', () => {
    const bomb = [
      'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
      ...[1, 2, 3, 4, 5, 6].map((n) => `a${n}: &a${n} [${`*a${n - 1}, `.repeat(9)}*a${n - 1}]`),
    ].join('\n');
    expect(faultsOf(bomb)).toEqual([
      expect.stringMatching(/^malformed-manifests 0:\d+: it is not YAML: aliases expand/),
    ]);
    expect(faultsOf('['.repeat(30_000))).toEqual([expect.stringMatching(/^malformed-manifests 0:1: .*nested deeper/)]);
    expect(faultsOf(`${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`)).toEqual([
      expect.stringMatching(/^malformed-manifests 0:1: .*nested deeper/),
    ]);
  });
});
