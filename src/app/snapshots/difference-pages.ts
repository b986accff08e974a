import type { BudgetDifference } from '../../core/cluster/budget-difference.js';
import type { NodeDifference } from '../../core/cluster/node-difference.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import type { QuotaDifference } from '../../core/cluster/quota-difference.js';
import type { WorkloadDifference } from '../../core/cluster/state-difference.js';
import type { TolerationDifference } from '../../core/cluster/toleration-difference.js';
import type { Page, PageRequest } from '../../contract/page.js';
import type {
  difference,
  differenceHead,
  tolerationDifference as tolerationDifferenceObject,
} from '../../contract/snapshots/difference.js';
import type { Response } from '../../contract/schema.js';
import { pageOf } from '../paging/page.js';
import type { ListIdentity } from '../paging/page-token.js';
import { tolerationResponse } from '../pods/toleration-response.js';
import type { RevisionsDifference } from './diff-revisions.js';

export function differenceHeadResponse({
  basis,
  from,
  difference,
}: RevisionsDifference): Response<typeof differenceHead> {
  const { pods, workloads, tolerations, quotas, budgets } = difference;
  const nodes = { added: 0, removed: 0, changed: 0 };
  for (const { change } of difference.nodes) nodes[change] += 1;
  return {
    basis,
    from,
    summary: {
      nodes,
      pods,
      workloads: workloads.length,
      tolerations: tolerations.length,
      quotas: quotas?.length ?? null,
      budgets: budgets?.length ?? null,
    },
  };
}

/** A page of all lists: nodes, workloads, tolerations, quotas, budgets. */
export function differencePage(
  found: RevisionsDifference,
  request: PageRequest,
  list: ListIdentity,
): Response<typeof difference> {
  const { nodes, workloads, tolerations, quotas = [], budgets = [] } = found.difference;
  const items: DifferenceItem[] = [
    ...nodes.map((node) => ({ key: `0${node.node}`, node })),
    ...workloads.map((workload) => ({ key: `1${workloadKey(workload)}`, workload })),
    ...keyedTolerations(tolerations).map(({ key, toleration }) => ({ key: `2${key}`, toleration })),
    ...quotas.map((quota) => ({ key: `3${objectKey(quota)}`, quota })),
    ...budgets.map((budget) => ({ key: `4${objectKey(budget)}`, budget })),
  ];
  const page = pageOf(items, ({ key }) => key, request, list, found.basis.revision);
  return {
    ...differenceHeadResponse(found),
    nodes: page.items.flatMap(({ item }) => item.node ?? []),
    workloads: page.items.flatMap(({ item }) => item.workload ?? []),
    tolerations: page.items.flatMap(({ item }) => item.toleration ?? []).map(tolerationDifferenceResponse),
    quotas: page.items.flatMap(({ item }) => item.quota ?? []),
    budgets: page.items.flatMap(({ item }) => item.budget ?? []),
    continue: page.hasMore ? (page.items.at(-1)?.token ?? null) : null,
    remainingItemCount: page.remaining,
  };
}

/** A difference, with its place in the sequence of all. */
interface DifferenceItem {
  readonly key: string;
  readonly node?: NodeDifference;
  readonly workload?: WorkloadDifference;
  readonly toleration?: TolerationDifference;
  readonly quota?: QuotaDifference;
  readonly budget?: BudgetDifference;
}

/** A page of the nodes. */
export function nodeDifferences(found: RevisionsDifference, request: PageRequest): Page<NodeDifference> {
  return pageOf(found.difference.nodes, ({ node }) => node, request, ['diff nodes', ...identity(found)]);
}

/** A page of the workloads. */
export function workloadDifferences(found: RevisionsDifference, request: PageRequest): Page<WorkloadDifference> {
  return pageOf(found.difference.workloads, workloadKey, request, ['diff workloads', ...identity(found)]);
}

/** A page of the tolerations. */
export function tolerationDifferences(found: RevisionsDifference, request: PageRequest): Page<KeyedToleration> {
  const items = keyedTolerations(found.difference.tolerations);
  return pageOf(items, ({ key }) => key, request, ['diff tolerations', ...identity(found)]);
}

/** A page of the quotas. */
export function quotaDifferences(found: RevisionsDifference, request: PageRequest): Page<QuotaDifference> {
  return pageOf(found.difference.quotas ?? [], objectKey, request, ['diff quotas', ...identity(found)]);
}

/** A page of the budgets. */
export function budgetDifferences(found: RevisionsDifference, request: PageRequest): Page<BudgetDifference> {
  return pageOf(found.difference.budgets ?? [], objectKey, request, ['diff budgets', ...identity(found)]);
}

export function tolerationDifferenceResponse(
  difference: TolerationDifference,
): Response<typeof tolerationDifferenceObject> {
  const { before, after } = difference;
  return {
    ...difference,
    before: before?.map(tolerationResponse) ?? null,
    after: after?.map(tolerationResponse) ?? null,
  };
}

const workloadKey = ({ namespace, kind, name }: Workload): string => `${namespace}\0${kind}\0${name}`;

const objectKey = ({ namespace, name }: QuotaDifference | BudgetDifference): string => `${namespace}\0${name}`;

interface KeyedToleration {
  readonly key: string;
  readonly toleration: TolerationDifference;
}

/** Several differences of one field of a workload are told apart by number: their values must not be in page tokens. */
function keyedTolerations(tolerations: readonly TolerationDifference[]): readonly KeyedToleration[] {
  return tolerations.map((toleration, index) => ({
    key: `${workloadKey(toleration)}\0${toleration.field}\0${String(index).padStart(9, '0')}`,
    toleration,
  }));
}

function identity({ basis, from }: RevisionsDifference): ListIdentity {
  return [basis.cluster, from.revision, basis.revision, basis.scenario?.hash, basis.intents.included];
}
