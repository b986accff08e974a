import { invalid, type FieldError } from './field-error.js';
import { FieldPath } from './field-path.js';
import { jsonGo } from './go-text.js';
import type { Labels } from './objects/meta.js';
import { parseInt64 } from './parse-int64.js';
import { isQualifiedName, isValidLabelValue } from './validation/names.js';

/** The operators of `k8s.io/apimachinery/pkg/selection`, in upstream's notation. */
export type SelectionOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

const SYMBOLS: Readonly<Record<SelectionOperator, string>> = {
  in: ' in ',
  notin: ' notin ',
  '=': '=',
  '==': '==',
  '!=': '!=',
  gt: '>',
  lt: '<',
  exists: '',
  '!': '',
};

/** The operators between a key and a value, in upstream's order. */
export const BINARY_OPERATORS: readonly SelectionOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt'];

/**
 * A selector's requirement on one label. It can be evaluated for a label value alone, so a column of labels takes one
 * evaluation per distinct value instead of one per node.
 *
 * The constructor validates nothing, because upstream does not validate a set of labels that becomes a selector
 * (`SelectorFromSet`), either; `newRequirement` does.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/labels/selector.go.
 */
export class Requirement {
  private readonly wanted: ReadonlySet<string>;
  /** The number that `gt` and `lt` compare with; undefined if the value is not a number, in which case they match nothing. */
  private readonly bound: bigint | undefined;

  constructor(
    readonly key: string,
    readonly operator: SelectionOperator,
    readonly values: readonly string[],
  ) {
    this.wanted = new Set(values);
    const only = values.length === 1 ? values[0] : undefined;
    this.bound = only === undefined ? undefined : integer(only);
  }

  matches(labels: Labels): boolean {
    return this.matchesValue(Object.hasOwn(labels, this.key) ? labels[this.key] : undefined);
  }

  /**
   * Whether a label with this value meets the requirement; `undefined` means that the label is absent, which meets `notin`,
   * `!=` and `!`.
   */
  matchesValue(value: string | undefined): boolean {
    switch (this.operator) {
      case 'in':
      case '=':
      case '==':
        return value !== undefined && this.wanted.has(value);
      case 'notin':
      case '!=':
        return value === undefined || !this.wanted.has(value);
      case 'exists':
        return value !== undefined;
      case '!':
        return value === undefined;
      case 'gt':
      case 'lt': {
        const given = value === undefined ? undefined : integer(value);
        if (given === undefined || this.bound === undefined) return false;
        return this.operator === 'gt' ? given > this.bound : given < this.bound;
      }
    }
  }

  /** The requirement in kubectl's syntax, with the values of a set in byte order. */
  toString(): string {
    if (this.operator === 'exists') return this.key;
    if (this.operator === '!') return `!${this.key}`;
    const values = [...this.values].sort().join(',');
    const isSet = this.operator === 'in' || this.operator === 'notin';
    return `${this.key}${SYMBOLS[this.operator]}${isSet ? `(${values})` : values}`;
  }
}

/**
 * `labels.NewRequirement`: the requirement, or all faults of its key, values and operator. Paths are below `path`; without it
 * they are upstream's default (`values[0][key]`).
 *
 * Values must be valid label values even for `gt` and `lt`, so a negative bound is refused.
 */
export function newRequirement(
  key: string,
  operator: SelectionOperator,
  values: readonly string[] | undefined,
  path?: FieldPath,
): { readonly requirement: Requirement } | { readonly errors: readonly FieldError[] } {
  const below = (name: string): FieldPath => path?.child(name) ?? FieldPath.of(name);
  const errors: FieldError[] = [];
  const keyFaults = isQualifiedName(key);
  if (keyFaults.length > 0) errors.push(invalid(below('key'), key, keyFaults.join('; ')));

  const given = values ?? [];
  const at = below('values');
  const rule = ruleOnCount(operator, given.length);
  if (rule !== undefined) errors.push(invalid(at, { text: stringList(values) }, rule));
  for (const [index, value] of given.entries()) {
    if ((operator === 'gt' || operator === 'lt') && integer(value) === undefined) {
      errors.push(invalid(at.index(index), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
  for (const [index, value] of given.entries()) {
    const faults = isValidLabelValue(value);
    if (faults.length > 0) errors.push(invalid(at.index(index).key(key), value, faults.join('; ')));
  }
  return errors.length > 0 ? { errors } : { requirement: new Requirement(key, operator, given) };
}

/** The rule that this number of values violates, if any. */
function ruleOnCount(operator: SelectionOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return count === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

/** A list of strings in an error: as JSON, with null for an absent list. */
export const stringList = (values: readonly string[] | undefined): string =>
  values === undefined ? 'null' : jsonGo(values);

function integer(text: string): bigint | undefined {
  const parsed = parseInt64(text);
  return 'value' in parsed ? parsed.value : undefined;
}
