import { counted } from '../collections/counted.js';
import { podOfManifest, withControllerAdditions } from '../admission/pod-of-template.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { controllerOf } from '../kubernetes/controller-of.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import { gatesOf, indexOfTolerating } from '../kubernetes/toleration.js';
import type { Evaluate } from './evaluation.js';
import { finding, unknown, workloadText, type WorkloadRef } from './expectation.js';

/** Whether only the named namespaces and workloads have pods, or pod templates, that tolerate a taint. */
export const evaluateTolerates: Evaluate<'tolerates'> = function* ({ spec, compiled }, { state, pods }) {
  const { namespaces = [], workloads = [] } = spec.only;
  const allowedNamespaces = new Set(namespaces);
  const allowed = new Set(workloads.map(workloadText));
  const mayTolerate = (ref: WorkloadRef): boolean =>
    allowedNamespaces.has(ref.namespace) || allowed.has(workloadText(ref));
  const taints = compiled.taints!;
  const { groups } = yield* pods.grouped();
  const bySet = new Map<number, boolean>();
  const offenders = new Map<string, WorkloadRef>();
  const examples: string[] = [];
  let podCount = 0;
  let allowedPods = 0;
  for (const { workload, tolerationSetId, active, examples: some } of groups) {
    if (active === 0) continue;
    let tolerating = bySet.get(tolerationSetId);
    if (tolerating === undefined) {
      bySet.set(tolerationSetId, (tolerating = toleratesAny(state.tolerationSets[tolerationSetId]!, taints, state)));
    }
    if (!tolerating) continue;
    if (mayTolerate(workload)) {
      allowedPods += active;
      continue;
    }
    podCount += active;
    offenders.set(workloadText(workload), workload);
    examples.push(...some.map((pod) => state.pods.key(pod)));
  }
  let templates = 0;
  for (const workload of templatesOf(state)) {
    const ref = {
      kind: workload.kind,
      namespace: workload.metadata.namespace ?? 'default',
      name: workload.metadata.name,
    };
    const pod = podOfManifest(workload);
    if (pod === undefined || mayTolerate(ref)) continue;
    if (!toleratesAny(withControllerAdditions(pod, workload).spec.tolerations ?? [], taints, state)) continue;
    templates++;
    offenders.set(workloadText(ref), ref);
  }
  yield undefined;
  const details = [...new Set(taints.map(({ effect }) => effect))].length > 1 ? [] : [`effect ${taints[0]!.effect}`];
  if (offenders.size === 0) {
    const unseen = WORKLOAD_KINDS.filter((kind) => !state.loadedKinds.has(kind));
    if (!state.loadedKinds.has('Pod')) return unknown('No snapshot has contained the kind Pod.');
    const more =
      unseen.length === 0 ? [] : [`pod templates not looked at, since no snapshot had the kind: ${unseen.join(', ')}`];
    const reason = `Nothing else tolerates ${spec.taint}; ${counted(allowedPods, 'pod')} may and ${allowedPods === 1 ? 'does' : 'do'}.`;
    return finding('holds', reason, { count: 0, details: [...details, ...more] });
  }
  const list = [...offenders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ref]) => ref);
  const reason = `${counted(podCount, 'pod')} and ${counted(templates, 'pod template')} of ${counted(list.length, 'other workload')} ${podCount + templates === 1 ? 'tolerates' : 'tolerate'} ${spec.taint}.`;
  return finding('broken', reason, { count: podCount, pods: examples.sort(), workloads: list, details });
};

const toleratesAny = (tolerations: readonly Toleration[], taints: readonly Taint[], { rules }: ClusterState): boolean =>
  taints.some((taint) => indexOfTolerating(tolerations, taint, gatesOf(rules)) !== -1);

/** The workloads that nothing else controls: their templates decide about future pods. */
function* templatesOf(state: ClusterState): Generator<Workload> {
  for (const kind of WORKLOAD_KINDS) {
    for (const object of state.objects(kind)) {
      if (controllerOf(object.metadata.ownerReferences) === undefined) yield object as Workload;
    }
  }
}
