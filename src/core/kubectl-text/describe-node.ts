import type { Allocated, AllocationTable, ResourceAllocation } from '../allocation/allocation-table.js';
import { alignColumns } from './align-columns.js';
import { humanDuration } from './human-duration.js';

/** These tables share their first column with `  Container Runtime Version:` above them, which sets its width. */
const BESIDE_SYSTEM_INFO = 30;

/**
 * The last part of the output of `kubectl describe node`, from `Non-terminated Pods:` on, without the events.
 *
 * @param now in milliseconds since the epoch; the age of a pod without a creation time is `<unknown>`
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/describe/describe.go, `describeNodeResource`.
 */
export function describeNodeResources(table: AllocationTable, { now }: { readonly now: number }): string {
  const lines = [
    'Allocated resources:',
    '  (Total limits may be over 100 percent, i.e., overcommitted.)',
    '  Resource\tRequests\tLimits',
    '  --------\t--------\t------',
    ...table.resources.map(({ resource, requests, limits }: ResourceAllocation) =>
      [`  ${resource}`, formatAllocated(requests), formatAllocated(limits)].join('\t'),
    ),
  ];
  // The first line has no cells, so the columns above end there.
  return describeNodePods(table, { now }) + alignColumns(lines, { atLeast: 0 });
}

/** Only the first of the two tables. */
export function describeNodePods({ pods }: Pick<AllocationTable, 'pods'>, { now }: { readonly now: number }): string {
  const lines = [
    `Non-terminated Pods:\t(${pods.length} in total)`,
    '  Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge',
    '  ---------\t----\t\t------------\t----------\t---------------\t-------------\t---',
    ...pods.map(({ share, cpuRequests, cpuLimits, memoryRequests, memoryLimits }) => {
      const amounts = [cpuRequests, cpuLimits, memoryRequests, memoryLimits].map(formatAllocated);
      return [`  ${share.namespace}`, share.name, '', ...amounts, age(share.creationTimestamp, now)].join('\t');
    }),
  ];
  return alignColumns(lines, { atLeast: BESIDE_SYSTEM_INFO });
}

const formatAllocated = ({ quantity, percent }: Allocated): string =>
  percent === undefined ? quantity.toString() : `${quantity.toString()} (${percent}%)`;

/** `translateTimestampSince` */
function age(creationTimestamp: string, now: number): string {
  const createdAt = Date.parse(creationTimestamp);
  return Number.isNaN(createdAt) ? '<unknown>' : humanDuration(now - createdAt);
}
