import { DEFAULT_RULES } from '../kubernetes/kubernetes-rules.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { FieldPath } from '../kubernetes/field-path.js';
import type { ObjectMeta } from '../kubernetes/objects/meta.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import { gatesOf, type TolerationGates } from '../kubernetes/toleration.js';
import { ClusterTaints } from './cluster-taints.js';
import { DisruptionBudgets } from './disruption-budgets.js';
import { compareFindings, type Finding, type FindingSubject } from './finding.js';
import type { PodContext, PodFinding, PodRule } from './pod-rule.js';
import { podRules } from './pod-rules.js';

/** A pod, or a pod template. */
export interface PodManifest {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: PodSpec;
}

export interface ManifestFindingOptions {
  readonly gates?: TolerationGates;
  /** The workload that the template belongs to. Some rules treat DaemonSets and StatefulSets differently. */
  readonly workload?: FindingSubject;
  /** Path of the pod spec in the submitted manifest, such as `spec.template.spec`. The default is `spec`. */
  readonly path?: FieldPath;
}

/**
 * The findings about a pod's tolerations, errors first. Tolerations that the API server would refuse are findings, not
 * exceptions. With the state of a cluster, the tolerations are also compared with the taints and labels of its nodes.
 */
export function findManifestFindings(
  pod: PodManifest,
  state?: ClusterState,
  options: ManifestFindingOptions = {},
): readonly Finding[] {
  const { metadata = {}, spec } = pod;
  const context: PodContext = {
    spec,
    tolerations: spec.tolerations ?? [],
    path: options.path ?? FieldPath.of('spec'),
    gates: options.gates ?? gatesOf(state?.rules ?? DEFAULT_RULES),
    namespace: metadata.namespace ?? 'default',
    labels: metadata.labels ?? {},
    workloadKind: options.workload?.kind ?? 'Pod',
    ...(state === undefined ? {} : { cluster: ClusterTaints.of(state), budgets: DisruptionBudgets.of(state) }),
  };
  const subject = options.workload ?? podSubject(metadata);
  return podRules
    .flatMap((rule) => rule.check(context).map((finding) => complete(rule, finding, subject)))
    .sort(compareFindings);
}

/** Converts a rule's result to a finding about a subject. */
export function complete(rule: PodRule, finding: PodFinding, subject: FindingSubject): Finding {
  const { at, message, suggestions = [], budgets, usualForDaemons = false } = finding;
  const usual = usualForDaemons && subject.kind === 'DaemonSet' && finding.severity === 'warning';
  return {
    code: rule.code,
    severity: usual ? 'info' : finding.severity,
    subject,
    ...(at === undefined ? {} : { field: at.toString(), pointer: at.toPointer() }),
    message: usual ? `${message} This is often intended for agents that run on every node.` : message,
    suggestions,
    ...defined({ budgets }),
  };
}

function podSubject({ namespace, name, generateName }: Partial<ObjectMeta>): FindingSubject {
  const called = name ?? generateName;
  return {
    kind: 'Pod',
    ...defined({ namespace, name: called }),
  };
}
