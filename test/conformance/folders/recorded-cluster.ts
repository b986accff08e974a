import { ClusterState } from '../../../src/core/cluster/cluster-state.js';
import { syncBudget } from '../../../src/core/disruption/budget-status.js';
import { stepBudgetMatches } from '../../../src/core/disruption/budget-matches.js';
import { stateScaleSource } from '../../../src/core/disruption/state-scale-source.js';
import { evictionTime } from '../../../src/core/eviction/eviction-time.js';
import { finish } from '../../../src/core/collections/finish.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/core/json/json-value.js';
import type { KeptKind } from '../../../src/core/kubernetes/kinds.js';
import type { KubernetesObject } from '../../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { PriorityClass, RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import type { WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import { reconcileNoSchedule } from '../../../src/core/kubernetes/condition-taints.js';
import { AdmissionServer } from './admission-server.js';
import { rulesOfRecording } from './rules-of-recording.js';
import type { RecordedDecision, SchedulingRecording, SchedulingStep } from './scheduling-recording.js';

/** When everything happens: after every recorded time. */
export const NOW = Date.parse('2030-01-01T00:00:00Z');
const NOW_TEXT = '2030-01-01T00:00:00Z';
const DEFAULT_GRACE = 30;

/** The kinds of which a recording has all objects. */
const LOADED_KINDS: readonly KeptKind[] = [
  ...(['Node', 'Pod', 'Namespace', 'DeviceClass', 'PodDisruptionBudget', 'PersistentVolumeClaim'] as const),
  ...(['PersistentVolume', 'StorageClass', 'CSINode', 'CSIDriver', 'CSIStorageCapacity', 'VolumeAttachment'] as const),
];

/** What a step or the scheduler did, as far as pods that wait are tried again because of it. */
export type Happening =
  | { readonly kind: 'nodeChanged'; readonly before: Node; readonly after: Node }
  /** The pod itself changed, or lost its nomination to another one. */
  | { readonly kind: 'podChanged'; readonly name: string }
  | { readonly kind: 'podAdded' | 'podDeleted'; readonly pod: Pod };

/** The cluster of a recording during its decisions: simulates the API server and controllers. */
export class RecordedCluster {
  readonly server: AdmissionServer;
  readonly namespace: string;
  /** Whether its objects are as they were stored, and not as they were sent. */
  readonly isStored: boolean;
  private state: ClusterState;
  /** Pods that were deleted, or asked to end, by preemption or a step. */
  readonly gone = new Set<string>();
  /** In order. */
  readonly happenings: Happening[] = [];

