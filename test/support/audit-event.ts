/** A change of a node's taints or cordon, as an API server with a sufficient policy logs it. */
export interface NodeWrite {
  readonly id: string;
  readonly node: string;
  readonly at: string;
  readonly user: string;
  readonly taints?: readonly object[];
  readonly unschedulable?: boolean;
  readonly more?: object;
}

/** A line of an audit log: a patch that replaces the fields, and the resulting node. */
export function nodeWrite({ id, node, at, user, taints, unschedulable, more = {} }: NodeWrite): string {
  const spec = { ...(taints !== undefined && { taints }), ...(unschedulable !== undefined && { unschedulable }) };
  const event = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: id,
    stage: 'ResponseComplete',
    requestURI: `/api/v1/nodes/${node}?fieldManager=kubectl-taint`,
    verb: 'patch',
    user: { username: user, groups: ['sre'] },
    sourceIPs: ['10.0.0.7'],
    userAgent: 'kubectl/v1.36.2',
    objectRef: { resource: 'nodes', name: node, apiVersion: 'v1' },
    responseStatus: { code: 200 },
    requestObject: { spec },
    responseObject: { kind: 'Node', apiVersion: 'v1', metadata: { name: node }, spec },
    requestReceivedTimestamp: at,
    stageTimestamp: at,
    ...more,
  };
  return `${JSON.stringify(event)}\n`;
}
