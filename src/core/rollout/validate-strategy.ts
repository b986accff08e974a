import { forbidden, invalid, notSupported, required, type FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { jsonGo } from '../kubernetes/go-text.js';
import type { IntOrString } from '../kubernetes/objects/meta.js';
import { amountOf, validateAtMost100Percent, validateIntOrPercent } from '../kubernetes/validation/int-or-percent.js';
import { nonNegative } from '../kubernetes/validation/non-negative.js';

/** How a workload replaces its pods: `strategy` of a Deployment, `updateStrategy` of others. */
export interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: {
    readonly maxUnavailable?: IntOrString;
    readonly maxSurge?: IntOrString;
    readonly partition?: number;
  };
}

const ROLLING = 'RollingUpdate';
const ON_DELETE = 'OnDelete';

/** `ValidateDeploymentStrategy`, k8s.io/kubernetes v1.36.2, pkg/apis/apps/validation/validation.go; so for the others. */
export function validateDeploymentStrategy(strategy: Strategy | undefined, path: FieldPath): FieldError[] {
  const { type = ROLLING, rollingUpdate } = strategy ?? {};
  const at = path.child('rollingUpdate');
  if (type === 'Recreate') {
    const text = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(at, text)];
  }
  if (type !== ROLLING) return [notSupported(path.child('type'), type, ['Recreate', ROLLING])];
  const { maxSurge = '25%', maxUnavailable = '25%' } = rollingUpdate ?? {};
  const place = at.child('maxUnavailable');
  const isStuck = amountOf(maxSurge) === 0 && amountOf(maxUnavailable) === 0;
  return [
    ...validateIntOrPercent(maxUnavailable, place),
    ...validateIntOrPercent(maxSurge, at.child('maxSurge')),
    ...(isStuck ? [invalid(place, shown(maxUnavailable), 'may not be 0 when `maxSurge` is 0')] : []),
    ...validateAtMost100Percent(maxUnavailable, place),
  ];
}

/** `ValidateDaemonSetUpdateStrategy`. */
export function validateDaemonSetStrategy(strategy: Strategy | undefined, path: FieldPath): FieldError[] {
  const { type = ROLLING, rollingUpdate } = strategy ?? {};
  if (type === ON_DELETE) return [];
  if (type !== ROLLING) return [notSupported(path, strategyGo(strategy, ofDaemons), [ON_DELETE, ROLLING])];
  const { maxSurge = 0, maxUnavailable = 1 } = rollingUpdate ?? {};
  const at = path.child('rollingUpdate');
  const [ofUnavailable, ofSurge] = [at.child('maxUnavailable'), at.child('maxSurge')];
  const errors = [
    ...validateIntOrPercent(maxUnavailable, ofUnavailable),
    ...validateIntOrPercent(maxSurge, ofSurge),
    ...validateAtMost100Percent(maxUnavailable, ofUnavailable),
    ...validateAtMost100Percent(maxSurge, ofSurge),
  ];
  const [hasUnavailable, hasSurge] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(ofSurge, shown(maxSurge), 'may not be set when maxUnavailable is non-zero'));
  }
  if (!hasUnavailable && !hasSurge) errors.push(required(ofUnavailable, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

/**
 * Of `ValidateStatefulSetSpec`, what is about `updateStrategy`.
 *
 * @param readsMaxUnavailable whether MaxUnavailableStatefulSet is on; otherwise the API server drops the field
 */
export function validateStatefulSetStrategy(
  strategy: Strategy | undefined,
  path: FieldPath,
  readsMaxUnavailable: boolean,
): FieldError[] {
  const { type = ROLLING, rollingUpdate } = strategy ?? {};
  const at = path.child('rollingUpdate');
  if (type === ON_DELETE) {
    if (rollingUpdate === undefined) return [];
    return [
      invalid(
        at,
        { text: jsonGo(ofSet(readsMaxUnavailable)(rollingUpdate)) },
        `only allowed for updateStrategy '${ROLLING}'`,
      ),
    ];
  }
  if (type !== ROLLING)
    return [invalid(path, strategyGo(strategy, ofSet(readsMaxUnavailable)), `must be '${ROLLING}' or '${ON_DELETE}'`)];
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  const errors = nonNegative(partition, at.child('partition'));
  if (maxUnavailable === undefined || !readsMaxUnavailable) return errors;
  const place = at.child('maxUnavailable');
  return [
    ...errors,
    ...validateIntOrPercent(maxUnavailable, place),
    ...(amountOf(maxUnavailable) === 0 ? [invalid(place, shown(maxUnavailable), 'cannot be 0')] : []),
    ...validateAtMost100Percent(maxUnavailable, place),
  ];
}

const shown = (value: IntOrString): string | { readonly text: string } =>
  typeof value === 'number' ? { text: String(value) } : value;

type RollingUpdate = NonNullable<Strategy['rollingUpdate']>;

/** A strategy as Go's encoding shows the internal type, which has no names of its own for JSON. */
const strategyGo = (
  { type = '', rollingUpdate }: Strategy = {},
  members: (update: RollingUpdate) => object,
): { readonly text: string } => ({
  text: jsonGo({ Type: type, RollingUpdate: rollingUpdate === undefined ? null : members(rollingUpdate) }),
});

const ofDaemons = ({ maxUnavailable = 0, maxSurge = 0 }: RollingUpdate): object => ({
  MaxUnavailable: maxUnavailable,
  MaxSurge: maxSurge,
});

/** Where MaxUnavailableStatefulSet is off, the API server has dropped the field. */
const ofSet =
  (readsMaxUnavailable: boolean) =>
  ({ partition = 0, maxUnavailable }: RollingUpdate): object => ({
    Partition: partition,
    MaxUnavailable: (readsMaxUnavailable ? maxUnavailable : undefined) ?? null,
  });
