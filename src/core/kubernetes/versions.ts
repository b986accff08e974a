import { NEWEST_MINOR, type KubernetesRules } from './kubernetes-rules.js';
import { ruleChanges, type RuleSubject, type RuleChange, type RuleDifferenceCode } from './rule-changes.js';

export type { RuleSubject } from './rule-changes.js';

/** A Kubernetes version as reported by a component. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** The part after the numbers, without its `-` or `+`: `eks-abc`, `gke.1106000`, `rc.0`; empty for a plain release. */
  readonly suffix: string;
}

/** A rule that differs between the cluster's version and the one that is applied. */
export interface RuleDifference {
  readonly code: RuleDifferenceCode;
  /** The version that introduced the newer rule: `1.34`. */
  readonly since: string;
  /** The difference in one or two sentences. */
  readonly message: string;
  /** Whether the difference may affect the answer to a question; false if it cannot. */
  readonly touches: (question: RuleSubject) => boolean;
}

const PATTERN = /^v?(\d{1,5})\.(\d{1,5})(?:\.(\d{1,9}))?(?:[-+](.*))?$/s;

/**
 * Parses a version as a kubelet reports it in `status.nodeInfo.kubeletVersion`: `v1.33.5-eks-abc`, `v1.30.9-gke.1106000`,
 * `v1.29.4+k3s1`, `1.36`. Undefined for anything else.
 */
export function parseKubernetesVersion(text: string): KubernetesVersion | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, suffix] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch ?? 0), suffix: suffix ?? '' };
}

/** Compares versions by their numbers; suffixes, which depend on the vendor, do not count. */
export function compareKubernetesVersions(a: KubernetesVersion, b: KubernetesVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/**
 * The newest version that a cluster's kubelets report, as written; undefined if none can be parsed. The control plane,
 * including the scheduler, is at least as new (Kubernetes version skew policy).
 */
export function newestKubernetesVersion(texts: Iterable<string>): string | undefined {
  let newest: { text: string; version: KubernetesVersion } | undefined;
  for (const text of texts) {
    const version = parseKubernetesVersion(text);
    if (version === undefined) continue;
    if (newest === undefined || compareKubernetesVersions(version, newest.version) > 0) newest = { text, version };
  }
  return newest?.text;
}

/**
 * The scheduling rules that differ between a cluster of the given version, with every feature gate at its default, and the rules that are
 * applied, oldest change first. Empty if they are those of the cluster's version; undefined for a version that cannot be parsed.
 *
 * @example ruleDifferences('v1.30.5-eks-abc', rulesOfMinor(31))?.filter((difference) => difference.touches({ pod }))
 */
export function ruleDifferences(
  clusterVersion: string,
  { minor, messageNamesTaint }: KubernetesRules,
): readonly RuleDifference[] | undefined {
  const version = parseKubernetesVersion(clusterVersion);
  if (version === undefined) return undefined;
  const applied = { major: 1, minor, patch: messageNamesTaint ? 0 : Infinity, suffix: '' };
  const differences = ruleChanges
    .filter((change) => precedes(version, change) !== precedes(applied, change))
    .map(({ code, since, message, touches }): RuleDifference => ({ code, since, message, touches }));
  return version.major > 1 || version.minor > NEWEST_MINOR
    ? [...differences, newerThanRules(clusterVersion)]
    : differences;
}

/** Whether a version is older than a change, taking into account patch releases of older minor versions with the change. */
function precedes(version: KubernetesVersion, { since, backports = [] }: RuleChange): boolean {
  if (compareKubernetesVersions(version, parseKubernetesVersion(since)!) >= 0) return false;
  return !backports.some((text) => {
    const backport = parseKubernetesVersion(text)!;
    return version.minor === backport.minor && version.patch >= backport.patch;
  });
}

function newerThanRules(clusterVersion: string): RuleDifference {
  return {
    code: 'newer-than-rules',
    since: '1.37',
    message: `The cluster runs ${clusterVersion}, the newest rules known here are those of 1.${NEWEST_MINOR}: what later versions changed is not known here.`,
    touches: () => true,
  };
}
