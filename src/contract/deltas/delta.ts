import { answerBasis } from '../common/basis.js';
import { object } from '../schema.js';
import { kindCountsResponse } from '../snapshots/snapshot.js';
import { API_SERVER_VERSION, INVALID } from '../snapshots/take-snapshot.js';

/** Maximum number of upserts, and of deletions, in one delta. */
export const MAX_DELTA_OBJECTS = 10_000;
export const MAX_DELTA_POSITIONS = 100;

const HASH =
  'The sum modulo 2^64, as 16 hexadecimal digits, of the first 8 bytes (big endian) of SHA-256 over ' +
  '`<namespace>/<name>\\n<uid>\\n<resourceVersion>` of each object of the kind, with the resourceVersion with which it was last sent.';

const deltaDeletion = object(
  'DeltaDeletionInput',
  'An object that is gone.',
  {
    kind: { type: 'identifier', maximumLength: 100, description: 'The kind.', example: 'Pod' },
    namespace: {
      type: 'identifier',
      optional: true,
      maximumLength: 253,
      description: 'Object namespace; absent or empty for cluster-scoped kinds.',
      example: 'shop',
    },
    name: { type: 'identifier', maximumLength: 253, description: 'Object name.', example: 'web-7d9c5b8f6-x2x9k' },
    uid: {
      type: 'identifier',
      optional: true,
      maximumLength: 100,
      description: 'Its uid: a later object of the same name stays. Absent: whichever object has the name.',
      example: 'da1c74cc-6c68-4c46-9a04-3ce7934251f8',
    },
    resourceVersion: {
      type: 'identifier',
      optional: true,
      maximumLength: 100,
      description: 'The resourceVersion of the deletion. It is ignored if a newer version of the object is stored.',
      example: '10245',
    },
  },
  { openApiName: 'DeltaDeletion' },
);

const deltaPosition = object(
  'DeltaPositionInput',
  'What the sender has of a kind after the delta.',
  {
    kind: { type: 'identifier', maximumLength: 100, description: 'The kind.', example: 'Pod' },
    resourceVersion: {
      type: 'identifier',
      maximumLength: 100,
      description: 'The resourceVersion of the last event or bookmark.',
      example: '10245',
    },
    count: { type: 'integer', minimum: 0, description: 'The number of objects.', example: 1 },
    hash: { type: 'identifier', maximumLength: 16, description: HASH, example: '8a5edab282632443' },
  },
  { openApiName: 'DeltaPosition' },
);

export const deltaInput = object(
  'DeltaInput',
  'What changed in a cluster since the last snapshot or delta of the same sender.',
  {
    stream: {
      type: 'identifier',
      maximumLength: 100,
      description:
        'The stream, drawn by the sender when it begins, such as a UUID. A new stream replaces the former one.',
      example: '0b7c3a52-7f5e-4c39-9c2e-6f2d1f0a9b11',
    },
    sequence: {
      type: 'integer',
      minimum: 1,
      description: '1, 2 and so on within the stream. The same one again gets the same response.',
      example: 1,
    },
    capturedAt: {
      type: 'time',
      optional: true,
      description: 'The time up to which the sender knows the cluster. Default: the time of receipt.',
      example: '2026-05-04T03:02:01.000Z',
    },
    apiServerVersion: API_SERVER_VERSION,
    upserts: {
      type: 'kubernetesObject',
      list: true,
      optional: true,
      maximumLength: MAX_DELTA_OBJECTS,
      checkedByReader: true,
      description: 'New and changed objects, as the API server sends them.',
      example: [],
    },
    deletions: {
      type: deltaDeletion,
      list: true,
      optional: true,
      maximumLength: MAX_DELTA_OBJECTS,
      description: 'Objects that are gone.',
      example: [],
    },
    positions: {
      type: deltaPosition,
      list: true,
      optional: true,
      maximumLength: MAX_DELTA_POSITIONS,
      description: 'What the sender has of each kind afterwards; compared with what is stored.',
      example: [],
    },
    allowRemovals: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Let the delta remove any number of nodes and pods, as for a snapshot.',
      example: false,
    },
    invalid: {
      type: INVALID,
      optional: true,
      defaultsTo: 'refuse',
      description: 'Whether an invalid object refuses the delta, or its readable part is kept.',
      example: 'refuse',
    },
  },
  { openApiName: 'TakeDelta' },
);

