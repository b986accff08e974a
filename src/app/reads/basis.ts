import {
  manifestServerOf,
  type ChosenRules,
  type ManifestServer,
  type RulesSource,
} from '../../core/kubernetes/cluster-version.js';
import type { ScenarioSummary } from '../../core/scenario/apply-scenario.js';
import type { Intents } from './read-at.js';
import { ageSeconds, type ResolvedRevision } from './resolve-revision.js';
import { rulesOfRevision, type RevisionVersions } from './rules-of-revision.js';

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
  /** The version of the API server or, if it is not known, the newest kubelet version among the nodes; null if neither is known. */
  readonly kubernetesVersion: string | null;
  /** The Kubernetes release whose rules the response follows. */
  readonly rulesVersion: string;
  /** Why these rules. */
  readonly rulesSource: RulesSource;
  /** The feature gates that change a rule and differ from the defaults of that version: `PodLevelResources=false`. */
  readonly featureGates: readonly string[];
  readonly intents: IntentsBasis;
  /** Null if the response is based on the stored state. */
  readonly scenario: ScenarioBasis | null;
  /** The webhooks of the cluster that are declared harmless: responses about pods assume it. */
  readonly harmlessWebhooks: readonly string[];
  /** Identifies this response in the log. */
  readonly decisionId: string;
}

interface BasisOptions {
  /** By default those of the revision. */
  readonly rules?: ChosenRules | undefined;
  readonly scenario?: ScenarioBasis | null;
  readonly intents?: Intents | undefined;
  /** None by default, as for responses that say nothing about pods. */
  readonly harmlessWebhooks?: readonly string[];
}

/** What a basis says of versions. */
export const versionBasis = (
  { apiServerVersion, kubernetesVersion }: RevisionVersions,
  { rules, source }: ChosenRules,
): Pick<Basis, 'kubernetesVersion' | 'rulesVersion' | 'rulesSource' | 'featureGates'> => ({
  kubernetesVersion: apiServerVersion ?? kubernetesVersion,
  rulesVersion: rules.release,
  rulesSource: source,
  featureGates: rules.changedGates.map((gate) => `${gate}=${rules.featureGates[gate]}`),
});

/** The API server that gets the manifests of a question about a revision. */
export const serverOfRevision = (revision: RevisionVersions, chosen = rulesOfRevision(revision)): ManifestServer =>
  manifestServerOf(chosen.rules, versionBasis(revision, chosen));

export function basisOf(
  { cluster, revision, currentAt = null }: ResolvedRevision,
  now: Date,
  decisionId: string,
  { rules = rulesOfRevision(revision), scenario = null, intents = 'include', harmlessWebhooks = [] }: BasisOptions = {},
): Basis {
  return {
    cluster: cluster.name,
    revision: revision.number,
    capturedAt: revision.capturedAt,
    ageSeconds: ageSeconds({ revision, currentAt }, now),
    ...versionBasis(revision, rules),
    intents: { unconfirmedNodes: revision.unconfirmedNodes, included: intents === 'include' },
    scenario,
    harmlessWebhooks,
    decisionId,
  };
}
