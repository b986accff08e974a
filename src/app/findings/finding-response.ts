import type { finding, findingCounts } from '../../contract/findings/finding.js';
import type { Response } from '../../contract/schema.js';
import type { Finding } from '../../core/findings/finding.js';
import { tolerationResponse } from '../pods/toleration-response.js';

export function findingResponse(found: Finding): Response<typeof finding> {
  const {
    code,
    severity,
    subject,
    field = null,
    pointer = null,
    message,
    suggestions,
    budgets = [],
    occurrences = null,
  } = found;
  const { kind, namespace = null, name = null } = subject;
  return {
    code,
    severity,
    subject: { kind, namespace, name },
    field,
    pointer,
    message,
    suggestions: suggestions.map(({ text, toleration, nodeSelector }) => ({
      text,
      toleration: toleration === undefined ? null : tolerationResponse(toleration),
      nodeSelector: nodeSelector ?? null,
    })),
    budgets,
    occurrences,
  };
}

export function countFindings(findings: readonly Finding[]): Response<typeof findingCounts> {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}