  constructor({ input, observed, profile, k8sVersion }: SchedulingRecording) {
    const extras = input.extras ?? [];
    this.server = new AdmissionServer(profile, rulesOfRecording({ k8sVersion }), {
      priorityClasses: extras.filter(({ kind }) => kind === 'PriorityClass') as PriorityClass[],
      runtimeClasses: extras.filter(({ kind }) => kind === 'RuntimeClass') as RuntimeClass[],
    });
    this.isStored = observed.podsStored !== undefined;
    const bound =
      observed.podsStored ?? (input.bound ?? []).map((pod) => this.running(pod, pod['x-phase'] ?? 'Running'));
    this.namespace = [...input.pending, ...bound][0]?.metadata.namespace ?? 'default';
    const present: KubernetesObject[] = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } }];
    this.state = ClusterState.build(
      [...observed.nodesStored, ...present, ...bound, ...extras],
      input.loadedKinds ?? LOADED_KINDS,
      this.server.rules,
    );
  }

  /** The current state, with the budgets as the disruption controller computes them. */
  now(): ClusterState {
    const { state } = this;
    if (this.isStored) return state;
    const matches = finish(stepBudgetMatches(state));
    const { pods } = state;
    const upserts = matches.budgets.flatMap((budget, index) => {
      const selected = [...matches.podsOf(index)].map((pod) => ({
        name: pods.name(pod),
        terminating: pods.terminating(pod),
        ready: pods.ready(pod),
        ownerReferences: pods.ownerReferences(pod),
      }));
      const sync = syncBudget(budget, { pods: selected }, stateScaleSource(state), NOW);
      if (sync.outcome === 'unknown') throw new Error(sync.reason);
      const { disruptionsAllowed } = sync.status;
      return [{ ...budget, status: { ...budget.status, disruptionsAllowed } }];
    });
    return upserts.length === 0 ? state : state.apply({ upserts });
  }

  /** A pod as it was stored. */
  store(sent: Pod, decision: RecordedDecision): void {
    if (decision.storedPod !== undefined) {
      this.put({ ...decision.storedPod, kind: 'Pod' });
      return;
    }
    const admission = this.server.createPod(sent as unknown as JsonObject);
    if (admission.outcome === 'refused') throw new Error(`pod ${decision.pod}: ${admission.refusal.message}`);
    const { storedTolerations: tolerations, stored_priority: priority, stored_overhead: overhead } = decision;
    const { stored_preemptionPolicy: preemptionPolicy, stored_nodeSelector: nodeSelector } = decision;
    const { stored_resources: resources } = decision;
    const given = { tolerations, priority, overhead, preemptionPolicy, nodeSelector, resources };
    const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    this.put({ ...admission.pod, spec: { ...admission.pod.spec, ...known } });
  }

  pod(name: string): Pod | undefined {
    return this.state.find('Pod', this.namespace, name) as Pod | undefined;
  }

  /** The stored pods that are on no node and not ending, by priority, then by name as given. */
  waiting(names: readonly string[]): readonly Pod[] {
    return names
      .flatMap((name) => this.pod(name) ?? [])
      .filter(({ spec, metadata }) => (spec.nodeName ?? '') === '' && metadata.deletionTimestamp === undefined)
      .sort((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0));
  }

  bind(name: string, nodeName: string): void {
    const pod = this.pod(name);
    if (pod === undefined) return;
    const { ClearingNominatedNodeNameAfterBinding: clears } = this.server.rules.featureGates;
    const status = clears ? withoutNomination(pod) : (pod.status ?? {});
    const bound = { ...pod, spec: { ...pod.spec, nodeName }, status };
    this.put(bound);
    this.happenings.push({ kind: 'podAdded', pod: bound });
  }

  nominate(name: string, nodeName: string | undefined): void {
    const pod = this.pod(name);
    if (pod === undefined) return;
    const status = withoutNomination(pod);
    this.put({ ...pod, status: nodeName === undefined ? status : { ...status, nominatedNodeName: nodeName } });
  }

  /** Preempts: deletes the victims, and clears nominations of pods with a lower priority to the node. */
  preempt(name: string, nodeName: string, victims: readonly Pod[]): void {
    for (const victim of victims) {
      this.end(victim, undefined, [
        { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' },
        ...(victim.status?.conditions ?? []),
      ]);
    }
    const priority = this.pod(name)?.spec.priority ?? 0;
    for (const { pod, nodeIndex } of this.state.pods.nominated()) {
      const other = this.state.pods.pod(pod);
      if (this.state.nodes.name(nodeIndex) === nodeName && (other.spec.priority ?? 0) < priority) {
        this.nominate(other.metadata.name, undefined);
        this.happenings.push({ kind: 'podChanged', name: other.metadata.name });
      }
    }
    this.nominate(name, nodeName);
  }

  /** Does a step; false for one that is not known. */
  step({ do: what, node, pod, patch = {} }: SchedulingStep): boolean {
    switch (what) {
      case 'patchNode':
        this.patchNode(node ?? '', patch);
        return true;
      case 'patchPod':
        this.patchPod(pod ?? '', patch);
        return true;
      case 'deletePod': {
        // Without grace, as the recordings show: of a pod that ends already, the API server only ever shortens the grace period
        // (k8s.io/apiserver v0.36.2, pkg/registry/rest/delete.go, `BeforeDelete`), and this one is gone at once.
        const stored = this.pod(pod ?? '');
        if (stored !== undefined) this.end(stored, 0, stored.status?.conditions ?? []);
        return true;
      }
      default:
        return false;
    }
  }

  /** Whether the taints of its node evict a pod, immediately or later. */
  isEvicted(name: string): boolean {
    const { pods, nodes, taintSets } = this.state;
    const index = pods.indexOf(this.namespace, name);
    const node = index < 0 ? -1 : pods.nodeIndex(index);
    if (node < 0) return false;
    const { tolerations = [] } = pods.pod(index).spec;
    const { action } = evictionTime(tolerations, taintSets[nodes.taintSetId(node)]!, this.server.gates);
    return action === 'now' || action === 'after';
  }

  private running(sent: Pod, phase: string): Pod {
    const admission = this.server.createPod(sent as unknown as JsonObject);
    if (admission.outcome === 'refused') throw new Error(`pod ${sent.metadata.name}: ${admission.refusal.message}`);
    const conditions = phase === 'Running' ? [{ type: 'Ready', status: 'True' }] : [];
    return { ...admission.pod, kind: 'Pod', status: { conditions, ...sent.status, phase } };
  }

  private patchNode(name: string, patch: JsonObject): void {
    const stored = this.state.find('Node', undefined, name);
    if (stored === undefined) throw new Error(`node ${name} is not there`);
    const node = merged(stored as unknown as JsonValue, patch) as unknown as Node;
    const { taints = [], unschedulable = false } = node.spec ?? {};
    const reconciled = reconcileNoSchedule(taints, node.status?.conditions ?? [], unschedulable, NOW_TEXT);
    const after = { ...node, spec: { ...node.spec, taints: reconciled } };
    this.put(after);
    // The node lifecycle controller puts its taints on the node, or takes them off, after the patch.
    this.happenings.push({ kind: 'nodeChanged', before: stored as Node, after: node });
    this.happenings.push({ kind: 'nodeChanged', before: node, after });
  }

  private patchPod(name: string, patch: JsonObject): void {
    const stored = this.pod(name);
    if (stored === undefined) throw new Error(`pod ${name} is not there`);
    const { spec, ...rest } = patch;
    const relabelled = merged(stored as unknown as JsonValue, rest) as unknown as WholePod;
    const admission = this.server.patchPod(relabelled, { spec: spec ?? {} });
    if (admission.outcome === 'refused') throw new Error(`pod ${name}: ${admission.refusal.message}`);
    this.put(admission.pod);
    this.happenings.push({ kind: 'podChanged', name });
  }

  /** A pod on a node goes on ending, since nobody runs it; one without grace, or that is nowhere or has ended, is gone at once. */
  private end(pod: Pod, grace: number | undefined, conditions: NonNullable<Pod['status']>['conditions']): void {
    const { name } = pod.metadata;
    this.gone.add(name);
    const seconds = grace ?? pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE;
    const index = this.state.pods.indexOf(this.namespace, name);
    const lingers = Number(seconds) > 0 && this.state.pods.nodeName(index) !== '' && this.state.pods.active(index);
    if (!lingers) {
      this.state = this.state.apply({ deletes: [{ kind: 'Pod', namespace: this.namespace, name }] });
      this.happenings.push({ kind: 'podDeleted', pod });
      return;
    }
    const metadata = { ...pod.metadata, deletionTimestamp: pod.metadata.deletionTimestamp ?? NOW_TEXT };
    this.put({ ...pod, metadata, status: { ...pod.status, ...(conditions !== undefined && { conditions }) } });
  }

  private put(object: Pod | Node): void {
    this.state = this.state.apply({ upserts: [object] });
  }
}

function withoutNomination({ status = {} }: Pod): NonNullable<Pod['status']> {
  return Object.fromEntries(Object.entries(status).filter(([key]) => key !== 'nominatedNodeName'));
}

/** RFC 7386; the lists that steps patch are replaced whole by a strategic patch too. */
function merged(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key) ?? null, value));
  }
  return Object.fromEntries(result);
}
