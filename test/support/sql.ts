import pg from 'pg';

/** The rows that one statement returns, executed by a superuser. */
export async function sql<Row>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}
