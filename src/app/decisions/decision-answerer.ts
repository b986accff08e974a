import type { JsonObject } from '../../core/json/json-value.js';
import type { StateReading } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type {
  DecisionReason,
  DecisionType,
  DecisionVerdict,
  DecisionWorkload,
} from '../../storage/decisions/decision.js';

/** What is recorded of an answer. */
export interface DecisionAnswer {
  readonly verdict: DecisionVerdict;
  /** One sentence. */
  readonly summary: string;
  /** What to fix first comes first; empty for `yes`. */
  readonly reasons: readonly DecisionReason[];
  /** The workloads that the answer is about, without duplicates; a pod without a controller is of kind `Pod`. */
  readonly workloads: readonly DecisionWorkload[];
  /**
   * The whole answer as the API renders it, without the member that names the decision. It is written as canonical JSON (keys
   * sorted, members that are undefined left out), and a replay must produce the same bytes. So it depends on nothing but the
   * question, the state and the basis: no further clock, id or order of a map.
   */
  readonly answer: object;
}

/**
 * Answers questions of one type again. The answers that the API gave come from the same code, or a replay would differ.
 */
export interface DecisionAnswerer {
  readonly type: DecisionType;
  /**
   * @param question as it was recorded, without `intents` and `scenario`, which `reading` already contains. Values that must not be
   *   stored are replaced (see `withholdSecrets`).
   * @param reading the basis is part of the answer: its id and age are those of the recorded answer
   * @param context of the replay: `now` is the time of the question, and nothing may be recorded
   * @throws {ServiceError} as the question itself
   */
  answer(question: JsonObject, reading: StateReading, context: RequestContext): Promise<DecisionAnswer>;
  /** The verdict alone, if that is cheaper: the search for what turned a verdict asks many times. */
  verdict?(question: JsonObject, reading: StateReading, context: RequestContext): Promise<DecisionVerdict>;
}

/** The answerers by type. */
export class DecisionAnswerers {
  private readonly byType: ReadonlyMap<string, DecisionAnswerer>;

  constructor(answerers: readonly DecisionAnswerer[]) {
    this.byType = new Map(answerers.map((answerer) => [answerer.type, answerer]));
  }

  /** Undefined for a type that this version of the service does not know. */
  of(type: string): DecisionAnswerer | undefined {
    return this.byType.get(type);
  }
}
