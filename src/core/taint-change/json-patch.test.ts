import { describe, expect, it } from '@jest/globals';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Node, NodeSpec } from '../kubernetes/objects/node.js';
import { parseTaint } from '../kubernetes/taint-text.js';
import { applyTaintEdit } from './apply-taint-edit.js';
import { jsonPatch } from './json-patch.js';

const node = (spec: NodeSpec, labels?: Labels, resourceVersion?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...(labels && { labels }), ...(resourceVersion !== undefined && { resourceVersion }) },
  spec,
});
const a = parseTaint('a:NoSchedule');
const b = parseTaint('b:NoExecute');

describe('jsonPatch', () => {
  it('tests the resource version first, and sends the complete list', () => {
    expect(jsonPatch(node({ taints: [a] }, {}, '7'), node({ taints: [b, a] }, {}, '7'))).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'add', path: '/spec/taints', value: [b, a] },
    ]);
  });

  it('tests the taints if the resource version is unknown', () => {
    expect(jsonPatch(node({ taints: [a] }), node({}))).toEqual([
      { op: 'test', path: '/spec/taints', value: [a] },
      { op: 'remove', path: '/spec/taints' },
    ]);
  });

  it('writes the members of a taint in one order, whatever the order in which they were stored', () => {
    const stored = { effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z', value: 'v', key: 'k' } as const;
    expect(
      JSON.stringify(jsonPatch(node({ taints: [stored] }, {}, '7'), node({ taints: [stored, a] }, {}, '7'))[1]),
    ).toBe(
      '{"op":"add","path":"/spec/taints","value":[{"key":"k","value":"v","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"},{"key":"a","effect":"NoSchedule"}]}',
    );
  });

  it('sets and removes the cordon and labels, with escaped keys', () => {
    const before = node({ unschedulable: true }, { 'a/b': '1', gone: '1', kept: '1' }, '7');
    const after = node({}, { 'a/b': '2', kept: '1', 'x~y': '' }, '7');
    expect(jsonPatch(before, after).slice(1)).toEqual([
      { op: 'remove', path: '/spec/unschedulable' },
      { op: 'add', path: '/metadata/labels/a~1b', value: '2' },
      { op: 'add', path: '/metadata/labels/x~0y', value: '' },
      { op: 'remove', path: '/metadata/labels/gone' },
    ]);
  });

  it('creates the map of labels if it is absent', () => {
    expect(jsonPatch(node({}), node({}, { k: 'v' }))).toEqual([
      { op: 'add', path: '/metadata/labels', value: { k: 'v' } },
    ]);
  });

  it('is empty for an empty edit, even if the node has explicit false and empty values', () => {
    expect(jsonPatch(node({ unschedulable: false, taints: [] }, {}, '7'), node({}, {}, '7'))).toEqual([]);
  });

  it("leaves the controller's taint to the controller", () => {
    const before = node({ taints: [a] }, {}, '7');
    const outcome = applyTaintEdit(before, { add: [], remove: [], overwrite: false, unschedulable: true });
    if (outcome.outcome === 'refused') throw new Error('refused');
    expect(jsonPatch(before, outcome.asked).slice(1)).toEqual([
      { op: 'add', path: '/spec/unschedulable', value: true },
    ]);
  });
});
