/** Alice taints a node with kubectl, as an API server's webhook tells of it. */
export const AUDIT_EVENTS_BODY = {
  kind: 'EventList',
  apiVersion: 'audit.k8s.io/v1',
  metadata: {},
  items: [
    {
      level: 'RequestResponse',
      auditID: 'f8f6566c-5a34-406a-92f9-87d1a30a3075',
      stage: 'ResponseComplete',
      requestURI: '/api/v1/nodes/node-1?fieldManager=kubectl-taint&fieldValidation=Strict',
      verb: 'patch',
      user: { username: 'alice', groups: ['ops', 'system:authenticated'] },
      sourceIPs: ['192.0.2.10'],
      userAgent: 'kubectl/v1.36.2 (linux/amd64) kubernetes/98b3519',
      objectRef: { resource: 'nodes', name: 'node-1', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
      requestObject: { spec: { taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }] } },
      responseObject: {
        kind: 'Node',
        apiVersion: 'v1',
        metadata: { name: 'node-1', uid: 'da1c74cc-6c68-4c46-9a04-3ce7934251f8', resourceVersion: '343' },
        spec: { taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }] },
      },
      requestReceivedTimestamp: '2026-05-04T03:02:00.800730Z',
      stageTimestamp: '2026-05-04T03:02:00.804783Z',
    },
  ],
};

export const TAKEN_AUDIT_EVENTS = {
  cluster: 'example',
  bytesRead: 1043,
  bytesDecoded: 1043,
  received: 1,
  kept: 1,
  duplicates: 0,
  ignored: [],
  invalid: 0,
  problems: { count: 0, first: [] },
  records: [{ kind: 'change', count: 1 }],
  nodes: { count: 1, first: ['node-1'] },
  unknownNodes: { count: 0, first: [] },
};
