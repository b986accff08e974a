import type { decisionOutcome, workloadOutcome } from '../../contract/decisions/decision.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { isKeptKind } from '../../core/kubernetes/kinds.js';
import { ClusterHistory } from '../../storage/cluster-history.js';
import type { Decision, DecisionWorkload } from '../../storage/decisions/decision.js';
import { ObjectHistory, type ObjectSpan } from '../../storage/decisions/object-history.js';
import { RevisionStore } from '../../storage/revision-store.js';
import type { Revision } from '../../storage/revision.js';
import { ServiceError } from '../errors/service-error.js';
import { ResolveRevision, type ResolvedRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import { StoredStates } from '../states/stored-states.js';

type WorkloadOutcome = Response<typeof workloadOutcome>;

/** What the cluster did after a decision; `note` says why that is not known. */
export type FoundOutcome =
  | { readonly outcome: Response<typeof decisionOutcome>; readonly outcomeNote: null }
  | { readonly outcome: null; readonly outcomeNote: string };

const MAX_WORKLOADS = 200;
const MAX_NODES = 100;

/** Reads from stored revisions what became of the workloads of a decision. */
export class DecisionOutcome {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly revisions: RevisionStore,
    private readonly states: StoredStates,
    private readonly history: ClusterHistory,
    private readonly objects: ObjectHistory,
  ) {}

  async of(decision: Decision, context: RequestContext): Promise<FoundOutcome> {
    const { clusterId, clusterName, revision } = decision;
    const head = await this.head(clusterName, context);
    if (head?.cluster.id !== clusterId) return unknown('The cluster was deleted.');
    const { number } = head.revision;
    if (number <= revision) return unknown('No later revision is stored yet.');
    const workloads = decision.workloads.slice(0, MAX_WORKLOADS);
    const state = await this.states.of(head.revision, 'include', context);
    const pods = podsOf(state, workloads);
    const spans = await this.objects.spans(clusterId, revision, workloads);
    const end = await this.history.end(clusterId);
    const decided: Decided = {
      revision,
      stored: await this.revisions.get(clusterId, revision),
      oldest: end?.oldest ?? number,
    };
    const found = workloads.map((workload, index) => ({
      ...workload,
      ...statusOf(workload, spans[index]!, decided, state),
      ...pods(workload),
    }));
    const times = await this.captureTimes(
      clusterId,
      found.map(({ sinceRevision }) => sinceRevision),
    );
    const outcomes: WorkloadOutcome[] = found.map((one) => ({
      ...one,
      since: one.sinceRevision === null ? null : (times.get(one.sinceRevision) ?? null),
    }));
    return {
      outcome: { revision: number, capturedAt: head.revision.capturedAt, workloads: outcomes },
      outcomeNote: null,
    };
  }

  /** Undefined for a deleted cluster. */
  private async head(cluster: string, context: RequestContext): Promise<ResolvedRevision | undefined> {
    try {
      return await this.resolveRevision.resolve(cluster, {}, context.now);
    } catch (error) {
      if (error instanceof ServiceError && ['cluster-not-found', 'no-snapshot'].includes(error.code)) return undefined;
      throw error;
    }
  }

  private async captureTimes(
    clusterId: number,
    numbers: readonly (number | null)[],
  ): Promise<ReadonlyMap<number, Date>> {
    const wanted = [...new Set(numbers.filter((number) => number !== null))];
    const found = await Promise.all(wanted.map((number) => this.revisions.get(clusterId, number)));
    return new Map(
      found.flatMap((revision) => (revision === undefined ? [] : [[revision.number, revision.capturedAt]])),
    );
  }
}

const unknown = (outcomeNote: string): FoundOutcome => ({ outcome: null, outcomeNote });

/** The revision of the decision. */
interface Decided {
  readonly revision: number;
  /** Undefined if it is no longer stored. */
  readonly stored: Revision | undefined;
  /** The oldest stored revision. */
  readonly oldest: number;
}

type Status = Pick<WorkloadOutcome, 'status' | 'sinceRevision' | 'note'>;

/** @param spans the stored versions of the workload that are valid after the revision of the decision, oldest first */
function statusOf(
  { kind, name }: DecisionWorkload,
  spans: readonly ObjectSpan[],
  { revision, stored, oldest }: Decided,
  head: ClusterState,
): Status {
  const since = spans.find(({ from }) => from > revision)?.from ?? null;
  const not = (note: string): Status => ({ status: 'unknown', sinceRevision: since, note });
  if (name === '') return not('The name of the workload is generated when it is created.');
  if (!isKeptKind(kind)) return not(`Objects of kind ${kind} are not stored.`);
  if (!head.loadedKinds.has(kind)) return not(`No snapshot has contained the kind ${kind}.`);
  const existed = spans.some(({ from }) => from <= revision);
  if (!existed && revision < oldest) {
    return not(
      'The revision of the decision is no longer stored, so it is not known whether the workload existed then.',
    );
  }
  if (!existed && stored?.loadedKinds.includes(kind) === false) {
    return not(`The revision of the decision has no objects of kind ${kind}.`);
  }
  const last = spans.at(-1);
  if (last === undefined) return { status: 'missing', sinceRevision: null, note: null };
  if (last.to !== null) return { status: 'removed', sinceRevision: last.to, note: null };
  if (!existed) return { status: 'added', sinceRevision: since, note: null };
  return { status: since === null ? 'unchanged' : 'changed', sinceRevision: since, note: null };
}

type Pods = Pick<WorkloadOutcome, 'bound' | 'pending' | 'nodes'>;

/** Counts the pods of all these workloads at once; terminated pods do not count. */
function podsOf({ pods }: ClusterState, workloads: readonly DecisionWorkload[]): (workload: DecisionWorkload) => Pods {
  const counts = new Map(
    workloads.map((one) => [keyOf(one), { bound: 0, pending: 0, nodes: new Map<string, number>() }]),
  );
  for (let pod = 0; pod < pods.count; pod += 1) {
    if (!pods.active(pod)) continue;
    const count = counts.get(keyOf(pods.workload(pod)));
    if (count === undefined) continue;
    const node = pods.nodeName(pod);
    if (node === '') count.pending += 1;
    else {
      count.bound += 1;
      count.nodes.set(node, (count.nodes.get(node) ?? 0) + 1);
    }
  }
  return (workload) => {
    if (workload.name === '') return { bound: null, pending: null, nodes: [] };
    const { bound, pending, nodes } = counts.get(keyOf(workload))!;
    const byName = [...nodes].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, MAX_NODES);
    return { bound, pending, nodes: byName.map(([name, count]) => ({ name, pods: count })) };
  };
}

const keyOf = ({ kind, namespace, name }: DecisionWorkload): string => `${kind}\0${namespace}\0${name}`;
