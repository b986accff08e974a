import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Clock } from '../../src/app/clock.js';
import { connect } from '../../src/storage/open-database.js';
import { revertLastMigration } from '../../src/storage/migrate.js';
import { grantToService } from '../../src/storage/service-role.js';
import { list, node, pod, send } from '../support/dumps.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

const run = promisify(execFile);
const silent = () => undefined;

/** A database without migrations, owned by `owner`, who may create roles. */
interface TwoRoles {
  readonly admin: string;
  readonly owner: string;
  readonly service: string;
}

let postgres: TestPostgres;
beforeAll(async () => {
  // Roles and what they may do in a distributed database are tried by hand: docs/citus.md.
  postgres = await startTestPostgres({ plain: true });
  await run('node', ['scripts/build.mjs']);
}, 240_000);
afterAll(() => postgres.stop());

let databases = 0;
async function twoRoles(): Promise<TwoRoles> {
  const admin = await postgres.createEmptyDatabase();
  const as = (role: string): string => {
    const url = new URL(admin);
    url.username = role;
    // Every character that an address or a statement could take for something else.
    url.password = encodeURIComponent(`it's "${role}" @:/?#\\é`);
    return url.href;
  };
  const number = ++databases;
  const password = `it''s "owner_${number}" @:/?#\\é`;
  await sql(admin, `create role owner_${number} login createrole password '${password}'`);
  await sql(admin, `alter database ${new URL(admin).pathname.slice(1)} owner to owner_${number}`);
  return { admin, owner: as(`owner_${number}`), service: as(`service_${number}`) };
}

const migrateCommand = (env: Record<string, string>) =>
  run('node', ['dist/src/cli/migrate.js'], { env: { PATH: process.env['PATH'], ...env } });
const migrateBoth = ({ owner, service }: TwoRoles) =>
  migrateCommand({ MIGRATION_DATABASE_URL: owner, DATABASE_URL: service });

