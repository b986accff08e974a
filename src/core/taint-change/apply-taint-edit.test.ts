import { describe, expect, it } from '@jest/globals';
import type { Node, NodeSpec } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { parseTaint } from '../kubernetes/taint-text.js';
import { applyTaintEdit, type NodeEditOutcome } from './apply-taint-edit.js';
import { parseLabelArguments } from './parse-label-arguments.js';
import { parseTaintArguments } from './parse-taint-arguments.js';
import type { TaintEdit } from './taint-edit.js';

const NOW = '2026-11-20T21:19:50Z';
const CORDON = 'node.kubernetes.io/unschedulable:NoSchedule';

const node = (taints: readonly Taint[] = [], spec: NodeSpec = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels: { role: 'x' } },
  spec: { ...spec, ...(taints.length > 0 && { taints }) },
});

const edit = (words: readonly string[], more: Partial<TaintEdit> = {}): TaintEdit => ({
  ...parseTaintArguments(words),
  overwrite: false,
  ...more,
});

const done = (outcome: NodeEditOutcome): Exclude<NodeEditOutcome, { outcome: 'refused' }> => {
  if (outcome.outcome === 'refused') throw new Error(JSON.stringify(outcome.errors));
  return outcome;
};

const written = ({ spec }: Node): string[] => (spec?.taints ?? []).map(formatTaint);

