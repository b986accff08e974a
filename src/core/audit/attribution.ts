import type { TaintTrail } from './attributed-change.js';
import type { TaintEvidence } from './evidence.js';
import { stepFoldNode } from './node-fold.js';
import { timelines } from './timeline.js';

/**
 * Who changed which taint, when, and by what evidence: merges snapshots, Kubernetes audit events and changes made
 * through this service into one trail. The result does not depend on the order of the evidence, or on duplicates; apart
 * from sorting, the cost is linear in the evidence.
 *
 * Nothing is claimed beyond the evidence. An event is the author of a change if its response shows the state after it
 * and the API server recorded it as the writer; a snapshot shows that something changed between two times, and
 * managedFields show the last writer of the field, which is not the author of each taint (the list is atomic). For a
 * write whose body was not logged (level Metadata) it is known that it happened, not what it changed.
 *
 * Example: alice cordons a node and the node controller adds its taint. These are two changes: alice's is the cordon,
 * the controller's is the taint `node.kubernetes.io/unschedulable:NoSchedule`.
 */
export function attributeTaintChanges(evidence: TaintEvidence): TaintTrail {
  const steps = stepAttribution(evidence);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the same in short steps, except for sorting the evidence. */
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
