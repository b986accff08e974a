import type { ClusterRule } from '../cluster-rule.js';
import type { Finding } from '../finding.js';

/** A node without a status: its allocatable resources are not known, so no pod that requests anything fits it. */
export const nodeWithoutStatus: ClusterRule = ({ state: { nodes } }) => {
  const findings: Finding[] = [];
  for (let index = 0; index < nodes.count; index++) {
    const { status } = nodes.node(index);
    if (status !== undefined && Object.keys(status).length > 0) continue;
    findings.push({
      code: 'node-without-status',
      severity: 'warning',
      subject: { kind: 'Node', name: nodes.name(index) },
      field: 'status',
      pointer: '/status',
      message:
        'The node has no status: its kubelet has never reported, or the dump does not include it. The node counts as having nothing allocatable, so no pod fits it.',
      suggestions: [{ text: 'Take the dump with kubectl get nodes -o json, which includes the status.' }],
    });
  }
  return findings;
};
