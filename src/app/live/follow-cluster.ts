import type { followParameters } from '../../contract/clusters/follow-request.js';
import type { Request } from '../../contract/schema.js';
import type { ClusterHistory, HistoryEnd, HistoryPlace } from '../../storage/cluster-history.js';
import type { RevisionStore } from '../../storage/revision-store.js';
import { ClusterNotFound } from '../../storage/storage-error.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { type ErrorDetail, ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import { CLUSTER_EVENT_TYPES, type ClusterEventType } from './cluster-events.js';
import { type EventPosition, readPosition } from './event-position.js';
import type { EventStream } from './event-stream.js';
import { LiveStreams } from './live-streams.js';
import { resumeGone } from './resume-gone.js';

export type FollowRequest = Request<typeof followParameters> & {
  readonly cluster: string;
  /** The REST header with the id of the last event received; takes precedence over `after`. */
  readonly lastEventId?: string | undefined;
};

/** Opens an event stream for a cluster. */
export class FollowCluster {
  constructor(
    private readonly getCluster: GetCluster,
    private readonly history: ClusterHistory,
    private readonly streams: LiveStreams,
    private readonly revisions: RevisionStore,
  ) {}

  /**
   * @throws {ClusterNotFound}
   * @throws {InvalidRequestError} `after` is not an event id, or is in the future
   * @throws {ServiceError} `resume-gone`: the events after it are no longer stored; `too-many-streams`; `shutting-down`
   */
  async run(
    { cluster, lastEventId = '', types, follow = true, ...request }: FollowRequest,
    context: RequestContext,
  ): Promise<EventStream> {
    const after = lastEventId === '' ? request.after : lastEventId;
    const afterName = lastEventId === '' ? 'after' : 'Last-Event-ID';
    const requested = after === undefined ? undefined : readAfter(after, afterName);
    const { id } = await this.getCluster.run(cluster);
    const end = await this.history.end(id);
    if (end === undefined) throw new ClusterNotFound(cluster);
    const wanted = new Set(types ?? CLUSTER_EVENT_TYPES);
    const position =
      requested === undefined ? { clusterId: id, ...placeOf(end) } : await this.resolve(requested, id, end, afterName);
    if (wanted.has('headChanged') && end.oldest !== null && position.revision + 1 < end.oldest) {
      throw resumeGone(end.oldest);
    }
    const from = await this.withEvictions(position, wanted, { resumes: requested !== undefined, now: context.now });
    return this.streams.follow({ after: from, types: wanted, follow }, context);
  }

  /**
   * Adds the position of evictions, if it is missing: from now on or, for a reader that resumes, from the time at which its revision was
   * received. Without it, a change between this moment and the first schedule that is computed would not be announced.
   */
  private async withEvictions(
    position: EventPosition,
    types: ReadonlySet<ClusterEventType>,
    { resumes, now }: { readonly resumes: boolean; readonly now: Date },
  ): Promise<EventPosition> {
    const watches = types.has('scheduleChanged') || types.has('evictionDue');
    if (!watches || position.evictions !== undefined) return position;
    const { clusterId, revision } = position;
    // There is no schedule before the first snapshot.
    if (!resumes && revision === 0) return position;
    const came = resumes ? ((await this.revisions.get(clusterId, revision))?.receivedAt ?? now) : now;
    return { ...position, evictions: { schedule: revision, dueBy: revision, dueUntil: came.getTime() } };
  }

  private async resolve(
    requested: EventPosition | number,
    clusterId: number,
    end: HistoryEnd,
    afterName: string,
  ): Promise<EventPosition> {
    if (typeof requested === 'number') {
      if (requested > end.revision) throw inTheFuture(end, afterName);
      const [sequence, turn, disagreement] = await Promise.all([
        this.history.sequenceAt(clusterId, requested),
        this.history.turnAt(clusterId, requested),
        this.history.disagreementAt(clusterId, requested),
      ]);
      return { clusterId, ...placeOf({ revision: requested, sequence, turn, disagreement }) };
    }
    if (requested.clusterId !== clusterId) {
      throw new ServiceError(
        'resume-gone',
        'The id belongs to a deleted cluster of the same name. Follow the current cluster from its first revision, or without after.',
      );
    }
    const isLater = requested.revision > end.revision || requested.sequence > end.sequence;
    const hasNot = (member: 'turn' | 'disagreement'): boolean => (requested[member] ?? 0) > (end[member] ?? 0);
    if (isLater || hasNot('turn') || hasNot('disagreement')) throw inTheFuture(end, afterName);
    return requested;
  }
}

/** The error in the text of an event id; undefined if valid. */
export function faultOfAfter(text: string, field: string): ErrorDetail | undefined {
  if (readPosition(text) !== undefined) return undefined;
  return { field, code: 'isPosition', message: 'must be the id of an event or a revision number' };
}

function readAfter(text: string, field: string): EventPosition | number {
  const position = readPosition(text);
  if (position === undefined) throw new InvalidRequestError([faultOfAfter(text, field)!]);
  return position;
}

function inTheFuture({ revision }: HistoryEnd, field: string): InvalidRequestError {
  const message = `is in the future: the head is revision ${revision}`;
  return new InvalidRequestError([{ field, code: 'isPast', message }]);
}

const placeOf = ({ revision, sequence, turn = 0, disagreement = 0 }: HistoryPlace): HistoryPlace => ({
  revision,
  sequence,
  ...(turn > 0 && { turn }),
  ...(disagreement > 0 && { disagreement }),
});
