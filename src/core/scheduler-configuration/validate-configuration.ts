import { duplicate, invalid, required, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { formatGoDuration } from '../kubernetes/go-duration.js';
import { jsonGo } from '../kubernetes/go-text.js';
import { sameValue } from '../json/same-value.js';
import { stringifyJson } from '../json/lossless-json.js';
import { isExtendedResource } from '../kubernetes/resource-names.js';
import { isQualifiedName } from '../kubernetes/validation/names.js';
import { EXTENSION_POINTS } from '../placement/extension-point.js';
import type {
  DefaultedConfiguration,
  DefaultedPluginSet,
  DefaultedProfile,
  Extender,
  PluginConfig,
} from './configuration-types.js';
import { CONFIGURATION_VERSION } from './decode-configuration.js';
import { argumentsOf } from '../placement/plugin-arguments.js';

/** Plugins that were removed, and may not be named at an extension point or given arguments. */
const REMOVED: ReadonlySet<string> = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']);

const shown = (value: number | bigint): { readonly text: string } => ({ text: String(value) });

/**
 * Every fault of a configuration after defaulting, with upstream's messages in upstream's order (extension points,
 * which upstream visits in no fixed order, are in the framework's order).
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/apis/config/validation/validation.go,
 * `ValidateKubeSchedulerConfiguration`; k8s.io/component-base v0.36.2, config/validation.
 */
export function validateConfiguration(configuration: DefaultedConfiguration): FieldError[] {
  const { burst, parallelism, percentageOfNodesToScore, profiles, extenders } = configuration;
  const { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: most } = configuration;
  const errors: FieldError[] = [];
  if (burst < 0) errors.push(invalid(FieldPath.of('clientConnection', 'burst'), shown(burst), 'must be non-negative'));
  errors.push(...validateLeaderElection(configuration));
  if (parallelism <= 0) {
    errors.push(
      invalid(FieldPath.of('parallelism'), shown(parallelism), 'should be an integer value greater than zero'),
    );
  }
  for (const error of validateProfiles(profiles)) errors.push(error);
  errors.push(...validatePercentage(percentageOfNodesToScore, FieldPath.of('percentageOfNodesToScore')));
  if (initial <= 0) {
    errors.push(invalid(FieldPath.of('podInitialBackoffSeconds'), shown(initial), 'must be greater than 0'));
  }
  if (most < initial) {
    const rule = 'must be greater than or equal to PodInitialBackoffSeconds';
    errors.push(invalid(FieldPath.of('podMaxBackoffSeconds'), shown(most), rule));
  }
  return [...errors, ...validateExtenders(extenders)];
}

function validateLeaderElection({ leaderElection }: DefaultedConfiguration): FieldError[] {
  if (!leaderElection.leaderElect) return [];
  const { resourceLock, leaseDuration, renewDeadline } = leaderElection;
  const path = FieldPath.of('leaderElection');
  const errors: FieldError[] = [];
  for (const name of ['leaseDuration', 'renewDeadline', 'retryPeriod'] as const) {
    const span = leaderElection[name];
    if (span <= 0n) errors.push(invalid(path.child(name), formatGoDuration(span), 'must be greater than zero'));
  }
  if (leaseDuration <= renewDeadline) {
    const rule = 'must be greater than `RenewDeadline`';
    errors.push(invalid(path.child('leaseDuration'), formatGoDuration(renewDeadline), rule));
  }
  if (resourceLock !== 'leases') {
    errors.push(invalid(path.child('resourceLock'), resourceLock, 'resourceLock value must be "leases"'));
  }
  return errors;
}

function validatePercentage(percentage: number | undefined, path: FieldPath): FieldError[] {
  if (percentage === undefined || (percentage >= 0 && percentage <= 100)) return [];
  return [invalid(path, shown(percentage), 'not in valid range [0-100]')];
}

function validateProfiles(profiles: readonly DefaultedProfile[]): FieldError[] {
  const names = new Set<string>();
  const errors = profiles.flatMap((profile, index) => {
    const path = FieldPath.of('profiles').index(index);
    const found = validateProfile(profile, path);
    // Upstream prints the other profile's path as the value, which is empty.
    if (names.has(profile.schedulerName)) found.push(duplicate(path.child('schedulerName'), { text: '{}' }));
    names.add(profile.schedulerName);
    return found;
  });
  return [...errors, ...validateCommonQueueSort(profiles)];
}

function validateProfile(profile: DefaultedProfile, path: FieldPath): FieldError[] {
  const { schedulerName, percentageOfNodesToScore, plugins, pluginConfig } = profile;
  const errors = schedulerName === '' ? [required(path.child('schedulerName'))] : [];
  errors.push(...validatePercentage(percentageOfNodesToScore, path.child('percentageOfNodesToScore')));
  for (const point of EXTENSION_POINTS) {
    (plugins[point].enabled ?? []).forEach(({ name }, index) => {
      if (REMOVED.has(name)) errors.push(removed(name, path.child('plugins', point, 'enabled').index(index)));
    });
  }
  const seen = new Set<string>();
  pluginConfig.forEach((config, index) => {
    const at = path.child('pluginConfig').index(index);
    if (seen.has(config.name)) errors.push(duplicate(at, config.name));
    seen.add(config.name);
    if (REMOVED.has(config.name)) errors.push(removed(config.name, at));
    else if (config.known) {
      for (const error of argumentsOf(config.name).validate(config.args, at.child('args'))) errors.push(error);
    }
  });
  return errors;
}

const removed = (name: string, path: FieldPath): FieldError =>
  invalid(path, name, `was invalid in version "v1" (KubeSchedulerConfiguration is version "${CONFIGURATION_VERSION}")`);

/** `validateCommonQueueSort`: there is one queue, so all profiles must use the same sort. */
function validateCommonQueueSort(profiles: readonly DefaultedProfile[]): FieldError[] {
  const [first, ...others] = profiles;
  if (first === undefined) return [];
  const path = FieldPath.of('profiles');
  const errors: FieldError[] = [];
  const sorts = first.plugins.queueSort.enabled ?? [];
  if (sorts.length > 1) {
    const at = path.index(0).child('plugins', 'queueSort', 'Enabled');
    errors.push(invalid(at, shown(sorts.length), 'only one queue sort plugin can be enabled'));
  }
  const sort = sorts[0]?.name;
  const args = sort === undefined ? undefined : first.pluginConfig.findLast(({ name }) => name === sort)?.args;
  const firstText = textOf(first.plugins.queueSort, []);
  others.forEach(({ plugins, pluginConfig }, index) => {
    const at = path.index(index + 1);
    if (textOf(plugins.queueSort, []) !== firstText) {
      const text = textOf(plugins.queueSort, null);
      errors.push(invalid(at.child('plugins', 'queueSort'), { text }, 'must be the same for all profiles'));
    }
    for (const config of pluginConfig) {
      if (config.name !== sort || sameArguments(args, config.args)) continue;
      const text = config.args === undefined ? 'null' : stringifyJson(config.args);
      const rule = 'queueSort must be the same for all profiles';
      errors.push(invalid(at.child('pluginConfig', 'args'), { text }, rule));
    }
  });
  return errors;
}

/** Whether two plugins have the same arguments, or neither has any. */
export function sameArguments(a: PluginConfig['args'], b: PluginConfig['args']): boolean {
  return a === undefined || b === undefined ? a === b : sameValue(a, b);
}

/** A plugin set as Go's JSON of its internal type; an empty list equals an absent one. */
function textOf({ enabled, disabled }: DefaultedPluginSet, nil: null | []): string {
  const listed = (list: DefaultedPluginSet['enabled']): unknown =>
    list?.map(({ name, weight }) => ({ Name: name, Weight: weight })) ?? nil;
  return jsonGo({ Enabled: listed(enabled), Disabled: listed(disabled) });
}

/** `validateExtenders`. */
export function validateExtenders(extenders: readonly Extender[]): FieldError[] {
  const path = FieldPath.of('extenders');
  const seen = new Set<string>();
  const errors = extenders.flatMap((extender, index) => {
    const at = path.index(index);
    const { prioritizeVerb = '', weight = 0, managedResources = [] } = extender;
    const found: FieldError[] = [];
    if (prioritizeVerb !== '' && weight <= 0) {
      found.push(invalid(at.child('weight'), shown(weight), 'must have a positive weight applied to it'));
    }
    managedResources.forEach(({ name = '' }, position) => {
      const namePath = at.child('managedResources').index(position).child('name');
      found.push(...validateExtendedResource(name, namePath));
      if (seen.has(name)) found.push(invalid(namePath, name, 'duplicate extender managed resource name'));
      seen.add(name);
    });
    return found;
  });
  const binders = extenders.filter(({ bindVerb = '' }) => bindVerb !== '').length;
  if (binders > 1) {
    errors.push(invalid(path, `found ${binders} extenders implementing bind`, 'only one extender can implement bind'));
  }
  return errors;
}

function validateExtendedResource(name: string, path: FieldPath): FieldError[] {
  const complaints = isQualifiedName(name);
  if (complaints.length > 0) {
    return complaints.map((message) => invalid(path, { text: jsonGo(name) }, message));
  }
  return isExtendedResource(name) ? [] : [invalid(path, name, 'is an invalid extended resource name')];
}
