import { type RecordedTaint, ruleTaintState } from '../../core/audit/rule-subject.js';
import { isNoDifference, taintDifference, type TaintDifference } from '../../core/audit/taint-difference.js';
import { stepSorted } from '../../core/collections/step-sorted.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { claimText } from '../../core/devices/device-allocator.js';
import { stepDeviceInventory } from '../../core/devices/device-inventory.js';
import {
  FORMER_FIELDS_OF_RULES,
  haveFormerFields,
  ruleAsRead,
  selectsByClass,
} from '../../core/devices/rule-taints.js';
import { departureOf, storedReach } from '../../core/eviction/departure.js';
import { exactly } from '../../core/eviction/known-moment.js';
import { KINDS_OF_USED_DEVICES, stepDeviceEvictions } from '../../core/eviction-schedule/device-evictions.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { DeviceClass, DeviceTaintRule, ResourceClaim, ResourceSlice } from '../../core/kubernetes/objects/dra.js';
import type { KeptKind } from '../../core/kubernetes/kinds.js';
import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import { versionToWrite } from '../../core/kubernetes/manifests/served-kinds.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import {
  isNoLabelDifference,
  type LabelDifference,
  labelDifference,
} from '../../core/taint-change/label-difference.js';
import { shellText } from '../../core/taint-change/kubectl-command.js';
import { ruleNamed } from '../../core/taint-change/rule-change.js';
import type { Rescheduling, ReschedulingEvent } from '../../core/rescheduling/rescheduling.js';
import { stepRescheduling } from '../../core/rescheduling/step-rescheduling.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { missingKinds } from '../../core/placement/kinds-not-loaded.js';
import { countsTaintRules } from '../../core/placement/plugins/dynamic-resources/cluster-devices.js';
import type { EvictionEffects, WorkloadEvictions } from '../../core/taint-effects/taint-effects.js';
import { ServiceError } from '../errors/service-error.js';
import { stateUnderGates, stateUnderRecordedGates, type AskedGates } from '../reads/state-under-gates.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';

/** A DeviceTaintRule as it is to be. */
export interface RuleEdit {
  readonly rule: string;
  /** null: it is to be removed. */
  readonly after: DeviceTaintRule | null;
  readonly featureGates: AskedGates | undefined;
  /** It makes or reverts a recorded change: the rule may be gone already, and its labels are as they are to be. */
  readonly isRecorded?: boolean;
}

/** What a change of a rule does: plain JSON, which is stored with the change. */
export interface RuleEffects {
  readonly rule: string;
  readonly outcome: 'created' | 'replaced' | 'removed' | 'unchanged';
  readonly before: RecordedTaint | null;
  readonly after: RecordedTaint | null;
  readonly inEffect: boolean;
  /** Absent in changes that were recorded by earlier versions. */
  readonly notLoaded?: readonly string[];
  readonly devices: {
    readonly total: number;
    readonly items: readonly {
      readonly driver: string;
      readonly pool: string;
      readonly name: string;
      readonly node: string | null;
      readonly claims: readonly string[];
    }[];
  };
  readonly evictions: {
    readonly now: number;
    readonly after: number;
    readonly cancelled: number;
    readonly pods: readonly RulePodEviction[];
  };
}

export interface RulePodEviction {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly workload: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly when: 'now' | 'after' | 'cancelled';
  /** RFC 3339. */
  readonly at: string | null;
  readonly formerly: string | null;
}

export interface PlannedRule {
  readonly edit: RuleEdit;
  /** The state that it was planned on: with unconfirmed changes of rules. */
  readonly before: ClusterState;
  readonly effects: RuleEffects;
  /** The same evictions as `effects` of a change has them. */
  readonly evictions: EvictionEffects;
  readonly difference: TaintDifference;
  /** Absent if no label changes. */
  readonly labels?: LabelDifference;
  readonly uid: string | undefined;
  readonly kubectl: readonly string[];
  readonly landing: { readonly state: ClusterState; readonly rescheduling: Rescheduling };
}

