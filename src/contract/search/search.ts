import { answerBasis } from '../common/basis.js';
import { taint } from '../common/taint.js';
import { question } from '../question.js';
import { enumType, object } from '../schema.js';

/** Most hits of each kind that a search answers. */
export const MOST_PER_KIND = 50;
export const DEFAULT_PER_KIND = 5;
/** Most clusters whose objects one search goes through. */
export const MOST_SEARCHED = 200;
export const DEFAULT_LOADED = 4;
const MOST_LOADED = 20;
const MOST_TEXT = 253;

export const SEARCH_KINDS = ['cluster', 'node', 'workload', 'namespace', 'taint', 'pod'] as const;

const searchKind = enumType('SearchKind', 'What was found.', SEARCH_KINDS);

const searchMatch = enumType(
  'SearchMatch',
  'How the text was found: it is the whole name, starts the name, starts a word of it, or is somewhere in it.',
  ['exact', 'prefix', 'word', 'substring'],
);

const searchHit = object('SearchHit', 'Something whose name has the text.', {
  cluster: { type: 'identifier', description: 'The cluster that it is in, or is.', example: 'example' },
  match: { type: searchMatch, description: 'How the text was found.', example: 'prefix' },
  namespace: { type: 'identifier', optional: true, description: 'The namespace of a workload or pod.', example: null },
  name: { type: 'identifier', description: 'The name; of a taint, its key.', example: 'node-1' },
  workloadKind: { type: 'identifier', optional: true, description: 'The kind of a workload.', example: null },
  isStored: {
    type: 'boolean',
    optional: true,
    description: 'Whether the object of a workload is stored; others are known by their pods.',
    example: null,
  },
  taint: { type: taint, optional: true, description: 'The taint.', example: null },
  node: { type: 'identifier', optional: true, description: 'The node that a pod is bound to.', example: null },
  phase: { type: 'identifier', optional: true, description: 'The phase of a pod.', example: null },
  ready: { type: 'boolean', optional: true, description: 'Whether a node is ready.', example: true },
  unschedulable: { type: 'boolean', optional: true, description: 'Whether a node is cordoned.', example: false },
  nodes: { type: 'integer', optional: true, description: 'Number of nodes with a taint.', example: null },
  pods: { type: 'integer', optional: true, description: 'Number of pods of a workload or namespace.', example: null },
});

const searchGroup = object('SearchGroup', 'What was found of one kind.', {
  kind: { type: searchKind, description: 'The kind.', example: 'node' },
  total: { type: 'integer', description: 'Number of hits, also beyond `perKind`.', example: 1 },
  hits: { type: searchHit, list: true, description: 'The best hits; among equal ones, those in `cluster` first.' },
});

const searchResults = object('SearchResults', 'What has a text in its name.', {
  basis: {
    type: answerBasis,
    optional: true,
    description: 'The state of `cluster` that was searched; null without one.',
  },
  groups: { type: searchGroup, list: true, description: 'The kinds of which something was found, the best hit first.' },
  searched: { type: 'integer', description: 'Number of clusters whose objects were searched.', example: 1 },
  unsearched: {
    type: 'integer',
    description: 'Number of clusters of which only the name was searched, because their states are not in memory.',
    example: 0,
  },
});

export const search = question({
  id: 'search.find',
  summary: 'Search in every cluster',
  description:
    'Finds clusters, nodes, workloads, namespaces, taints and pods by name, in one cluster as of a moment and in all others that the ' +
    'caller may read. Upper and lower case are equal; every word has to be found, and a namespace and a name may be joined by `/`. ' +
    'Names are compared in memory: of clusters whose state is not there, `load` are read, and of the others only the name is searched. ' +
    'Taint values that the caller may not see are not searched.',
  method: 'GET',
  path: 'search',
  permission: 'read',
  clusters: 'each',
  query: {
    text: { type: 'string', maximumLength: MOST_TEXT, description: 'What to search for.', example: 'node' },
    cluster: {
      type: 'identifier',
      optional: true,
      maximumLength: MOST_TEXT,
      description: 'The cluster whose hits come first.',
      example: 'example',
    },
    moment: {
      type: 'identifier',
      optional: true,
      syntax: 'moment',
      description: 'The state of `cluster`: a revision number, `head`, or a time.',
      example: 'head',
    },
    elsewhere: {
      type: 'boolean',
      optional: true,
      defaultsTo: true,
      description: 'Whether other clusters are searched besides `cluster`.',
      example: true,
    },
    perKind: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: MOST_PER_KIND,
      defaultsTo: DEFAULT_PER_KIND,
      description: 'Maximum number of hits of each kind.',
      example: 5,
    },
    load: {
      type: 'integer',
      optional: true,
      minimum: 0,
      maximum: MOST_LOADED,
      defaultsTo: DEFAULT_LOADED,
      description: 'Read the states of at most so many other clusters.',
      example: 4,
    },
  },
  response: searchResults,
  statuses: { 200: 'What was found.' },
  errors: ['cluster-not-found', 'revision-not-found', 'no-snapshot'],
  beyondRevision: true,
  examples: { parameters: { text: 'node', cluster: 'example' } },
  graphql: {
    on: 'Query',
    name: 'search',
    description: 'Clusters, nodes, workloads, namespaces, taints and pods by name.',
  },
});
