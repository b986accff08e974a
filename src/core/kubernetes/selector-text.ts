import type { LabelSelector } from './objects/selectors.js';
import { Requirement, type SelectionOperator } from './requirement.js';
import { selectorOf } from './selector.js';

const OPERATORS: ReadonlyMap<string, SelectionOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * A label selector in kubectl's syntax, `app=web,tier in (a,b)`, keys and values in byte order, so that selectors with
 * the same requirements have the same text; empty for the empty selector. An unknown operator is quoted as it is.
 */
export function labelSelectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const known: Requirement[] = Object.entries(matchLabels).map(([key, value]) => new Requirement(key, '=', [value]));
  const unknown: string[] = [];
  for (const { key, operator, values = [] } of matchExpressions) {
    const selection = OPERATORS.get(operator);
    if (selection === undefined) unknown.push(`${key} ${operator} (${[...values].sort().join(',')})`);
    else known.push(new Requirement(key, selection, values));
  }
  return [...selectorOf(known).requirements!.map(String), ...unknown].join(',');
}
