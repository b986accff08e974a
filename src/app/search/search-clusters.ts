import {
  DEFAULT_LOADED,
  DEFAULT_PER_KIND,
  MOST_SEARCHED,
  SEARCH_KINDS,
  type search,
} from '../../contract/search/search.js';
import type { AnswerTo } from '../../contract/question.js';
import { Best } from '../../core/collections/best.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { MATCHES, NameSearch, NO_MATCH } from '../../core/inventory/name-search.js';
import { isWorkloadKind, searchState, type CountedTaints, type Found } from '../../core/inventory/search-state.js';
import { compare } from '../../core/json/compare.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { ClusterStore, type Cluster } from '../../storage/cluster-store.js';
import { authorize } from '../authorize.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { serviceErrorOf } from '../errors/service-error-of.js';
import type { ReadAt } from '../reads/read-at.js';
import { readMoment } from '../reads/read-moment.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ClusterStates } from '../states/cluster-states.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { taintResponse } from '../taints/taint-response.js';
import { MASK } from '../withheld-values.js';

type Answer = AnswerTo<typeof search>;
type Hit = Answer['groups'][number]['hits'][number];
type Kind = (typeof SEARCH_KINDS)[number];

/** A hit that is not rendered yet. */
interface Candidate {
  readonly rank: number;
  /** Of the cluster that was asked for. */
  readonly isOwn: boolean;
  readonly name: string;
  readonly cluster: string;
  readonly state: ClusterState | undefined;
  readonly found: Found | undefined;
}

interface Kept {
  total: number;
  readonly best: Best<Candidate>;
}

/** Searches the names of clusters and of what is in them. */
export class SearchClusters {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
    private readonly states: ClusterStates,
  ) {}

  /** @throws {ServiceError} of the given cluster; what cannot be read of another is left out */
  async run(request: RequestOf<typeof search>, context: RequestContext): Promise<Answer> {
    const { text, cluster: own, moment, elsewhere = true, perKind = DEFAULT_PER_KIND, load = DEFAULT_LOADED } = request;
    const wanted = new NameSearch(text);
    const ownAt = moment === undefined ? {} : readMoment(moment, 'moment');
    const faults = [
      ...(wanted.isEmpty ? [{ field: 'text', code: 'isNotEmpty', message: 'text must not be blank' }] : []),
      ...(moment !== undefined && own === undefined
        ? [{ field: 'moment', code: 'needsCluster', message: 'moment is about a cluster; give cluster, too' }]
        : []),
    ];
    if (faults.length > 0) throw new InvalidRequestError(faults);
    const kept = new Map<Kind, Kept>();
    const add = (kind: Kind, candidate: Candidate): void => {
      let ofKind = kept.get(kind);
      if (ofKind === undefined) kept.set(kind, (ofKind = { total: 0, best: new Best(perKind, before) }));
      ofKind.total++;
      ofKind.best.add(candidate);
    };
    const slices = new TimeSlices({ signal: context.signal });
    const through = async (cluster: string, readAt: ReadAt) => {
      const { basis, state } = await this.readState.run(cluster, readAt, context);
      const names = await this.digests.names(state);
      const taints = visible((await this.digests.overview(state)).taints, context.access.seesTaintValues(cluster));
      const isOwn = cluster === own;
      const steps = searchState(state, names, taints, wanted, (found) =>
        add(found.kind, { rank: found.rank, isOwn, name: found.name, cluster, state, found }),
      );
      await runSteps(steps, slices);
      return basis;
    };
    let searched = 0;
    let basis: Answer['basis'] = null;
    if (own !== undefined) {
      authorize(context, 'read', own);
      basis = await through(own, ownAt);
      searched++;
    }
    const others = elsewhere || own === undefined ? await this.clusters.list() : [];
    const readable = others.filter(({ name }) => context.access.may('read', name));
    for (const { name } of readable) {
      const rank = wanted.rank(name);
      if (rank === NO_MATCH) continue;
      add('cluster', { rank, isOwn: name === own, name, cluster: name, state: undefined, found: undefined });
    }
    const rest = readable.filter(({ name, headRevision }) => name !== own && headRevision > 0);
    for (const { name } of this.toSearch(rest, load)) {
      try {
        authorize(context, 'read', name);
        await through(name, {});
        searched++;
      } catch (thrown) {
        const error = serviceErrorOf(thrown);
        // One cluster that cannot be read, or was just deleted, hides no other.
        if (error.code === 'cancelled' || error.code === 'shutting-down') throw error;
      }
    }
    const groups = [...kept]
      .map(([kind, { total, best }]) => ({ kind, total, hits: best.sorted() }))
      .sort((a, b) => a.hits[0]!.rank - b.hits[0]!.rank || SEARCH_KINDS.indexOf(a.kind) - SEARCH_KINDS.indexOf(b.kind));
    return {
      basis,
      groups: groups.map(({ hits, ...group }) => ({ ...group, hits: hits.map(hitOf) })),
      searched,
      unsearched: rest.length + (own === undefined ? 0 : 1) - searched,
    };
  }

  /** The clusters with a state in memory, and a few more. */
  private toSearch(clusters: readonly Cluster[], load: number): readonly Cluster[] {
    const known = clusters.filter(({ id }) => this.states.knows(id));
    const unknown = clusters.filter((cluster) => !known.includes(cluster)).slice(0, load);
    return [...known, ...unknown].slice(0, MOST_SEARCHED);
  }
}

