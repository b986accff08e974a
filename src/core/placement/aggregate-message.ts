import { defined } from '../collections/defined.js';
import { excludedMessage } from './node-explanation.js';
import type { Placement, PluginOutcome } from './placement.js';
import { ERROR, SUCCESS, UNKNOWN, UNSCHEDULABLE } from './plugin.js';

/** Kubernetes' own words for a pod that fits nowhere, and how complete they are. */
export interface AggregateMessage {
  /** Absent where some node is feasible, or where what is unknown could change the words. */
  readonly text?: string;
  /**
   * The tail about preemption. `evaluated`: it is in the text. `not-evaluated`: some node failed in a way that preemption
   * might mend, or the pod's PriorityClass, which may forbid preemption, is not known; so Kubernetes goes on with a tail
   * that is left out here. `none`: Kubernetes writes none.
   */
  readonly preemption: 'evaluated' | 'not-evaluated' | 'none';
}

/** The scheduler's answer when there is no node at all (`ErrNoNodesAvailable`). */
const NO_NODES = 'no nodes available to schedule pods';
/** What DynamicResources' PostFilter says of a pod without claims, where the plugin is on; it stands before preemption's word. */
const NO_CLAIMS = 'no new claims to deallocate';
/**
 * What it says of a pod that another plugin refused in PreFilter, before DynamicResources had its turn: it does not find its own state,
 * and preemption is not asked (pkg/scheduler/framework/plugins/dynamicresources, `getStateData`).
 */
const NO_STATE = 'not found';

/**
 * The message of the pod's `PodScheduled` condition and `FailedScheduling` event, to the letter: each node counts with the
 * reasons of its first failing filter only, and `count reason` texts are sorted as texts.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/types.go, `FitError.Error`; the tail from
 * pkg/scheduler/framework/preemption/preemption.go, `Evaluator.Preempt`.
 */
export function aggregateMessage(placement: Placement): AggregateMessage {
  const head = messageHead(placement);
  if ('whole' in head) return head.whole;
  if (isRefusedBefore(placement)) return { text: `${head.text} ${NO_STATE}`, preemption: 'evaluated' };
  const { count } = placement.state.nodes;
  const { preemptionPolicy, priorityClassName = '' } = placement.input.pod.spec;
  if (preemptionPolicy === 'Never') {
    return {
      text: `${head.text} ${claimsWord(placement)}preemption: not eligible due to preemptionPolicy=Never.`,
      preemption: 'evaluated',
    };
  }
  // A stored pod has its policy; a manifest whose class could not be found has not.
  const policyKnown = preemptionPolicy !== undefined || priorityClassName === '';
  if (head.resolvable || !policyKnown) return { text: head.text, preemption: 'not-evaluated' };
  return {
    text: `${head.text} ${claimsWord(placement)}preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`,
    preemption: 'evaluated',
  };
}

/** What the post-filter step says: nothing where it succeeds; a failure of its own stands alone. */
export type PostFilterText =
  | { readonly outcome: 'success' }
  | { readonly outcome: 'unschedulable'; readonly message: string }
  | { readonly outcome: 'error'; readonly message: string };

/**
 * The same message, complete, with what preemption came to.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/runtime/framework.go, `RunPostFilterPlugins`.
 */
export function messageWithPreemption(placement: Placement, postFilter: PostFilterText): AggregateMessage {
  const head = messageHead(placement);
  if ('whole' in head) return head.whole;
  if (isRefusedBefore(placement)) return { text: `${head.text} ${NO_STATE}`, preemption: 'evaluated' };
  switch (postFilter.outcome) {
    case 'success':
      return { text: head.text, preemption: 'evaluated' };
    case 'unschedulable':
      return { text: `${head.text} ${claimsWord(placement)}${postFilter.message}`, preemption: 'evaluated' };
    case 'error':
      return { text: `${head.text} ${postFilter.message}`, preemption: 'evaluated' };
  }
}

/** What DynamicResources' PostFilter says, where the plugin is on, before preemption's word. */
function claimsWord(placement: Placement): string {
  const { plugins, state } = placement;
  if (!state.rules.featureGates.DynamicResourceAllocation) return '';
  const place = plugins.findIndex(({ name }) => name === DYNAMIC_RESOURCES);
  const preFilter = plugins[place]?.preFilter;
  if (preFilter?.outcome !== 'Filter' || preFilter.postFilterMessage === undefined) return `${NO_CLAIMS}, `;
  const earlier = plugins.slice(0, place);
  const word = preFilter.postFilterMessage(
    (node) => !placement.isExcluded(node) && earlier.every(({ statuses }) => (statuses?.[node] ?? SUCCESS) === SUCCESS),
  );
  return `${word}, `;
}

