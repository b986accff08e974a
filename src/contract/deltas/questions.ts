import { question } from '../question.js';
import { deltaInput, deltaState, takenDelta } from './delta.js';

const PATH = 'clusters/{cluster}/deltas';
const PARAMETERS = { cluster: 'example' } as const;

export const takeDelta = question({
  id: 'deltas.take',
  summary: 'Take a delta',
  description:
    'Stores what changed in a cluster since a snapshot: objects that came, changed or went, as a watch of the API server tells ' +
    'them. Deltas of a stream are taken in order, each once; the same one again gets the same response. What is older than what ' +
    'is stored, by resourceVersion, is ignored. A delta makes a revision if anything that is kept has changed. Afterwards, the ' +
    'number and the hash of the objects of each kind must be those of the sender; otherwise the response asks for a snapshot of ' +
    'the kind. Kinds that no snapshot has contained are refused.',
  method: 'POST',
  path: PATH,
  permission: 'change',
  body: { type: deltaInput, description: 'The delta.' },
  response: takenDelta,
  statuses: { 200: 'The delta is stored.' },
  errors: [
    'cluster-not-found',
    'no-snapshot',
    'invalid-object',
    'not-an-object',
    'api-server-error',
    'incomplete-list',
    'snapshot-limit-exceeded',
    'too-many-snapshots',
    'too-many-removals',
    'delta-out-of-order',
    'snapshot-needed',
  ],
  examples: {
    parameters: PARAMETERS,
    body: { stream: '0b7c3a52-7f5e-4c39-9c2e-6f2d1f0a9b11', sequence: 1, upserts: [], deletions: [], positions: [] },
  },
  graphql: {
    on: 'Mutation',
    name: 'takeDelta',
    description: 'Stores what changed in a cluster since a snapshot.',
    input: { type: 'TakeDeltaInput', description: 'The cluster, and the delta.' },
  },
});

export const readDeltas = question({
  id: 'deltas.read',
  summary: 'Read the positions of the deltas',
  description:
    'How far the deltas of a cluster have come, and up to which resourceVersion each kind is stored: where a sender goes on ' +
    'after a restart.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  beyondRevision: true,
  response: deltaState,
  statuses: { 200: 'The positions.' },
  errors: ['cluster-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'deltas', description: 'How far the deltas have come.' },
});
