import type { TaintTrail } from './attributed-change.js';
import type { TaintEvidence } from './evidence.js';
import { stepFoldNode } from './node-fold.js';
import { timelines } from './timeline.js';

/**
 * Who changed which taint, when, and how that is known: merges what snapshots show, what Kubernetes audit events tell and
 * what was meant through this service into one trail. The order and the number of times in which the evidence is given do
 * not matter; time grows with the evidence alone, and the sorting of it.
 *
 * Nothing is claimed beyond the evidence. An event is the author of a change when its response shows the state after it and the
 * API server noted it as the writer; a snapshot shows that something changed between two times, and managedFields who
 * wrote the field last, which is not who set each taint (the list is atomic). Of a write whose body was not written down
 * (level Metadata) it is known that it took place, not what it changed.
 *
 * Example: alice cordons a node and the node controller adds its taint. That is two changes: alice's is the cordon,
 * the controller's the taint `node.kubernetes.io/unschedulable:NoSchedule`.
 */
export function attributeTaintChanges(evidence: TaintEvidence): TaintTrail {
  const steps = stepAttribution(evidence);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in short steps, but for the sorting of the evidence. */
export function* stepAttribution(evidence: TaintEvidence): Generator<undefined, TaintTrail> {
  const trails: TaintTrail[] = [];
  for (const [node, entries] of timelines(evidence)) trails.push(yield* stepFoldNode(node, entries));
  return {
    found: trails.flatMap(({ found }) => found),
    changes: trails.flatMap(({ changes }) => changes),
    attempts: trails.flatMap(({ attempts }) => attempts),
    writes: trails.flatMap(({ writes }) => writes),
    intents: trails.flatMap(({ intents }) => intents),
  };
}
