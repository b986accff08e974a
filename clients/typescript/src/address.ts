/** Path parameters, by name. */
export type PathParameters = Readonly<Record<string, string | number | undefined>>;

type Value = string | number | boolean | object | null | undefined;

/** Query parameters, by name. */
export type QueryParameters = Readonly<Record<string, Value | readonly Value[]>>;

/**
 * A path of the contract with its parameters.
 * @throws {TypeError} if one is missing
 */
export function pathOf(template: string, parameters: PathParameters = {}): string {
  return template.replaceAll(/\{(.+?)\}/g, (_, name: string) => {
    const value = parameters[name];
    // The path would be that of another operation.
    if (value === undefined || ['', '.', '..'].includes(String(value)))
      throw new TypeError(`The path ${template} needs a value for ${name}.`);
    return encodeURIComponent(value);
  });
}

/** A query string with its question mark; empty without parameters. Lists are repeated, objects are JSON text. */
export function queryOf(parameters: QueryParameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, textOf(one));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function textOf(value: NonNullable<Value>): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
