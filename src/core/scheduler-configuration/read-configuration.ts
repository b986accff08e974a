import type { JsonValue } from '../json/json-value.js';
import { aggregateText } from '../kubernetes/error-aggregate.js';
import { tooMany, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { buildProfiles, ignoredResources } from './build-profiles.js';
import { defaultConfiguration } from './configuration-defaults.js';
import { faultOf, type ConfigurationReading } from './configuration-reading.js';
import { configurationWarnings } from './configuration-warning.js';
import { decodeConfiguration } from './decode-configuration.js';
import { isPolicy, readPolicy } from './legacy-policy/read-policy.js';
import { schedulerProfile, inTreeOnly } from './scheduler-profile.js';
import { validateConfiguration } from './validate-configuration.js';

export interface ReadConfigurationOptions {
  /**
   * How out-of-tree plugins are handled: they stay, with unknown results; they are left out; or the configuration is
   * refused, as by a kube-scheduler without them.
   */
  readonly outOfTreePlugins?: 'keep' | 'leave-out' | 'refuse';
}

/** More profiles than any scheduler has; upstream has no limit. */
const MAX_PROFILES = 1000;

/**
 * Reads the configuration of a scheduler: a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, or a legacy
 * Policy, with or without `apiVersion` and `kind`. Never throws: faults and warnings are values.
 */
export function readConfiguration(document: JsonValue, options: ReadConfigurationOptions = {}): ConfigurationReading {
  const { outOfTreePlugins = 'keep' } = options;
  const reading = isPolicy(document)
    ? readPolicy(document, outOfTreePlugins === 'refuse' ? 'refuse' : 'keep')
    : readKubeSchedulerConfiguration(document, outOfTreePlugins === 'refuse' ? 'refuse' : 'keep');
  if (reading.outcome === 'refused' || outOfTreePlugins !== 'leave-out') return reading;
  return { ...reading, profiles: reading.profiles.map(inTreeOnly) };
}

function readKubeSchedulerConfiguration(document: JsonValue, outOfTree: 'keep' | 'refuse'): ConfigurationReading {
  const { configuration, error, faults } = decodeConfiguration(document);
  const count = configuration?.profiles?.length ?? 0;
  if (count > MAX_PROFILES) {
    const tooManyProfiles = tooMany(FieldPath.of('profiles'), count, MAX_PROFILES);
    return refusedBy([tooManyProfiles]);
  }
  const defaulted = configuration === undefined ? undefined : defaultConfiguration(configuration);
  const errors = defaulted === undefined ? [] : validateConfiguration(defaulted);
  if (configuration === undefined || defaulted === undefined || error !== undefined) {
    return {
      outcome: 'refused',
      stage: 'decoding',
      message: error ?? '',
      faults: [...faults, ...errors.map(faultOf)],
      ...(errors.length > 0 && { errors }),
    };
  }
  if (errors.length > 0) return refusedBy(errors);
  const built = buildProfiles(defaulted, outOfTree);
  if ('error' in built) {
    const { error: message, pointer } = built;
    return { outcome: 'refused', stage: 'building', message, faults: [{ message, pointer }] };
  }
  const ignored = ignoredResources(defaulted.extenders);
  const profiles = defaulted.profiles.flatMap((profile, index) => {
    const next = built.profiles[index];
    return next === undefined ? [] : [schedulerProfile(profile, next, ignored)];
  });
  const warnings = configurationWarnings(configuration, profiles);
  return { outcome: 'read', source: 'KubeSchedulerConfiguration', profiles, warnings };
}

function refusedBy(errors: readonly FieldError[]): ConfigurationReading {
  const message = aggregateText(errors);
  return { outcome: 'refused', stage: 'validation', message, faults: errors.map(faultOf), errors };
}
