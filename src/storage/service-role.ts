import { createHmac, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg, { type PoolClient } from 'pg';
import type { Database } from './database.js';
import { DatabaseNotReady, MIGRATION_LOCK, ownsTables } from './migrate.js';

/** The tables that only their owner may change other than by appending. */
const APPEND_ONLY: readonly string[] = ['taint_trail', 'admission_records'];

/** The tables in which the service may change only some columns; the others are final when the row is written. */
const CHANGEABLE: Readonly<Record<string, readonly string[]>> = {
  taint_changes: ['undone_by', 'expiry'],
  node_intents: ['status', 'said_by'],
  asked_changes: ['state', 'round', 'revision', 'preview', 'outcomes'],
  change_votes: [],
  // Retention removes decisions; nothing changes them.
  decisions: [],
};

function rightsOn(table: string): string {
  if (APPEND_ONLY.includes(table)) return 'select, insert';
  const columns = CHANGEABLE[table];
  if (columns === undefined) return 'select, insert, delete, update';
  return `select, insert, delete${columns.length === 0 ? '' : `, update (${columns.join(', ')})`}`;
}

/** The login of a connection URL, with the driver's defaults. */
interface Login {
  readonly role: string;
  readonly password: string | null;
}

function loginOf(url: string): Login {
  const { user, password } = new pg.Client(url);
  return { role: user ?? '', password: password as string | null };
}

/**
 * Grants the role of another URL the rights that the service needs on the tables of this owner, and no others: reading and
 * writing, except for append-only tables, to which it may only add. The role is created if necessary.
 * @param owner a migrated database, with the role that owns the tables
 * @param serviceUrl the URL that the service will connect with
 * @throws {DatabaseNotReady} with a message for the operator: the role could change the trail, or someone else must create it
 */
export async function grantToService(owner: Database, serviceUrl: string): Promise<{ role: string; created: boolean }> {
  if (!(await ownsTables(owner))) {
    throw new DatabaseNotReady(
      'MIGRATION_DATABASE_URL must use the role that owns the tables; another role owns them.',
    );
  }
  const { role, password } = loginOf(serviceUrl);
  const name = pg.escapeIdentifier(role);
  const writable = owner.dataSource.entityMetadatas.map(({ tableName }) => tableName);
  return owner.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    // On a distributed database: table by table. Elsewhere, the setting means nothing.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
    const { rows } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
    if (rows.length === 0) await createRole(client, role, password);
    await refuseOwner(client, role);
    const { rows: places } = await client.query<{ database: string; schema: string }>(
      'select current_database() as database, current_schema() as schema',
    );
    const { database, schema } = places[0]!;
    await client.query(`grant usage on schema ${pg.escapeIdentifier(schema)} to ${name}`);
    await grantOnDatabase(client, database, role);
    for (const table of writable) {
      await client.query(`revoke all on ${pg.escapeIdentifier(table)} from ${name}`);
      await client.query(`grant ${rightsOn(table)} on ${pg.escapeIdentifier(table)} to ${name}`);
    }
    await client.query(`grant select on schema_migrations, schema_requirements to ${name}`);
    await refuseOtherRights(client, role);
    return { role, created: rows.length === 0 };
  });
}

/** Grants rights that every role has by default, if they were revoked. */
async function grantOnDatabase(client: PoolClient, database: string, role: string): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_database_privilege($1, $2, 'CONNECT') and has_database_privilege($1, $2, 'TEMPORARY') as may`,
    [role, database],
  );
  if (rows[0]!.may) return;
  const words = `grant connect, temporary on database ${pg.escapeIdentifier(database)} to ${pg.escapeIdentifier(role)}`;
  await inWords(client, words, `the owner of the database must run: ${words}`);
}

async function createRole(client: PoolClient, role: string, password: string | null): Promise<void> {
  const words = `create role ${pg.escapeIdentifier(role)} login`;
  if (password === null)
    throw new DatabaseNotReady(`The role ${role} does not exist, and there is no password to create it with.`);
  await inWords(
    client,
    `${words} password '${verifierOf(password)}'`,
    `The role ${role} does not exist, and the owner may not create roles. A role that may must run: ${words} password '...'`,
  );
}

/** Runs a statement that may need more rights than this role has. */
async function inWords(client: PoolClient, statement: string, otherwise: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    throw new DatabaseNotReady(otherwise, { cause: error });
  }
}

/** The verifier that Postgres stores for a password (RFC 5803), so that the password is in no statement and no log. */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, 4096, 32, 'sha256');
  const keyed = (words: string) => createHmac('sha256', salted).update(words).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$4096:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

/** Rejects a superuser or an owner of the table, its schema or the database, who could remove the triggers. */
async function refuseOwner(client: PoolClient, role: string): Promise<void> {
  const { rows } = await client.query<{ superuser: boolean; owns: string[] }>(
    `select r.rolsuper as superuser, array(
       select 'the database' from pg_database d where datname = current_database() and pg_has_role(r.oid, datdba, 'MEMBER')
       union all
       select 'the schema' from pg_namespace where nspname = current_schema() and pg_has_role(r.oid, nspowner, 'MEMBER')
       union all
       select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
         and pg_has_role(r.oid, relowner, 'MEMBER')
     ) as owns from pg_roles r where rolname = $1`,
    [role],
  );
  const { superuser, owns } = rows[0]!;
  if (superuser)
    throw new DatabaseNotReady(`The role ${role} is a superuser: nothing would protect the trail from it.`);
  if (owns.length > 0) {
    const what = owns.length > 3 ? `${owns.slice(0, 3).join(', ')} and more` : owns.join(', ');
    throw new DatabaseNotReady(
      `The role ${role} owns ${what}, directly or through a role that it is a member of. ` +
        'DATABASE_URL must use a different role than MIGRATION_DATABASE_URL, one that owns nothing in this database.',
    );
  }
}

/** Rejects rights inherited from other roles or granted to everyone. */
async function refuseOtherRights(client: PoolClient, role: string): Promise<void> {
  const withheld = [
    ...APPEND_ONLY.map((table) => ({ table, rights: ['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'] })),
    { table: 'decisions', rights: ['UPDATE', 'TRUNCATE', 'TRIGGER'] },
  ];
  for (const { table, rights } of withheld) {
    const { rows } = await client.query<{ right: string }>(
      'select r as right from unnest($2::text[]) r where has_table_privilege($1, $3, r)',
      [role, rights, table],
    );
    if (rows.length === 0) continue;
    throw new DatabaseNotReady(
      `The role ${role} still has ${rows.map(({ right }) => right).join(', ')} on ${table}, ` +
        'through a role that it is a member of, or through PUBLIC. Revoke it.',
    );
  }
}
