import { AdmissionRefusal } from '../../../src/core/kubernetes/admission-refusal.js';
import { admitLimitRanges } from '../../../src/core/admission/limit-ranger.js';
import { admitResize } from '../../../src/core/admission/resize-pod.js';
import { admitPriority, SYSTEM_PRIORITY_CLASSES } from '../../../src/core/admission/priority.js';
import { admitRuntimeClass } from '../../../src/core/admission/runtime-class.js';
import { aggregateText } from '../../../src/core/kubernetes/error-aggregate.js';
import { quoteGo } from '../../../src/core/kubernetes/field-error.js';
import { validateResourceQuota } from '../../../src/core/kubernetes/validation/resource-quota.js';
import { dropUnreadFields } from '../../../src/core/kubernetes/disabled-fields.js';
import { defaultPod } from '../../../src/core/kubernetes/defaults.js';
import { DEFAULT_RULES, type KubernetesRules } from '../../../src/core/kubernetes/kubernetes-rules.js';
import type { ResourceList } from '../../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Container, Pod, ResourceRequirements } from '../../../src/core/kubernetes/objects/pod.js';
import type { ResourceQuota } from '../../../src/core/kubernetes/objects/quota.js';
import type { PriorityClass, RuntimeClass } from '../../../src/core/kubernetes/objects/scheduling.js';
import { decodeQuantity, Quantity } from '../../../src/core/kubernetes/quantity.js';
import { reviewQuotas, type QuotaRequest } from '../../../src/core/quota/quota-admission.js';
import { countedObjects } from '../../../src/core/quota/object-usage.js';
import { causesRecount, recountQuota } from '../../../src/core/quota/recount.js';
import type { QuotaRecording, QuotaStep } from './quota-recording.js';

/** The possible responses of the API server: several if quotas refuse, since their order is not defined. */
export interface Answer {
  readonly code: number;
  readonly messages: readonly string[];
}

/** The recordings' namespaces hold nothing but pods; what no evaluator counts has no usage. */
function objectCount(resource: string, { featureGates }: KubernetesRules): Quantity | undefined {
  // The API server has no claims where the gate is off.
  if (OF_CLAIMS.test(resource)) return featureGates.DynamicResourceAllocation ? Quantity.ZERO : undefined;
  return countedObjects(resource, NOTHING) === undefined && !COUNTED_BESIDES.test(resource) ? undefined : Quantity.ZERO;
}

const NOTHING = { rules: DEFAULT_RULES, now: 0, objects: () => [], pod: () => undefined };

const OF_CLAIMS = /^(count\/resourceclaims\.resource\.k8s\.io|.+\.deviceclass\.resource\.k8s\.io\/devices)$/;

/** Objects that snapshots do not keep. */
const COUNTED_BESIDES = /^(count\/.+|configmaps|secrets|services(\..+)?|.+\.storageclass\.storage\.k8s\.io\/.+)$/;

/** The moment at which everything happens: no recording waits for a grace period to end. */
const NOW = Date.parse('2026-11-20T21:00:00Z');
const DEFAULT_GRACE_SECONDS = 30;

/** The one namespace of a recording: its API server, with the admission plugins that quota sees the work of, and its quota controller. */
export class QuotaNamespace {
  private readonly quotas = new Map<string, ResourceQuota>();
  private readonly pods = new Map<string, Pod>();
  private readonly nodes = new Map<string, Node>();
  private readonly priorityClasses: readonly PriorityClass[];
  private readonly runtimeClasses: ReadonlyMap<string, RuntimeClass>;

  constructor(
    private readonly input: QuotaRecording['input'],
    private readonly rules: KubernetesRules,
  ) {
    const { extras } = input;
    this.priorityClasses = [
      ...SYSTEM_PRIORITY_CLASSES,
      ...extras.filter((object): object is PriorityClass => object.kind === 'PriorityClass'),
    ];
    const classes = extras.filter((object): object is RuntimeClass => object.kind === 'RuntimeClass');
    this.runtimeClasses = new Map(classes.map((object) => [object.metadata.name, object]));
  }

