import type { JsonObject } from '../json/json-value.js';
import { EXPECTATION_KINDS } from './expectation.js';

export const MAX_EXPECTATIONS = 500;
const MAX_COUNT = 1_000_000;
const MAX_LISTED_NAMES = 1000;

const text = (description: string, maxLength: number, more: JsonObject = {}): JsonObject => ({
  type: 'string',
  description,
  minLength: 1,
  maxLength,
  ...more,
});
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const list = (items: JsonObject, description: string): JsonObject => ({
  type: 'array',
  description,
  items,
  minItems: 1,
  maxItems: MAX_LISTED_NAMES,
});
const count = (description: string, minimum = 0): JsonObject => ({
  type: 'integer',
  description,
  minimum,
  maximum: MAX_COUNT,
});
const object = (
  description: string,
  properties: Record<string, JsonObject>,
  required: string[] = [],
  more: JsonObject = {},
): JsonObject => ({
  type: 'object',
  description,
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
  ...more,
});
const oneOf = (...names: string[]): JsonObject => ({ oneOf: names.map((name) => ({ required: [name] })) });
const anyOf = (...names: string[]): JsonObject => ({ anyOf: names.map((name) => ({ required: [name] })) });

const BOUNDS = {
  atLeast: count('The least number that may be found.'),
  atMost: count('The greatest number that may be found.'),
  exactly: count('The number that must be found; excludes `atLeast` and `atMost`.'),
};
const NODES = { nodes: ref('nodes') };
const POD = {
  pod: {
    type: 'object',
    description: 'Manifest of a Pod, or of a workload with a pod template, as for kubectl. It passes admission first.',
  },
  workload: ref('workload'),
};
const BOUNDED = anyOf('atLeast', 'atMost', 'exactly');

/**
 * The format of a file of expectations, as JSON Schema (draft 2020-12). Files are checked by `checkSchema` with this very schema,
 * then by `readExpectations` for what a schema cannot say: unique names, selectors, taints and manifests.
 */
export const EXPECTATIONS_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Expectations of a cluster',
  description: 'Sentences that should hold for a cluster, each with a check.',
  type: 'object',
  properties: {
    apiVersion: { type: 'string', enum: ['kube-placement/v1'], description: 'Version of the format.' },
    kind: { type: 'string', enum: ['Expectations'], description: 'Kind of the file.' },
    expectations: {
      type: 'array',
      description: 'The expectations, in the order in which they are reported.',
      items: ref('expectation'),
      minItems: 1,
      maxItems: MAX_EXPECTATIONS,
    },
  },
  required: ['apiVersion', 'kind', 'expectations'],
  additionalProperties: false,
  $defs: {
    expectation: object(
      'A sentence, and exactly one check.',
      {
        name: text('The sentence, for people; unique in the file.', 200),
        description: text('Why it should hold, or whom to ask.', 2000),
        podFits: object(
          'How many nodes take the pod as the cluster is: every filter of the scheduler passes.',
          { ...POD, ...NODES, ...BOUNDS },
          [],
          { allOf: [oneOf('pod', 'workload'), BOUNDED] },
        ),
        admission: object(
          'Whether the API server would admit the pod.',
          {
            pod: POD.pod,
            outcome: { type: 'string', enum: ['admitted', 'refused'], description: 'What should become of it.' },
            messageContains: text('A part of the refusal, in the words of the API server.', 500),
          },
          ['pod', 'outcome'],
        ),
        taintedNodes: object(
          'How many nodes carry a matching taint.',
          {
            ...NODES,
            taint: object(
              'Matches taints; what is absent matches anything.',
              {
                key: text('Taint key.', 316),
                value: { type: 'string', description: 'Taint value; empty for none.', maxLength: 63 },
                effect: {
                  type: 'string',
                  enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
                  description: 'Taint effect.',
                },
              },
              [],
              anyOf('key', 'value', 'effect'),
            ),
            ...BOUNDS,
          },
          ['taint'],
          BOUNDED,
        ),
        nodeCount: object(
          'How many nodes there are.',
          {
            ...NODES,
            ready: { type: 'boolean', enum: [true], description: 'Count only nodes whose condition Ready is True.' },
            schedulable: { type: 'boolean', enum: [true], description: 'Count only nodes that are not cordoned.' },
            ...BOUNDS,
          },
          [],
          BOUNDED,
        ),
        tolerates: object(
          'Who may tolerate a taint: no other pod and no other pod template does.',
          {
            taint: text(
              'A taint as for kubectl: `dedicated=ml:NoSchedule`, or without effect `dedicated=ml`, which stands for every effect.',
              400,
            ),
            only: object(
              'Who may tolerate it.',
              {
                namespaces: list(text('Namespace.', 63), 'Namespaces, by name.'),
                workloads: list(ref('workload'), 'Workloads.'),
              },
              [],
              anyOf('namespaces', 'workloads'),
            ),
          },
          ['taint', 'only'],
        ),
        survives: object(
          'Whether all replicas find a node again if all nodes with one value of a label are lost, for any one value.',
          {
            namespaces: list(text('Namespace.', 63), 'All workloads of these namespaces.'),
            workloads: list(ref('workload'), 'These workloads.'),
            lossOf: object(
              'What is lost.',
              {
                label: text(
                  'Label of nodes: `topology.kubernetes.io/zone`, `kubernetes.io/hostname`, or any other.',
                  316,
                ),
                values: list({ type: 'string', maxLength: 63 }, 'Only these values. Default: every value.'),
              },
              ['label'],
            ),
            competing: {
              type: 'string',
              enum: ['all', 'none'],
              default: 'all',
              description:
                '`all`: the other pods of the lost nodes, and pods that wait already, are placed in their turn of the queue. `none`: only the named ones are.',
            },
          },
          ['lossOf'],
          anyOf('namespaces', 'workloads'),
        ),
        capacityFor: object(
          'Whether quotas and nodes take this many more replicas, one after another.',
          { ...POD, replicas: count('Number of replicas, in addition to those that exist.', 1) },
          ['replicas'],
          oneOf('pod', 'workload'),
        ),
      },
      ['name'],
      oneOf(...EXPECTATION_KINDS),
    ),
    nodes: object(
      'Nodes that meet everything that is set. Default: all nodes.',
      {
        pool: text('A declared pool: the nodes that it selects.', 253),
        labelSelector: text('Label selector, as for kubectl.', 2000),
        names: list(text('Node name.', 253), 'Nodes, by name.'),
      },
      [],
      anyOf('pool', 'labelSelector', 'names'),
    ),
    workload: object(
      'A stored workload.',
      {
        kind: {
          type: 'string',
          enum: ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job', 'CronJob'],
          description: 'Kind.',
        },
        namespace: text('Namespace. Default: `default`.', 63),
        name: text('Name.', 253),
      },
      ['kind', 'name'],
    ),
  },
};
