import { ruleChanges, type RuleSubject, type RuleChange, type RuleDifferenceCode } from './rule-changes.js';

export type { RuleSubject } from './rule-changes.js';

/** The version whose rules the service applies. */
export const RULES_VERSION = 'v1.36.2';

/** A Kubernetes version as a component reports it. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** What follows the numbers, without its `-` or `+`: `eks-abc`, `gke.1106000`, `rc.0`; empty for a plain release. */
  readonly suffix: string;
}

/** A rule that the cluster's version and the service's follow differently. */
export interface RuleDifference {
  readonly code: RuleDifferenceCode;
  /** The version that brought today's rule: `1.34`. */
  readonly since: string;
  /** What differs, in a sentence or two. */
  readonly message: string;
  /** Whether the difference can show in the answer to a question. False means that it cannot. */
  readonly touches: (question: RuleSubject) => boolean;
}

const PATTERN = /^v?(\d{1,5})\.(\d{1,5})(?:\.(\d{1,9}))?(?:[-+](.*))?$/s;

/**
 * Reads a version such as a kubelet reports in `status.nodeInfo.kubeletVersion`: `v1.33.5-eks-abc`, `v1.30.9-gke.1106000`,
 * `v1.29.4+k3s1`, `1.36`. Undefined for anything else.
 */
export function parseKubernetesVersion(text: string): KubernetesVersion | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, suffix] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch ?? 0), suffix: suffix ?? '' };
}

/** Orders versions by their numbers; suffixes, which differ by vendor, do not count. */
export function compareKubernetesVersions(a: KubernetesVersion, b: KubernetesVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/**
 * The newest of the versions that a cluster's kubelets report, as it was written; undefined where none can be read. The
 * control plane, and with it the scheduler, is at least as new (Kubernetes version skew policy).
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
 * The rules of scheduling in which a cluster of the given version differs, with every feature gate at its default, from
 * those the service applies (v1.36), oldest change first. Empty for 1.36; undefined for a version that cannot be read.
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

/** Whether a version is older than a change, counting the patches of older minor versions that brought it too. */
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
