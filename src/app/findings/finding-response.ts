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

/** @param times how many findings an item stands for */
export function countFindings<Item extends Pick<Finding, 'severity'>>(
  findings: readonly Item[],
  times: (item: Item) => number = () => 1,
): Response<typeof findingCounts> {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const item of findings) counts[item.severity] += times(item);
  return counts;
}
