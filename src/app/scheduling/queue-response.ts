import type { AnswerTo } from '../../contract/question.js';
import type {
  queueDecision,
  queueRefusal,
  queueWorkload,
  unblockingChange,
} from '../../contract/scheduling/queue-run.js';
import type { runQueue } from '../../contract/scheduling/questions.js';
import type { Response } from '../../contract/schema.js';
import type { Workload } from '../../core/cluster/pod-table.js';
import { givenDevices } from '../../core/devices/given-devices.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import type { QueueDecision, QueueOutcome, QueueResult } from '../../core/scheduling/queue/step-queue.js';
import type { UnblockingChange } from '../../core/scheduling/queue/unblocking-change.js';
import { quotaRaiseResponse } from '../quotas/quota-raise-response.js';
import type { IdentifiedWork, RefusedWork } from './given-work.js';
import { NO_REFUSAL, reasonText, refusalTexts } from './refusal-response.js';

export type QueueResponse = AnswerTo<typeof runQueue>;

export type UnblockingResponse = Response<typeof unblockingChange>;

type WorkloadCounts = Response<typeof queueWorkload>;

export function refusedResponse({ id, by, message, pods, raises }: RefusedWork): Response<typeof queueRefusal> {
  return {
    id,
    by,
    message,
    pods,
    raises: raises.map(quotaRaiseResponse),
  };
}

const NO_CHANGE = { taint: null, workload: null, like: null, nodes: null, deviceTolerations: [] } as const;

export function changeResponse(change: UnblockingChange): Omit<UnblockingResponse, 'unblocks' | 'blocks'> {
  const { kind } = change;
  switch (kind) {
    case 'RemoveTaint': {
      const taint = formatTaint(change.taint);
      return {
        ...NO_CHANGE,
        kind,
        taint,
        nodes: change.nodes,
        summary: `remove the taint ${taint} from ${nodes(change.nodes)}`,
      };
    }
    case 'AddToleration': {
      const taint = formatTaint(change.taint);
      const { workload } = change;
      const whose = `${workload.kind} ${workload.namespace}/${workload.name}`;
      return { ...NO_CHANGE, kind, taint, workload, summary: `add a toleration for ${taint} to ${whose}` };
    }
    case 'AddDeviceToleration':
      return {
        ...NO_CHANGE,
        kind,
        deviceTolerations: change.fixes.map(({ claim, request, toleration }) => ({ claim, request, toleration })),
        summary: change.fixes.map(({ summary }) => summary).join(', '),
      };
    case 'Uncordon':
      return { ...NO_CHANGE, kind, nodes: change.nodes, summary: `uncordon ${nodes(change.nodes)}` };
    case 'AddNodes': {
      const { like, count } = change;
      return { ...NO_CHANGE, kind, like, nodes: count, summary: `add ${nodes(count)} like ${like}` };
    }
  }
}

/** The quota change that lets rejected pods in. */
export const raiseResponse = (
  raises: RefusedWork['raises'],
  workload: Workload,
): Omit<UnblockingResponse, 'unblocks' | 'blocks'> => ({
  ...NO_CHANGE,
  kind: 'RaiseQuota',
  summary: `raise ${raises.map((raise) => quotaRaiseResponse(raise).text).join(', ')}`,
  workload,
});

const nodes = (count: number): string => (count === 1 ? '1 node' : `${count} nodes`);

/** Counts the results for each workload, those with most unscheduled pods first. */
export function countsOf(work: readonly IdentifiedWork[], result: QueueResult): readonly WorkloadCounts[] {
  const counts = new Map<string, { -readonly [Key in keyof WorkloadCounts]: WorkloadCounts[Key] }>();
  work.forEach(({ id, workload }, index) => {
    const key = JSON.stringify([id, workload.kind, workload.namespace, workload.name]);
    const of = result.byWork[index]!;
    const known = counts.get(key);
    if (known === undefined) {
      counts.set(key, { id, workload, ...of });
      return;
    }
    for (const outcome of Object.keys(of) as QueueOutcome[]) known[outcome] += of[outcome];
  });
  return [...counts.values()].sort((a, b) => b.unplaced - a.unplaced || b.placed - a.placed);
}

export function decisionResponse(
  decision: QueueDecision,
  position: number,
  work: readonly IdentifiedWork[],
): Response<typeof queueDecision> {
  const { id, pod, workload } = work[decision.work]!;
  const head = {
    position,
    id,
    workload,
    namespace: pod.metadata.namespace ?? '',
    name: decision.name,
    priority: pod.spec.priority ?? 0,
    outcome: decision.outcome,
    pods: decision.count,
    node: null,
    feasible: null,
    tied: null,
    total: null,
    uncertain: [],
    devices: [],
    ...NO_REFUSAL,
  };
  switch (decision.outcome) {
    case 'placed': {
      const { node, feasible, tied, total = null, uncertain = [], devices = [] } = decision;
      return { ...head, node, feasible, tied, total, uncertain, devices: givenDevices(devices) };
    }
    case 'unplaced':
      return { ...head, ...refusalTexts(decision.refusal) };
    case 'unknown':
      return { ...head, ...refusalTexts(decision.refusal), uncertain: decision.uncertain };
    case 'gated':
      return { ...head, message: decision.message, reasons: decision.reasons.map(reasonText) };
    case 'error':
      return { ...head, message: decision.message };
    case 'notTried':
      return head;
  }
}
