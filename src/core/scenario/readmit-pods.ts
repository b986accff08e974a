import { judgeable } from '../admission/admit-known.js';
import type { AdmissionConfiguration, AdmissionPluginName } from '../admission/admission-configuration.js';
import { readmitPod } from '../admission/readmit-pod.js';
import { admissionConfigurationIn, surroundingsIn, type KnownSurroundings } from '../admission/surroundings-in.js';
import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { sameValue } from '../json/same-value.js';
import type { FieldPath } from '../kubernetes/field-path.js';
import { hasEnded } from '../kubernetes/has-ended.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { podTargets } from './pod-targets.js';
import { boundTo, unbound } from './pod-place.js';
import type { ReadmitPods } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';
import { without } from './without.js';

/** Pods processed between two yields. */
const FEW = 64;
/** Used as the current time: only the time of a deletion depends on it, and quotas are not evaluated here. */
const NO_TIME = 0;
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
  const surroundings = { then: new Surroundings(draft, 'base'), now: new Surroundings(draft, 'changed') };
  let left = 0;
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
    readmitOne(draft, pod, surroundings);
  }
  draft.notes.push(
    `${at.toString()}: the overhead, the priority, and the tolerations and node selector entries that equal those that admission adds are assumed to come from admission; requests and limits are unchanged`,
  );
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

/** The objects that admission reads, by namespace. */
class Surroundings {
  private readonly known = new Map<string, KnownSurroundings>();
  private readonly state;
  readonly configuration: AdmissionConfiguration;

  constructor(draft: ScenarioDraft, which: 'base' | 'changed') {
    this.state = which === 'base' ? draft.base : draft.admissionState;
    const configuration = admissionConfigurationIn(this.state);
    this.configuration = withoutPlugin(configuration, 'ResourceQuota');
  }

  of(namespace: string): KnownSurroundings {
    let known = this.known.get(namespace);
    if (known === undefined) this.known.set(namespace, (known = surroundingsIn(this.state, namespace, NO_TIME)));
    return known;
  }
}

const withoutPlugin = (configuration: AdmissionConfiguration, plugin: AdmissionPluginName): AdmissionConfiguration => ({
  ...configuration,
  plugins: configuration.plugins.filter((name) => name !== plugin),
});

function readmitOne(
  draft: ScenarioDraft,
  pod: Pod,
  { then, now }: { readonly then: Surroundings; readonly now: Surroundings },
): void {
  const { namespace = '', name } = pod.metadata;
  const { nodeName = '' } = pod.spec;
  const sent = unadmitted(unbound(pod), then.of(namespace), then.configuration);
  const surroundings = now.of(namespace);
  const { judged } = judgeable(now.configuration, surroundings, { operation: 'create', pod: sent });
  const admission = readmitPod(sent, surroundings, judged);
  if (admission.outcome === 'refused') {
    draft.removePod({ namespace, name });
    draft.refused.set(`${namespace}/${name}`, { namespace, name, nodeName, refusal: admission.refusal });
    return;
  }
  const made = admission.pod;
  draft.refused.delete(`${namespace}/${name}`);
  draft.putPod(nodeName === '' ? made : boundTo(made, nodeName));
}

/** A pod without the parts that admission would add to it. */
function unadmitted(pod: Pod, surroundings: KnownSurroundings, configuration: AdmissionConfiguration): Pod {
  const { judged } = judgeable(configuration, surroundings, { operation: 'create', pod });
  const on = new Set<string>(judged.plugins);
  let spec: PodSpec = pod.spec;
  if (on.has('RuntimeClass')) spec = without(spec, 'overhead');
  if (on.has('Priority')) spec = without(spec, 'priority', 'preemptionPolicy');
  const added = addedTo({ ...pod, spec: bare(spec) }, surroundings, judged);
  const tolerations = (spec.tolerations ?? []).filter(
    (one) => !(added.tolerations ?? []).some((other) => sameValue(one, other)),
  );
  const nodeSelector = Object.entries(spec.nodeSelector ?? {}).filter(
    ([key, value]) => !Object.hasOwn(added.nodeSelector ?? {}, key) || added.nodeSelector?.[key] !== value,
  );
  return { ...pod, spec: { ...spec, tolerations, nodeSelector: Object.fromEntries(nodeSelector) } };
}

const bare = (spec: PodSpec): PodSpec => without(spec, 'tolerations', 'nodeSelector');

/** The spec that admission produces for a pod without tolerations and node selector; empty if it refuses the pod. */
function addedTo(pod: Pod, surroundings: KnownSurroundings, configuration: AdmissionConfiguration): Partial<PodSpec> {
  try {
    const admission = readmitPod(pod, surroundings, configuration);
    return admission.outcome === 'admitted' ? admission.pod.spec : {};
  } catch (error) {
    if (error instanceof AdmissionRefusal) return {};
    throw error;
  }
}
