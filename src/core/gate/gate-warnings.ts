import { counted } from '../collections/counted.js';
import { ClusterState } from '../cluster/cluster-state.js';
import { declaredVersionIn, gatesNotEvaluated } from '../cluster/declared-version.js';
import type { Workload as WorkloadName } from '../cluster/pod-table.js';
import { defined } from '../collections/defined.js';
import { ClusterTaints } from '../findings/cluster-taints.js';
import { DisruptionBudgets } from '../findings/disruption-budgets.js';
import { findManifestFindings } from '../findings/find-manifest-findings.js';
import type { FindingCode } from '../findings/finding.js';
import { gateNotEvaluated } from '../findings/rules/feature-gates.js';
import { budgetNeverAllows } from '../findings/rules/budget-never-allows.js';
import { decodeObject } from '../kubernetes/decode.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { compileLabelSelector } from '../kubernetes/label-selector.js';
import type { ManifestObject } from '../kubernetes/manifests/manifest-object.js';
import type { KubernetesObject, Labels } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { templateOf, templatePath, WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import type { PreemptedPod, Rollout } from '../rollout/rollout.js';

export type GateWarningCode = 'ApiWarning' | 'Finding' | 'Preemption' | 'DisruptionBudget' | 'QuotaNearlyFull';

/** What may be wrong, though the verdict does not depend on it. */
export interface GateWarning {
  readonly code: GateWarningCode;
  /** Of a finding. */
  readonly rule?: FindingCode;
  readonly message: string;
  readonly object: ManifestObject | undefined;
  readonly field?: string;
}

/** Usage of a quota's resource before and after a rollout, where it changes. */
export interface QuotaChange {
  readonly namespace: string;
  readonly name: string;
  readonly resource: string;
  readonly hard: Quantity;
  readonly before: Quantity;
  readonly after: Quantity;
}

/**
 * What is worth a warning of a rollout: what the API server warns about, likely mistakes in the manifests, pods that are evicted for it,
 * budgets that never allow an eviction or that an eviction violates, feature gates that are not evaluated, and quotas of which no more than a tenth is left afterwards.
 * A generator that yields after the findings of each manifest.
 */
export function* stepGateWarnings(
  objects: readonly ManifestObject[],
  before: ClusterState,
  rollout: Rollout,
): Generator<undefined, readonly GateWarning[]> {
  const found: GateWarning[] = [];
  for (const object of objects) {
    found.push(...findings(object, before));
    yield;
  }
  return [
    ...objects.flatMap((object, index) => apiWarnings(object, rollout.objects[index]!)),
    ...found,
    ...gatesOfCluster(objects, before),
    ...preemptions(objects, before, rollout),
    ...(yield* stepBudgets(objects, before, rollout)),
    ...quotaChanges(rollout).filter(isNearlyFull).map(nearlyFull),
  ];
}

function apiWarnings(object: ManifestObject, outcome: Rollout['objects'][number]): readonly GateWarning[] {
  if (!('warnings' in outcome)) return [];
  return outcome.warnings.map((message) => ({ code: 'ApiWarning', message, object }));
}

const KINDS: ReadonlySet<string> = new Set(['Pod', ...WORKLOAD_KINDS]);

/** Feature gates of the cluster that may decide about pods otherwise than the rollout has it. */
function gatesOfCluster(objects: readonly ManifestObject[], state: ClusterState): readonly GateWarning[] {
  if (!objects.some(({ kind }) => KINDS.has(kind))) return [];
  const declared = declaredVersionIn(state)?.featureGates ?? {};
  return gatesNotEvaluated(declared, state.rules.minor).map(([name, value]) => ({
    code: 'Finding',
    rule: 'feature-gate-not-evaluated',
    message: gateNotEvaluated(name, value),
    object: undefined,
  }));
}

function findings(object: ManifestObject, state: ClusterState): readonly GateWarning[] {
  if (!KINDS.has(object.kind)) return [];
  const decoded = decodeObject(object.value);
  if (decoded.outcome !== 'object') return [];
  const manifest = decoded.object as Pod | Workload;
  const template = manifest.kind === 'Pod' ? manifest : templateOf(manifest);
  if ((template as { readonly spec?: unknown } | undefined)?.spec === undefined) return [];
  const { namespace = 'default', kind, name } = object;
  const [first, ...rest] = [...templatePath(object), 'spec'] as const;
  const pod = { metadata: { ...template!.metadata, namespace }, spec: template!.spec };
  const options = {
    path: FieldPath.of(first, ...rest),
    ...(kind === 'Pod' ? {} : { workload: { kind, namespace, name } }),
  };
  return findManifestFindings(pod, state, options)
    .filter(({ code, severity }) => severity !== 'info' && code !== 'refused-by-api-server')
    .map(({ code, message, field }) => ({ code: 'Finding', rule: code, message, object, ...defined({ field }) }));
}

function preemptions(
  objects: readonly ManifestObject[],
  before: ClusterState,
  { preempted, workloads }: Rollout,
): readonly GateWarning[] {
  const byPreemptor = new Map<string, { readonly preemptor: WorkloadName; readonly victims: PreemptedPod[] }>();
  for (const victim of preempted) {
    const key = nameOf(victim.preemptor);
    const known = byPreemptor.get(key);
    if (known === undefined) byPreemptor.set(key, { preemptor: victim.preemptor, victims: [victim] });
    else known.victims.push(victim);
  }
  const evictions = [...byPreemptor].map(([key, { victims }]): GateWarning => {
    const counts = new Map<string, number>();
    for (const { workload } of victims) counts.set(nameOf(workload), (counts.get(nameOf(workload)) ?? 0) + 1);
    const named = [...counts].map(([workload, count]) => `${count} of ${workload}`).join(', ');
    const index = workloads.find((one) => nameOf(one) === key)?.object;
    return {
      code: 'Preemption',
      message: `the scheduler evicts ${counted(victims.length, 'pod')} of lower priority for it: ${named}`,
      object: index === undefined ? undefined : objects[index],
    };
  });
  return [...evictions, ...violatedBudgets(before, preempted)];
}

const nameOf = ({ kind, namespace, name }: WorkloadName): string => `${kind} ${namespace}/${name}`;

function violatedBudgets(state: ClusterState, preempted: readonly PreemptedPod[]): readonly GateWarning[] {
  if (preempted.length === 0) return [];
  const budgetsOf = DisruptionBudgets.of(state);
  const victims = new Map<string, { readonly namespace: string; readonly name: string; count: number }>();
  for (const { namespace, name: pod } of preempted) {
    const index = state.pods.indexOf(namespace, pod);
    if (index < 0) continue;
    for (const name of budgetsOf.guarding(namespace, state.pods.labels(index))) {
      const key = `${namespace}/${name}`;
      const known = victims.get(key);
      if (known === undefined) victims.set(key, { namespace, name, count: 1 });
      else known.count++;
    }
  }
  return [...victims.values()].flatMap(({ namespace, name, count }): readonly GateWarning[] => {
    const budget = state.find('PodDisruptionBudget', namespace, name) as PodDisruptionBudget | undefined;
    const allowed = budget?.status?.disruptionsAllowed ?? 0;
    if (count <= allowed) return [];
    return [
      {
        code: 'DisruptionBudget',
        message: `the scheduler evicts ${counted(count, 'pod')} that PodDisruptionBudget ${namespace}/${name} protects; it allows ${counted(allowed, 'disruption')} now`,
        object: undefined,
      },
    ];
  });
}

/** Budgets of the request, or over its pods, that never allow an eviction. */
function* stepBudgets(
  objects: readonly ManifestObject[],
  before: ClusterState,
  rollout: Rollout,
): Generator<undefined, readonly GateWarning[]> {
  const templates: { readonly namespace: string; readonly labels: Labels }[] = [];
  for (const { kind, namespace = 'default', value } of objects) {
    if (!KINDS.has(kind)) continue;
    yield;
    const decoded = decodeObject(value);
    if (decoded.outcome !== 'object') continue;
    const manifest = decoded.object as Pod | Workload;
    const { labels = {} } = (manifest.kind === 'Pod' ? manifest : templateOf(manifest))?.metadata ?? {};
    templates.push({ namespace, labels });
  }
  const sent = new Map(
    objects.filter(({ kind }) => kind === 'PodDisruptionBudget').map((one) => [`${one.namespace}/${one.name}`, one]),
  );
  const stored = DisruptionBudgets.of(before);
  const guarded = templates.some(({ namespace, labels }) => stored.guarding(namespace, labels).length > 0);
  if (sent.size === 0 && !guarded) return [];
  const namespaces = new Set([...templates, ...sent.values()].map(({ namespace }) => namespace ?? 'default'));
  const after = yield* rollout.stepState();
  const concerned = (after.objects('PodDisruptionBudget') as readonly PodDisruptionBudget[]).filter(
    ({ metadata: { namespace = 'default', name }, spec }) => {
      if (!namespaces.has(namespace)) return false;
      if (sent.has(`${namespace}/${name}`)) return true;
      const compiled = compileLabelSelector(spec?.selector);
      if (!('selector' in compiled)) return false;
      return templates.some((one) => one.namespace === namespace && compiled.selector.matches(one.labels));
    },
  );
  if (concerned.length === 0) return [];
  const found = yield* budgetNeverAllows(new ClusterTaints(aboutBudgets(after, concerned)));
  return found.map(({ code, message, subject: { namespace, name = '' }, field }) => ({
    code: 'DisruptionBudget',
    rule: code,
    message: `PodDisruptionBudget ${namespace ?? ''}/${name}: ${message}`,
    object: sent.get(`${namespace}/${name}`),
    ...defined({ field }),
  }));
}

/** A state with the budgets, the pods that they select, and the controllers of their namespaces. */
function aboutBudgets(state: ClusterState, concerned: readonly PodDisruptionBudget[]): ClusterState {
  const namespaces = new Map<string, ReturnType<typeof compileLabelSelector>[]>();
  for (const {
    metadata: { namespace = 'default' },
    spec,
  } of concerned) {
    const known = namespaces.get(namespace) ?? [];
    namespaces.set(namespace, [...known, compileLabelSelector(spec?.selector)]);
  }
  const { pods } = state;
  const kept: KubernetesObject[] = [...concerned];
  for (let pod = 0; pod < pods.count; pod++) {
    const selectors = namespaces.get(pods.namespace(pod));
    if (selectors?.some((one) => 'selector' in one && one.selector.matches(pods.labels(pod))) === true) {
      kept.push(pods.pod(pod));
    }
  }
  for (const kind of WORKLOAD_KINDS) {
    kept.push(...state.objects(kind).filter(({ metadata }) => namespaces.has(metadata.namespace ?? 'default')));
  }
  return ClusterState.build(kept, [...state.loadedKinds]);
}

/** What a rollout changes of the usage of quotas, by resource. */
export function quotaChanges({ quotas }: Pick<Rollout, 'quotas'>): readonly QuotaChange[] {
  return quotas.flatMap(({ namespace, name, ...lists }) => {
    const [was, is] = [parseResourceList(lists.before), parseResourceList(lists.after)];
    return [...parseResourceList(lists.hard)].flatMap(([resource, hard]) => {
      const [before, after] = [was.get(resource) ?? Quantity.ZERO, is.get(resource) ?? Quantity.ZERO];
      return before.cmp(after) === 0 ? [] : [{ namespace, name, resource, hard, before, after }];
    });
  });
}

const isNearlyFull = ({ hard, before, after }: QuotaChange): boolean =>
  after.cmp(before) > 0 && hard.sign() > 0 && after.times(10).cmp(hard.times(9)) >= 0;

function nearlyFull({ namespace, name, resource, hard, after }: QuotaChange): GateWarning {
  const percent = Math.floor((after.approximate() / hard.approximate()) * 100);
  return {
    code: 'QuotaNearlyFull',
    message: `quota ${namespace}/${name}: ${after.toString()} of ${hard.toString()} ${resource} are used afterwards (${percent}%)`,
    object: undefined,
  };
}
