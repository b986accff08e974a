import { enumType } from '../schema.js';

export const CERTAINTY = enumType('AttributionCertainty', 'How certain the author of a change is.', [
  'certain',
  'likely',
  'possible',
  'unknown',
]);

export const ATTRIBUTION_BASIS = enumType('AttributionBasis', 'Evidence for an attribution, strongest first.', [
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

export const ACTOR_SOURCE = enumType(
  'ActorSource',
  'Source of the kind of a writer: user, userAgent, fieldManager, intent or nothing.',
  ['user', 'userAgent', 'fieldManager', 'intent', 'nothing'],
);

export const INTENT_STATUS = enumType('IntentStatus', 'Status of a change made through this service, on one node.', [
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

export const WRITE_SEEN = enumType(
  'WriteSeen',
  'What later observations show about a write whose content is unknown.',
  ['attributed', 'candidate', 'noChangeSeen', 'notSeenSince'],
);

export const NODE_LIFE = enumType('NodeLife', 'Whether the node itself was created or deleted.', [
  'created',
  'deleted',
]);

export const RECORD_STATUS = enumType(
  'TrailRecordStatus',
  'Outcome of a change made through this service, of an attempt or of a write.',
  [...INTENT_STATUS.values, ...ATTEMPT_OUTCOME.values, ...WRITE_SEEN.values, 'written', 'unchanged'],
);
