import type { Response } from '../../contract/schema.js';
import type { featureGateState, kubernetesVersion } from '../../contract/versions/kubernetes-version.js';
import { faultOfGate, type DeclaredVersion, type VersionEvidence } from '../../core/kubernetes/cluster-version.js';
import { featureGateIn } from '../../core/kubernetes/feature-gates.js';
import {
  KNOWN_RULES,
  RULE_GATES,
  type KubernetesRules,
  type RuleGate,
} from '../../core/kubernetes/kubernetes-rules.js';

type GateState = Response<typeof featureGateState>;

/** What is known of the version of a cluster. */
export function kubernetesVersionResponse(
  { declared, apiServer, kubelets }: VersionEvidence,
  rules: KubernetesRules,
): Omit<Response<typeof kubernetesVersion>, 'basis'> {
  return {
    declared: declared === null ? null : { version: declared.version ?? null, featureGates: gateTexts(declared) },
    apiServer,
    nodes: kubelets,
    knownVersions: KNOWN_RULES.map(({ release }) => release),
    featureGates: gateStates(declared?.featureGates ?? {}, rules),
  };
}

const gateTexts = ({ featureGates = {} }: DeclaredVersion): readonly string[] =>
  Object.entries(featureGates).map(([name, value]) => `${name}=${value}`);

function gateStates(
  declared: NonNullable<DeclaredVersion['featureGates']>,
  { minor, featureGates }: KubernetesRules,
): readonly GateState[] {
  const names = new Set([
    ...RULE_GATES.filter((name) => featureGateIn(name, minor) !== undefined),
    ...Object.keys(declared),
  ]);
  return [...names].sort().map((name): GateState => {
    const gate = featureGateIn(name, minor);
    const value = declared[name];
    const enabledByDefault = gate?.enabledByDefault ?? false;
    const problem = value === undefined ? undefined : faultOfGate(name, value, minor, declared);
    const evaluated = (RULE_GATES as readonly string[]).includes(name);
    const enabled = evaluated
      ? featureGates[name as RuleGate]
      : problem === undefined
        ? (value ?? enabledByDefault)
        : enabledByDefault;
    return { name, stage: gate?.stage ?? null, enabled, enabledByDefault, evaluated, problem: problem ?? null };
  });
}
