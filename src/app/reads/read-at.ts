import type { ManifestChecks } from '../manifests/manifest-checks.js';
import type { GivenScenario } from './given-scenario.js';

/** Whether changes made through this service count before the cluster has confirmed them. */
export type Intents = 'include' | 'exclude';

/** Selects a stored state; with neither `revision` nor `at`, the head. */
export interface ReadAt {
  readonly revision?: number;
  /** The state at this time, by `capturedAt`. */
  readonly at?: Date;
  /** Rejects a state that was captured longer ago than this, in seconds. */
  readonly maxAgeSeconds?: number;
  /** The version of Kubernetes whose rules apply, which was checked; by default that of the cluster. */
  readonly rulesVersion?: string;
  /** By default `include`. */
  readonly intents?: Intents;
  /** Hypothetical changes of that state, which are not stored. */
  readonly scenario?: GivenScenario;
  /** What is left to check in the manifests of the question once the version is known. */
  readonly manifests?: ManifestChecks;
}
