import { compare } from '../json/compare.js';
import { hasEnded } from '../kubernetes/has-ended.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { controllerOf } from '../kubernetes/controller-of.js';

/** The flags of `kubectl drain` that decide about pods before any pod is evicted. */
export interface DrainFilterOptions {
  readonly force: boolean;
  readonly ignoreDaemonSets: boolean;
  readonly deleteEmptyDirData: boolean;
  /** Pods deleted more than this many seconds ago are skipped; zero and less skip none. */
  readonly skipWaitForDeleteTimeoutSeconds: number;
}

/**
 * kubectl's decision about one pod. Either decision can have a `Warning`; `message` is kubectl's, empty for `Okay` and
 * `Skip`.
 */
export interface DrainDecision {
  readonly delete: boolean;
  readonly reason: 'Okay' | 'Skip' | 'Warning' | 'Error';
  readonly message: string;
  /** The check that decided; absent if every check passed without a message. */
  readonly check?: DrainCheck;
}

export type DrainCheck = 'deleted' | 'daemonSet' | 'mirrorPod' | 'localStorage' | 'unreplicated';

/** The inputs of the checks besides the pod. */
export interface DrainContext {
  readonly options: DrainFilterOptions;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the DaemonSet exists; its UID is not compared. */
  readonly daemonSetExists: (namespace: string, name: string) => boolean;
}

const OKAY: DrainDecision = { delete: true, reason: 'Okay', message: '' };

/**
 * kubectl drain's decision about a pod of the node.
 *
 * The first refusal ends the checks. A warning with which the pod is still deleted is lost as soon as a later check
 * returns, and each check does: a pod with an emptyDir is therefore just Okay under `--delete-emptydir-data`, and only
 * the last check's warning (no controller, `--force`) is ever shown for a deletion.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/drain/filters.go, `makeFilters`; pkg/drain/drain.go, `filterPods`.
 */
export function drainDecision(pod: Pod, context: DrainContext): DrainDecision {
  let decision = OKAY;
  for (const check of CHECKS) {
    decision = check(pod, context);
    if (!decision.delete) break;
  }
  return decision;
}

/** kubectl's texts for many decisions: one per message, in byte order (kubectl prints them in any order). */
export function drainMessages(decided: readonly { readonly pod: string; readonly decision: DrainDecision }[]): {
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
} {
  return {
    warnings: gather('Warning', decided).map(([message, pods]) => `${message}: ${pods}`),
    errors: gather('Error', decided).map(([message, pods]) =>
      message.toLowerCase().startsWith('cannot delete') ? `${message}: ${pods}` : `cannot delete ${message}: ${pods}`,
    ),
  };
}

function gather(
  reason: DrainDecision['reason'],
  decided: readonly { readonly pod: string; readonly decision: DrainDecision }[],
): readonly (readonly [message: string, pods: string])[] {
  const pods = new Map<string, string[]>();
  for (const { pod, decision } of decided) {
    if (decision.reason !== reason) continue;
    const same = pods.get(decision.message);
    if (same === undefined) pods.set(decision.message, [pod]);
    else same.push(pod);
  }
  return [...pods].map(([message, names]) => [message, names.join(', ')] as const).sort(([a], [b]) => compare(a, b));
}

type Check = (pod: Pod, context: DrainContext) => DrainDecision;

/** `skipDeletedFilter`: the whole seconds since the deletion timestamp, truncated, must exceed the flag's. */
const deleted: Check = ({ metadata }, { options, now }) => {
  const limit = options.skipWaitForDeleteTimeoutSeconds;
  if (limit <= 0 || metadata.deletionTimestamp === undefined) return OKAY;
  const seconds = Math.trunc((now - Date.parse(metadata.deletionTimestamp)) / 1000);
  return seconds > limit ? { delete: false, reason: 'Skip', message: '', check: 'deleted' } : OKAY;
};

/** `daemonSetFilter`. Only `apps/v1` counts; a controller of that name in another version manages the pod like any other. */
const daemonSet: Check = (pod, { options, daemonSetExists }) => {
  const controller = controllerOf(pod.metadata.ownerReferences);
  if (controller?.kind !== 'DaemonSet' || controller.apiVersion !== 'apps/v1' || hasEnded(pod)) return OKAY;
  if (!daemonSetExists(pod.metadata.namespace ?? '', controller.name)) {
    const message = `daemonsets.apps "${controller.name}" not found`;
    return options.force ? warn(true, 'daemonSet', message) : refuse('daemonSet', message);
  }
  return options.ignoreDaemonSets
    ? warn(false, 'daemonSet', 'ignoring DaemonSet-managed Pods')
    : refuse('daemonSet', 'DaemonSet-managed Pods (use --ignore-daemonsets to ignore)');
};

/** `mirrorPodFilter`. */
const mirrorPod: Check = ({ metadata }) =>
  Object.hasOwn(metadata.annotations ?? {}, 'kubernetes.io/config.mirror')
    ? { delete: false, reason: 'Skip', message: '', check: 'mirrorPod' }
    : OKAY;

/** `localStorageFilter`. */
const localStorage: Check = (pod, { options }) => {
  if (!pod.spec.volumes?.some(({ emptyDir }) => emptyDir !== undefined) || hasEnded(pod)) return OKAY;
  return options.deleteEmptyDirData
    ? warn(true, 'localStorage', 'deleting Pods with local storage')
    : refuse('localStorage', 'Pods with local storage (use --delete-emptydir-data to override)');
};

/** `unreplicatedFilter`. */
const unreplicated: Check = (pod, { options }) => {
  if (hasEnded(pod) || controllerOf(pod.metadata.ownerReferences) !== undefined) return OKAY;
  return options.force
    ? warn(true, 'unreplicated', 'deleting Pods that declare no controller')
    : refuse('unreplicated', 'Pods that declare no controller (use --force to override)');
};

const CHECKS: readonly Check[] = [deleted, daemonSet, mirrorPod, localStorage, unreplicated];

const warn = (deletes: boolean, check: DrainCheck, message: string): DrainDecision => ({
  delete: deletes,
  reason: 'Warning',
  message,
  check,
});

const refuse = (check: DrainCheck, message: string): DrainDecision => ({
  delete: false,
  reason: 'Error',
  message,
  check,
});
