/** A field selector that the API server would refuse, in upstream's words. */
export class FieldSelectorError extends Error {
  override readonly name = 'FieldSelectorError';
}

/** The fields of a kind that a field selector may name, and how each is read from an object as text. */
export type SelectableFields<T> = ReadonlyMap<string, (object: T) => string>;

interface FieldTerm<T> {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
  readonly read: (object: T) => string;
}

/** A parsed field selector: all terms are ANDed, none means everything. */
export class FieldSelector<T> {
  constructor(readonly terms: readonly FieldTerm<T>[]) {}

  matches(object: T): boolean {
    return this.terms.every(({ operator, value, read }) => (read(object) === value) === (operator === '='));
  }

  /** The terms in order, values escaped, `==` written as `=`. */
  toString(): string {
    const escaped = (value: string): string => value.replaceAll(/[\\,=]/g, '\\$&');
    return this.terms.map(({ field, operator, value }) => `${field}${operator}${escaped(value)}`).join(',');
  }
}

const OPERATOR = /!=|==|=/;

/**
 * Parses a field selector such as `metadata.name=x,spec.nodeName!=y`. In a value `\`, `,` and `=` are escaped by a `\`; no
 * white space is skipped. An empty text selects everything, and so does an empty term.
 *
 * @throws {FieldSelectorError} on bad syntax, and on a field that the kind does not offer.
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

/** Cuts at the commas that no `\` escapes; escapes stay. */
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
