import { defined } from '../collections/defined.js';
import type { ClaimAllocation } from '../devices/device-allocator.js';
import type { PersistentVolumeClaim } from '../kubernetes/objects/storage.js';
import { BarePod } from './controllers/bare-pod.js';
import type { Controller } from './controllers/controller.js';
import { DeploymentController } from './controllers/deployment.js';
import { ReplicaSetController } from './controllers/replica-set.js';
import type { Engine } from './engine.js';
import type { LivePod } from './live-pod.js';
import type {
  ClaimOutcome,
  FailedCreate,
  FailedScheduling,
  QuotaOutcome,
  ReplicaSetOutcome,
  RolloutUnknown,
  WorkloadOutcome,
} from './rollout.js';

/** What became of one workload. */
export function workloadOutcome(engine: Engine, controller: Controller, object: number | undefined): WorkloadOutcome {
  const { kind, namespace, name } = controller;
  const parts = partsOf(controller);
  const pods = parts.flatMap((part) => part.activePods);
  const nodes = new Map<string, number>();
  const devices = new Map<string, ClaimAllocation[]>();
  let bound = 0;
  for (const pod of pods) {
    if (pod.node < 0 || pod.isAssumed) continue;
    bound++;
    const node = engine.cluster.nodeName(pod.node);
    nodes.set(node, (nodes.get(node) ?? 0) + 1);
    if (pod.devices.length > 0) devices.set(node, [...(devices.get(node) ?? []), ...pod.devices]);
  }
  return {
    object,
    kind,
    namespace,
    name,
    desired: controller.desiredPods,
    created: pods.length,
    bound,
    pending: pods.length - bound,
    ready: pods.filter(({ ready }) => ready).length,
    nodes,
    devices,
    failedScheduling: failedScheduling(engine, pods),
    failedCreate: parts.flatMap((part) => failedCreate(part)),
    ...ofKind(controller),
    status: controller.counts,
    unknownBecause: unknownOf(engine, parts, controller),
  };
}

const partsOf = (controller: Controller): readonly Controller[] =>
  controller instanceof DeploymentController
    ? [controller, ...controller.replicaSets].filter(hasOwnPods)
    : [controller];

/** A Deployment's pods are those of its ReplicaSets; what was refused may be its own. */
const hasOwnPods = (part: Controller): boolean =>
  !(part instanceof DeploymentController) || part.refusedCreates.size > 0 || part.unknownBecause.size > 0;

function failedScheduling(engine: Engine, pods: readonly LivePod[]): readonly FailedScheduling[] {
  const byText = new Map<string, { one: Omit<FailedScheduling, 'pods'>; isHeld: boolean; pods: number }>();
  for (const pod of pods) {
    if (pod.node >= 0 && !pod.isAssumed) continue;
    const { text: ofClaim, by } = pod.refusedClaim ?? {};
    const { reason, message = ofClaim } = pod.isAssumed ? {} : (pod.unscheduled ?? {});
    const text = message === undefined ? undefined : shownText(pod, message);
    const placement = engine.scheduler.waitingOf(pod)?.placement;
    const key = JSON.stringify([reason ?? null, text ?? null, pod.isAssumed ? pod.node : -1]);
    const known = byText.get(key);
    if (known !== undefined) known.pods++;
    // The first pod is shown, or the first of which it is known why.
    if (known !== undefined && (known.one.placement !== undefined || placement === undefined)) continue;
    const one = {
      reason: reason as FailedScheduling['reason'],
      text,
      pod: engine.cluster.podOf(pod),
      ...defined({ placement, by }),
      ...(pod.isAssumed && { node: engine.cluster.nodeName(pod.node) }),
    };
    if (known === undefined) byText.set(key, { one, isHeld: pod.isHeldByGroup, pods: 1 });
    else known.one = one;
  }
  // Pods that wait for others of their group come after these.
  return [...byText.values()]
    .sort((a, b) => Number(a.isHeld) - Number(b.isHeld) || b.pods - a.pods)
    .map(({ one, pods: count }) => ({ ...one, pods: count }));
}

