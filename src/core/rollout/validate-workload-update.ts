import { defined } from '../collections/defined.js';
import { errorsInWordsOf, forbidden, invalid, type FieldError } from '../kubernetes/field-error.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { jsonGo, quoteGo } from '../kubernetes/go-text.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Container, PodTemplateSpec } from '../kubernetes/objects/pod.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { WholePod } from '../kubernetes/objects/whole-pod.js';
import type { Job, StatefulSet, Workload } from '../kubernetes/objects/workloads.js';
import { templateOf } from '../kubernetes/pod-template.js';
import { rulesOfGates, type TolerationGates } from '../kubernetes/toleration.js';
import { leniencyTowards } from '../kubernetes/validation/pod/leniency-towards.js';
import { validateMetaUpdate } from '../kubernetes/validation/metadata-update.js';
import { without } from '../collections/without.js';
import { isWhole, sameTemplate } from './templates.js';
import { shownFailurePolicy, shownSuccessPolicy } from './validate-job-policies.js';
import { validateSpec } from './validate-workload.js';

const SPEC = FieldPath.of('spec');

/**
 * What the API server refuses of a change to a stored workload: what it refuses of a new one, but for the name, and changes of fields that must
 * stay as they are.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/apps/validation/validation.go and pkg/apis/batch/validation/validation.go,
 * `ValidateDeploymentUpdate`, `ValidateStatefulSetUpdate`, `ValidateJobSpecUpdate` and so on; pkg/registry/apps/deployment/strategy.go.
 *
 * @param sent as it was sent; without a pod template, that of the stored workload is not validated again
 * @param merged what would be stored
 * @throws QuantityError for an invalid quantity
 */
export function validateWorkloadUpdate(
  stored: Workload,
  sent: Workload,
  merged: Workload,
  gates: TolerationGates,
): FieldError[] {
  const template = templateOf(stored);
  const rules = rulesOfGates(gates);
  const faults = validateSpec(merged, {
    gates,
    rules,
    leniency: template === undefined ? undefined : leniencyTowards(podOf(template), gates),
    hasTemplate: templateOf(sent) !== undefined,
    stored,
  });
  const ofMetadata = validateMetaUpdate(merged.metadata, stored.metadata, FieldPath.of('metadata'));
  return errorsInWordsOf(rules, [...ofMetadata, ...faults, ...validateFixed(stored, merged, rules)]);
}

const podOf = ({ metadata = {}, spec }: PodTemplateSpec): WholePod =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'pod' }, spec }) as unknown as WholePod;

function validateFixed(stored: Workload, merged: Workload, rules: KubernetesRules): FieldError[] {
  if (stored.kind === 'StatefulSet' && merged.kind === 'StatefulSet') return validateSetUpdate(stored, merged);
  if (stored.kind === 'Job' && merged.kind === 'Job') return validateJobUpdate(stored, merged, rules);
  return validateSelectorUpdate(stored, merged);
}

function validateSelectorUpdate(stored: Workload, merged: Workload): FieldError[] {
  const [before, after] = [selectorOf(stored), selectorOf(merged)];
  if (before === undefined || after === undefined || sameSelector(before, after)) return [];
  return [invalid(SPEC.child('selector'), { text: jsonGo(after) }, IMMUTABLE)];
}

const IMMUTABLE = 'field is immutable';

function validateJobUpdate(stored: Job, merged: Job, rules: KubernetesRules): FieldError[] {
  const [before = {}, after = {}] = [stored.spec, merged.spec];
  const isKept = before.backoffLimit !== undefined || isWhole(stored);
  return [
    ...validateCompletionsUpdate(before, after),
    ...validateSelectorUpdate(stored, merged),
    ...(isJobTemplateKept(stored, merged, rules)
      ? []
      : [invalid(SPEC.child('template'), { text: jsonGo(after.template ?? {}) }, IMMUTABLE)]),
    ...changed('completionMode', before.completionMode ?? 'NonIndexed', after.completionMode ?? 'NonIndexed', quoteGo),
    ...(isKept ? changed('podFailurePolicy', before.podFailurePolicy, after.podFailurePolicy, shownFailurePolicy) : []),
    ...(isKept ? changed('backoffLimitPerIndex', before.backoffLimitPerIndex, after.backoffLimitPerIndex, String) : []),
    ...changed('managedBy', before.managedBy, after.managedBy, quoteGo),
    ...(isKept ? changed('successPolicy', before.successPolicy, after.successPolicy, shownSuccessPolicy) : []),
  ];
}

