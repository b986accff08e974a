import {
  errorsInWordsOf,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
} from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { jsonGo } from '../kubernetes/go-text.js';
import { compileLabelSelector } from '../kubernetes/label-selector.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { PodTemplateSpec } from '../kubernetes/objects/pod.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { CronJob, Workload } from '../kubernetes/objects/workloads.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { cronScheduleFault } from '../kubernetes/validation/cron-schedule.js';
import { validateLabelSelector } from '../kubernetes/validation/label-selector.js';
import { validateCoreObjectMeta } from '../kubernetes/validation/metadata.js';
import { nonNegative } from '../kubernetes/validation/non-negative.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../kubernetes/validation/object-names.js';
import { isTimeZone } from '../kubernetes/validation/time-zones.js';
import { newPod, validatePodParts } from '../kubernetes/validation/pod/validate-pod.js';
import { strictly, type PodLeniency } from '../kubernetes/validation/pod/pod-leniency.js';
import { validateJobFields, validateJobSelector, type WholeJobSpec } from './validate-job.js';
import {
  validateDaemonSetStrategy,
  validateDeploymentStrategy,
  validateStatefulSetStrategy,
} from './validate-strategy.js';

const SPEC = FieldPath.of('spec');

/** Fields of workloads that snapshots do not keep, if they were sent. */
interface UnkeptFields {
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly progressDeadlineSeconds?: number;
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
}

/** What the API server checks a workload by. */
export interface Checks {
  readonly gates: TolerationGates;
  readonly rules: KubernetesRules;
  /** Undefined for a new workload. */
  readonly leniency: PodLeniency | undefined;
  /** The workload before an update. */
  readonly stored?: Workload;
  /** Whether the template is known as a whole. */
  readonly hasTemplate: boolean;
}

/**
 * The API server's faults of a new workload: its metadata, numbers, selector, strategy, policies and template. Of a StatefulSet's template it checks
 * only the labels, so that a bad one fails at the first pod.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/apps/validation/validation.go and pkg/apis/batch/validation/validation.go.
 *
 * @throws QuantityError for an invalid quantity
 */
export function validateWorkload(workload: Workload, gates: TolerationGates): FieldError[] {
  const rule = workload.kind === 'StatefulSet' ? nameIsDnsLabel : nameIsDnsSubdomain;
  const errors = validateCoreObjectMeta(workload.metadata, true, rule, FieldPath.of('metadata'));
  const checks = { gates, rules: rulesOfGates(gates), leniency: undefined, hasTemplate: true };
  return errorsInWordsOf(checks.rules, [
    ...errors,
    ...validateNewSelector(workload),
    ...validateSpec(workload, checks),
    ...validateMadeNames(workload, FieldPath.of('metadata', 'name')),
  ]);
}

const NAME_LABELS = ['batch.kubernetes.io/job-name', 'job-name'];

/** Of a Job with a selector: the controller makes it up unless `manualSelector` is set, and adds the identity of the new Job. */
function validateNewSelector(workload: Workload): FieldError[] {
  if (workload.kind !== 'Job') return [];
  const { selector, manualSelector = false } = (workload.spec ?? {}) as WholeJobSpec;
  const at = SPEC.child('selector');
  if (manualSelector) {
    if (selector === undefined) return [required(at)];
    const labels = workload.spec?.template?.metadata?.labels ?? {};
    const ofTemplate = SPEC.child('template', 'metadata', 'labels');
    return [...validateLabelSelector(selector, at), ...validateMatch(selector, labels, ofTemplate)];
  }
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isOwn = ([key, value]: readonly [string, string]): boolean =>
    NAME_LABELS.includes(key) && value === workload.metadata.name;
  if (matchExpressions.length === 0 && Object.entries(matchLabels).every(isOwn)) return [];
  return [invalid(at, { text: jsonGo(selector ?? {}) }, '`selector` not auto-generated')];
}