/** What is said of a pod that the rollout made, without the parts of names that nobody can know. */
function shownText(pod: LivePod, text: string): string {
  if (!pod.isNew) return text;
  const name = pod.owner?.shownName(pod) ?? pod.name;
  const ofPod = `${pod.namespace}/${pod.name}`;
  // The scheduler is asked about claims as they would be made from the templates.
  const ofClaims = (pod.stored.spec.resourceClaims ?? []).reduce(
    (shown, { name: entry, resourceClaimTemplateName }) => {
      if (resourceClaimTemplateName === undefined) return shown;
      const made = new RegExp(`\\bclaim ${escaped(`${ofPod}-${entry}`)}(?:-x)*(?=[,:])`, 'g');
      return shown.replace(made, () => `claim ${pod.namespace}/${name}-${entry}-RAND`);
    },
    text,
  );
  return ofClaims.replaceAll(`"${ofPod}"`, `"${pod.namespace}/${name}"`);
}

/** The text as a regular expression finds it; names have no other character that means something there. */
const escaped = (name: string): string => name.replaceAll('.', '\\.');

function failedCreate(controller: Controller): readonly FailedCreate[] {
  const { refusedCreates, refusedNow } = controller;
  const reason = controller instanceof DeploymentController ? 'ReplicaSetCreateError' : 'FailedCreate';
  return [...refusedCreates.values()].map(({ text, message, refusal, pod }) => {
    const { by, code, causes, certain } = refusal;
    return { reason, text, message, by, code, causes, certain, ...defined({ pod }), persists: refusedNow === text };
  });
}

function ofKind(controller: Controller): Partial<WorkloadOutcome> {
  if (!(controller instanceof DeploymentController)) return controller.details;
  const { available, progressing, replicaFailure } = controller;
  const replicaSets = [...controller.replicaSets]
    .sort((a, b) => a.revision - b.revision)
    .map((one): ReplicaSetOutcome => {
      const { name, revision, replicas: desired, activePods, failure } = one;
      return {
        name,
        revision,
        desired,
        created: activePods.length,
        ready: activePods.filter(({ ready }) => ready).length,
        ...defined({ replicaFailure: failure }),
      };
    });
  return { replicaSets, conditions: { available, ...defined({ progressing, replicaFailure }) } };
}

function unknownOf(engine: Engine, parts: readonly Controller[], controller: Controller): readonly RolloutUnknown[] {
  const found = new Map<string, RolloutUnknown>();
  for (const part of [controller, ...parts]) for (const [key, one] of part.unknownBecause) found.set(key, one);
  if (engine.stopped !== undefined) found.set('limit', { code: 'limit', message: engine.stopped, missingKinds: [] });
  return [...found.values()];
}

/** The workloads, of the cluster or of the request, that the rollout had something to do with. */
export function isReported(controller: Controller): boolean {
  if (controller instanceof ReplicaSetController) return controller.deployment === undefined;
  return !(controller instanceof BarePod && controller.pods.size === 0 && controller.refusedCreates.size === 0);
}

export function claimOutcomes(engine: Engine): readonly ClaimOutcome[] {
  const outcomes: ClaimOutcome[] = [];
  for (const [namespace, names] of engine.cluster.touchedClaims) {
    for (const name of [...names].sort()) {
      const claim = engine.cluster.find('PersistentVolumeClaim', namespace, name) as PersistentVolumeClaim | undefined;
      if (claim === undefined) continue;
      const selectedNode = claim.metadata.annotations?.['volume.kubernetes.io/selected-node'];
      const { volumeName: volume } = claim.spec ?? {};
      outcomes.push({ namespace, name, phase: claim.status?.phase ?? 'Pending', ...defined({ selectedNode, volume }) });
    }
  }
  return outcomes;
}

export function quotaOutcomes(engine: Engine, namespaces: Iterable<string>): readonly QuotaOutcome[] {
  return [...namespaces].flatMap((namespace) =>
    engine.quotas.changes(namespace).map(({ before, after }) => ({
      namespace,
      name: after.metadata.name,
      hard: after.status?.hard ?? {},
      before: before.status?.used ?? {},
      after: after.status?.used ?? {},
    })),
  );
}
