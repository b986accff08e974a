import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../src/app/clock.js';
import { json } from '../support/applied-cluster.js';
import { LivingApiServer } from '../support/living-api-server.js';
import { becomesMirrored } from '../support/mirror.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { startTestService, type TestService } from '../support/service.js';
import { ServiceProcess } from '../support/service-process.js';
import { sql } from '../support/sql.js';

jest.setTimeout(240_000);

/** As the clock of this machine, but wrong. */
class WrongClock extends Clock {
  aheadSeconds = 0;

  override now(): Date {
    return new Date(Date.now() + this.aheadSeconds * 1000);
  }
}

const AT = '/api/v1/clusters/living';
const HOUR = 3_600;
let folder: string;
let settings: Record<string, string>;
let api: LivingApiServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'following-faults-'));
  await writeFile(join(folder, 'keys'), randomBytes(32).toString('base64'));
  settings = { CONNECTION_KEY_FILE: join(folder, 'keys'), FOLLOW_COALESCE_MS: '20' };
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  api = await LivingApiServer.start();
  for (const name of ['a', 'b', 'c']) api.put('nodes', name);
  api.put('namespaces', 'shop');
});
afterEach(() => api.stop());

const tainted = (key: string, metadata: object = {}): object => ({
  metadata,
  spec: { taints: [{ key, effect: 'NoSchedule' }] },
});