function validateMatch(selector: LabelSelector, labels: Labels, at: FieldPath): FieldError[] {
  const compiled = compileLabelSelector(selector);
  if (!('selector' in compiled) || compiled.selector.matches(labels)) return [];
  return [invalid(at, { text: jsonGo(labels) }, '`selector` does not match template `labels`')];
}

/** Names that are too long for those of the objects that the controller makes. */
function validateMadeNames(workload: Workload, at: FieldPath): FieldError[] {
  const { name } = workload.metadata;
  if (workload.kind === 'CronJob' && name.length > MOST_OF_CRON_JOB) {
    return [invalid(at, name, `must be no more than ${MOST_OF_CRON_JOB} characters`)];
  }
  if (workload.kind !== 'Job') return [];
  const { completionMode, completions = 0 } = workload.spec ?? {};
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  const isLabel = nameIsDnsLabel(longest, false).length === 0;
  return isLabel ? [] : [invalid(at, name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

/** Eleven characters follow in the name of a Job, which has 63. */
const MOST_OF_CRON_JOB = 52;

/** The faults of a workload's spec, new or changed. */
export function validateSpec(workload: Workload, checks: Checks): FieldError[] {
  const { minReadySeconds, revisionHistoryLimit, progressDeadlineSeconds, ...unkept } = (workload.spec ??
    {}) as UnkeptFields;
  const ofMinReady = nonNegative(minReadySeconds, SPEC.child('minReadySeconds'));
  const ofHistory = nonNegative(revisionHistoryLimit, SPEC.child('revisionHistoryLimit'));
  const at = SPEC.child('template');
  switch (workload.kind) {
    case 'Job':
      return validateJob(workload.spec ?? {}, SPEC, checks);
    case 'CronJob':
      return validateCronJob(workload, checks);
    case 'ReplicationController': {
      const { replicas, selector = {}, template } = workload.spec ?? {};
      const matchLabels = Object.keys(selector).length === 0 ? template?.metadata?.labels : selector;
      return [
        ...ofMinReady,
        ...(matchLabels === undefined ? [required(SPEC.child('selector'))] : []),
        ...nonNegative(replicas, SPEC.child('replicas')),
        ...validateTemplate(template, { matchLabels: matchLabels ?? {} }, at, checks, 'ReplicationController'),
      ];
    }
    case 'ReplicaSet': {
      const { replicas, selector, template } = workload.spec ?? {};
      return [
        ...nonNegative(replicas, SPEC.child('replicas')),
        ...ofMinReady,
        ...validateSelector(selector, 'deployment'),
        ...validateTemplate(template, selector, at, checks, 'ReplicaSet'),
      ];
    }
    case 'Deployment': {
      const { replicas, selector, template, strategy } = workload.spec ?? {};
      return [
        ...nonNegative(replicas, SPEC.child('replicas')),
        ...validateSelector(selector, 'deployment'),
        ...validateTemplate(template, selector, at, checks, 'ReplicaSet'),
        ...validateDeploymentStrategy(strategy, SPEC.child('strategy')),
        ...ofMinReady,
        ...ofHistory,
        ...validateDeadline(progressDeadlineSeconds, minReadySeconds),
      ];
    }
    case 'DaemonSet': {
      const { selector, template, updateStrategy } = workload.spec ?? {};
      return [
        ...(selector === undefined ? [] : validateSelector(selector, 'daemonset')),
        ...validateTemplate(template, selector ?? NOTHING, at, checks, 'DaemonSet'),
        ...ofMinReady,
        ...validateDaemonSetStrategy(updateStrategy, SPEC.child('updateStrategy')),
        ...ofHistory,
      ];
    }
    case 'StatefulSet': {
      const { spec = {} } = workload;
      const { replicas, selector, template, podManagementPolicy = ORDERED, ordinals, updateStrategy } = spec;
      const { MaxUnavailableStatefulSet } = checks.rules.featureGates;
      const policy = SPEC.child('podManagementPolicy');
      const isKnown = podManagementPolicy === ORDERED || podManagementPolicy === 'Parallel';
      return [
        ...(isKnown ? [] : [invalid(policy, podManagementPolicy, `must be '${ORDERED}' or 'Parallel'`)]),
        ...validateStatefulSetStrategy(updateStrategy, SPEC.child('updateStrategy'), MaxUnavailableStatefulSet),
        ...validateRetention(unkept.persistentVolumeClaimRetentionPolicy),
        ...nonNegative(replicas, SPEC.child('replicas')),
        ...ofMinReady,
        ...nonNegative(ordinals?.start, SPEC.child('ordinals.start')),
        ...validateSelector(selector, 'statefulset'),
        ...validateTemplate(template, selector, at, checks, 'StatefulSet'),
      ];
    }
  }
}

const ORDERED = 'OrderedReady';
/** A selector that matches no labels: a label cannot be there and absent. */
const NOTHING: LabelSelector = {
  matchExpressions: [
    { key: 'none', operator: 'Exists' },
    { key: 'none', operator: 'DoesNotExist' },
  ],
};

function validateSelector(selector: LabelSelector | undefined, kind: string): FieldError[] {
  const at = SPEC.child('selector');
  if (selector === undefined) return [required(at)];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  const empty = isEmpty ? [invalid(at, { text: jsonGo(selector) }, `empty selector is invalid for ${kind}`)] : [];
  return [...validateLabelSelector(selector, at), ...empty];
}

function validateDeadline(seconds: number | undefined, minReadySeconds = 0): FieldError[] {
  if (seconds === undefined) return [];
  const at = SPEC.child('progressDeadlineSeconds');
  const isShort = seconds <= minReadySeconds;
  return [
    ...nonNegative(seconds, at),
    ...(isShort ? [invalid(at, { text: String(seconds) }, 'must be greater than minReadySeconds')] : []),
  ];
}

/** `ValidatePersistentVolumeClaimRetentionPolicy`. */
function validateRetention(policy: UnkeptFields['persistentVolumeClaimRetentionPolicy']): FieldError[] {
  const at = SPEC.child('persistentVolumeClaimRetentionPolicy');
  return (['whenDeleted', 'whenScaled'] as const).flatMap((name) => {
    const value = policy?.[name];
    const isKnown = value === undefined || value === 'Retain' || value === 'Delete';
    return isKnown ? [] : [notSupported(at.child(name), value, ['Delete', 'Retain'])];
  });
}

function validateJob(spec: WholeJobSpec, at: FieldPath, checks: Checks): FieldError[] {
  return [
    ...validateJobFields(spec, at),
    ...validateTemplate(spec.template, undefined, at.child('template'), checks, 'Job'),
    ...(checks.hasTemplate ? validateJobRestarts(spec, at.child('template', 'spec', 'restartPolicy')) : []),
  ];
}

function validateJobRestarts({ template, podFailurePolicy }: WholeJobSpec, at: FieldPath): FieldError[] {
  const { restartPolicy = 'Always' } = template?.spec ?? {};
  if (restartPolicy === 'Always' || restartPolicy === '') return [required(at, 'valid values: "OnFailure", "Never"')];
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    return [notSupported(at, restartPolicy, ['OnFailure', 'Never'])];
  }
  if (podFailurePolicy === undefined || restartPolicy === 'Never') return [];
  return [invalid(at, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** `validateCronJobSpec`. */
function validateCronJob({ spec = {} }: CronJob, checks: Checks): FieldError[] {
  const { schedule = '', timeZone, jobTemplate, ...rest } = spec;
  const whole = rest as {
    readonly startingDeadlineSeconds?: number;
    readonly concurrencyPolicy?: string;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
  };
  const before = checks.stored?.kind === 'CronJob' ? (checks.stored.spec ?? {}) : undefined;
  const policies = ['Allow', 'Forbid', 'Replace'];
  const { concurrencyPolicy = 'Allow' } = whole;
  const [ofPolicy, ofJob] = [SPEC.child('concurrencyPolicy'), SPEC.child('jobTemplate', 'spec')];
  return [
    ...validateSchedule(schedule, SPEC.child('schedule'), { timeZone, before }),
    ...nonNegative(whole.startingDeadlineSeconds, SPEC.child('startingDeadlineSeconds')),
    ...(before !== undefined && before.timeZone === timeZone ? [] : validateTimeZone(timeZone, SPEC.child('timeZone'))),
    ...(policies.includes(concurrencyPolicy) ? [] : [notSupported(ofPolicy, concurrencyPolicy, policies)]),
    ...validateJob(jobTemplate?.spec ?? {}, ofJob, checks),
    ...validateJobSelector(jobTemplate?.spec ?? {}, ofJob),
    ...nonNegative(whole.successfulJobsHistoryLimit, SPEC.child('successfulJobsHistoryLimit')),
    ...nonNegative(whole.failedJobsHistoryLimit, SPEC.child('failedJobsHistoryLimit')),
  ];
}

/** `validateScheduleFormat`. A schedule that had a time zone may keep one. */
function validateSchedule(
  schedule: string,
  at: FieldPath,
  { timeZone, before }: { readonly timeZone: string | undefined; readonly before: CronJob['spec'] },
): FieldError[] {
  if (schedule === '') return [required(at)];
  const fault = cronScheduleFault(schedule);
  const errors = fault === undefined ? [] : [invalid(at, schedule, fault)];
  if (!schedule.includes('TZ')) return errors;
  if (before?.schedule?.includes('TZ') !== true) {
    return [...errors, invalid(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  }
  if (timeZone === undefined) return errors;
  return [...errors, invalid(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')];
}

const ZONE_PART = /^(?!-|\.{1,2}$)[A-Za-z._\-0-9+]{1,14}$/;

/** `validateTimeZone`. */
function validateTimeZone(zone: string | undefined, at: FieldPath): FieldError[] {
  if (zone === undefined) return [];
  if (zone === '') return [invalid(at, zone, 'timeZone must be nil or non-empty string')];
  const unknown = invalid(at, zone, `unknown time zone ${zone}`);
  if (!zone.split('/').every((part) => ZONE_PART.test(part))) return [unknown];
  const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [...(zone.toLowerCase() === 'local' ? [invalid(at, zone, text)] : []), ...(isTimeZone(zone) ? [] : [unknown])];
}

/** @param selector undefined: the controller makes one up that matches */
function validateTemplate(
  template: PodTemplateSpec | undefined,
  selector: LabelSelector | undefined,
  at: FieldPath,
  { gates, rules, leniency = strictly(gates), hasTemplate }: Checks,
  kind: 'ReplicationController' | 'ReplicaSet' | 'DaemonSet' | 'StatefulSet' | 'Job',
): FieldError[] {
  if (!hasTemplate) return [];
  const { metadata = {}, spec = { containers: [] } } = template ?? {};
  const { labels = {} } = metadata;
  const errors = selector === undefined ? [] : validateMatch(selector, labels, at.child('metadata', 'labels'));
  if (kind !== 'StatefulSet') {
    const { serviceAccountName = '' } = spec as WholePod['spec'];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'pod', namespace: 'default' },
      // Only a pod, not a template, must name the account of a projected token (`validatePodMetadataAndSpec`).
      spec: { ...spec, serviceAccountName: serviceAccountName === '' ? 'default' : serviceAccountName },
    } as unknown as WholePod;
    errors.push(...validatePodParts(newPod(pod, rules), leniency).map((error) => within(error, at)));
  }
  if (((spec as WholePod['spec']).ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden(at.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  }
  const { restartPolicy = 'Always', activeDeadlineSeconds } = spec;
  const place = at.child('spec', 'restartPolicy');
  if (kind === 'Job') return errors;
  if (restartPolicy !== 'Always') errors.push(notSupported(place, restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined) {
    const text = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbidden(at.child('spec', 'activeDeadlineSeconds'), text));
  }
  return errors;
}

const within = (error: FieldError, at: FieldPath): FieldError => ({
  ...error,
  field: `${at.toString()}.${error.field}`,
  pointer: `${at.toPointer()}${error.pointer}`,
});
