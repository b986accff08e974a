import type { JsonValue } from '../../core/json/json-value.js';
import { CommandFailed } from '../command-failed.js';
import { jsonPath, textOf } from './jsonpath.js';
import type { Style } from './style.js';
import { table } from './table.js';

/**
 * A table with columns of one's own, `NAME:.path,...`: a row for each item or group of a list, else one for the answer.
 * @throws {CommandFailed} a column is none
 */
export function customColumns(spec: string, answer: JsonValue, style: Style): readonly string[] {
  const columns = spec.split(/,(?=[^,:]+:)/).map((column) => {
    const [title = '', ...path] = column.split(':');
    if (title === '' || path.length === 0) {
      throw new CommandFailed(`custom-columns: ${JSON.stringify(column)} is not NAME:PATH`);
    }
    const at = jsonPath(path.join(':'));
    return { title, value: (row: JsonValue) => at(row).map(textOf).join(',') };
  });
  return table(columns, rowsOf(answer), style);
}

function rowsOf(answer: JsonValue): readonly JsonValue[] {
  const { items, groups, results } = answer as { readonly [name: string]: JsonValue };
  const listed = [groups, items, results].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(listed)) return listed;
  return Array.isArray(items) ? [] : [answer];
}
