import { describe, expect, it } from '@jest/globals';
import { kubernetesToleration } from '../../contract/common/kubernetes.js';
import { factColumn, nodePlacement, placementGroup, podAddition } from '../../contract/placements/placement.js';
import { placementReason } from '../../contract/placements/reason.js';
import { taintKey } from '../../contract/common/taint.js';
import { scheduledPodGroup } from '../../contract/evictions/eviction-schedule.js';
import { object, type ObjectType, type UnionType } from '../../contract/schema.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { objectMask } from './mask-object.js';

/** Values that are names and words of Kubernetes; with an invalid key, texts are searched for the values alone. */
const NAMES = new Map([
  ['a key', new Set(['NoSchedule', 'node-1', 'infeasible', 'cpu'])],
  ['type', new Set(['hound'])],
]);

const masked = (type: ObjectType | UnionType, value: object): unknown =>
  JSON.parse(JSON.stringify(objectMask(type)!.mask(value as JsonObject, NAMES)));

describe('the mask of a type', () => {
  it('leaves names, enums, effects and labels as they are, whatever the values are', () => {
    const value = {
      node: 'node-1',
      verdict: 'infeasible',
      firstFail: 'cpu',
      reasons: [],
      untoleratedTaints: [
        { key: 'type', value: 'hound', effect: 'NoSchedule', text: 'type=hound:NoSchedule', implied: false },
      ],
      toleratedTaints: null,
      fixes: null,
    };
    expect(masked(nodePlacement, value)).toEqual({
      ...value,
      untoleratedTaints: [
        { key: 'type', value: '***', effect: 'NoSchedule', text: 'type=***:NoSchedule', implied: false },
      ],
    });
  });

  it('masks values that are not known', () => {
    expect(masked(kubernetesToleration, { operator: 'Equal', value: 'never-seen' })).toEqual({
      operator: 'Equal',
      value: '***',
    });
    expect(masked(taintKey, { key: 'k', values: ['x', ''], effects: ['NoSchedule'], taints: [] })).toEqual({
      key: 'k',
      values: ['***', ''],
      effects: ['NoSchedule'],
      taints: [],
    });
  });

  it('masks a value that a patch sets alone', () => {
    const set = (pointer: string, value: string): object => ({ by: 'pools', pointer, value, why: 'because' });
    expect(masked(podAddition, set('/spec/tolerations/0/value', 'x'))).toEqual(set('/spec/tolerations/0/value', '***'));
    expect(masked(podAddition, set('/spec/restartPolicy', 'x'))).toEqual(set('/spec/restartPolicy', 'x'));
  });

  it('masks columns like the members for which they stand', () => {
    const columns = [
      { name: 'node', values: ['node-1', 'node-2'] },
      { name: 'because', values: ['type=hound:NoExecute', 'at node-2'] },
    ];
    const workloads = [
      {
        workload: { kind: 'Pod', namespace: 'd', name: 'node-1' },
        count: 1,
        pods: ['node-1'],
        values: { budgets: ['d/node-1'], 'taints.0.toleration': 'type Equal hound' },
      },
    ];
    expect(masked(scheduledPodGroup, { columns, workloads })).toEqual({
      columns: [columns[0], { name: 'because', values: ['type=***:NoExecute', 'at node-2'] }],
      workloads: [{ ...workloads[0], values: { budgets: ['d/node-1'], 'taints.0.toleration': 'type Equal ***' } }],
    });
  });

  it('masks columns of facts like the facts', () => {
    const columns = [
      { reason: 0, name: 'label.actual', unit: null, values: ['node-1', null] },
      { reason: 0, name: 'taint.value', unit: null, values: ['x', 'y'] },
    ];
    expect(masked(placementGroup, { nodes: ['node-1'], columns })).toEqual({
      nodes: ['node-1'],
      columns: [columns[0], { ...columns[1], values: ['***', '***'] }],
    });
    expect(masked(factColumn, columns[0]!)).not.toEqual(columns[0]);
  });

  it('masks members and forms that the type does not declare like any JSON', () => {
    expect(masked(nodePlacement, { node: 'node-1', more: { key: 'a', value: 'b' } })).toEqual({
      node: 'node-1',
      more: { key: 'a', value: '***' },
    });
    expect(masked(placementReason, { code: 'None', facts: { taint: { key: 'a', value: 'b' } } })).toEqual({
      code: 'None',
      facts: { taint: { key: 'a', value: '***' } },
    });
  });

  it('does not exist for a type in which nothing is masked', () => {
    const leaf = object('Leaf', '', { name: { type: 'identifier', description: '' } });
    expect(objectMask(object('Root', '', { of: { type: leaf, list: true, description: '' } }))).toBeUndefined();
  });

  it('collects flagged values with their keys, and not those of labels', () => {
    const found = new Map<string, Set<string>>();
    const value = {
      reasons: [
        { code: 'TopologyLabelMissing', plugin: 'p', message: 'm', facts: { topology: { key: 'zone', value: 'a' } } },
        { code: 'UntoleratedTaint', plugin: 'p', message: 'm', facts: { taint: { key: 'type', value: 'hound' } } },
      ],
    };
    objectMask(nodePlacement)!.collect(value, found);
    expect(found).toEqual(new Map([['type', new Set(['hound'])]]));
  });
});