/** What a change of a rule does to a state, whole. */
export interface RuleChange {
  readonly outcome: RuleEffects['outcome'];
  readonly former: DeviceTaintRule | undefined;
  readonly wanted: DeviceTaintRule | undefined;
  readonly difference: TaintDifference;
  readonly after: ClusterState;
  readonly devices: RuleEffects['devices']['items'];
  /** By time. */
  readonly evictions: readonly ChangedEviction[];
}

/** A pod that is evicted at another time than before. */
interface ChangedEviction {
  readonly pod: number;
  readonly when: RulePodEviction['when'];
  /** In milliseconds since the epoch; undefined if it is not evicted. */
  readonly at: number | undefined;
  readonly formerly: number | undefined;
}

const BUDGET_MS = 60_000;
const MAX_LISTED = 250;

/**
 * What a change of a DeviceTaintRule does to a state, as it is presented and stored.
 * @throws {ServiceError} `object-not-found` if a rule that is to be removed does not exist; `budget-exceeded`, `cancelled`
 */
export async function planRule(
  stored: ClusterState,
  edit: RuleEdit,
  { now, signal }: { readonly now: Date; readonly signal?: AbortSignal },
): Promise<PlannedRule> {
  const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal });
  const underGates = edit.isRecorded === true ? stateUnderRecordedGates : stateUnderGates;
  const state = underGates(stored, edit.featureGates);
  refuseFormerFields(edit, state);
  const change = await changeRule(state, edit, now, slices);
  const { former, wanted, difference, devices, evictions, after } = change;
  const [taintBefore] = ruleTaintState(former?.spec).taints;
  const [taintAfter] = ruleTaintState(wanted?.spec).taints;
  const labels = labelDifference(former?.metadata.labels, wanted?.metadata.labels);
  const departures = await departuresOf(after, evictions, now, slices);
  return {
    edit,
    before: stored,
    difference,
    ...(!isNoLabelDifference(labels) && { labels }),
    uid: former?.metadata.uid,
    kubectl: isNoDifference(difference) ? [] : kubectlOf(edit.rule, wanted, state.rules),
    effects: {
      rule: edit.rule,
      outcome: change.outcome,
      before: taintBefore ?? null,
      after: taintAfter ?? null,
      inEffect: countsTaintRules(state.rules),
      notLoaded: missingKinds(state, kindsOfRuleChange(wanted ?? former, state.rules)),
      devices: { total: devices.length, items: devices.slice(0, MAX_LISTED) },
      evictions: {
        ...countEvictions(evictions),
        pods: evictions.slice(0, MAX_LISTED).map((eviction) => podEviction(after, eviction)),
      },
    },
    evictions: evictionEffects(after, evictions),
    landing: {
      state: after,
      rescheduling: await runSteps(
        stepRescheduling(after, departures, { gates: gatesOf(state.rules), mostListed: MAX_LISTED }),
        slices,
      ),
    },
  };
}

/**
 * What a change of a DeviceTaintRule does to a state. Its taint counts from now on unless the manifest has a time, as the API server
 * has it: k8s.io/kubernetes v1.36.2, pkg/apis/resource/v1beta2/defaults.go, `SetDefaults_DeviceTaint`.
 * @throws {ServiceError} as `planRule`
 */
export async function changeRule(
  state: ClusterState,
  { rule, after: given, isRecorded = false }: RuleEdit,
  now: Date,
  slices: TimeSlices,
): Promise<RuleChange> {
  const former = ruleNamed(state, rule);
  if (given === null && former === undefined && !isRecorded) throw ruleNotFound(rule, state);
  const wanted = given === null ? undefined : withTime(isRecorded ? given : withLabels(given, former), former, now);
  const difference = taintDifference(ruleTaintState(former?.spec), ruleTaintState(wanted?.spec));
  // A temporary state must not add to the tables that it shares.
  const base = state.fork();
  const after =
    wanted === undefined
      ? base.apply({ deletes: [{ kind: 'DeviceTaintRule', name: rule }] })
      : base.apply({ upserts: [wanted] });
  return {
    outcome: isNoDifference(difference)
      ? 'unchanged'
      : wanted === undefined
        ? 'removed'
        : former === undefined
          ? 'created'
          : 'replaced',
    former,
    wanted,
    difference,
    after,
    devices: await devicesOf(state, wanted ?? former, slices),
    evictions: await changedEvictions(state, after, now, slices),
  };
}

