import { errorsInWordsOf, type FieldError } from '../../kubernetes/field-error.js';
import type { FieldPath } from '../../kubernetes/field-path.js';
import type { Toleration } from '../../kubernetes/objects/taints.js';
import { rulesOfGates } from '../../kubernetes/toleration.js';
import { TAINT_EFFECTS } from '../../kubernetes/taint.js';
import { validateTolerations } from '../../kubernetes/validation/tolerations.js';
import type { FindingSuggestion } from '../finding.js';
import type { PodContext, PodFinding, PodRule } from '../pod-rule.js';

const OPERATORS = ['Equal', 'Exists', 'Lt', 'Gt'];

/** Tolerations that the API server refuses, with its message and an explanation. */
export const refusedByApiServer: PodRule = {
  code: 'refused-by-api-server',
  reads: 'tolerations',
  check: ({ tolerations, path, gates }: PodContext) =>
    tolerations.flatMap((toleration, index) => {
      const at = path.child('tolerations').index(index);
      const errors = validateTolerations([toleration], path.child('tolerations'), gates);
      return errorsInWordsOf(rulesOfGates(gates), errors).map((error) =>
        finding(renumbered(error, path, index), toleration, at),
      );
    }),
};

/** Converts the error of a one-item list to the index that the toleration has in the whole list. */
function renumbered(
  error: FieldError,
  path: FieldPath,
  index: number,
): { readonly name: string; readonly text: string } {
  const list = path.child('tolerations');
  const name = error.field.slice(`${list.index(0).toString()}.`.length);
  return { name, text: `${list.index(index).toString()}.${name}: ${error.message}` };
}

function finding(
  { name, text }: { readonly name: string; readonly text: string },
  toleration: Toleration,
  at: FieldPath,
): PodFinding {
  const { why, suggestions } = explain(name, toleration);
  return {
    severity: 'error',
    at: at.child(name),
    message: `The API server refuses this toleration: ${text}. ${why}`,
    suggestions,
  };
}

interface Explanation {
  readonly why: string;
  readonly suggestions: readonly FindingSuggestion[];
}

function explain(name: string, toleration: Toleration): Explanation {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (name === 'key')
    return plain(
      'A key is a label key: an optional DNS prefix and a slash, then up to 63 letters, digits, -, _ or dots.',
    );
  if (name === 'effect' && toleration.tolerationSeconds !== undefined && isKnown(effect, ['', ...TAINT_EFFECTS])) {
    return {
      why: 'tolerationSeconds is how long a pod stays before it is evicted, and only NoExecute evicts.',
      suggestions: [
        { text: 'Tolerate NoExecute for that time.', toleration: { ...toleration, effect: 'NoExecute' } },
        { text: 'Omit tolerationSeconds.', toleration: withoutSeconds(toleration) },
      ],
    };
  }
  if (name === 'effect') return respelled('effect', effect, TAINT_EFFECTS, toleration);
  if (name === 'value') return plain('Lt and Gt compare 64-bit integers, written without a leading zero or plus sign.');
  if (operator === 'Exists') {
    return {
      why: 'Exists checks only the key. A value next to it is refused, not ignored.',
      suggestions: [
        { text: 'Match this value.', toleration: { ...toleration, operator: 'Equal' } },
        { text: 'Match the key with any value.', toleration: withoutValue(toleration) },
      ],
    };
  }
  if (!isKnown(operator, ['', ...OPERATORS])) return respelled('operator', operator, OPERATORS.slice(0, 2), toleration);
  if (key === '') {
    return {
      why: 'Only Exists can omit the key; it then matches every taint.',
      suggestions: [{ text: 'Specify the intended key.' }],
    };
  }
  if (operator === 'Lt' || operator === 'Gt') {
    return plain(
      'Lt and Gt require the feature gate TaintTolerationComparisonOperators, alpha since 1.35 and off by default.',
    );
  }
  return plain(
    `The value ${JSON.stringify(value)} is not a label value: up to 63 letters, digits, -, _ or dots, with a letter or digit at both ends.`,
  );
}

/** Explains an unknown value, and suggests the known value that differs only in case. */
function respelled(
  field: 'effect' | 'operator',
  word: string,
  known: readonly string[],
  toleration: Toleration,
): Explanation {
  const meant = known.find((candidate) => candidate.toLowerCase() === word.toLowerCase());
  const why = `Kubernetes has the ${field}s ${known.join(', ')}. They are case-sensitive.`;
  return meant === undefined
    ? plain(why)
    : { why, suggestions: [{ text: `Use ${meant}.`, toleration: { ...toleration, [field]: meant } }] };
}

const plain = (why: string): Explanation => ({ why, suggestions: [] });

const isKnown = (word: string, known: readonly string[]): boolean => known.includes(word);

function withoutValue({ key, operator, effect, tolerationSeconds }: Toleration): Toleration {
  return compact({ key, operator, effect, tolerationSeconds });
}

function withoutSeconds({ key, operator, value, effect }: Toleration): Toleration {
  return compact({ key, operator, value, effect });
}

/** Drops absent fields. */
function compact(fields: { readonly [Field in keyof Toleration]: Toleration[Field] | undefined }): Toleration {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
