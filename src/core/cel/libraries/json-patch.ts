import { overload, type CelFunction } from '../declarations.js';
import { STRING } from '../types.js';

const ESCAPES: Readonly<Record<string, string>> = { '/': '~1', '~': '~0' };

/** k8s.io/apiserver v0.36.2, pkg/cel/library/jsonpatch.go. */
export const JSON_PATCHES: readonly CelFunction[] = [
  {
    name: 'jsonpatch.escapeKey',
    overloads: [
      overload('string_jsonpatch_escapeKey_string', [STRING], STRING, (key) =>
        (key as string).replaceAll(/[/~]/g, (character) => ESCAPES[character]!),
      ),
    ],
  },
];
