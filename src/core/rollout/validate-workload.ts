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
import type { PodTemplateSpec } from '../kubernetes/objects/pod.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { JobSpec, StatefulSet, Workload } from '../kubernetes/objects/workloads.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { validateLabelSelector } from '../kubernetes/validation/label-selector.js';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../kubernetes/validation/object-names.js';
import { newPod, validatePodParts } from '../kubernetes/validation/pod/validate-pod.js';
import { strictly } from '../kubernetes/validation/pod/pod-leniency.js';
import { scaled } from './controllers/deployment.js';

const SPEC = FieldPath.of('spec');

/**
 * The API server's faults of a new workload, as far as they bear on its pods: its name, numbers, selector, strategy and template. Of a
 * StatefulSet's template it checks only the labels, so that a bad one fails at the first pod.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/apps/validation/validation.go and pkg/apis/batch/validation/validation.go.
 *
 * @throws QuantityError for an invalid quantity
 */
export function validateWorkload(workload: Workload, gates: TolerationGates): FieldError[] {
  const { name } = workload.metadata;
  const rule = workload.kind === 'StatefulSet' ? nameIsDnsLabel : nameIsDnsSubdomain;
  const at = FieldPath.of('metadata').child('name');
  const errors =
    name === ''
      ? [required(at, 'name or generateName is required')]
      : rule(name, false).map((message) => invalid(at, name, message));
  return errorsInWordsOf(rulesOfGates(gates), [...errors, ...validateSpec(workload, gates)]);
}

function validateSpec(workload: Workload, gates: TolerationGates): FieldError[] {
  switch (workload.kind) {
    case 'Job':
      return validateJob(workload.spec ?? {}, SPEC, gates);
    case 'CronJob': {
      const jobTemplate = SPEC.child('jobTemplate');
      return validateJob(workload.spec?.jobTemplate?.spec ?? {}, jobTemplate.child('spec'), gates);
    }
    case 'ReplicationController': {
      const { replicas, selector = {}, template } = workload.spec ?? {};
      const matchLabels = Object.keys(selector).length === 0 ? template?.metadata?.labels : selector;
      return [
        ...nonNegative(replicas, SPEC.child('replicas')),
        ...(matchLabels === undefined ? [required(SPEC.child('selector'))] : []),
        ...validateTemplate(template, { matchLabels: matchLabels ?? {} }, SPEC.child('template'), gates, 'Always'),
      ];
    }
    default: {
      const { selector, template } = workload.spec ?? {};
      const replicas = workload.kind === 'DaemonSet' ? undefined : workload.spec?.replicas;
      const kinds = {
        Deployment: 'deployment',
        ReplicaSet: 'deployment',
        StatefulSet: 'statefulset',
        DaemonSet: 'daemonset',
      };
      const labelsOnly = workload.kind === 'StatefulSet';
      return [
        ...nonNegative(replicas, SPEC.child('replicas')),
        ...validateSelector(selector, kinds[workload.kind]),
        ...validateTemplate(template, selector, SPEC.child('template'), gates, 'Always', labelsOnly),
        ...(workload.kind === 'Deployment' ? validateStrategy(workload.spec?.strategy) : []),
      ];
    }
  }
}

function validateSelector(selector: LabelSelector | undefined, kind: string): FieldError[] {
  const at = SPEC.child('selector');
  if (selector === undefined) return [required(at)];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  const empty = isEmpty ? [invalid(at, { text: jsonGo(selector) }, `empty selector is invalid for ${kind}`)] : [];
  return [...validateLabelSelector(selector, at), ...empty];
}

function validateStrategy(
  strategy: { readonly type?: string; readonly rollingUpdate?: object } | undefined,
): FieldError[] {
  const { type = 'RollingUpdate', rollingUpdate } = strategy ?? {};
  const at = SPEC.child('strategy', 'rollingUpdate');
  if (type === 'Recreate') {
    const text = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(at, text)];
  }
  if (type !== 'RollingUpdate') {
    return [notSupported(SPEC.child('strategy', 'type'), type, ['Recreate', 'RollingUpdate'])];
  }
  const { maxSurge = '25%', maxUnavailable = '25%' } = (rollingUpdate ?? {}) as {
    readonly maxSurge?: number | string;
    readonly maxUnavailable?: number | string;
  };
  // A percentage counts as itself here.
  if (scaled(maxSurge, 100, Math.ceil) !== 0 || scaled(maxUnavailable, 100, Math.ceil) !== 0) return [];
  const shown = typeof maxUnavailable === 'number' ? { text: String(maxUnavailable) } : maxUnavailable;
  return [invalid(at.child('maxUnavailable'), shown, 'may not be 0 when `maxSurge` is 0')];
}

