import { enumType } from '../schema.js';

export const CERTAINTY = enumType('AttributionCertainty', 'How far the author of a change may be relied upon.', [
  'certain',
  'likely',
  'possible',
  'unknown',
]);

export const ATTRIBUTION_BASIS = enumType('AttributionBasis', 'What an attribution rests on, the strongest first.', [
  'unbrokenWrite',
  'creation',
  'deletion',
  'response',
  'request',
  'ownedWrite',
  'possibleWrite',
  'intent',
  'fieldOwner',
  'none',
]);

export const ACTOR_CLASS = enumType('ActorClass', 'Kind of writer that made a change.', [
  'person',
  'nodeLifecycleController',
  'kubeControllerManager',
  'cloudControllerManager',
  'kubelet',
  'clusterAutoscaler',
  'karpenter',
  'kubectl',
  'controller',
  'unknown',
]);

export const ACTOR_SOURCE = enumType('ActorSource', 'What tells the kind of a writer.', [
  'user',
  'userAgent',
  'fieldManager',
  'intent',
  'nothing',
]);

export const INTENT_STATUS = enumType('IntentStatus', 'What the cluster says of a change made here, on one node.', [
  'recorded',
  'confirmed',
  'notApplied',
  'overwritten',
]);

export const ATTEMPT_OUTCOME = enumType('AttemptOutcome', 'Why a request to the API server changed nothing.', [
  'refused',
  'failed',
  'dryRun',
  'unknown',
]);

export const WRITE_SEEN = enumType('WriteSeen', 'What was seen of a write whose content is not known.', [
  'attributed',
  'candidate',
  'noChangeSeen',
  'notSeenSince',
]);

export const NODE_LIFE = enumType('NodeLife', 'Whether the node itself came or went.', ['created', 'deleted']);

export const RECORD_STATUS = enumType(
  'TrailRecordStatus',
  'What became of a change made here, of an attempt or of a write.',
  [...INTENT_STATUS.values, ...ATTEMPT_OUTCOME.values, ...WRITE_SEEN.values],
);
