import { describe, expect, it } from '@jest/globals';
import type { RecordedTaint } from '../audit/rule-subject.js';
import type { DeviceTaintRule } from '../kubernetes/objects/dra.js';
import type { LabelDifference } from './label-difference.js';
import { redoRule, replanRule, ruleConflict, undoRule } from './rule-change.js';
import type { RecordedNodeChange } from './undo-change.js';

const taint = (value: string, more: Partial<RecordedTaint> = {}): RecordedTaint => ({
  key: 'broken',
  value,
  effect: 'NoExecute',
  timeAdded: '2026-06-01T08:00:00Z',
  devices: { driver: 'd' },
  ...more,
});
const rule = ({ devices, ...own }: RecordedTaint, metadata: object = {}): DeviceTaintRule => ({
  apiVersion: 'resource.k8s.io/v1beta2',
  kind: 'DeviceTaintRule',
  metadata: { name: 'r', ...metadata },
  spec: { taint: own, ...(devices !== undefined && { deviceSelector: devices }) },
});
const creates = (after: RecordedTaint, labels?: LabelDifference): RecordedNodeChange => ({
  difference: { added: [after], removed: [], changed: [] },
  ...(labels !== undefined && { labels }),
});
const removes = (before: RecordedTaint): RecordedNodeChange => ({
  difference: { added: [], removed: [before], changed: [] },
});
const replaces = (before: RecordedTaint, after: RecordedTaint): RecordedNodeChange => ({
  difference: { added: [], removed: [], changed: [{ before, after }] },
});
const A = taint('a');
const B = taint('b');
const LATER = '2026-06-01T09:00:00Z';

describe('a recorded change of a rule, on the rule as it is', () => {
  it.each([
    ['creates it', undefined, creates(A), 'create'],
    ['finds it as it is to be, whenever it was tainted', rule(taint('a', { timeAdded: LATER })), creates(A), 'done'],
    ['leaves another one alone', rule(B), creates(A), 'refused'],
    ['replaces it', rule(A), replaces(A, B), 'replace'],
    ['replaces one that was given another time', rule(taint('a', { timeAdded: LATER })), replaces(A, B), 'replace'],
    ['leaves one with other devices alone', rule(taint('a', { devices: {} })), replaces(A, B), 'refused'],
    ['does not create what it should replace', undefined, replaces(A, B), 'refused'],
    ['gives it another time', rule(A), replaces(A, taint('a', { timeAdded: LATER })), 'replace'],
    ['finds that time', rule(taint('a', { timeAdded: LATER })), replaces(A, taint('a', { timeAdded: LATER })), 'done'],
    [
      'replaces it where key and effect change, too',
      rule(A),
      { difference: { added: [taint('a', { effect: 'NoSchedule' })], removed: [A], changed: [] } },
      'replace',
    ],
    ['removes it', rule(A), removes(A), 'remove'],
    ['finds it gone', undefined, removes(A), 'done'],
    ['finds it going, held by finalizers', rule(B, { deletionTimestamp: LATER }), removes(A), 'done'],
    ['does not remove another one', rule(B), removes(A), 'refused'],
    ['does not write one that is going', rule(A, { deletionTimestamp: LATER }), replaces(A, B), 'refused'],
  ] as const)('%s', (_, now, change, outcome) => {
    expect(replanRule(now, 'r', change as RecordedNodeChange).outcome).toBe(outcome);
  });

  it('keeps labels of others', () => {
    const labels = { set: [{ key: 'team', before: 'ml', after: 'sre' }], removed: [] };
    const now = rule(A, { labels: { team: 'ml', theirs: 'x' } });
    expect(replanRule(now, 'r', { ...replaces(A, B), labels })).toMatchObject({
      outcome: 'replace',
      asked: { metadata: { labels: { team: 'sre', theirs: 'x' } }, spec: { taint: { value: 'b' } } },
    });
  });
});

describe('the way back', () => {
  it('restores labels and taint, which counts from then on', () => {
    const labels = { set: [], removed: [{ key: 'team', before: 'ml' }] };
    const back = undoRule(undefined, 'r', { ...removes(A), labels });
    expect(back).toEqual({
      apiVersion: 'resource.k8s.io/v1beta2',
      kind: 'DeviceTaintRule',
      metadata: { name: 'r', labels: { team: 'ml' } },
      spec: { deviceSelector: { driver: 'd' }, taint: { key: 'broken', value: 'a', effect: 'NoExecute' } },
    });
    expect(undoRule(rule(A), 'r', creates(A))).toBeUndefined();
  });

  it('takes labels of the change away, and gives former ones back', () => {
    const labels = {
      set: [
        { key: 'new', after: '1' },
        { key: 'team', before: 'ml', after: 'sre' },
      ],
      removed: [],
    };
    const made = redoRule(rule(A, { labels: { team: 'ml' } }), 'r', { ...replaces(A, B), labels })!;
    expect(made.metadata.labels).toEqual({ team: 'sre', new: '1' });
    expect(undoRule(made, 'r', { ...replaces(A, B), labels })!.metadata.labels).toEqual({ team: 'ml' });
  });

  it('is open as long as the rule is what the change left', () => {
    expect(ruleConflict(rule(B), replaces(A, B))).toBeUndefined();
    expect(ruleConflict(undefined, removes(A))).toBeUndefined();
    expect(ruleConflict(rule(A), removes(B))).toEqual({
      what: 'taint',
      left: 'absent',
      now: 'broken=a:NoExecute (driver d)',
    });
    expect(ruleConflict(undefined, creates(A))).toMatchObject({ now: null });
  });
});