const nonNegative = (value: number | undefined, at: FieldPath): FieldError[] =>
  value === undefined || value >= 0 ? [] : [invalid(at, { text: String(value) }, 'must be greater than or equal to 0')];

function validateJob(spec: JobSpec, at: FieldPath, gates: TolerationGates): FieldError[] {
  return [
    ...nonNegative(spec.parallelism, at.child('parallelism')),
    ...nonNegative(spec.completions, at.child('completions')),
    ...validateTemplate(spec.template, undefined, at.child('template'), gates, 'OnFailure'),
  ];
}

/** @param selector undefined: the controller makes one up that matches */
function validateTemplate(
  template: PodTemplateSpec | undefined,
  selector: LabelSelector | undefined,
  at: FieldPath,
  gates: TolerationGates,
  restart: 'Always' | 'OnFailure',
  labelsOnly = false,
): FieldError[] {
  const { metadata = {}, spec = { containers: [] } } = template ?? {};
  const errors: FieldError[] = [];
  const { labels = {} } = metadata;
  const compiled = selector === undefined ? undefined : compileLabelSelector(selector);
  if (compiled !== undefined && 'selector' in compiled && !compiled.selector.matches(labels)) {
    const text = '`selector` does not match template `labels`';
    errors.push(invalid(at.child('metadata', 'labels'), { text: jsonGo(labels) }, text));
  }
  if (!labelsOnly) {
    const { serviceAccountName = '' } = spec as WholePod['spec'];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'pod', namespace: 'default' },
      // Only a pod, not a template, must name the account of a projected token (`validatePodMetadataAndSpec`).
      spec: { ...spec, serviceAccountName: serviceAccountName === '' ? 'default' : serviceAccountName },
    } as unknown as WholePod;
    errors.push(
      ...validatePodParts(newPod(pod, rulesOfGates(gates)), strictly(gates)).map((error) => within(error, at)),
    );
  }
  if (((spec as WholePod['spec']).ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden(at.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  }
  const { restartPolicy = 'Always', activeDeadlineSeconds } = spec;
  const place = at.child('spec', 'restartPolicy');
  if (restart === 'Always') {
    if (restartPolicy !== 'Always') errors.push(notSupported(place, restartPolicy, ['Always']));
    if (activeDeadlineSeconds !== undefined) {
      const text = 'activeDeadlineSeconds in ReplicaSet is not Supported';
      errors.push(forbidden(at.child('spec', 'activeDeadlineSeconds'), text));
    }
  } else if (restartPolicy === 'Always' || restartPolicy === '') {
    errors.push(required(place, 'valid values: "OnFailure", "Never"'));
  }
  return errors;
}

const within = (error: FieldError, at: FieldPath): FieldError => ({
  ...error,
  field: `${at.toString()}.${error.field}`,
  pointer: `${at.toPointer()}${error.pointer}`,
});

/**
 * What the API server refuses of a change to a stored workload: fields that must stay as they are.
 *
 * Source: the same files, `ValidateDeploymentUpdate`, `ValidateStatefulSetUpdate` and `ValidateJobUpdate`; pkg/registry/apps/deployment/
 * strategy.go.
 */
export function validateWorkloadUpdate(stored: Workload, sent: Workload): FieldError[] {
  if (stored.kind === 'StatefulSet' && sent.kind === 'StatefulSet') return validateSetUpdate(stored, sent);
  const [before, after] = [selectorOf(stored), selectorOf(sent)];
  if (before === undefined || after === undefined || sameSelector(before, after)) return [];
  return [invalid(SPEC.child('selector'), { text: jsonGo(after) }, 'field is immutable')];
}

const selectorOf = (workload: Workload): LabelSelector | undefined =>
  workload.kind === 'ReplicationController' || workload.kind === 'CronJob' ? undefined : workload.spec?.selector;

const sameSelector = (one: LabelSelector, other: LabelSelector): boolean => sorted(one) === sorted(other);

const sorted = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string =>
  JSON.stringify([Object.entries(matchLabels).sort(), matchExpressions]);

const ALLOWED =
  "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'";

function validateSetUpdate(before: StatefulSet, after: StatefulSet): FieldError[] {
  if (fixedParts(before) === fixedParts(after)) return [];
  return [forbidden(SPEC, `updates to statefulset spec for fields other than ${ALLOWED} are forbidden`)];
}

function fixedParts({ spec = {} }: StatefulSet): string {
  const { selector = {}, serviceName = '', podManagementPolicy = 'OrderedReady', volumeClaimTemplates = [] } = spec;
  const claims = volumeClaimTemplates.map(({ metadata, spec: claim = {} }) => {
    const { accessModes, storageClassName, resources } = claim;
    return [metadata?.name, accessModes, storageClassName, resources?.requests];
  });
  return JSON.stringify([sorted(selector), serviceName, podManagementPolicy, claims]);
}
