import { fieldErrorText } from '../kubernetes/error-aggregate.js';
import type { FieldError } from '../kubernetes/field-error.js';
import type { ConfigurationWarning } from './configuration-warning.js';
import type { ConfigurationFault } from './decode-configuration.js';
import type { PolicyMapping } from './legacy-policy/policy-mapping.js';
import type { SchedulerProfile } from './scheduler-profile.js';

/** A valid configuration, with its warnings. */
export interface ReadConfiguration {
  readonly outcome: 'read';
  readonly source: 'KubeSchedulerConfiguration' | 'Policy';
  readonly profiles: readonly SchedulerProfile[];
  readonly warnings: readonly ConfigurationWarning[];
  /** For a Policy: the result for each predicate and priority. */
  readonly mapping?: readonly PolicyMapping[];
}

/**
 * A configuration that Kubernetes refuses. `message` is kube-scheduler's message; `faults` are all faults with their
 * pointers; `errors` are those of validation.
 */
export interface RefusedConfiguration {
  readonly outcome: 'refused';
  readonly stage: 'decoding' | 'validation' | 'building';
  readonly message: string;
  readonly faults: readonly ConfigurationFault[];
  readonly errors?: readonly FieldError[];
}

export type ConfigurationReading = ReadConfiguration | RefusedConfiguration;

/** A fault of validation, with its pointer into the document. */
export const faultOf = (error: FieldError): ConfigurationFault => ({
  message: fieldErrorText(error),
  pointer: error.pointer,
});
