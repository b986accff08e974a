import { CelUnsupported } from '../cel/errors.js';
import { defined } from '../collections/defined.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type {
  Device,
  DeviceClass,
  DeviceSelector,
  DeviceTaint,
  DeviceTaintRule,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import { BoundedSelectors, NotComputed } from './allocation-work.js';
import type { DeviceId } from './device-id.js';

/** A taint that a DeviceTaintRule adds to a device. */
export interface RuleTaint extends DeviceTaint {
  /** The name of the rule. */
  readonly rule: string;
}

/** The rule that a taint of a device comes from; undefined for one of its slice. */
export const ruleOf = (taint: DeviceTaint | RuleTaint): string | undefined =>
  'rule' in taint ? taint.rule : undefined;

/** The taint itself. */
export const plainTaint = ({ key, value, effect, timeAdded }: DeviceTaint): DeviceTaint => ({
  key,
  effect,
  ...defined({ value, timeAdded }),
});

/** What a rule could select by until 1.34, with the API version v1alpha3. */
export const FORMER_FIELDS_OF_RULES = ['deviceClassName', 'selectors'] as const;
const LAST_MINOR_WITH_FORMER_FIELDS = 34;

/** Whether rules of a version can select by class and by CEL. Source: k8s.io/api v0.34.9 and v0.35.6, resource/v1alpha3/types.go, `DeviceTaintSelector`. */
export const haveFormerFields = ({ minor }: KubernetesRules): boolean => minor <= LAST_MINOR_WITH_FORMER_FIELDS;

/** Whether a rule selects by class, in a version whose rules can. */
export const selectsByClass = ({ spec }: DeviceTaintRule): boolean =>
  spec?.deviceSelector?.deviceClassName !== undefined;

/** A rule as a version reads it: without the fields that it does not know, so that the rest of the selector decides. */
export function ruleAsRead(rule: DeviceTaintRule, rules: KubernetesRules): DeviceTaintRule {
  const { spec } = rule;
  const { deviceSelector } = spec ?? {};
  if (spec === undefined || deviceSelector === undefined || haveFormerFields(rules)) return rule;
  if (FORMER_FIELDS_OF_RULES.every((field) => deviceSelector[field] === undefined)) return rule;
  const { driver, pool, device } = deviceSelector;
  return { ...rule, spec: { ...spec, deviceSelector: defined({ driver, pool, device }) } };
}

/**
 * Slices with the taints of DeviceTaintRules, as the scheduler sees them: a rule without a selector taints every device.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, resourceslice/tracker/tracker.go, `applyPatches`; for what rules could select until
 * 1.34, v0.34.0.
 *
 * @throws {NotComputed} if the selectors of the rules cost too much, or are not evaluated here
 */
export function withRuleTaints(
  slices: readonly ResourceSlice[],
  rules: readonly DeviceTaintRule[],
  classOf: (name: string) => DeviceClass | undefined,
): readonly ResourceSlice[] {
  if (rules.length === 0) return slices;
  const selectors = new RuleSelectors(classOf);
  const taints = new Map(rules.flatMap((rule) => (rule.spec === undefined ? [] : [[rule, taintOf(rule)] as const])));
  return slices.map((slice) => {
    const { spec } = slice;
    if (spec === undefined) return slice;
    const { driver } = spec;
    const pool = spec.pool?.name ?? '';
    const matching = rules.filter(({ spec: rule }) => {
      const { driver: ofDriver = driver, pool: ofPool = pool } = rule?.deviceSelector ?? {};
      return ofDriver === driver && ofPool === pool;
    });
    if (matching.length === 0) return slice;
    const devices = (spec.devices ?? []).map((device) => {
      const added = matching
        .filter((rule) => selectors.select(rule, { driver, pool, device: device.name }, device))
        .map((rule) => taints.get(rule)!);
      return added.length === 0 ? device : { ...device, taints: [...(device.taints ?? []), ...added] };
    });
    return { ...slice, spec: { ...spec, devices } };
  });
}

const taintOf = ({ metadata, spec }: DeviceTaintRule): RuleTaint => ({ ...spec!.taint, rule: metadata.name });

/** What rules select, within the bounds of what one question may cost. */
export class RuleSelectors {
  private readonly selectors = new BoundedSelectors();

  constructor(private readonly classOf: (name: string) => DeviceClass | undefined) {}

  /**
   * Whether a rule taints a device for the scheduler.
   *
   * @throws {NotComputed} if the selectors cost too much, or are not evaluated here
   */
  select({ spec }: DeviceTaintRule, { driver, pool, device }: DeviceId, object: Device): boolean {
    if (spec === undefined) return false;
    const selector = spec.deviceSelector ?? {};
    return (
      (selector.driver ?? driver) === driver &&
      (selector.pool ?? pool) === pool &&
      (selector.device ?? device) === device &&
      this.selectsDevice(object, driver, selector)
    );
  }

  /** A device of which a selector cannot tell is not tainted. */
  private selectsDevice(device: Device, driver: string, { deviceClassName, selectors = [] }: RuleSelector): boolean {
    const deviceClass = deviceClassName === undefined ? undefined : this.classOf(deviceClassName);
    if (deviceClassName !== undefined && deviceClass === undefined) return false;
    return [...(deviceClass?.spec?.selectors ?? []), ...selectors].every(({ cel }: DeviceSelector) => {
      try {
        const verdict = this.selectors.selects(cel?.expression ?? '', driver, device);
        return 'matches' in verdict && verdict.matches;
      } catch (error) {
        if (error instanceof CelUnsupported) throw new NotComputed(`a selector uses ${error.what}`);
        throw error;
      }
    });
  }
}

type RuleSelector = NonNullable<NonNullable<DeviceTaintRule['spec']>['deviceSelector']>;