/** Whether a plugin refuses the pod as such before DynamicResources has its turn, which comes last. */
const isRefusedBefore = ({ podReasons: [refusal], state }: Placement): boolean =>
  refusal !== undefined && refusal.plugin !== DYNAMIC_RESOURCES && state.rules.featureGates.DynamicResourceAllocation;

const DYNAMIC_RESOURCES = 'DynamicResources';

/** The message before what preemption adds to it, and whether preemption might help; or the whole message, to which nothing is added. */
type MessageHead = { readonly text: string; readonly resolvable: boolean } | { readonly whole: AggregateMessage };

function messageHead(placement: Placement): MessageHead {
  const { count } = placement.state.nodes;
  const [gateOrPreFilter] = placement.podReasons;
  const whole = (text?: string): MessageHead => ({
    whole: { ...defined({ text }), preemption: 'none' },
  });
  if (gateOrPreFilter !== undefined && placement.keepsOutOfQueue) return whole(gateOrPreFilter.message);
  if (placement.counts.unknown > 0) return whole();
  const error = schedulingError(placement);
  if (error !== undefined) return whole(error);
  if (placement.counts.feasible > 0) return whole();
  if (placement.plugins.some(mayRejectPod)) return whole();
  if (count === 0) return whole(NO_NODES);

  const { reasons, resolvable } =
    gateOrPreFilter === undefined
      ? countReasons(placement)
      : { reasons: gateOrPreFilter.message, resolvable: gateOrPreFilter.status === 'Unschedulable' };
  const stop = reasons === '' ? '' : ` ${reasons}.`;
  return { text: `0/${count} nodes are available:${stop}`, resolvable };
}

/**
 * What Kubernetes says where a plugin fails instead of answering: then the pod is not placed at all, whatever there is to say of other
 * nodes. With many nodes that fit, the scheduler may have enough of them before it comes to one that fails; so a failure counts only
 * where no node is feasible, or for the pod as such.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/runtime/framework.go, `RunPreFilterPlugins` and `RunFilterPlugins`.
 */
function schedulingError({ state, podReasons, plugins, counts }: Placement): string | undefined {
  const [first] = podReasons;
  if (first?.status === 'Error') return `running PreFilter plugin ${JSON.stringify(first.plugin)}: ${first.message}`;
  if (first !== undefined || counts.feasible > 0) return undefined;
  for (let node = 0; node < state.nodes.count; node++) {
    const failing = plugins.find(({ statuses }) => (statuses?.[node] ?? SUCCESS) !== SUCCESS);
    if (failing?.filter === undefined || failing.statuses?.[node] !== ERROR) continue;
    const [reason] = failing.filter.commonReasons(failing.filter.commonReasonKey(node));
    return `running ${JSON.stringify(failing.name)} filter plugin: ${reason?.message ?? ''}`;
  }
  return undefined;
}

/** Whether a plugin that is not built might have refused the pod before any node was filtered. */
const mayRejectPod = ({ preFilter }: PluginOutcome): boolean =>
  preFilter.outcome === 'Filter' && preFilter.mayRejectPod === true;

function countReasons(placement: Placement): { readonly reasons: string; readonly resolvable: boolean } {
  const { state, plugins, preFilterNodes } = placement;
  const counts = new Map<string, number>();
  const add = (reason: string, nodes: number): unknown => counts.set(reason, (counts.get(reason) ?? 0) + nodes);
  const decided = new Uint8Array(state.nodes.count);
  let excluded = 0;
  if (preFilterNodes !== undefined) {
    for (let node = 0; node < decided.length; node++) {
      if (!placement.isExcluded(node)) continue;
      decided[node] = 1;
      excluded += 1;
    }
    // `SetAbsentNodesStatus` is new in 1.32: before, the message does not count these nodes.
    if (excluded > 0 && state.rules.minor >= 32) add(excludedMessage(preFilterNodes.plugins), excluded);
  }
  let resolvable = false;
  for (const { filter, statuses } of plugins) {
    if (filter === undefined || statuses === undefined) continue;
    const byKey = new Map<number, number>();
    for (let node = 0; node < decided.length; node++) {
      const status = statuses[node]!;
      if (status === SUCCESS || status === UNKNOWN || decided[node] === 1) continue;
      decided[node] = 1;
      if (status === UNSCHEDULABLE) resolvable = true;
      const key = filter.commonReasonKey(node);
      byKey.set(key, (byKey.get(key) ?? 0) + 1);
    }
    for (const [key, nodes] of byKey) {
      for (const message of new Set(filter.commonReasons(key).map((reason) => reason.message))) add(message, nodes);
    }
  }
  const texts = [...counts].map(([reason, nodes]) => `${nodes} ${reason}`).sort();
  return { reasons: texts.join(', '), resolvable };
}