const kindPosition = object('KindPosition', 'How far a kind is stored.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Pod' },
  resourceVersion: {
    type: 'identifier',
    optional: true,
    description: 'The resourceVersion as of which all objects of the kind are stored; null if unknown.',
    example: '10245',
  },
  count: {
    type: 'integer',
    optional: true,
    description: 'Number of stored objects; null if not counted yet.',
    example: 1,
  },
  hash: {
    type: 'identifier',
    optional: true,
    description: 'Hash over them; null if not computed yet.',
    example: '8a5edab282632443',
  },
  snapshotNeeded: {
    type: 'boolean',
    description:
      'Whether what is stored is not what the sender of deltas has, so that a snapshot of the kind must come.',
    example: false,
  },
});

const comparedPosition = object('ComparedPosition', 'How far a kind is stored, compared with the sender.', {
  kind: { type: 'identifier', description: 'The kind.', example: 'Pod' },
  resourceVersion: {
    type: 'identifier',
    optional: true,
    description: 'The resourceVersion as of which all objects of the kind are stored; null if unknown.',
    example: '10245',
  },
  count: { type: 'integer', description: 'Number of stored objects.', example: 1 },
  hash: { type: 'identifier', description: 'Hash over them.', example: '8a5edab282632443' },
  agrees: {
    type: 'boolean',
    optional: true,
    description: 'Whether the sender has the same; null if what is stored is newer than the position of the sender.',
    example: true,
  },
});

const ignoredOfDelta = object('IgnoredOfDelta', 'The part of a delta that says nothing new.', {
  upserts: { type: 'integer', description: 'Objects of which something newer is stored.', example: 0 },
  deletions: {
    type: 'integer',
    description: 'Deletions of objects that are not stored, or of which something newer is.',
    example: 0,
  },
  notKept: { type: 'integer', description: 'Objects of kinds that are not stored.', example: 0 },
});

export const takenDelta = object('TakenDelta', 'A delta that was stored.', {
  basis: { type: answerBasis, description: 'The state after it.' },
  stream: { type: 'identifier', description: 'The stream.', example: '0b7c3a52-7f5e-4c39-9c2e-6f2d1f0a9b11' },
  sequence: { type: 'integer', description: 'The delta.', example: 1 },
  next: { type: 'integer', description: 'The sequence number of the next delta.', example: 2 },
  repeated: { type: 'boolean', description: 'Whether the delta had been stored before.', example: false },
  revision: {
    type: 'integer',
    optional: true,
    description: 'The revision that it made; null if nothing that is kept changed.',
    example: 8,
  },
  head: { type: 'integer', description: 'The head after it.', example: 8 },
  unchanged: { type: 'boolean', description: 'Whether nothing that is kept changed.', example: false },
  counts: { type: kindCountsResponse, list: true, description: 'Differences from the previous head, by kind.' },
  ignored: { type: ignoredOfDelta, description: 'What said nothing new.' },
  positions: { type: comparedPosition, list: true, description: 'The kinds of the positions of the delta.' },
  snapshotNeeded: {
    type: 'identifier',
    list: true,
    description:
      'Kinds of which what is stored is not what the sender has. The objects of the delta are stored, but others are missing ' +
      'or superfluous: send a snapshot of each of these kinds.',
    example: [],
  },
});

export const deltaState = object('DeltaState', 'How far the deltas of a cluster have come.', {
  stream: {
    type: 'identifier',
    optional: true,
    description: 'The current stream; null if there was no delta.',
    example: '0b7c3a52-7f5e-4c39-9c2e-6f2d1f0a9b11',
  },
  next: { type: 'integer', description: 'The sequence number of its next delta.', example: 2 },
  capturedAt: {
    type: 'time',
    optional: true,
    description: 'The time up to which its sender knew the cluster; null if there was no delta.',
    example: '2026-05-04T03:02:01.000Z',
  },
  positions: { type: kindPosition, list: true, description: 'How far each kind is stored, by kind.' },
});
