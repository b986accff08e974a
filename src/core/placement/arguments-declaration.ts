import type { FieldError } from '../kubernetes/field-error.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import type { GoStruct } from '../kubernetes/go-decoding.js';

/**
 * The arguments of one plugin: how a configuration writes them, what they are by default, what is wrong with them, and what the plugin
 * reads.
 *
 * Source: k8s.io/kube-scheduler v0.36.2, config/v1/types_pluginargs.go; k8s.io/kubernetes v1.36.2, pkg/scheduler/apis/config/v1/defaults.go
 * and pkg/scheduler/apis/config/validation.
 */
export interface ArgumentsDeclaration<Written, Read> {
  readonly type: GoStruct;
  /** `SetDefaults_…Args`. */
  readonly defaults: (args: Written) => Written;
  /** Every fault, after defaulting. */
  readonly validate: (args: Written, path: FieldPath) => readonly FieldError[];
  /** Faults that upstream finds only when it makes the plugin. */
  readonly validateWhenMade?: (args: Written) => readonly FieldError[];
  /** What the plugin reads, of arguments that were defaulted. */
  readonly read: (args: Written) => Read;
}
