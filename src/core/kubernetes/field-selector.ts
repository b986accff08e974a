/** A field selector that the API server would refuse, with upstream's message. */
export class FieldSelectorError extends Error {
  override readonly name = 'FieldSelectorError';
}

/** The fields of a kind that a field selector may name, with functions that return a field's value as text. */
export type SelectableFields<T> = ReadonlyMap<string, (object: T) => string>;

interface FieldTerm<T> {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
  readonly read: (object: T) => string;
}

/** A parsed field selector: all terms are ANDed; without terms it matches everything. */
export class FieldSelector<T> {
  constructor(readonly terms: readonly FieldTerm<T>[]) {}

  matches(object: T): boolean {
    return this.terms.every(({ operator, value, read }) => (read(object) === value) === (operator === '='));
  }

  /** The terms in order, with escaped values; `==` is written as `=`. */
  toString(): string {
    const escaped = (value: string): string => value.replaceAll(/[\\,=]/g, '\\$&');
    return this.terms.map(({ field, operator, value }) => `${field}${operator}${escaped(value)}`).join(',');
  }
}

const OPERATOR = /!=|==|=/;

/**
 * Parses a field selector such as `metadata.name=x,spec.nodeName!=y`. In a value, `\`, `,` and `=` are escaped by `\`; white
 * space is significant. An empty text matches everything, as does an empty term.
 *
 * @throws {FieldSelectorError} for invalid syntax, and for a field that the kind does not support
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/fields/selector.go, `ParseSelector`.
 */
export function parseFieldSelector<T>(text: string, fields: SelectableFields<T>): FieldSelector<T> {
  const terms = splitTerms(text)
    .filter((term) => term !== '')
    .sort()
    .map((term): FieldTerm<T> => {
      const sign = OPERATOR.exec(term);
      if (sign === null) throw new FieldSelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      const field = term.slice(0, sign.index);
      const value = unescapeValue(term.slice(sign.index + sign[0].length));
      const read = fields.get(field);
      if (read === undefined) throw new FieldSelectorError(`field label not supported: ${field}`);
      return { field, operator: sign[0] === '!=' ? '!=' : '=', value, read };
    });
  return new FieldSelector(terms);
}

/** Splits at commas that are not escaped by `\`; keeps the escapes. */
const splitTerms = (text: string): string[] => text.match(/(?:\\.|\\$|[^\\,])+/gsu) ?? [];

function unescapeValue(text: string): string {
  return text.replaceAll(/\\(.?)|[,=]/gsu, (match, escaped?: string) => {
    if (escaped === undefined) {
      throw new FieldSelectorError(`invalid field selector: unescaped character in value: ${match.charCodeAt(0)}`);
    }
    if (escaped === '\\' || escaped === ',' || escaped === '=') return escaped;
    throw new FieldSelectorError(`invalid field selector: invalid escape sequence: ${match}`);
  });
}
