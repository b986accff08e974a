import type { Check, CheckPod, SecuredPod, Violation } from './check.js';
import { allowPrivilegeEscalation } from './checks/allow-privilege-escalation.js';
import { appArmorProfile } from './checks/app-armor-profile.js';
import { capabilitiesBaseline } from './checks/capabilities-baseline.js';
import { capabilitiesRestricted } from './checks/capabilities-restricted.js';
import { hostNamespaces } from './checks/host-namespaces.js';
import { hostPathVolumes } from './checks/host-path-volumes.js';
import { hostPortsCheck } from './checks/host-ports.js';
import { hostProbes } from './checks/host-probes.js';
import { privileged } from './checks/privileged.js';
import { procMount, procMountRestricted } from './checks/proc-mount.js';
import { restrictedVolumes } from './checks/restricted-volumes.js';
import { runAsNonRoot } from './checks/run-as-non-root.js';
import { runAsUser } from './checks/run-as-user.js';
import { seLinuxOptions } from './checks/se-linux-options.js';
import { seccompBaseline, seccompRestricted } from './checks/seccomp-profile.js';
import { sysctls } from './checks/sysctls.js';
import { windowsHostProcess } from './checks/windows-host-process.js';
import type { LevelVersion } from './level.js';
import { minorOf } from './policy-version.js';
import { compareTexts } from './text.js';

const inOrder = (...checks: readonly Check[]): readonly Check[] => [...checks].sort((a, b) => compareTexts(a.id, b.id));

const BASELINE = inOrder(
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPortsCheck,
  hostProbes,
  privileged,
  procMount,
  seLinuxOptions,
  seccompBaseline,
  sysctls,
  windowsHostProcess,
);

const RESTRICTED = inOrder(
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  procMountRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
);

/** The last minor version in which a check changed; every newer one is the same. */
const NEWEST = Math.max(...[...BASELINE, ...RESTRICTED].flatMap(({ versions }) => versions.map(({ since }) => since)));

function inForce({ id, versions }: Check, minor: number): (CheckInForce & Check['versions'][number]) | undefined {
  const version = versions.filter(({ since }) => since <= minor).at(-1);
  return version && { id, ...version };
}

/** A check as one version has it. */
interface CheckInForce {
  readonly id: string;
  readonly check: CheckPod;
}

function byMinor(checksIn: (minor: number) => readonly CheckInForce[]): readonly (readonly CheckInForce[])[] {
  return Array.from({ length: NEWEST + 1 }, (_, minor) => checksIn(minor));
}

/** The checks of each level by the minor version. */
const CHECKS_OF = {
  baseline: byMinor((minor) => BASELINE.flatMap((check) => inForce(check, minor) ?? [])),
  restricted: byMinor((minor) => {
    const stricter = RESTRICTED.flatMap((check) => inForce(check, minor) ?? []);
    const overridden = new Set(stricter.flatMap(({ overrides = [] }) => overrides));
    const others = BASELINE.filter(({ id }) => !overridden.has(id)).flatMap((check) => inForce(check, minor) ?? []);
    return [...others, ...stricter];
  }),
};

/**
 * Everything in a pod that a standard forbids, in the order in which messages list it: the checks of `baseline` by their ids, then
 * those of `restricted`, some of which take the place of one of `baseline`.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, policy/registry.go.
 */
export const violations = (standard: LevelVersion, pod: SecuredPod): readonly Violation[] =>
  checksOf(standard).flatMap(({ check }) => check(pod) ?? []);

/** The checks that a standard makes, in the order in which messages list them. */
export function checksOf({ level, version }: LevelVersion): readonly CheckInForce[] {
  return level === 'privileged' ? [] : CHECKS_OF[level][Math.min(minorOf(version), NEWEST)]!;
}

/** All violations in short: `hostPort, privileged`. */
export const reasonsText = (found: readonly Violation[]): string => found.map(({ reason }) => reason).join(', ');

/** All violations with what is wrong: `host namespaces (hostPID=true), privileged (container "a" must not ...)`. */
export const detailsText = (found: readonly Violation[]): string =>
  found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