describe('npm run migrate', () => {
  it('migrates as one role and grants the other what it needs, any number of times', async () => {
    const roles = await twoRoles();
    const first = await migrateBoth(roles);
    expect(first.stdout).toMatch(
      /^Migrated: CreateClusters\d+, .*\nThe role service_1, which was created, owns nothing/,
    );
    expect(await sql(roles.service, 'select current_user as me')).toEqual([{ me: 'service_1' }]);
    const owned = `select count(*)::int as owned from pg_class where pg_has_role('service_1', relowner, 'MEMBER')`;
    expect(await sql(roles.admin, owned)).toEqual([{ owned: 0 }]);
    // Privileges from other grants are revoked.
    await sql(roles.owner, 'grant all on taint_trail to service_1');
    const [second] = await Promise.all([migrateBoth(roles), migrateBoth(roles)]);
    expect(second.stdout).toMatch(/^The schema is up to date\.\nThe role service_1 owns nothing/);
    await expect(sql(roles.service, 'truncate taint_trail')).rejects.toThrow('permission denied');
    expect(first.stderr + second.stderr).toBe('');
  });

  it.each([
    ['no owner', ({ service }: TwoRoles) => ({ DATABASE_URL: service }), 'MIGRATION_DATABASE_URL: must be the URL'],
    ['no service', ({ owner }: TwoRoles) => ({ MIGRATION_DATABASE_URL: owner }), 'DATABASE_URL: must be the URL'],
    [
      'one role for both',
      ({ owner }: TwoRoles) => ({ MIGRATION_DATABASE_URL: owner, DATABASE_URL: owner }),
      'DATABASE_URL must use a different role',
    ],
    [
      'a superuser for the service',
      ({ owner, admin }: TwoRoles) => ({ MIGRATION_DATABASE_URL: owner, DATABASE_URL: admin }),
      'is a superuser',
    ],
  ])('refuses %s with an explanation', async (_, settings, says) => {
    await expect(migrateCommand(settings(await twoRoles()))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^(?!.*\\n\\s+at ).*${says}`, 's')),
    });
  });

  it('refuses a role that could change the trail through another role', async () => {
    const roles = await twoRoles();
    await migrateBoth(roles);
    await sql(roles.owner, 'grant truncate on taint_trail to public');
    await expect(migrateBoth(roles)).rejects.toMatchObject({ stderr: expect.stringContaining('still has TRUNCATE') });
    await sql(roles.owner, 'revoke truncate on taint_trail from public');
    const third = `third_${databases}`;
    await sql(roles.admin, `create role ${third}`);
    await sql(roles.admin, `grant ${third} to ${new URL(roles.service).username}`);
    await sql(roles.admin, `alter table taint_trail owner to ${third}`);
    await expect(migrateBoth(roles)).rejects.toMatchObject({ stderr: expect.stringContaining('owns taint_trail') });
  });
});

describe('the service, as a role that owns no table', () => {
  let clock = new Date('2026-06-01T12:00:00Z');
  class TestClock extends Clock {
    override now(): Date {
      return clock;
    }
  }
  let roles: TwoRoles;
  let service: TestService;
  beforeAll(async () => {
    roles = await twoRoles();
    await migrateBoth(roles);
    service = await startTestService({ DATABASE_URL: roles.service }, { clock: new TestClock() });
  }, 120_000);
  afterAll(() => service.close());

  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    service.request(method, `/api/v1/clusters/prod${path}`, body);
  const later = (minutes: number): void => {
    clock = new Date(clock.getTime() + minutes * 60_000);
  };
  const snapshot = (...objects: object[]) =>
    send(service, '/api/v1/clusters/prod/snapshots?createCluster=true', list(objects));

  it('logs its role at the start', () => {
    expect(service.logLines()).toContain('the database role owns no table of the service');
  });

  it('supports every operation', async () => {
    const statuses: [string, number][] = [];
    const does = async (what: string, answering: Promise<Answer>): Promise<Answer> => {
      const answer = await answering;
      statuses.push([what, answer.status]);
      return answer;
    };
    await does('snapshot', snapshot(node('a'), node('b'), pod('default/x', 'a')));
    await does('label', service.request('PUT', '/api/v1/clusters/prod', { labels: { env: 'test' } }));
    const change = { nodes: ['a'], taints: ['dedicated=ml:NoSchedule'], reason: 'a test' };
    const made = await does('change', ask('POST', '/taint-changes', change));
    const other = { nodes: ['b'], unschedulable: true, reason: 'a test', expiresAt: '2026-06-01T12:30:00Z' };
    const expiring = await does('change', ask('POST', '/taint-changes', other));
    later(10);
    const tainted = { spec: { taints: [{ key: 'dedicated', value: 'ml', effect: 'NoSchedule' }] } };
    const cordoned = {
      spec: {
        unschedulable: true,
        taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
      },
    };
    await does('confirm', snapshot(node('a', tainted), node('b', cordoned), pod('default/x', 'a')));
    const back = { reason: 'done' };
    await does('revert', ask('POST', `/taint-changes/${String(made.at('change.id'))}/revert`, back));
    later(30);
    const expired = async () => {
      const { json } = await ask('GET', `/taint-changes/${String(expiring.at('change.id'))}`);
      return (json as { change: { expiry: string } }).change.expiry === 'done';
    };
    for (const end = Date.now() + 15_000; !(await expired());) if (Date.now() > end) throw new Error('never expired');
    await does('observe', snapshot(node('a'), node('c')));
    const backfill = '/api/v1/clusters/prod/snapshots?backfill=true&capturedAt=2026-06-01T12:05:00Z';
    await does('backfill', send(service, backfill, list([node('a'), node('z')])));
    const events = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [auditEvent] };
    await does('audit events', ask('POST', '/audit-events', events));
    const pool = {
      nodes: { matchLabels: { type: 'big' } },
      taints: ['dedicated=ml:NoSchedule'],
      labels: { dedicated: 'ml' },
      users: { namespaces: ['ml'] },
    };
    await does('pool', ask('PUT', '/pools/ml', pool));
    await does('admission', ask('PUT', '/admission-configuration', { defaultNotReadyTolerationSeconds: 60 }));
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u',
        resource: { group: '', version: 'v1', resource: 'pods' },
        operation: 'CREATE',
        namespace: 'ml',
        object: pod('ml/trainer', ''),
      },
    };
    await does('webhook', ask('POST', '/webhooks/mutate-pods', review));
    expect((await ask('GET', '/admission-records')).at('items.length')).toBe(1);
    await does('read', ask('GET', '/nodes/a'));
    await does('retention', ask('POST', '/retention', { keepRevisions: 1 }));
    await does('delete', ask('DELETE', ''));
    expect(statuses.filter(([, status]) => status >= 300)).toEqual([]);
    expect(service.logLines()).not.toMatch(/permission denied|must be owner/);
    const kinds = await sql<{ kind: string }>(roles.service, 'select distinct kind from taint_trail');
    expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['request', 'change', 'intent', 'closed']));
  });

  it.each([
    `update taint_trail set author = 'bob'`,
    'delete from taint_trail',
    'truncate taint_trail',
    'alter table taint_trail disable trigger all',
    'alter table taint_trail disable trigger taint_trail_append_only',
    'drop trigger taint_trail_append_only on taint_trail',
    'create trigger mine before insert on taint_trail for each row execute function refuse_change_of_trail()',
    'create rule mine as on insert to taint_trail do instead nothing',
    'alter table taint_trail rename to gone',
    'alter table taint_trail owner to current_user',
    'drop table taint_trail',
    'drop function refuse_change_of_trail() cascade',
    'create or replace function refuse_change_of_trail() returns trigger language plpgsql as $$begin return new; end$$',
    `set session_replication_role = 'replica'`,
    `update admission_records set pod = 'x'`,
    'delete from admission_records',
    'truncate admission_records',
    'alter table admission_records disable trigger all',
    'drop trigger admission_records_append_only on admission_records',
    'drop table admission_records',
    'create or replace function refuse_change_of_admission_records() returns trigger language plpgsql as $$begin return new; end$$',
    `update taint_changes set author = 'bob'`,
    `update taint_changes set details = '{}'`,
    'truncate taint_changes',
    'alter table taint_changes disable trigger all',
    'drop trigger taint_changes_not_changed on taint_changes',
    `update node_intents set author = 'bob'`,
    'drop schema public cascade',
    'create table mine (a int)',
    'delete from schema_migrations',
  ])('cannot: %s', async (statement) => {
    const kept =
      'select (select array[count(*)::text, max(hash)::text] from taint_trail), (select count(*) from admission_records) as admitted';
    const before = await sql(roles.admin, kept);
    await expect(sql(roles.service, statement)).rejects.toThrow(/permission denied|must be owner|not owner/);
    expect(await sql(roles.admin, kept)).toEqual(before);
  });
});

describe('a service whose database is not ready', () => {
  it('does not start, and says what to do', async () => {
    const roles = await twoRoles();
    await sql(
      roles.owner,
      `create role ${new URL(roles.service).username} login password '${secretOf(roles.service)}'`,
    );
    const start = () => connect(roles.service, { poolSize: 2 }, silent);
    await expect(start()).rejects.toThrow(/neither owns .* nor has access .*\nRun `npm run migrate` first/);

    const owner = await connect(roles.owner, { poolSize: 2 }, silent);
    await expect(start()).rejects.toThrow(/neither owns .* nor has access .*\nRun `npm run migrate` first/);
    await grantToService(owner, roles.service);
    await (await start()).dataSource.destroy();
    await revertLastMigration(owner);
    await expect(start()).rejects.toThrow(/it lacks the migrations [A-Z]\w+\d{13}/);
    await owner.dataSource.destroy();
  });
});

describe('a database that a newer version has migrated', () => {
  it('is refused at the start, by either role, if this one has to know the migration; running replicas continue', async () => {
    const roles = await twoRoles();
    await migrateBoth(roles);
    const running = await startTestService({ DATABASE_URL: roles.service });
    try {
      await sql(
        roles.owner,
        `insert into schema_migrations (timestamp, name) values (1999, 'AddSomething1999999999999')`,
      );
      for (const url of [roles.service, roles.owner]) {
        await (await connect(url, { poolSize: 2 }, silent)).dataSource.destroy();
      }
      await migrateBoth(roles);
      await sql(roles.owner, `insert into schema_requirements values ('AddSomething1999999999999')`);
      const refused =
        /migrated by a newer version of the service: this one does not know AddSomething1999999999999\. Start/;
      await expect(connect(roles.service, { poolSize: 2 }, silent)).rejects.toThrow(refused);
      await expect(connect(roles.owner, { poolSize: 2 }, silent)).rejects.toThrow(refused);
      await expect(migrateBoth(roles)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(refused) });
      expect((await running.request('PUT', '/api/v1/clusters/prod', {})).status).toBe(201);
      expect((await running.request('GET', '/readyz')).status).toBe(200);
    } finally {
      await running.close();
    }
  });
});

const secretOf = (url: string): string => decodeURIComponent(new URL(url).password).replaceAll("'", "''");

const auditEvent = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'e1',
  stage: 'ResponseComplete',
  verb: 'patch',
  requestURI: '/api/v1/nodes/a',
  user: { username: 'alice' },
  objectRef: { resource: 'nodes', name: 'a', apiVersion: 'v1' },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: '2026-06-01T12:20:00.000000Z',
  stageTimestamp: '2026-06-01T12:20:00.000000Z',
};
