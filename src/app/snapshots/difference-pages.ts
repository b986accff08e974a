import type { NodeDifference } from '../../core/cluster/node-difference.js';
import type { WorkloadDifference } from '../../core/cluster/state-difference.js';
import type { Page, PageRequest } from '../../contract/page.js';
import type { difference, differenceHead } from '../../contract/snapshots/difference.js';
import type { Response } from '../../contract/schema.js';
import { pageOf } from '../paging/page.js';
import type { ListIdentity } from '../paging/page-token.js';
import type { RevisionsDifference } from './diff-revisions.js';

export function differenceHeadResponse({
  basis,
  from,
  difference,
}: RevisionsDifference): Response<typeof differenceHead> {
  const nodes = { added: 0, removed: 0, changed: 0 };
  for (const { change } of difference.nodes) nodes[change] += 1;
  return { basis, from, summary: { nodes, pods: difference.pods, workloads: difference.workloads.length } };
}

/** A page of both lists: first all nodes, then the workloads. */
export function differencePage(
  found: RevisionsDifference,
  request: PageRequest,
  list: ListIdentity,
): Response<typeof difference> {
  const { nodes, workloads } = found.difference;
  const items = [
    ...nodes.map((node) => ({ key: `0${node.node}`, node, workload: undefined })),
    ...workloads.map((workload) => ({ key: `1${workloadKey(workload)}`, node: undefined, workload })),
  ];
  const page = pageOf(items, ({ key }) => key, request, list, found.basis.revision);
  return {
    ...differenceHeadResponse(found),
    nodes: page.items.flatMap(({ item }) => item.node ?? []),
    workloads: page.items.flatMap(({ item }) => item.workload ?? []),
    continue: page.hasMore ? (page.items.at(-1)?.token ?? null) : null,
    remainingItemCount: page.remaining,
  };
}

/** A page of the nodes. */
export function nodeDifferences(found: RevisionsDifference, request: PageRequest): Page<NodeDifference> {
  return pageOf(found.difference.nodes, ({ node }) => node, request, ['diff nodes', ...identity(found)]);
}

/** A page of the workloads. */
export function workloadDifferences(found: RevisionsDifference, request: PageRequest): Page<WorkloadDifference> {
  return pageOf(found.difference.workloads, workloadKey, request, ['diff workloads', ...identity(found)]);
}

const workloadKey = ({ namespace, kind, name }: WorkloadDifference): string => `${namespace}\0${kind}\0${name}`;

function identity({ basis, from }: RevisionsDifference): ListIdentity {
  return [basis.cluster, from.revision, basis.revision, basis.scenario?.hash, basis.intents.included];
}