describe('applyTaintEdit: taints', () => {
  it.each<[string, string[], string[], boolean, string, string[]]>([
    [
      'new ones come first, in their own order',
      ['o:NoSchedule'],
      ['b:NoExecute', 'a:NoExecute'],
      false,
      'tainted',
      ['b:NoExecute', 'a:NoExecute', 'o:NoSchedule'],
    ],
    [
      'one that is overwritten moves to the front',
      ['a:NoSchedule', 'b=1:NoSchedule'],
      ['b=2:NoSchedule'],
      true,
      'modified',
      ['b=2:NoSchedule', 'a:NoSchedule'],
    ],
    [
      'overwrite without an existing taint also reports modified',
      [],
      ['a:NoSchedule'],
      true,
      'modified',
      ['a:NoSchedule'],
    ],
    [
      'a key without an effect takes every effect away',
      ['a:NoSchedule', 'b:NoExecute', 'a=1:NoExecute'],
      ['a-'],
      false,
      'untainted',
      ['b:NoExecute'],
    ],
    [
      'an effect takes that one away, whatever its value',
      ['a=1:NoSchedule', 'a:NoExecute'],
      ['a=9:NoSchedule-'],
      false,
      'untainted',
      ['a:NoExecute'],
    ],
    ['the last one away leaves no list', ['a:NoSchedule'], ['a-'], false, 'untainted', []],
    [
      'effects are swapped in one go',
      ['a:NoSchedule'],
      ['a:NoSchedule-', 'a:NoExecute'],
      false,
      'modified',
      ['a:NoExecute'],
    ],
    [
      'a key of any name is a key',
      ['constructor:NoSchedule'],
      ['toString:NoSchedule', 'constructor-'],
      false,
      'modified',
      ['toString:NoSchedule'],
    ],
  ])('%s', (_, before, words, overwrite, operation, after) => {
    const result = done(applyTaintEdit(node(before.map(parseTaint)), edit(words, { overwrite })));
    expect(written(result.node)).toEqual(after);
    expect(result.operations).toEqual([operation]);
    expect(result.message).toBe(`node/n ${operation}`);
    expect(result.outcome).toBe('changed');
    expect(Object.hasOwn(result.node.spec ?? {}, 'taints')).toBe(after.length > 0);
  });

  it.each<[string, string[], string[], object[]]>([
    [
      'what is there already, even with the same value, all keys in one error',
      ['a=1:NoSchedule', 'b:NoExecute'],
      ['b:NoExecute', 'a=1:NoSchedule', 'c:NoSchedule'],
      [
        {
          code: 'taint-exists',
          message: 'node n already has b,a taint(s) with same effect(s) and --overwrite is false',
        },
      ],
    ],
    [
      'the removal of what is not there, one error each',
      ['a:NoSchedule'],
      ['g-', 'a:NoExecute-', 'a:NoSchedule-'],
      [
        { code: 'taint-not-found', message: 'taint "g" not found' },
        { code: 'taint-not-found', message: 'taint "a:NoExecute" not found' },
      ],
    ],
    [
      'the same removal twice',
      ['a:NoSchedule'],
      ['a-', 'a:NoSchedule-'],
      [{ message: 'taint "a:NoSchedule" not found' }],
    ],
  ])('refuses %s', (_, before, words, errors) => {
    expect(applyTaintEdit(node(before.map(parseTaint)), edit(words))).toMatchObject({ outcome: 'refused', errors });
  });

  it("refuses a node that would be invalid, with the API server's message", () => {
    const strange = node([{ key: 'bad key', effect: 'NoSchedule' }]);
    const outcome = applyTaintEdit(strange, edit(['a:NoSchedule'], { labels: parseLabelArguments(['a/b/c=1']) }));
    expect(outcome).toMatchObject({
      outcome: 'refused',
      errors: [
        { code: 'invalid-node', field: 'metadata.labels', pointer: '/metadata/labels' },
        { code: 'invalid-node', field: 'metadata.taints[1].key', pointer: '/spec/taints/1/key' },
      ],
    });
  });

  it('changes nothing, or only the order, if it overwrites a taint with itself', () => {
    const [a, b] = [parseTaint('a:NoSchedule'), parseTaint('b:NoSchedule')];
    const before = node([a, b]);
    const same = done(applyTaintEdit(before, edit(['a:NoSchedule'], { overwrite: true })));
    expect(same).toMatchObject({ outcome: 'unchanged', operations: ['modified'] });
    expect(same.node).toBe(before);
    const moved = done(applyTaintEdit(before, edit(['b:NoSchedule'], { overwrite: true })));
    expect(moved.outcome).toBe('changed');
    expect(moved.difference).toEqual({ added: [], removed: [], changed: [] });
    expect(written(moved.node)).toEqual(['b:NoSchedule', 'a:NoSchedule']);
  });

  it('drops timeAdded of an overwritten taint', () => {
    const before = node([{ ...parseTaint('a:NoExecute'), timeAdded: NOW }]);
    const { difference } = done(applyTaintEdit(before, edit(['a:NoExecute'], { overwrite: true })));
    expect(difference.changed).toEqual([
      { before: { key: 'a', effect: 'NoExecute', timeAdded: NOW }, after: { key: 'a', effect: 'NoExecute' } },
    ]);
  });

  it('reports what was added, removed and changed', () => {
    const before = node(['a=1:NoSchedule', 'b:NoSchedule', 'c:NoExecute'].map(parseTaint));
    const { difference } = done(
      applyTaintEdit(before, edit(['a=2:NoSchedule', 'd:NoExecute', 'c-'], { overwrite: true })),
    );
    expect(difference).toEqual({
      added: [parseTaint('d:NoExecute')],
      removed: [parseTaint('c:NoExecute')],
      changed: [{ before: parseTaint('a=1:NoSchedule'), after: parseTaint('a=2:NoSchedule') }],
    });
  });

  it('handles ten thousand taints of a node and as many changes', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => parseTaint(`k${index}:NoSchedule`));
    const words = many.map(({ key }, index) => (index % 2 === 0 ? `${key}-` : `${key}=1:NoSchedule`));
    const result = done(applyTaintEdit(node(many), edit(words, { overwrite: true })));
    expect(result.node.spec?.taints).toHaveLength(5_000);
    expect(result.difference.removed).toHaveLength(5_000);
  });
});

