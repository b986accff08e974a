import type { Allocated, AllocationTable, ResourceAllocation } from '../allocation/allocation-table.js';
import { alignColumns } from './align-columns.js';
import { humanDuration } from './human-duration.js';

/** `  Container Runtime Version:` stands above these tables, and its column goes on. */
const BESIDE_SYSTEM_INFO = 30;

/**
 * The end of what `kubectl describe node` prints, from `Non-terminated Pods:` on, without the events.
 *
 * @param now in milliseconds since the epoch; pods without a creation time are of `<unknown>` age
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
  // The first line has no cells, so that no column goes on into it.
  return describeNodePods(table, { now }) + alignColumns(lines, { atLeast: 0 });
}

/** The first of the two tables alone. */
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