/** A change of taints as the API server notes it: by whom, in which second of its clock. */
const taintedBy = (manager: string, at: Date, key: string): object =>
  tainted(key, {
    managedFields: [
      {
        ...{ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
        time: at.toISOString().replace(/\.\d+Z$/, 'Z'),
        fieldsV1: { 'f:spec': { 'f:taints': {} } },
      },
    ],
  });

async function until(holds: () => Promise<boolean> | boolean, facts: () => string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it never came to hold\n${facts()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Nothing of a node was ever recorded as gone and come again. */
async function expectUnbroken(databaseUrl: string, node: string): Promise<void> {
  const gaps = await sql(
    databaseUrl,
    `select from object_versions v where kind = 'Node' and name = '${node}' and valid_to is not null and not exists (
       select from object_versions n where n.kind = 'Node' and n.name = v.name and n.valid_from = v.valid_to)`,
  );
  expect(gaps).toHaveLength(0);
}

describe('a followed cluster', () => {
  let service: TestService;
  let clock: WrongClock;
  beforeEach(async () => {
    clock = new WrongClock();
    service = await startTestService(settings, { clock });
    await service.request('PUT', AT, {});
    await connect();
    await isMirrored();
    await until(() => api.watching === 2, service.logLines);
  });
  afterEach(() => service.close());

  const connect = (): Promise<unknown> =>
    service.request('PUT', `${AT}/connection`, { kubeconfig: api.kubeconfig, follow: true });
  const isMirrored = (): Promise<number> =>
    becomesMirrored(
      () => api.truth,
      service.databaseUrl,
      () => service.logLines().slice(-4000),
    );
  const trail = async (node: string): Promise<readonly Record<string, unknown>[]> => {
    const { json: body } = await service.request('GET', `${AT}/taint-trail/records?node=${node}&kind=change`);
    return (body as { items: Record<string, unknown>[] }).items;
  };
  const summaries = async (node: string): Promise<unknown> =>
    (await trail(node)).map(({ summary }) => summary).reverse();

  it('goes on where it was, after Postgres was killed, with each change once in the trail', async () => {
    const before = api.listed;
    api.put('nodes', 'a', tainted('before'));
    await isMirrored();
    for (const round of ['1', '2', '3']) {
      api.put('nodes', 'a', tainted(`during-${round}`));
      process.kill(service.postgres.server.pid, 'SIGKILL');
      api.put('nodes', 'b', tainted(`away-${round}`));
      api.delete('nodes', 'c');
      api.put('nodes', 'c');
      await isMirrored();
    }
    expect(api.listed).toBe(before);
    await expectUnbroken(service.databaseUrl, 'a');
    expect(await summaries('a')).toEqual([
      'added before:NoSchedule',
      ...[1, 2, 3].map((round) => expect.stringContaining(`added during-${round}:NoSchedule`)),
    ]);
    expect((await service.request('GET', `${AT}/taint-trail/verify`)).at('holds')).toBe(true);
  });

  it('reads an event again that was garbled, without a new list', async () => {
    const before = api.listed;
    api.garbleNext();
    api.put('nodes', 'a', tainted('garbled'));
    api.put('nodes', 'b', tainted('next'));
    await isMirrored();
    expect(api.hasGarbled).toBe(true);
    expect(api.listed).toBe(before);
    expect(await summaries('a')).toEqual(['added garbled:NoSchedule']);
  });

  it('says that its token has expired, and goes on with a new one without a new list', async () => {
    const before = api.listed;
    api.token = 'another';
    api.cutAll();
    await until(
      async () => (await service.request('GET', `${AT}/connection`)).at('following.kinds.0.state') === 'denied',
      service.logLines,
    );
    expect((await service.request('GET', `${AT}/connection`)).at('following.kinds.0')).toMatchObject({
      kind: 'Node',
      message: '401: Unauthorized',
      rule: null,
    });
    api.put('nodes', 'a', tainted('unseen'));
    // What was known stays.
    expect((await service.request('GET', `${AT}/nodes`)).at('items.length')).toBe(3);
    await connect();
    await isMirrored();
    expect(api.listed).toBe(before);
    await expectUnbroken(service.databaseUrl, 'a');
  });

  it('has answers that grow old while its watches are broken, which maxAge refuses', async () => {
    api.token = 'another';
    api.cutAll();
    await until(
      async () => (await service.request('GET', `${AT}/connection`)).at('following.kinds.0.state') === 'denied',
      service.logLines,
    );
    clock.aheadSeconds = HOUR;
    const old = await service.request('GET', `${AT}/nodes`);
    expect(old.status).toBe(200);
    expect(old.at('basis.ageSeconds')).toBeGreaterThanOrEqual(HOUR);
    const refused = await service.request('GET', `${AT}/nodes?maxAge=60`);
    expect([refused.status, refused.at('code')]).toEqual([409, 'snapshot-too-old']);
    expect(refused.at('detail')).toMatch(/Take a new snapshot; if the cluster is followed, see its connection\.$/);
  });

  it.each([
    ['goes forward', HOUR],
    ['goes back', -HOUR],
  ])('goes on while the clock of the service %s by an hour, also by a new list', async (_, seconds) => {
    api.put('nodes', 'a', tainted('before'));
    await isMirrored();
    clock.aheadSeconds = seconds;
    api.put('nodes', 'a', tainted('after'));
    await isMirrored();
    api.put('namespaces', 'later');
    api.compact();
    api.cutAll();
    api.put('nodes', 'b', tainted('listed'));
    await isMirrored();
    clock.aheadSeconds = 0;
    api.put('nodes', 'c', tainted('right-again'));
    await isMirrored();
    const times = await sql<{ at: Date }>(
      service.databaseUrl,
      'select captured_at as at from revisions order by number',
    );
    expect(times.map(({ at }) => at)).toEqual(times.map(({ at }) => at).sort((a, b) => a.getTime() - b.getTime()));
    await expectUnbroken(service.databaseUrl, 'a');
  });

  it.each([
    ['ahead', HOUR],
    ['behind', -HOUR],
  ])('claims nothing false of who and when if the clock of the API server is an hour %s', async (_, seconds) => {
    const theirs = (): Date => new Date(Date.now() + seconds * 1000);
    const begun = new Date().toISOString();
    api.put('nodes', 'a', taintedBy('first', theirs(), 'one'));
    await isMirrored();
    api.put('nodes', 'a', taintedBy('second', theirs(), 'two'));
    await isMirrored();
    const ended = new Date().toISOString();
    const changes = (await trail('a')).map(({ when, by, actor }) => ({ when, by, actor }));
    expect(changes).toHaveLength(2);
    for (const { when, by } of changes as { when: { from?: string; to: string }; by: unknown }[]) {
      expect(by ?? null).toBeNull();
      // By the clock of the service, in which all other times are.
      expect(when.to >= begun && when.to <= ended).toBe(true);
    }
    expect(JSON.stringify(changes[0])).not.toContain('first');
  });
});

describe('a service that follows a cluster', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    await promisify(execFile)('node', ['scripts/build.mjs', '--bundle']);
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());

  it('goes on from the stored positions after it was killed, without a new list', async () => {
    const databaseUrl = await postgres.createEmptyDatabase();
    const service = new ServiceProcess('service', databaseUrl, settings);
    await service.run();
    await json(`${service.url}${AT}`, 'PUT', {});
    await json(`${service.url}${AT}/connection`, 'PUT', { kubeconfig: api.kubeconfig, follow: true });
    const isMirrored = (): Promise<number> =>
      becomesMirrored(
        () => api.truth,
        databaseUrl,
        () => service.output,
      );
    await isMirrored();
    const before = api.listed;
    for (const round of ['1', '2']) {
      api.put('nodes', 'a', tainted(`during-${round}`));
      await service.kill();
      api.put('nodes', 'b', tainted(`away-${round}`));
      api.delete('nodes', 'c');
      // As if the 10 s of the lease of the dead had passed.
      await sql(databaseUrl, `update cluster_follows set leased_until = now() - interval '1 second'`);
      await service.run();
      await isMirrored();
      api.put('nodes', 'c');
      await isMirrored();
    }
    expect(api.listed).toBe(before);
    await expectUnbroken(databaseUrl, 'a');
    const verified = await json(`${service.url}${AT}/taint-trail/verify`);
    expect(verified).toMatchObject({ holds: true });
    await service.kill();
  });
});
