import type { AttributedChange } from '../../core/audit/attributed-change.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import { redoChange } from '../../core/taint-change/redo-change.js';
import { stepTaintEffects } from '../../core/taint-effects/step-taint-effects.js';
import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { RevisionNotFound } from '../../storage/storage-error.js';
import type { Trail } from '../../storage/taint-trail/trail-catalogue.js';
import { TrailReader } from '../../storage/taint-trail/trail-reader.js';
import type { RequestContext } from '../request-context.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { StoredStates } from '../states/stored-states.js';
import { TimeSlices } from '../states/time-slices.js';
import { contentOf, type RecordResponse } from './record-response.js';

/** The effects of a change on pods and workloads at its time, as far as they are known. */
export interface RecordEffects {
  /**
   * `recorded`: computed when this service made the change, for all of its nodes; `computed`: computed now, from the
   * last snapshot before the change and this change alone; `unknown`: see `why`.
   */
  readonly source: 'recorded' | 'computed' | 'unknown';
  /** The record or revision that the effects come from. */
  readonly sequence: number | null;
  readonly revision: number | null;
  readonly effects: TaintEffects | null;
  /** Why the effects are unknown; null if they are known. */
  readonly why: string | null;
}

const BUDGET_MS = 30_000;
const MAX_LISTED = 100;

/** Determines the effects of a recorded change at its time. */
export class EffectsOfRecord {
  constructor(
    private readonly reader: TrailReader,
    private readonly revisions: RevisionStore,
    private readonly states: StoredStates,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} `cancelled`, `budget-exceeded` */
  async run(record: RecordResponse, trail: Trail, { signal }: Pick<RequestContext, 'signal'>): Promise<RecordEffects> {
    if (record.kind === 'request') return recorded(record.sequence, record.body['effects']);
    if (record.kind !== 'change') return unknown('Only changes affect pods and workloads.');
    if (record.channel === 'api') return this.ofRequest(record);
    if (record.deviceTaintRule !== null)
      return unknown('An eviction schedule of the revision says what device taints do.');
    const change = record.body as unknown as AttributedChange;
    if (change.difference === null) return unknown('The state of the node before the change is unknown.');
    if (change.life === 'created') return unknown('The change created the node, so it had no pods.');
    if (change.life === 'deleted') return unknown('The change deleted the node with its pods, whatever its taints.');
    const revision = change.observedBefore?.revision;
    if (revision === undefined) return unknown('No snapshot shows the cluster before the change.');
    const before = await this.stateAt(trail, revision, signal);
    if (before === undefined)
      return unknown(`Revision ${revision}, the last one before the change, is no longer stored.`);
    const index = before.nodes.indexOf(change.node);
    if (index < 0) return unknown(`Revision ${revision}, the last one before the change, does not contain the node.`);
    return this.computed(before, before.nodes.node(index), change, revision, signal);
  }

  private async computed(
    before: ClusterState,
    node: Node,
    { difference, when }: AttributedChange,
    revision: number,
    signal: AbortSignal,
  ): Promise<RecordEffects> {
    const after = before.apply({ upserts: [redoChange(node, difference!)], deletes: [] });
    const shapes = await this.digests.workloadShapes(before);
    this.digests.sharePods(before, after);
    const now = when.kind === 'point' ? when.at : when.to;
    const options = { gates: gatesOf(before.rules), now, shapes, mostListed: MAX_LISTED };
    const effects = await runSteps(
      stepTaintEffects(before, after, [node.metadata.name], options),
      new TimeSlices({ budgetMs: BUDGET_MS, signal }),
    );
    return { source: 'computed', sequence: null, revision, effects, why: null };
  }

  /** A change by this service has the effects of all of its nodes together. */
  private async ofRequest({ clusterId, change }: RecordResponse): Promise<RecordEffects> {
    if (change === null) return unknown('The record does not name its change.');
    const [request] = await this.reader.page(clusterId, { change, kinds: ['request'] }, { limit: 1, order: 'oldest' });
    if (request === undefined) return unknown('The record of the request is missing.');
    const { effects } = contentOf(request) as unknown as { readonly effects?: unknown };
    return recorded(request.sequence, effects);
  }

  /** The state as it was observed, without unconfirmed changes of this service; undefined if it is not stored. */
  private async stateAt(trail: Trail, number: number, signal: AbortSignal): Promise<ClusterState | undefined> {
    const revision = await this.revisions.get(trail.clusterId, number);
    if (revision === undefined) return undefined;
    try {
      return await this.states.of(revision, 'exclude', { signal });
    } catch (error) {
      if (error instanceof RevisionNotFound) return undefined;
      throw error;
    }
  }
}

function recorded(sequence: number, effects: unknown): RecordEffects {
  if (effects === undefined) return unknown('The record of the request does not contain its effects.');
  return { source: 'recorded', sequence, revision: null, effects: effects as TaintEffects, why: null };
}

function unknown(why: string): RecordEffects {
  return { source: 'unknown', sequence: null, revision: null, effects: null, why };
}