  status(): ReadonlyMap<string, ResourceQuota['status']> {
    return new Map([...this.quotas].map(([name, { status }]) => [name, status]));
  }

  createQuota(quota: ResourceQuota): Answer {
    const { name } = quota.metadata;
    const faults = validateResourceQuota(
      { ...quota, metadata: { ...quota.metadata, namespace: 'default' } },
      this.rules,
    );
    if (faults.length > 0) {
      return { code: 422, messages: [`ResourceQuota ${quoteGo(name)} is invalid: ${aggregateText(faults)}`] };
    }
    const stored = { ...quota, spec: { ...quota.spec, hard: spelled(quota.spec?.hard ?? {}) } };
    this.quotas.set(name, stored);
    this.recount();
    return created;
  }

  createPod(sent: Pod): Answer {
    let pod: Pod;
    try {
      pod = this.admitted(defaultPod({ ...sent, spec: dropUnreadFields(sent.spec, this.rules) }));
    } catch (error) {
      if (error instanceof AdmissionRefusal) return { code: error.status, messages: [error.message] };
      throw error;
    }
    const answer = this.charge({ operation: 'create', pod }, created);
    if (answer.code === created.code) this.pods.set(pod.metadata.name, pod);
    return answer;
  }

  /** Undefined for a step that it does not know. */
  step(step: QuotaStep): Answer | undefined {
    switch (step.do) {
      case 'create':
        return typeof step.pod === 'object' ? this.createPod(step.pod) : undefined;
      case 'delete':
        return this.deletePod(this.podOf(step), step.gracePeriodSeconds ?? 0);
      case 'gracefulDelete': {
        const pod = this.podOf(step);
        return this.deletePod(pod, step.gracePeriodSeconds ?? graceOf(pod));
      }
      case 'phase': {
        const pod = this.podOf(step);
        const phase = step.phase ?? '';
        return this.replace(pod, { ...pod, status: { ...pod.status, phase } });
      }
      case 'resize':
        return this.resize(nameOf(step), step.patch?.spec ?? {});
      case 'patchPod':
        return this.patchPod(this.podOf(step), step.patch?.spec ?? {});
      case 'patchQuota':
        return this.patchQuota(step);
      case 'mknode': {
        const { node: name = '', allocatable = NODE_ALLOCATABLE } = step;
        this.nodes.set(name, { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable } });
        return created;
      }
      default:
        return undefined;
    }
  }

  /** The controller recounts all quotas. */
  recount(): void {
    for (const [name, quota] of this.quotas) {
      const used = recountQuota(quota, this.pods.values(), {
        now: NOW,
        others: (resource) => objectCount(resource, this.rules),
        rules: this.rules,
      });
      const texts = Object.fromEntries([...used].map(([resource, amount]) => [resource, amount.toString()]));
      this.quotas.set(name, { ...quota, status: { hard: quota.spec?.hard ?? {}, used: texts } });
    }
  }

  /** The pod after the admission plugins whose work a quota sees, in the API server's order. */
  private admitted(pod: Pod): Pod {
    const { limitrange } = this.input;
    const limited = limitrange === null ? pod : admitLimitRanges(pod, [limitrange]);
    return admitRuntimeClass(admitPriority(limited, this.priorityClasses), (name) => this.runtimeClasses.get(name));
  }

  private charge(request: QuotaRequest, answer: Answer): Answer {
    const quotas = [...this.quotas.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const review = reviewQuotas(quotas, request, { now: NOW, rules: this.rules });
    if (review.outcome === 'admitted') {
      for (const quota of review.quotas) this.quotas.set(quota.metadata.name, quota);
      return answer;
    }
    const messages = quotas.flatMap((first) => {
      const other = reviewQuotas([first, ...quotas.filter((quota) => quota !== first)], request, {
        now: NOW,
        rules: this.rules,
      });
      return other.outcome === 'refused' ? [other.refusal.message] : [];
    });
    return { code: review.refusal.status, messages };
  }

  private deletePod(pod: Pod, graceSeconds: number): Answer {
    const { nodeName = '' } = pod.spec;
    const phase = pod.status?.phase;
    if (graceSeconds > 0 && nodeName !== '' && phase !== 'Succeeded' && phase !== 'Failed') {
      const deletionTimestamp = new Date(NOW + graceSeconds * 1_000).toISOString();
      const metadata = { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
      return this.replace(pod, { ...pod, metadata });
    }
    this.pods.delete(pod.metadata.name);
    this.recount();
    return done;
  }

  private patchPod(oldPod: Pod, patch: Partial<Pod['spec']>): Answer {
    const pod: Pod = { ...oldPod, spec: { ...oldPod.spec, ...patch } };
    const answer = this.charge({ operation: 'update', pod, oldPod }, done);
    return answer.code === done.code ? this.replace(oldPod, pod) : answer;
  }

  private resize(name: string, { containers = [], initContainers = [], resources }: Partial<Pod['spec']>): Answer {
    const changed = ({ spec, ...rest }: Pod): Pod => ({
      ...rest,
      spec: {
        ...spec,
        containers: spec.containers.map((container) => resized(container, containers)),
        ...(spec.initContainers && {
          initContainers: spec.initContainers.map((container) => resized(container, initContainers)),
        }),
        ...(resources && { resources: mergedResources(spec.resources, resources) }),
      },
    });
    const stored = this.pods.get(name);
    let pod: Pod;
    try {
      const { rules } = this;
      pod = admitResize(name, changed, stored, { rules, findNode: (node) => this.nodes.get(node) });
    } catch (error) {
      if (error instanceof AdmissionRefusal) return { code: error.status, messages: [error.message] };
      throw error;
    }
    const oldPod = this.podOf({ do: 'resize', pod: name });
    const answer = this.charge({ operation: 'resize', pod, oldPod }, done);
    return answer.code === done.code ? this.replace(oldPod, pod) : answer;
  }

  private replace(before: Pod, after: Pod): Answer {
    this.pods.set(after.metadata.name, after);
    if (causesRecount(before, after, NOW, this.rules)) this.recount();
    return done;
  }

  private patchQuota({ quota: name = '', hard = {} }: QuotaStep): Answer {
    const quota = this.quotas.get(name);
    if (quota === undefined) throw new Error(`a step names the quota ${name}, which there is not`);
    const merged = Object.entries({ ...quota.spec?.hard, ...hard }).flatMap(([resource, amount]) =>
      amount === null ? [] : [[resource, amount] as const],
    );
    this.quotas.set(name, { ...quota, spec: { ...quota.spec, hard: spelled(Object.fromEntries(merged)) } });
    this.recount();
    return done;
  }

  private podOf(step: QuotaStep): Pod {
    const name = nameOf(step);
    const pod = this.pods.get(name);
    if (pod === undefined) throw new Error(`a step names the pod ${name}, which there is not`);
    return pod;
  }
}

const created: Answer = { code: 201, messages: [] };
const done: Answer = { code: 200, messages: [] };

const graceOf = ({ spec }: Pod): number => Number(spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);

/** Quantities as the API server writes them back. */
const spelled = (list: ResourceList): ResourceList =>
  Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, decodeQuantity(amount).toString()]));

function resized(container: Container, patches: readonly Container[]): Container {
  const patch = patches.find(({ name }) => name === container.name);
  if (patch === undefined) return container;
  return { ...container, resources: mergedResources(container.resources, patch.resources) };
}

const mergedResources = (
  resources: ResourceRequirements | undefined,
  patch: ResourceRequirements | undefined,
): ResourceRequirements => ({
  ...resources,
  requests: { ...resources?.requests, ...patch?.requests },
  limits: { ...resources?.limits, ...patch?.limits },
});

const nameOf = ({ pod }: Pick<QuotaStep, 'pod'>): string =>
  typeof pod === 'string' ? pod : (pod?.metadata.name ?? '');

/** What the driver's nodes have. */
const NODE_ALLOCATABLE: ResourceList = { cpu: '4', memory: '8Gi' };
