import { invalid, type FieldError } from '../../kubernetes/field-error.js';
import { FieldPath } from '../../kubernetes/field-path.js';
import type { Labels } from '../../kubernetes/objects/meta.js';
import { isEquivalent, isStricter, parseLevel, type Level, type LevelVersion } from './level.js';
import { parseVersion, type PolicyVersion } from './policy-version.js';

/** What PodSecurity does by a standard: refuse a pod, note it in the audit log, or warn the client. */
export const MODES = ['enforce', 'audit', 'warn'] as const;

export type Mode = (typeof MODES)[number];

/** The standard of each mode. */
export type PodSecurityPolicy = Readonly<Record<Mode, LevelVersion>>;

const PRIVILEGED: LevelVersion = { level: 'privileged', version: 'latest' };

/** Of an API server without a configuration of PodSecurity. */
export const NO_POLICY: PodSecurityPolicy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };

export const levelLabel = (mode: Mode): string => `pod-security.kubernetes.io/${mode}`;
export const versionLabel = (mode: Mode): string => `pod-security.kubernetes.io/${mode}-version`;

/** What a namespace demands, and which of its labels are invalid. */
export interface NamespacePolicy {
  readonly policy: PodSecurityPolicy;
  readonly errors: readonly FieldError[];
}

export const NOT_A_LEVEL = 'must be one of privileged, baseline, restricted';
export const NOT_A_VERSION = 'must be "latest" or "v1.x"';

const LABELS = FieldPath.of('metadata', 'labels');

/**
 * The policy that a namespace's labels ask for. A mode without labels has its default; a level to enforce that is none is
 * `restricted`, to audit or to warn by it is `privileged`; a version that is none is `latest`. A level to enforce also warns where it
 * is stricter than the default to warn by, and no label says otherwise.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, api/helpers.go, `PolicyToEvaluate`.
 */
export function namespacePolicy(labels: Labels, defaults: PodSecurityPolicy): NamespacePolicy {
  const errors: FieldError[] = [];
  const label = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const fault = (key: string, value: string, rule: string): void => {
    errors.push(invalid(LABELS.key(key), value, rule));
  };
  const levelOf = (mode: Mode): Level => {
    const text = label(levelLabel(mode));
    if (text === undefined) return defaults[mode].level;
    const level = parseLevel(text);
    if (level === undefined) fault(levelLabel(mode), text, NOT_A_LEVEL);
    return level ?? (mode === 'enforce' ? 'restricted' : 'privileged');
  };
  const versionOf = (mode: Mode): PolicyVersion => {
    const text = label(versionLabel(mode));
    if (text === undefined) return defaults[mode].version;
    const version = parseVersion(text);
    if (version === undefined) fault(versionLabel(mode), text, NOT_A_VERSION);
    return version ?? 'latest';
  };
  const of = (mode: Mode): LevelVersion => ({ level: levelOf(mode), version: versionOf(mode) });

  const [enforce, audit, warn] = [of('enforce'), of('audit'), of('warn')];
  const isAsked = parseLevel(label(levelLabel('enforce')) ?? '') !== undefined;
  if (label(levelLabel('warn')) !== undefined || !isAsked || !isStricter(enforce.level, warn.level)) {
    return { policy: { enforce, audit, warn }, errors };
  }
  const version = label(versionLabel('warn')) === undefined ? enforce.version : warn.version;
  return { policy: { enforce, audit, warn: { level: enforce.level, version } }, errors };
}

export const isFullyPrivileged = (policy: PodSecurityPolicy): boolean =>
  MODES.every((mode) => policy[mode].level === 'privileged');

export const areEquivalent = (a: PodSecurityPolicy, b: PodSecurityPolicy): boolean =>
  MODES.every((mode) => isEquivalent(a[mode], b[mode]));