describe('applyTaintEdit: the cordon and the controller that follows it', () => {
  const cordoned = (taints: readonly Taint[] = []): Node => node(taints, { unschedulable: true });

  it("appends the controller's taint, with the time, when it cordons", () => {
    const result = done(
      applyTaintEdit(node([parseTaint('a:NoSchedule')]), edit([], { unschedulable: true }), { now: NOW }),
    );
    expect(result.node.spec).toEqual({
      taints: [parseTaint('a:NoSchedule'), { ...parseTaint(CORDON), timeAdded: NOW }],
      unschedulable: true,
    });
    expect(result.asked.spec).toEqual({ taints: [parseTaint('a:NoSchedule')], unschedulable: true });
    expect(result.difference.cordon).toBe('cordoned');
    expect(result.message).toBe('node/n cordoned');
  });

  it('removes it again when it uncordons, and leaves no false value', () => {
    const result = done(applyTaintEdit(cordoned([parseTaint(CORDON)]), edit([], { unschedulable: false })));
    expect(result.node.spec).toEqual({});
    expect(result.operations).toEqual(['uncordoned']);
  });

  it('does not change a cordoned node, even if the controller has not followed yet', () => {
    const before = cordoned();
    const result = done(applyTaintEdit(before, edit([], { unschedulable: true })));
    expect(result).toMatchObject({ outcome: 'unchanged', operations: ['already cordoned'] });
    expect(result.node).toBe(before);
  });

  it('does not run the controller for an edit without a cordon', () => {
    expect(written(done(applyTaintEdit(cordoned(), edit(['a:NoSchedule']))).node)).toEqual(['a:NoSchedule']);
  });

  it("undoes an edit of the controller's taint by hand", () => {
    const removed = done(applyTaintEdit(cordoned([parseTaint(CORDON)]), edit([`${CORDON}-`]), { now: NOW }));
    expect(written(removed.node)).toEqual([CORDON]);
    expect(written(removed.asked)).toEqual([]);
    const added = done(applyTaintEdit(node(), edit([CORDON])));
    expect(added).toMatchObject({ outcome: 'unchanged', operations: ['tainted'] });
  });
});

describe('applyTaintEdit: labels', () => {
  it('sets them in the same change, and reports them after the taints', () => {
    const labels = parseLabelArguments(['pool=ml', 'gone-']);
    const result = done(applyTaintEdit(node(), edit(['dedicated=ml:NoSchedule'], { labels })));
    expect(result.node.metadata.labels).toEqual({ role: 'x', pool: 'ml' });
    expect(result.message).toBe('node/n tainted\nlabel "gone" not found.\nnode/n labeled');
  });

  it('refuses existing labels together with existing taints', () => {
    const labels = parseLabelArguments(['role=y']);
    expect(applyTaintEdit(node(), edit(['g-'], { labels }))).toMatchObject({
      outcome: 'refused',
      errors: [
        { code: 'taint-not-found' },
        { code: 'label-exists', message: "'role' already has a value (x), and --overwrite is false" },
      ],
    });
  });

  it.each<[string, string[], boolean, string, object]>([
    ['the same value again', ['role=x'], true, 'not labeled', { role: 'x' }],
    ['only a key that is not there', ['gone-'], false, 'not labeled', { role: 'x' }],
    ['a key taken away', ['role-'], false, 'unlabeled', {}],
    ['a key taken away with overwrite', ['role-'], true, 'labeled', {}],
    ['a longer one taken away than set', ['a=', 'role-'], false, 'unlabeled', { a: '' }],
    ['a longer one set than taken away', ['long=er', 'role-'], false, 'labeled', { long: 'er' }],
  ])('kubectl’s word for %s', (_, words, overwrite, operation, labels) => {
    const result = done(applyTaintEdit(node(), edit([], { overwrite, labels: parseLabelArguments(words) })));
    expect(result.operations).toEqual([operation]);
    expect(result.node.metadata.labels).toEqual(labels);
    expect(result.outcome).toBe(operation === 'not labeled' ? 'unchanged' : 'changed');
  });
});