/** The kinds that tell what a change of a rule does. */
export const kindsOfRuleChange = (rule: DeviceTaintRule | undefined, rules: KubernetesRules): readonly KeptKind[] => [
  ...(['DeviceTaintRule', ...KINDS_OF_USED_DEVICES, 'Pod'] as const),
  ...(rule !== undefined && selectsByClass(ruleAsRead(rule, rules)) ? (['DeviceClass'] as const) : []),
];

function refuseFormerFields({ after, isRecorded = false }: RuleEdit, { rules }: ClusterState): void {
  const selector = after?.spec?.deviceSelector;
  if (isRecorded || selector === undefined || haveFormerFields(rules)) return;
  const details = FORMER_FIELDS_OF_RULES.filter((field) => selector[field] !== undefined).map((field) => ({
    field: `put.spec.deviceSelector.${field}`,
    pointer: `/put/spec/deviceSelector/${field}`,
    code: 'FieldValueTypeInvalid',
    message: `strict decoding error: unknown field "spec.deviceSelector.${field}"; Kubernetes has it until 1.34`,
  }));
  if (details.length > 0) throw new InvalidRequestError(details);
}

function ruleNotFound(rule: string, { loadedKinds }: ClusterState): ServiceError {
  const message = loadedKinds.has('DeviceTaintRule')
    ? `DeviceTaintRule ${JSON.stringify(rule)} does not exist.`
    : `It is not known whether DeviceTaintRule ${JSON.stringify(rule)} exists: DeviceTaintRules were never loaded.`;
  return new ServiceError('object-not-found', message, {
    details: [
      {
        field: 'remove',
        pointer: '/remove',
        code: 'object-not-found',
        message: loadedKinds.has('DeviceTaintRule')
          ? `devicetaintrules.resource.k8s.io ${JSON.stringify(rule)} not found`
          : 'no snapshot contained objects of kind DeviceTaintRule',
      },
    ],
  });
}

/** A rule that is replaced keeps its other labels, as with `kubectl apply`. */
function withLabels(rule: DeviceTaintRule, former: DeviceTaintRule | undefined): DeviceTaintRule {
  if (former?.metadata.labels === undefined) return rule;
  return { ...rule, metadata: { ...rule.metadata, labels: { ...former.metadata.labels, ...rule.metadata.labels } } };
}

/** A rule that says the same keeps its time. */
function withTime(rule: DeviceTaintRule, former: DeviceTaintRule | undefined, now: Date): DeviceTaintRule {
  const spec = rule.spec!;
  if (spec.taint.timeAdded !== undefined) return rule;
  const timed = (timeAdded: string): DeviceTaintRule => ({
    ...rule,
    spec: { ...spec, taint: { ...spec.taint, timeAdded } },
  });
  const standing = former?.spec?.taint.timeAdded;
  const kept = standing === undefined ? undefined : timed(standing);
  const isSame =
    kept !== undefined && isNoDifference(taintDifference(ruleTaintState(former?.spec), ruleTaintState(kept.spec)));
  return isSame ? kept : timed(`${now.toISOString().slice(0, 19)}Z`);
}

async function devicesOf(
  state: ClusterState,
  rule: DeviceTaintRule | undefined,
  slices: TimeSlices,
): Promise<RuleChange['devices']> {
  if (rule === undefined) return [];
  const inventory = await runSteps(
    stepDeviceInventory(
      {
        claims: state.objects('ResourceClaim') as readonly ResourceClaim[],
        slices: state.objects('ResourceSlice') as readonly ResourceSlice[],
        classOf: (name) => state.find('DeviceClass', undefined, name) as DeviceClass | undefined,
        taintRules: [ruleAsRead(rule, state.rules)],
      },
      {},
    ),
    slices,
  );
  return inventory
    .filter(({ taints }) => taints.some((taint) => taint.rule === rule.metadata.name))
    .map(({ driver, pool, device, object, slice, holders }) => ({
      driver,
      pool,
      name: device,
      node: slice.spec?.nodeName ?? object.nodeName ?? null,
      claims: holders.map(({ claim }) => claimText(claim)),
    }));
}

