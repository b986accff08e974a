import { RULES_VERSION } from '../../core/kubernetes/versions.js';
import type { ScenarioSummary } from '../../core/scenario/apply-scenario.js';
import type { Intents } from './read-at.js';
import { ageSeconds, type ResolvedRevision } from './resolve-revision.js';

/** The hypothetical changes that an answer rests on besides, and what they did. */
export interface ScenarioBasis extends ScenarioSummary {
  /** How many changes. */
  readonly changes: number;
  /** The same for equal scenarios. */
  readonly hash: string;
}

/** Changes of taints that were made here and that nothing has decided yet. */
export interface IntentsBasis {
  /** Nodes of the revision that carry such changes. */
  readonly unconfirmedNodes: number;
  /** Whether the answer rests on the nodes with those changes, or as they were seen last. */
  readonly included: boolean;
}

/** What an answer rests on: the head of every answer about a cluster. */
export interface Basis {
  readonly cluster: string;
  readonly revision: number;
  /** When the state was so in the cluster. */
  readonly capturedAt: Date;
  /** Seconds between `capturedAt` and the question. */
  readonly ageSeconds: number;
  /** The newest kubelet version among the nodes, as the snapshot had it; null when no node told one. */
  readonly kubernetesVersion: string | null;
  /** The version of Kubernetes whose rules the answer follows. */
  readonly rulesVersion: string;
  readonly intents: IntentsBasis;
  /** Null for the state as it is stored. */
  readonly scenario: ScenarioBasis | null;
  /** Names this answer in the log. */
  readonly decisionId: string;
}

export function basisOf(
  { cluster, revision }: ResolvedRevision,
  now: Date,
  decisionId: string,
  {
    scenario = null,
    intents = 'include',
  }: { readonly scenario?: ScenarioBasis | null; readonly intents?: Intents | undefined } = {},
): Basis {
  return {
    cluster: cluster.name,
    revision: revision.number,
    capturedAt: revision.capturedAt,
    ageSeconds: ageSeconds(revision, now),
    kubernetesVersion: revision.kubernetesVersion,
    rulesVersion: RULES_VERSION,
    intents: { unconfirmedNodes: revision.unconfirmedNodes, included: intents === 'include' },
    scenario,
    decisionId,
  };
}