/** @param shown as a message shows the value, which tells whether two are the same */
function changed<Value>(
  name: string,
  before: Value | undefined,
  after: Value | undefined,
  shown: (value: Value) => string,
): FieldError[] {
  const [former, text] = [before, after].map((value) => (value === undefined ? 'null' : shown(value)));
  return former === text ? [] : [invalid(SPEC.child(name), { text: text! }, IMMUTABLE)];
}

/** `validateCompletions`: an indexed Job may have more or fewer, as long as all of them run at once. */
function validateCompletionsUpdate(before: NonNullable<Job['spec']>, after: NonNullable<Job['spec']>): FieldError[] {
  const { completions, parallelism = 1 } = after;
  if (completions === before.completions) return [];
  const at = SPEC.child('completions');
  const shown = { text: String(completions ?? 'null') };
  if (after.completionMode !== 'Indexed') return [invalid(at, shown, IMMUTABLE)];
  if (completions === undefined || completions === parallelism) return [];
  return [invalid(at, shown, 'can only be modified in tandem with spec.parallelism')];
}

/** Labels that the API server adds to the template of a Job. */
const ADDED_LABELS = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
];

/**
 * Whether a Job keeps its template (`validatePodTemplateUpdate`). A suspended Job that has not started may get other directives for the
 * scheduler and, with the feature gate MutablePodResourcesForSuspendedJobs, other resources.
 */
function isJobTemplateKept(stored: Job, merged: Job, { featureGates }: KubernetesRules): boolean {
  const [before, after] = [stored.spec?.template, merged.spec?.template];
  if (before === undefined || after === undefined || before === after) return true;
  const labels = Object.fromEntries(
    ADDED_LABELS.flatMap((name) => {
      const value = before.metadata?.labels?.[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const sent = { ...after, metadata: { ...after.metadata, labels: { ...labels, ...after.metadata?.labels } } };
  const isOpen = stored.spec?.suspend === true && stored.status?.startTime === undefined;
  if (!isOpen) return sameTemplate(before, sent);
  const open = redirected(before, sent);
  return sameTemplate(featureGates.MutablePodResourcesForSuspendedJobs ? resized(open, sent) : open, sent);
}

/** A template with the labels, annotations and directives for the scheduler of another one. */
function redirected(template: PodTemplateSpec, { metadata = {}, spec }: PodTemplateSpec): PodTemplateSpec {
  const { nodeSelector, tolerations, schedulingGates, affinity: { nodeAffinity } = {} } = spec ?? {};
  const others = without(template.spec?.affinity ?? {}, 'nodeAffinity');
  const affinity = { ...others, ...(nodeAffinity && { nodeAffinity }) };
  return {
    ...template,
    metadata: { ...template.metadata, ...metadata },
    spec: {
      ...without(template.spec ?? { containers: [] }, 'nodeSelector', 'tolerations', 'schedulingGates', 'affinity'),
      ...(nodeSelector && { nodeSelector }),
      ...(tolerations && { tolerations }),
      ...(schedulingGates && { schedulingGates }),
      ...(Object.keys(affinity).length > 0 && { affinity }),
    },
  };
}

/** A template whose containers have the resources of those of the same name in another one. */
function resized(template: PodTemplateSpec, { spec: other }: PodTemplateSpec): PodTemplateSpec {
  const { spec } = template;
  if (spec === undefined || other === undefined) return template;
  const all = [...other.containers, ...(other.initContainers ?? [])];
  const withResources = (containers: readonly Container[]): readonly Container[] =>
    containers.map((container) => {
      return {
        ...without(container, 'resources'),
        ...defined({ resources: all.find(({ name }) => name === container.name)?.resources }),
      };
    });
  const { initContainers } = spec;
  return {
    ...template,
    spec: {
      ...spec,
      containers: withResources(spec.containers),
      ...(initContainers && { initContainers: withResources(initContainers) }),
    },
  };
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
