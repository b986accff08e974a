/** A question and its answer on the example cluster of the documentation. */
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'web', resources: { requests: { cpu: '500m', memory: '128Mi' } } }] },
};

export const QUESTION = { pod: POD, limit: 10 };

const BASIS = {
  cluster: 'example',
  revision: 7,
  capturedAt: '2026-05-04T03:02:01.000Z',
  ageSeconds: 42,
  kubernetesVersion: 'v1.36.2',
  rulesVersion: 'v1.36.2',
  intents: { unconfirmedNodes: 0, included: true },
  scenario: null,
  decisionId: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
};

const TAINT = { key: 'gpu', value: 'true', effect: 'NoSchedule' };

const REASON = {
  plugin: 'TaintToleration',
  code: 'UntoleratedTaint',
  first: true,
  status: 'UnschedulableAndUnresolvable',
  message: 'node(s) had untolerated taint(s)',
  facts: { taint: TAINT },
  fields: [{ object: 'node', path: 'spec.taints[0]', pointer: '/spec/taints/0' }],
};

const UNTOLERATED = { ...TAINT, text: 'gpu=true:NoSchedule', implied: false, wellKnown: null };

const POD_FIX = {
  changes: [
    {
      kind: 'AddToleration',
      summary: 'tolerate gpu=true:NoSchedule',
      yaml: 'tolerations:\n  - key: gpu\n    operator: Equal\n    value: "true"\n    effect: NoSchedule\n',
      command: null,
      change: { toleration: { key: 'gpu', operator: 'Equal', value: 'true', effect: 'NoSchedule' } },
    },
  ],
  verdict: 'feasible',
  remaining: [],
};

const NODE_FIX = {
  changes: [
    {
      kind: 'RemoveTaint',
      summary: 'remove the taint gpu=true:NoSchedule',
      yaml: null,
      command: 'kubectl taint nodes node-2 gpu:NoSchedule-',
      change: { taint: TAINT },
    },
  ],
  verdict: 'feasible',
  remaining: [],
};

export const ANSWER = {
  basis: BASIS,
  pod: {
    namespace: 'default',
    name: 'web',
    source: 'manifest',
    workload: null,
    requests: { cpu: '500m', memory: '128Mi' },
  },
  summary: { nodes: 2, feasible: 1, infeasible: 1, unknown: 0 },
  message: null,
  messageNote: null,
  rollup: [
    {
      plugin: 'TaintToleration',
      code: 'UntoleratedTaint',
      message: 'node(s) had untolerated taint(s)',
      nodes: 1,
      first: 1,
      examples: ['node-2'],
      taints: [{ taint: 'gpu=true:NoSchedule', nodes: 1, wellKnown: null }],
    },
  ],
  added: [
    { by: 'defaults', pointer: '/spec/restartPolicy', value: 'Always', why: 'the API server fills in its default' },
  ],
  droppedFields: 0,
  unknownFieldCount: 0,
  unknownFields: [],
  assumptions: [],
  scheduler: null,
  ruleDifferences: [],
  groups: [
    {
      verdict: 'feasible',
      nodeCount: 1,
      firstFail: null,
      reasons: [],
      untoleratedTaints: [],
      toleratedTaints: [],
      fixes: null,
      nodes: ['node-1'],
      columns: [],
    },
    {
      verdict: 'infeasible',
      nodeCount: 1,
      firstFail: 'TaintToleration',
      reasons: [REASON],
      untoleratedTaints: [UNTOLERATED],
      toleratedTaints: [],
      fixes: {
        evaluatedOn: 'node-2',
        pod: { ...POD_FIX, nodes: 1 },
        node: { ...NODE_FIX, nodes: null },
      },
      nodes: ['node-2'],
      columns: [],
    },
  ],
  nodes: [],
  missingNodes: [],
  ranking: null,
  fixesOmitted: false,
  continue: null,
  remainingItemCount: 0,
};

const SUMMARY = { ...ANSWER, groups: [] };

export const BATCH_QUESTION = {
  items: [
    { id: 'a', pod: POD },
    { id: 'b', podRef: { namespace: 'default', name: 'gone' } },
  ],
};

const MISSING = 'There is no Pod default/gone in this revision.';

export const BATCH_ANSWER = {
  basis: BASIS,
  items: [
    { id: 'a', placement: SUMMARY, error: null },
    {
      id: 'b',
      placement: null,
      error: { code: 'object-not-found', status: 404, title: 'No such object', detail: MISSING, errors: [] },
    },
  ],
};

export const ACROSS_QUESTION = { clusterSelector: 'env=prod', pod: POD };

export const ACROSS_ANSWER = {
  items: [{ cluster: 'example', placement: SUMMARY, error: null }],
  continue: null,
  remainingItemCount: 0,
};
