import type { StoredCase } from '../../storage/agreement-store.js';
import { caseResponse, valuesInCase } from '../agreement/case-response.js';
import { addValue } from '../withheld-values.js';
import type { NewsView } from './history-news.js';
import type { NewNotification } from './notification-event.js';
import type { ToldRule } from './told-rule.js';

/** What a rule tells of a prediction that the cluster did not fulfil. */
export function disagreementNews(rule: ToldRule, found: StoredCase, view: NewsView): NewNotification {
  const values = new Map<string, Set<string>>();
  for (const { key, value } of valuesInCase(found)) addValue(values, key, value);
  const masked = rule.details.taintValues ? (value: unknown) => value : maskedBy((text) => view.text(text, values));
  const response = masked(JSON.parse(JSON.stringify(caseResponse(found)))) as ReturnType<typeof caseResponse>;
  const { number, namespace, name, scheduler, revision, text } = response;
  return {
    kind: 'disagreement',
    key: String(number),
    severity: 'info',
    status: 'happened',
    subject: `namespaces/${namespace}/pods/${name}`,
    happenedAt: found.capturedAt.toISOString(),
    overAt: null,
    summary: `A prediction about pod ${namespace}/${name} did not come true: ${text}`,
    lines: [`rule ${response.rule}`, `scheduler ${scheduler}`, `revision ${revision}`],
    labels: { namespace, pod: name, prediction: response.rule },
    data: { disagreement: response },
  };
}

/** Masks every text in JSON. */
function maskedBy(mask: (text: string) => string): (value: unknown) => unknown {
  const masked = (value: unknown): unknown => {
    if (typeof value === 'string') return mask(value);
    if (Array.isArray(value)) return value.map(masked);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(member)]));
  };
  return masked;
}
