import { ruleChanges, type RuleSubject, type RuleChange, type RuleDifferenceCode } from './rule-changes.js';

export type { RuleSubject } from './rule-changes.js';

/** The version whose rules the service applies. */
export const RULES_VERSION = 'v1.36.2';

/** A Kubernetes version as reported by a component. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** The part after the numbers, without its `-` or `+`: `eks-abc`, `gke.1106000`, `rc.0`; empty for a plain release. */
  readonly suffix: string;
}

/** A rule that differs between the cluster's version and the service's. */
export interface RuleDifference {
  readonly code: RuleDifferenceCode;
  /** The version that introduced today's rule: `1.34`. */
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
 * The scheduling rules that differ between a cluster of the given version, with every feature gate at its default, and the
 * service (v1.36), oldest change first. Empty for 1.36; undefined for a version that cannot be parsed.
 *
 * @example ruleDifferences('v1.33.5-eks-abc')?.filter((difference) => difference.touches({ pod }))
 */
export function ruleDifferences(clusterVersion: string): readonly RuleDifference[] | undefined {
  const version = parseKubernetesVersion(clusterVersion);
  if (version === undefined) return undefined;
  if (version.major > 1 || version.minor > 36) return [newerThanRules(clusterVersion)];
  return ruleChanges
    .filter((change) => precedes(version, change))
    .map(({ code, since, message, touches }) => ({
      code,
      since,
      message,
      touches,
    }));
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
    message: `The cluster runs ${clusterVersion}, the rules applied here are those of ${RULES_VERSION}: what later versions changed is not known here.`,
    touches: () => true,
  };
}
