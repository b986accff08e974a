import type { PolicyWork } from '../../admission/policies/policy-work.js';
import { surroundingsIn } from '../../admission/surroundings-in.js';
import type { ResourceQuota } from '../../kubernetes/objects/quota.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import type { WorkloadOutcome } from '../../rollout/rollout.js';
import type { GateReason } from '../judge-rollout.js';
import type { GateChange } from './change.js';
import { fewerReplicas } from './fewer-replicas.js';
import { refusalChanges } from './refusal-changes.js';
import { schedulingChanges } from './scheduling-changes.js';
import type { JudgedSubject } from './step-proposal.js';

type Bundle = readonly GateChange[];

/**
 * Changes that may end a reason, as bundles of which each might do by itself, the preferred ones first.
 *
 * @param options `now` in milliseconds since the epoch
 */
export function changesFor(
  reason: GateReason,
  judged: JudgedSubject,
  { now, work }: { readonly now: number; readonly work: PolicyWork },
): readonly Bundle[] {
  const { object, code, by = '', pods, waiting } = reason;
  if (object === undefined) return [];
  switch (code) {
    case 'Unschedulable':
      return waiting === undefined
        ? []
        : schedulingChanges(object, waiting, judged.rollout.state(), workloadOf(object, judged), judged.subject);
    case 'ObjectRefused':
    case 'PodRefused': {
      const { subject, rollout } = judged;
      const state = rollout.state();
      const quotas = quotasAfter(judged, surroundingsIn(state, object.namespace ?? 'default', now).quotas);
      return refusalChanges({ object, by, pods, state, quotas, now, work }, subject);
    }
    default:
      return [];
  }
}

/** As many replicas as have a node: for pods without one, and for those that a quota does not let in. */
export function lastResortsFor({ object, code }: GateReason, judged: JudgedSubject): readonly Bundle[] {
  if (object === undefined || (code !== 'Unschedulable' && code !== 'PodRefused')) return [];
  const workload = workloadOf(object, judged);
  return workload === undefined ? [] : fewerReplicas(object, workload.bound);
}

const workloadOf = (object: ManifestObject, { subject, rollout }: JudgedSubject): WorkloadOutcome | undefined =>
  rollout.workloads.find((one) => one.object !== undefined && subject.objects[one.object] === object);

/** With the charges of what was created. */
function quotasAfter({ rollout }: JudgedSubject, quotas: readonly ResourceQuota[]): readonly ResourceQuota[] {
  return quotas.map((quota) => {
    const { namespace = 'default', name } = quota.metadata;
    const outcome = rollout.quotas.find((one) => one.namespace === namespace && one.name === name);
    if (outcome === undefined) return quota;
    return { ...quota, status: { ...quota.status, hard: outcome.hard, used: outcome.after } };
  });
}