/** Better matches first, then those in the cluster that was asked for, then shorter names. */
function before(a: Candidate, b: Candidate): number {
  return (
    a.rank - b.rank ||
    Number(b.isOwn) - Number(a.isOwn) ||
    a.name.length - b.name.length ||
    compare(a.name, b.name) ||
    compare(a.cluster, b.cluster) ||
    compare(detailOf(a), detailOf(b))
  );
}

/** What tells equal names of one cluster apart. */
function detailOf({ found, state }: Candidate): string {
  if (found?.kind === 'pod') return state!.pods.namespace(found.index);
  if (found?.kind === 'workload') return `${found.workload.namespace} ${found.workload.kind}`;
  return found?.kind === 'taint' ? formatTaint(found.taint) : '';
}

/** The taints as the caller may see them: values that are withheld are not searched, and do not tell taints apart. */
function visible(taints: CountedTaints, seesValues: boolean): CountedTaints {
  if (seesValues) return taints;
  const byText = new Map<string, CountedTaints[number]>();
  for (const { taint, nodes } of taints) {
    const hidden = (taint.value ?? '') === '' ? taint : { ...taint, value: MASK };
    const text = formatTaint(hidden);
    // A node has a key with an effect at most once (k8s.io/kubernetes v1.36.2, validateNodeTaints), so nodes are not counted twice.
    byText.set(text, { taint: hidden, nodes: nodes + (byText.get(text)?.nodes ?? 0) });
  }
  return [...byText.values()];
}

function hitOf({ rank, cluster, name, state, found }: Candidate): Hit {
  const hit: Hit = {
    cluster,
    match: MATCHES[rank]!,
    namespace: null,
    name,
    workloadKind: null,
    isStored: null,
    taint: null,
    node: null,
    phase: null,
    ready: null,
    unschedulable: null,
    nodes: null,
    pods: null,
  };
  switch (found?.kind) {
    case undefined:
      return hit;
    case 'node': {
      const { nodes } = state!;
      const conditions = nodes.node(found.index).status?.conditions ?? [];
      const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
      return { ...hit, ready, unschedulable: nodes.unschedulable[found.index] === 1 };
    }
    case 'pod': {
      const { pods } = state!;
      const node = pods.nodeName(found.index);
      const phase = pods.phase(found.index);
      const namespace = pods.namespace(found.index);
      return { ...hit, namespace, node: node === '' ? null : node, phase: phase === '' ? null : phase };
    }
    case 'workload': {
      const { kind, namespace } = found.workload;
      // Of kinds that are not kept, nothing is stored.
      const isStored = isWorkloadKind(kind) && state!.find(kind, namespace, name) !== undefined;
      return { ...hit, namespace, workloadKind: kind, isStored, pods: found.pods };
    }
    case 'namespace':
      return { ...hit, pods: found.pods };
    case 'taint':
      return { ...hit, taint: taintResponse(found.taint), nodes: found.nodes };
  }
}
