import type { ClientBase } from 'pg';

/** Names of texts, by which connections keep their plans. There are as many as the ways in which writes go together: a few dozen. */
const names = new Map<string, string>();

/** Writes to several tables that go to the database as one statement, which is one round trip. Each sees what was there before all of them. */
export class WriteStatement {
  private parts: string[] = [];
  private values: unknown[] = [];
  private ending = 'select';

  /** A parameter of the statement. */
  value(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  /** @param sql a statement that changes data */
  add(name: string, sql: string): void {
    this.parts.push(`${name} as (${sql})`);
  }

  /** @param sql the `select` after the writes; by default an empty one */
  end(sql: string): void {
    this.ending = sql;
  }

  /** Sends the writes so far. Further ones go into another statement. @returns the rows of the `select` after the writes */
  async run<Row extends object = object>(client: ClientBase): Promise<readonly Row[]> {
    const { parts, values, ending } = this;
    this.parts = [];
    this.values = [];
    this.ending = 'select';
    if (parts.length === 0) return [];
    const text = `with ${parts.join(', ')} ${ending}`;
    let name = names.get(text);
    if (name === undefined) names.set(text, (name = `write-${names.size}`));
    return (await client.query<Row>({ name, text, values })).rows;
  }
}
