import { describe, expect, it } from '@jest/globals';
import { Quantity } from '../kubernetes/quantity.js';
import { allocationTable } from '../allocation/allocation-table.js';
import { podAmounts } from '../allocation/pod-share.js';
import { describeNodeResources } from './describe-node.js';
import { describeTaints, describeTolerations } from './describe-taints.js';
import { humanDuration } from './human-duration.js';

const KATA = podAmounts({
  spec: {
    containers: ['500m', '1500m'].map((cpu) => {
      const amounts = { cpu, memory: '100Mi' };
      return { name: cpu, resources: { requests: amounts, limits: amounts } };
    }),
    overhead: { cpu: '250m', memory: '120Mi' },
  },
});

describe('describeNodeResources', () => {
  it("shows the pod's age, and overhead in the pod and in the sums", () => {
    const allocatable = new Map([
      ['cpu', Quantity.parse('4')],
      ['memory', Quantity.parse('8Gi')],
    ]);
    const share = { namespace: 'shop', name: 'test-pod', creationTimestamp: '2026-01-15T12:00:00Z', ...KATA };
    const now = Date.parse('2026-01-15T15:05:00Z');
    expect(describeNodeResources(allocationTable(allocatable, [share]), { now })).toBe(
      `Non-terminated Pods:          (1 in total)
  Namespace                   Name        CPU Requests  CPU Limits   Memory Requests  Memory Limits  Age
  ---------                   ----        ------------  ----------   ---------------  -------------  ---
  shop                        test-pod    2250m (56%)   2250m (56%)  320Mi (3%)       320Mi (3%)     3h5m
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests     Limits
  --------           --------     ------
  cpu                2250m (56%)  2250m (56%)
  memory             320Mi (3%)   320Mi (3%)
  ephemeral-storage  0 (0%)       0 (0%)
`,
    );
  });

  it('escapes characters that a terminal would interpret', () => {
    expect(describeTaints([{ key: 'a', value: '\u001b[2J\r', effect: 'NoSchedule' }])).toBe(
      'Taints:             a=^[[2J\\r:NoSchedule\n',
    );
  });
});

describe('describeTaints and describeTolerations', () => {
  it('show <none> for empty lists', () => {
    expect(describeTaints([])).toBe('Taints:             <none>\n');
    expect(describeTolerations([])).toBe('Tolerations:     <none>\n');
  });
});

describe('humanDuration', () => {
  const S = 1000;
  const M = 60 * S;
  const H = 60 * M;
  const D = 24 * H;
  it.each([
    [-2 * S, '<invalid>'],
    [-1 * S, '0s'],
    [-999, '0s'],
    [119 * S, '119s'],
    [2 * M, '2m'],
    [10 * M - S, '9m59s'],
    [10 * M, '10m'],
    [3 * H - S, '179m'],
    [3 * H, '3h'],
    [8 * H - S, '7h59m'],
    [47 * H, '47h'],
    [2 * D, '2d'],
    [8 * D - S, '7d23h'],
    [8 * D, '8d'],
    [731 * D, '2y1d'],
    [8 * 365 * D + D, '8y'],
  ])('writes %d ms as %s', (duration, text) => {
    expect(humanDuration(duration)).toBe(text);
  });
});
