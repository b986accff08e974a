import { method, type CelFunction } from '../declarations.js';
import { compilePattern, type Pattern } from '../regexp/pattern.js';
import { INT, listOf, STRING } from '../types.js';
import { CelError, type Value } from '../values.js';

function withPattern(pattern: Value, use: (pattern: Pattern) => Value): Value {
  const compiled = compilePattern(pattern as string);
  return 'error' in compiled ? new CelError(`Illegal regex: ${compiled.error}`) : use(compiled);
}

function find(text: Value, pattern: Value): Value {
  return withPattern(pattern, (compiled) => compiled.findAll(text as string, 1n)[0] ?? '');
}

const findAll = (text: Value, pattern: Value, most: Value): Value =>
  withPattern(pattern, (compiled) => compiled.findAll(text as string, most as bigint));

/** k8s.io/apiserver v0.36.2, pkg/cel/library/regex.go. */
export const REGEX: readonly CelFunction[] = [
  { name: 'find', overloads: [method('string_find_string', [STRING, STRING], STRING, find)] },
  {
    name: 'findAll',
    overloads: [
      method('string_find_all_string', [STRING, STRING], listOf(STRING), (text, pattern) =>
        findAll(text, pattern, -1n),
      ),
      method('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), findAll),
    ],
  },
];