async function changedEvictions(
  before: ClusterState,
  after: ClusterState,
  now: Date,
  slices: TimeSlices,
): Promise<readonly ChangedEviction[]> {
  const asOf = now.getTime();
  const former = await runSteps(stepDeviceEvictions(before, asOf), slices);
  const next = await runSteps(stepDeviceEvictions(after, asOf), slices);
  const changed = [...new Set([...next.keys(), ...former.keys()])]
    .map((pod): ChangedEviction => {
      const at = next.get(pod)?.at;
      const when = at === undefined ? 'cancelled' : at <= asOf ? 'now' : 'after';
      return { pod, when, at, formerly: former.get(pod)?.at };
    })
    .filter(({ at, formerly }) => at !== formerly);
  return runSteps(
    stepSorted(changed, (a, b) => (a.at ?? Infinity) - (b.at ?? Infinity) || a.pod - b.pod),
    slices,
  );
}

export function countEvictions(
  evictions: readonly Pick<ChangedEviction, 'when'>[],
): Omit<RuleEffects['evictions'], 'pods'> {
  const counts = { now: 0, after: 0, cancelled: 0 };
  for (const { when } of evictions) counts[when] += 1;
  return counts;
}

function evictionEffects(after: ClusterState, evictions: readonly ChangedEviction[]): EvictionEffects {
  const workloads = new Map<string, WorkloadEvictions>();
  for (const { pod, when } of evictions) {
    if (when === 'cancelled') continue;
    const workload = after.pods.workload(pod);
    const key = JSON.stringify([workload.kind, workload.namespace, workload.name]);
    const known = workloads.get(key) ?? { workload, now: 0, after: 0 };
    workloads.set(key, { ...known, [when]: known[when] + 1 });
  }
  const byWorkload = [...workloads.values()].sort((a, b) => b.now - a.now || b.after - a.after);
  return {
    counts: { ...countEvictions(evictions), never: 0, pending: 0 },
    byWorkload: { total: byWorkload.length, items: byWorkload.slice(0, MAX_LISTED) },
    pods: {
      total: evictions.length,
      items: evictions.slice(0, MAX_LISTED).map((eviction) => {
        const { namespace, name, node, workload, when, at } = podEviction(after, eviction);
        return { namespace, name, node, workload, when, ...(at !== null && { at }) };
      }),
    },
  };
}

export function podEviction({ pods }: ClusterState, { pod, when, at, formerly }: ChangedEviction): RulePodEviction {
  const { kind, namespace, name } = pods.workload(pod);
  return {
    namespace: pods.namespace(pod),
    name: pods.name(pod),
    node: pods.pod(pod).spec.nodeName ?? '',
    workload: { kind, namespace, name },
    when,
    at: timeOf(at),
    formerly: timeOf(formerly),
  };
}

/** The departures of the pods that are evicted, in their order. */
async function departuresOf(
  { pods, nodes }: ClusterState,
  evictions: readonly ChangedEviction[],
  now: Date,
  slices: TimeSlices,
): Promise<readonly ReschedulingEvent[]> {
  const events: ReschedulingEvent[] = [];
  for (const { pod, at } of evictions) {
    const node = pods.nodeIndex(pod);
    if (at === undefined || pods.terminating(pod) || node < 0) continue;
    const markedAt = Math.max(now.getTime(), at);
    events.push({ at: markedAt, kind: 'marked', pod });
    const { goneAt } = departureOf(pods.pod(pod), exactly(markedAt), storedReach(nodes.node(node)));
    if (goneAt !== null) events.push({ at: goneAt.latest, kind: 'gone', pod });
  }
  return runSteps(
    stepSorted(events, (a, b) => a.at - b.at),
    slices,
  );
}

const timeOf = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

function kubectlOf(rule: string, wanted: DeviceTaintRule | undefined, rules: KubernetesRules): readonly string[] {
  if (wanted === undefined) return [shellText(['kubectl', 'delete', 'devicetaintrule', rule])];
  const { kind, metadata, spec } = wanted;
  const apiVersion = versionToWrite('DeviceTaintRule', rules) ?? wanted.apiVersion;
  const { name, labels } = metadata;
  const manifest = { apiVersion, kind, metadata: { name, ...(labels !== undefined && { labels }) }, spec };
  return [`kubectl apply -f - <<'EOF'\n${stringifyJson(manifest)}\nEOF`];
}
