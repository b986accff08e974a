import type { Workload } from '../../core/cluster/pod-table.js';
import { barringTaints, podsAllowed, type AllowedEntry, type PodsAllowed } from '../../core/inventory/pods-allowed.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { DEFAULT_GATES } from '../gates.js';
import { nodeNotFound } from '../nodes/get-node.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page, PageRequest } from '../../contract/page.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState, type StateReading } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { readTaints, type GivenTaint } from '../taints/given-taint.js';
import { taintView, type TaintView } from '../taints/taint-view.js';

export interface ListPodsAllowedRequest {
  readonly cluster: string;
  readonly readAt: ReadAt;
  /** A stored node, or taints that a node might have. */
  readonly on: { readonly node: string } | { readonly taints: readonly GivenTaint[] };
  /** Only entries that are allowed, or only those that are not. */
  readonly allowed?: boolean | undefined;
  readonly namespace?: string | undefined;
  readonly page: PageRequest;
}

export interface AllowedEntryView {
  readonly workload: Workload;
  readonly allowed: boolean;
  readonly pods: number;
  /** `namespace/name` of a few of them. */
  readonly examples: readonly string[];
  readonly untolerated: readonly TaintView[];
  readonly discouraged: readonly TaintView[];
}

export interface PodsAllowedAnswer {
  readonly basis: Basis;
  /** What the pods were held against: for a cordoned node with the taint of its cordon. */
  readonly taints: readonly TaintView[];
  readonly pods: PodsAllowed['pods'];
  readonly workloads: PodsAllowed['workloads'];
  readonly page: Page<AllowedEntryView>;
}

/** Which pods, by workload, tolerate a node, or taints before anybody sets them; and what the others lack. */
export class ListPodsAllowed {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /**
   * @throws {InvalidRequestError} a taint cannot be read
   * @throws {ServiceError} `object-not-found` for the node; `invalid-object` for taints that the API server would refuse
   */
  async run(request: ListPodsAllowedRequest, edge: RequestContext): Promise<PodsAllowedAnswer> {
    const { cluster, readAt, on, allowed, namespace, page } = request;
    const given = 'taints' in on ? readTaints(on.taints) : undefined;
    const what = 'node' in on ? on.node : stringifyJson(given);
    const name = ['pods-allowed', 'node' in on, what, allowed, namespace];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, name, page, edge);
    const taints = 'node' in on ? taintsOfNode(state, on.node) : given!;
    const answer = podsAllowed(state, await this.digests.podGroups(state), taints, DEFAULT_GATES);
    const entries = answer.entries.filter(
      (entry) =>
        (allowed === undefined || entry.allowed === allowed) &&
        (namespace === undefined || entry.workload.namespace === namespace),
    );
    const view = ({ workload, examples, untolerated, discouraged, ...entry }: AllowedEntry): AllowedEntryView => ({
      ...entry,
      workload: { kind: workload.kind, namespace: workload.namespace, name: workload.name },
      examples: examples.map((index) => state.pods.key(index)),
      untolerated: untolerated.map(taintView),
      discouraged: discouraged.map(taintView),
    });
    return {
      basis,
      taints: taints.map(taintView),
      pods: answer.pods,
      workloads: answer.workloads,
      page: mapPage(pageByPosition(entries, page, list, basis.revision), view),
    };
  }
}

function taintsOfNode({ nodes }: StateReading['state'], name: string): readonly Taint[] {
  const index = nodes.indexOf(name);
  if (index < 0) throw nodeNotFound(name);
  return barringTaints(nodes.node(index));
}
