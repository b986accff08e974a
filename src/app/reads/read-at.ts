import type { GivenScenario } from './given-scenario.js';

/** Whether changes made here count before the cluster has confirmed them. */
export type Intents = 'include' | 'exclude';

/** Which stored state a question is about; with neither `revision` nor `at`, the head. */
export interface ReadAt {
  readonly revision?: number;
  /** The state as of a moment, by `capturedAt`. */
  readonly at?: Date;
  /** Refuse to answer from a state that was captured longer ago than this, in seconds. */
  readonly maxAgeSeconds?: number;
  /** `include` by default. */
  readonly intents?: Intents;
  /** Hypothetical changes of that state; nothing of them is stored. */
  readonly scenario?: GivenScenario;
}
