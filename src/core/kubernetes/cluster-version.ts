import type { JsonObject } from '../json/json-value.js';
import { featureGateIn, FEATURE_GATE_NAMES } from './feature-gates.js';
import {
  DEFAULT_RULES,
  NEWEST_MINOR,
  OLDEST_MINOR,
  rulesOf,
  type FeatureGates,
  type KubernetesRules,
  missingDependency,
  strandedDependent,
} from './kubernetes-rules.js';
import { parseKubernetesVersion } from './versions.js';

/** What says by which rules a cluster works. */
export interface VersionEvidence {
  /** The setting of the cluster, as it was declared; null if there is none. */
  readonly declared: DeclaredVersion | null;
  /** `gitVersion` of the cluster's API server: `v1.34.9-eks-abc`; null if it is not known. */
  readonly apiServer: string | null;
  /** The newest version of the nodes' kubelets; null if no node reports one. */
  readonly kubelets: string | null;
}

/** The version and the feature gates that somebody declared for a cluster. */
export interface DeclaredVersion {
  /** `1.34` or `v1.34.2`; absent if only gates were declared. */
  readonly version?: string;
  readonly featureGates?: FeatureGates;
}

/** Why rules were chosen: by the question, the setting of the cluster, its API server, its nodes, or because nothing is known. */
export type RulesSource = 'question' | 'setting' | 'apiServer' | 'nodes' | 'default';

/** The rules by which a question is answered, and why. */
export interface ChosenRules {
  readonly rules: KubernetesRules;
  readonly source: RulesSource;
}

/** The API server that gets the manifests of a question, as far as its version is known. */
export interface ManifestServer {
  readonly rules: KubernetesRules;
  /** Its version, if the rules are those of the nearest known one: which kinds it serves, and which fields a newer one has, is not known. */
  readonly unknownVersion?: string;
}

/**
 * The API server of a cluster. Rules that a question or a setting names are known.
 *
 * @param kubernetesVersion what the cluster runs, of which the rules were chosen
 */
export function manifestServerOf(
  rules: KubernetesRules,
  { kubernetesVersion, rulesSource }: { readonly kubernetesVersion: string | null; readonly rulesSource: RulesSource },
): ManifestServer {
  const isObserved = rulesSource === 'apiServer' || rulesSource === 'nodes';
  if (kubernetesVersion === null || !isObserved || faultOfVersion(kubernetesVersion) === undefined) return { rules };
  return { rules, unknownVersion: kubernetesVersion };
}

/** The version of an API server that is newer than all whose rules are known: it may have more fields than they. */
export const newerVersionOf = ({ rules, unknownVersion }: ManifestServer): string | undefined =>
  rules.minor === NEWEST_MINOR ? unknownVersion : undefined;

/** Settings with these names turn on every gate of a stage. */
const OF_STAGE = { AllAlpha: 'Alpha', AllBeta: 'Beta' } as const;

/**
 * Chooses the rules of a cluster. What a question asks for comes first, then what was declared, then the version of the API server,
 * then that of the newest kubelet, which is never newer than the API server (Kubernetes version skew policy). Declared feature gates
 * apply as far as the version has them and does not lock them.
 *
 * @param asked the version that the question asks for, which can be parsed
 */
export function chooseRules({ declared, apiServer, kubelets }: VersionEvidence, asked?: string): ChosenRules {
  const candidates: readonly (readonly [RulesSource, string | null | undefined])[] = [
    ['question', asked],
    ['setting', declared?.version],
    ['apiServer', apiServer],
    ['nodes', kubelets],
  ];
  for (const [source, text] of candidates) {
    const version = text == null ? undefined : parseKubernetesVersion(text);
    if (version === undefined) continue;
    // "1.34" alone stands for its newest patch release.
    const patch = /^v?\d+\.\d+$/.test(text!) ? Infinity : version.patch;
    return { rules: withGates({ ...version, patch }, declared?.featureGates), source };
  }
  const { minor } = DEFAULT_RULES;
  return { rules: withGates({ major: 1, minor, patch: Infinity }, declared?.featureGates), source: 'default' };
}

type Version = Parameters<typeof rulesOf>[0];

function withGates(version: Version, declared: FeatureGates | undefined): KubernetesRules {
  const plain = rulesOf(version);
  return declared === undefined ? plain : rulesOf(version, effectiveGates(declared, plain.minor));
}

/** The values of all gates that a declaration changes in a version: of those that it has and does not lock. */
function effectiveGates(declared: FeatureGates, minor: number): FeatureGates {
  const values: Record<string, boolean> = {};
  const open = FEATURE_GATE_NAMES.flatMap((name) => {
    const gate = featureGateIn(name, minor);
    return gate === undefined || gate.locked ? [] : [{ name, gate }];
  });
  for (const [special, stage] of Object.entries(OF_STAGE)) {
    const value = declared[special];
    if (value === undefined) continue;
    for (const { name, gate } of open) if (gate.stage === stage) values[name] = value;
  }
  for (const { name } of open) if (declared[name] !== undefined) values[name] = declared[name];
  return values;
}

/** Whether a declaration may have a feature gate of this name: some known version has it. */
export const isFeatureGate = (name: string): boolean =>
  Object.hasOwn(OF_STAGE, name) || FEATURE_GATE_NAMES.some((known) => known === name);

/** What is wrong with a declared gate in a version; undefined if nothing is. */
export function faultOfGate(name: string, value: boolean, minor: number, gates: FeatureGates): string | undefined {
  if (Object.hasOwn(OF_STAGE, name)) return undefined;
  const gate = featureGateIn(name, minor);
  if (gate === undefined) return `Kubernetes 1.${minor} has no feature gate ${name}`;
  const values = effectiveGates(gates, minor);
  const missing = value ? missingDependency(name, minor, values) : undefined;
  if (missing !== undefined) return `${name} depends on the feature gate ${missing}, which is off`;
  if (!gate.locked || value === gate.enabledByDefault) {
    const stranded = value ? undefined : strandedDependent(name, minor, values);
    return stranded === undefined ? undefined : `the feature gate ${stranded}, which is on, depends on it`;
  }
  return `the feature gate ${name} is locked to ${gate.enabledByDefault} in Kubernetes 1.${minor}`;
}

/** What is wrong with a version to apply, which may have a vendor's suffix; undefined if its rules are known. */
export function faultOfVersion(text: string): string | undefined {
  const version = parseKubernetesVersion(text);
  if (version?.major !== 1 || !/^[\w.+-]*$/.test(version.suffix))
    return 'must be a version of Kubernetes such as 1.34, v1.34.2 or v1.34.2-eks-1a2b3c';
  const { minor } = version;
  if (minor >= OLDEST_MINOR && minor <= NEWEST_MINOR) return undefined;
  return `the rules of Kubernetes 1.${minor} are not known; those of 1.${OLDEST_MINOR} to 1.${NEWEST_MINOR} are`;
}

/** A declared version as it is stored. */
export const declaredVersionOf = (content: JsonObject | undefined): DeclaredVersion | null =>
  content === undefined ? null : content;
