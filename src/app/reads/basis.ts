import { RULES_VERSION } from '../../core/kubernetes/versions.js';
import type { ScenarioSummary } from '../../core/scenario/apply-scenario.js';
import type { Intents } from './read-at.js';
import { ageSeconds, type ResolvedRevision } from './resolve-revision.js';

/** The scenario that a response is based on, and its effect. */
export interface ScenarioBasis extends ScenarioSummary {
  /** Number of changes. */
  readonly changes: number;
  /** Equal for equal scenarios. */
  readonly hash: string;
}

/** Taint changes made through this service that are neither confirmed nor contradicted. */
export interface IntentsBasis {
  /** Number of nodes in the revision with such changes. */
  readonly unconfirmedNodes: number;
  /** Whether the response is based on the nodes with those changes, or as they were last observed. */
  readonly included: boolean;
}

/** The revision and settings that a response is based on. */
export interface Basis {
  readonly cluster: string;
  readonly revision: number;
  /** When the state was captured in the cluster. */
  readonly capturedAt: Date;
  /** Seconds between the request and `capturedAt`, or the time up to which the state is known to be the newest one. */
  readonly ageSeconds: number;
  /** The newest kubelet version among the nodes of the snapshot; null if no node reports one. */
  readonly kubernetesVersion: string | null;
  /** The Kubernetes version whose rules the response follows. */
  readonly rulesVersion: string;
  readonly intents: IntentsBasis;
  /** Null if the response is based on the stored state. */
  readonly scenario: ScenarioBasis | null;
  /** The webhooks of the cluster that are declared harmless: responses about pods assume it. */
  readonly harmlessWebhooks: readonly string[];
  /** Identifies this response in the log. */
  readonly decisionId: string;
}

interface BasisOptions {
  readonly scenario?: ScenarioBasis | null;
  readonly intents?: Intents | undefined;
  /** None by default, as for responses that say nothing about pods. */
  readonly harmlessWebhooks?: readonly string[];
}

export function basisOf(
  { cluster, revision, currentAt = null }: ResolvedRevision,
  now: Date,
  decisionId: string,
  { scenario = null, intents = 'include', harmlessWebhooks = [] }: BasisOptions = {},
): Basis {
  return {
    cluster: cluster.name,
    revision: revision.number,
    capturedAt: revision.capturedAt,
    ageSeconds: ageSeconds({ revision, currentAt }, now),
    kubernetesVersion: revision.kubernetesVersion,
    rulesVersion: RULES_VERSION,
    intents: { unconfirmedNodes: revision.unconfirmedNodes, included: intents === 'include' },
    scenario,
    harmlessWebhooks,
    decisionId,
  };
}
