import { counted } from '../collections/counted.js';
import { admissionIn } from '../admission/admission-in.js';
import { reviewReplicas } from '../quota-review/review-replicas.js';
import { stepCapacity } from '../scheduling/capacity/step-capacity.js';
import { roomByNode } from '../scheduling/capacity/node-rooms.js';
import type { Evaluate } from './evaluation.js';
import { finding, unknown } from './expectation.js';
import { assumptionsOf } from './pod-fits.js';
import { subjectOf, withClaims } from './subject.js';

/** Whether the quotas of the namespace admit this many more replicas, and the nodes take them one after another. */
export const evaluateCapacityFor: Evaluate<'capacityFor'> = function* (expectation, { state, subjects, now }) {
  const { spec } = expectation;
  const { replicas } = spec;
  const subject = subjectOf(expectation, state, subjects, { charged: true });
  if (subject.outcome === 'unknown') return unknown(`Whether replicas fit is not known: ${subject.why}.`);
  const wanted = `${counted(replicas, 'replica')} wanted`;
  if (subject.outcome === 'refused') {
    const details = [`${subject.by}: ${subject.message}`];
    return finding('broken', `The API server refuses the next replica; ${wanted}.`, { count: 0, details });
  }
  const { pod, profile, claimTemplates, prefix } = subject;
  const { surroundings, configuration } = admissionIn(state, pod.metadata.namespace ?? 'default');
  if (configuration.plugins.includes('ResourceQuota')) {
    if (!state.loadedKinds.has('ResourceQuota')) {
      return unknown(
        'Whether quotas admit more replicas is not known: no snapshot has contained the kind ResourceQuota.',
      );
    }
    const { limitedResources: limited } = configuration;
    const question = {
      quotas: surroundings.quotas,
      pod,
      wanted: replicas,
      now,
      rules: state.rules,
      ...(limited && { limited }),
    };
    const { admitted, refusal } = reviewReplicas(question);
    if (refusal !== undefined) {
      const reason = `The quotas of namespace ${pod.metadata.namespace ?? 'default'} admit ${admitted} more; ${wanted}.`;
      return finding('broken', reason, { count: admitted, details: [refusal.message] });
    }
  }
  const placed = withClaims(state, subject);
  const question = {
    pod,
    profile,
    unknowns: [],
    ...(claimTemplates.length > 0 && { claimTemplates, replicaPrefix: prefix }),
  };
  const room = roomByNode(placed, question);
  const enough = `At least ${counted(replicas, 'more replica')} ${replicas === 1 ? 'fits' : 'fit'}.`;
  // How many more there is room for says nothing else, and the placement of the next one is not needed.
  if (room !== undefined && room.total >= replicas) {
    return finding('holds', `${counted(room.total, 'more replica')} ${room.total === 1 ? 'fits' : 'fit'}; ${wanted}.`, {
      count: room.total,
    });
  }
  const capacity = yield* stepCapacity(placed, question, { mostPlaced: replicas });
  const { total, next, error } = capacity;
  if (error !== undefined) return unknown(`The scheduler chooses no node: ${error}.`, { count: total });
  if (total >= replicas) return finding('holds', enough, { count: total });
  const details =
    next === undefined ? [] : [next.message().text ?? '', ...assumptionsOf(next)].filter((text) => text !== '');
  if (next !== undefined && next.counts.unknown > 0) {
    const reason = `${total} more ${total === 1 ? 'replica fits' : 'replicas fit'} for certain, and ${counted(next.counts.unknown, 'node')} may or may not take more; ${wanted}.`;
    return unknown(reason, { count: total, details });
  }
  return finding('broken', `${total} more ${total === 1 ? 'replica fits' : 'replicas fit'}; ${wanted}.`, {
    count: total,
    details,
  });
};
