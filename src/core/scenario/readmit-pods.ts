import { stepAdmitPod } from '../admission/admission-chain.js';
import { admissionIn, type ClusterAdmission } from '../admission/admission-in.js';
import { PolicyWork } from '../admission/policies/policy-work.js';
import { judgeable, admissionDoubt, type UndecidedPlugin } from '../admission/undecided-plugins.js';
import { sameValue } from '../json/same-value.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { hasEnded } from '../kubernetes/has-ended.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { podTargets } from './pod-targets.js';
import { boundTo, unbound } from './pod-place.js';
import type { ReadmitPods } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from '../collections/without.js';

/** Pods processed between two yields. */
const FEW = 64;
const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Replaces pods on their nodes, as their controllers would: removes what admission added to them, and admits them again with
 * the classes and namespaces as changed so far. A pod that is then refused is gone.
 *
 * A stored pod does not show what admission added. This function assumes that admission added the overhead, the priority and
 * the preemption policy, and the tolerations and node selector entries that its class, its namespace and the API server would
 * add now. Requests and limits are unchanged, including those from a LimitRange. Quotas are not evaluated.
 */
export function* readmitPods(
  draft: ScenarioDraft,
  change: ReadmitPods,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const { runtimeClass, ...targets } = change;
  const before = faults.all.length;
  const picked =
    runtimeClass === undefined
      ? yield* podTargets(draft, targets, at, faults)
      : yield* ofClass(draft, change, at, faults);
  if (faults.all.length > before) return;
  const work = new PolicyWork();
  const admissions = { then: new Admissions(draft, 'base', work), now: new Admissions(draft, 'changed', work) };
  let left = 0;
  const unjudged = new Map<string, { readonly why: string; count: number }>();
  for (const [turn, pod] of picked.entries()) {
    if (turn % FEW === FEW - 1) yield undefined;
    if (
      hasEnded(pod) ||
      pod.metadata.deletionTimestamp !== undefined ||
      Object.hasOwn(pod.metadata.annotations ?? {}, MIRROR)
    ) {
      left++;
      continue;
    }
    const doubt = yield* readmitOne(draft, pod, admissions);
    if (doubt === undefined) continue;
    const known = unjudged.get(doubt.plugin);
    if (known === undefined) unjudged.set(doubt.plugin, { why: doubt.why, count: 1 });
    else known.count++;
  }
  draft.notes.push(
    `${at.toString()}: the overhead, the priority, and the tolerations and node selector entries that equal those that admission adds are assumed to come from admission; requests and limits are unchanged`,
  );
  for (const [plugin, { why, count }] of unjudged) {
    draft.notes.push(
      `${at.toString()}: whether ${plugin} admits pods again is not known (${count} of them): ${why}; they are assumed to be admitted`,
    );
  }
  if (left > 0) {
    draft.notes.push(
      `${at.toString()}: ${left} pods that have ended, are being deleted, or are mirror pods are unchanged`,
    );
  }
}

function* ofClass(
  draft: ScenarioDraft,
  { runtimeClass, pods, namespace, labelSelector }: ReadmitPods,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, readonly Pod[]> {
  if ([pods, namespace, labelSelector].some((given) => given !== undefined)) {
    faults.add(at, 'one-of', 'specify either runtimeClass, or pods, or namespace, labelSelector or both');
    return [];
  }
  return yield* draft.podsOfClass(runtimeClass ?? '');
}

/** The admission of each namespace. */
class Admissions {
  private readonly known = new Map<string, ClusterAdmission>();
  private readonly state;

  constructor(
    draft: ScenarioDraft,
    which: 'base' | 'changed',
    private readonly work: PolicyWork,
  ) {
    this.state = which === 'base' ? draft.base : draft.admissionState;
  }

  of(namespace: string): ClusterAdmission {
    let known = this.known.get(namespace);
    if (known === undefined)
      this.known.set(namespace, (known = admissionIn(this.state, namespace, { work: this.work })));
    return known;
  }
}

/** @returns the plugin that could not be asked about a pod that is admitted otherwise */
function* readmitOne(
  draft: ScenarioDraft,
  pod: Pod,
  { then, now }: { readonly then: Admissions; readonly now: Admissions },
): Generator<undefined, UndecidedPlugin | undefined> {
  const { namespace = '', name } = pod.metadata;
  const { nodeName = '' } = pod.spec;
  const before = yield* unadmitted(unbound(pod), then.of(namespace));
  const admission = yield* stepAdmitPod(storedPod(before), now.of(namespace));
  if (admission.outcome === 'refused') {
    draft.removePod({ namespace, name });
    draft.refused.set(`${namespace}/${name}`, { namespace, name, nodeName, refusal: admission.refusal });
    return undefined;
  }
  const made = admission.pod;
  draft.refused.delete(`${namespace}/${name}`);
  draft.putPod(nodeName === '' ? made : boundTo(made, nodeName));
  return admissionDoubt(admission);
}

/** Quotas judge nobody here: the pods are charged already. */
const storedPod = (pod: Pod) => ({ operation: 'create', pod, known: 'kept', without: ['ResourceQuota'] }) as const;

/** A pod without what admission adds to one like it. */
function* unadmitted(pod: Pod, into: ClusterAdmission): Generator<undefined, Pod> {
  const { judged } = judgeable(into.configuration, into.surroundings, { operation: 'create', pod });
  const on = new Set<string>(judged.plugins);
  let spec: PodSpec = pod.spec;
  if (on.has('RuntimeClass')) spec = without(spec, 'overhead');
  if (on.has('Priority')) spec = without(spec, 'priority', 'preemptionPolicy');
  const added = yield* addedTo({ ...pod, spec: bare(spec) }, into);
  const tolerations = (spec.tolerations ?? []).filter(
    (one) => !(added.tolerations ?? []).some((other) => sameValue(one, other)),
  );
  const nodeSelector = Object.entries(spec.nodeSelector ?? {}).filter(
    ([key, value]) => !Object.hasOwn(added.nodeSelector ?? {}, key) || added.nodeSelector?.[key] !== value,
  );
  return { ...pod, spec: { ...spec, tolerations, nodeSelector: Object.fromEntries(nodeSelector) } };
}

const bare = (spec: PodSpec): PodSpec => without(spec, 'tolerations', 'nodeSelector');

/** What admission adds to a pod that tolerates and selects nothing; nothing where it refuses it. */
function* addedTo(pod: Pod, into: ClusterAdmission): Generator<undefined, Partial<PodSpec>> {
  const admission = yield* stepAdmitPod(storedPod(pod), into);
  return admission.outcome === 'admitted' ? admission.pod.spec : {};
}
