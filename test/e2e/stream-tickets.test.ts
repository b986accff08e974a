import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../src/app/clock.js';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

class SetClock extends Clock {
  at = new Date('2026-05-04T12:00:00Z');
  override now(): Date {
    return this.at;
  }
}

const clock = new SetClock();
const tokens = { root: newToken(), other: newToken() };
let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stream-tickets-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  const bindings = [
    { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
    { subjects: ['token:other'], clusters: ['test'], roles: ['read'] },
  ];
  await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
  service = await startTestService({ AUTH_FILE: file }, { clock });
  const path = '/api/v1/clusters/prod/snapshots?createCluster=true';
  expect((await send(service, path, list([node('a')]), as('root'))).status).toBe(201);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const as = (name: keyof typeof tokens): Record<string, string> => ({ authorization: `Bearer ${tokens[name]}` });
const ticketOf = async (name: keyof typeof tokens): Promise<string> => {
  const answer = await service.request('POST', '/api/v1/stream-tickets', undefined, as(name));
  expect(answer.status).toBe(201);
  return answer.at('ticket') as string;
};
const follow = (ticket: string): Promise<Answer> =>
  service.request('GET', `/api/v1/clusters/prod/events?after=0&follow=false&ticket=${ticket}`);

describe('a ticket', () => {
  it('opens one stream without a token, and no second', async () => {
    const ticket = await ticketOf('root');
    const stream = await follow(ticket);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(stream.text).toContain('event: headChanged');
    expect(await follow(ticket)).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
  });

  it('has an expiry, and is refused after it', async () => {
    const answer = await service.request('POST', '/api/v1/stream-tickets', undefined, as('root'));
    expect(answer.at('expiresAt')).toBe(new Date(clock.at.getTime() + 60_000).toISOString());
    clock.at = new Date(clock.at.getTime() + 60_000);
    expect((await follow(answer.at('ticket') as string)).status).toBe(401);
  });

  it('grants the permissions of its caller, for streams only', async () => {
    // The cluster does not exist for a caller who may not see it.
    expect(await follow(await ticketOf('other'))).toMatchObject({ status: 404, json: { code: 'cluster-not-found' } });
    const ticket = await ticketOf('root');
    const elsewhere = await service.request('GET', `/api/v1/clusters/prod?ticket=${ticket}`);
    expect(elsewhere.status).toBe(401);
    expect((await follow(ticket)).status).toBe(200);
  });

  it('needs a token, and is accepted by any replica: it is stored', async () => {
    expect((await service.request('POST', '/api/v1/stream-tickets')).status).toBe(401);
    const ticket = await ticketOf('root');
    const replica = await startTestService(
      { AUTH_FILE: join(folder, 'auth.json'), DATABASE_URL: service.databaseUrl },
      { clock },
    );
    const path = `/api/v1/clusters/prod/events?after=0&follow=false&ticket=${ticket}`;
    expect((await replica.request('GET', path)).status).toBe(200);
    await replica.close();
    expect((await follow(ticket)).status).toBe(401);
  });

  it('is in no log and no problem document', async () => {
    const ticket = await ticketOf('root');
    await follow(ticket);
    const refused = await follow(ticket);
    expect(refused.text).not.toContain(ticket);
    expect(service.logLines()).toContain('/api/v1/clusters/prod/events');
    expect(service.logLines()).not.toContain(ticket);
    expect(service.logLines()).not.toContain('ticket=');
  });

  it('can be requested over GraphQL', async () => {
    const query = 'mutation { createStreamTicket { ticket expiresAt } }';
    const answer = await service.request('POST', '/graphql', { query }, as('root'));
    expect(answer.at('errors')).toBeUndefined();
    expect((await follow(answer.at('data.createStreamTicket.ticket') as string)).status).toBe(200);
  });
});
