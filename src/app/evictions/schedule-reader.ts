import { without } from '../../core/collections/without.js';
import { holdsFrom } from '../../storage/revision.js';
import { faultAt } from '../errors/fault-at.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { readPageToken } from '../paging/page-token.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import { stateUnderGates } from '../reads/state-under-gates.js';
import type { RequestContext } from '../request-context.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { EvictionMemory, type RememberedPast } from './eviction-memory.js';
import { placeIn, stepReadQuestion, type ReadQuestion } from './read-question.js';
import { stepScheduleIdentity, type ScheduleRequest } from './schedule-request.js';

/** A request for an eviction schedule, with all the stored data it depends on. */
export interface ScheduleReading {
  readonly request: ScheduleRequest;
  readonly basis: Basis;
  readonly question: ReadQuestion;
  readonly past: RememberedPast;
}

/** Reads the input of an eviction schedule: the states, the request, and the past. */
export class ScheduleReader {
  constructor(
    private readonly readState: ReadState,
    private readonly memory: EvictionMemory,
  ) {}

  /** @throws {InvalidRequestError} with every error in the request; {ServiceError} as `ReadState`; `cancelled` */
  async run(request: ScheduleRequest, context: RequestContext): Promise<ScheduleReading> {
    const { cluster } = request;
    const slices = new TimeSlices({ signal: context.signal });
    const readAt = await readAtOf(request, slices);
    const stored = await this.readState.run(cluster, without(readAt, 'scenario'), context);
    const asked = readAt.scenario === undefined ? stored : await this.readState.run(cluster, readAt, context);
    const { revision } = stored;
    const steps = stepReadQuestion(request, {
      state: stateUnderGates(asked.state, request.featureGates),
      stored: stateUnderGates(stored.state, request.featureGates),
      seenAt: revision.capturedAt.getTime(),
      madeAt: holdsFrom(revision).getTime(),
      now: context.now,
    });
    const question = await runSteps(steps, slices);
    const { intents = 'include' } = readAt;
    const { signal } = context;
    const past = await this.memory.of(revision, stored.state, storedNodes(question), { intents, signal });
    return { request, basis: asked.basis, question, past };
  }
}

/** A further page is based on the same revision as the first one. */
async function readAtOf(request: ScheduleRequest, slices: TimeSlices): Promise<ReadAt> {
  const { readAt, page, asOf, root } = request;
  if (page.after === undefined) return readAt;
  if (asOf === undefined) {
    const message = 'must be the asOf of the previous page, so that both pages belong to the same schedule';
    throw new InvalidRequestError([faultAt(placeIn(root, 'asOf'), 'required', message)]);
  }
  const identity = await runSteps(stepScheduleIdentity(request, asOf), slices);
  const { revision } = readPageToken(identity, page.after, page.afterName);
  return revision === undefined ? readAt : { ...without(readAt, 'revision', 'at'), revision };
}

/** The nodes of the stored state whose past is needed. */
function storedNodes({ state, stored, nodes }: ReadQuestion): readonly number[] {
  return state === stored
    ? nodes
    : nodes.map((node) => stored.nodes.indexOf(state.nodes.name(node))).filter((node) => node >= 0);
}
