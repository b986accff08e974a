import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/storage/embedded/postgres-server.js';
import { CLIENT, startTestIssuer, type TestIssuer } from '../support/issuer.js';
import { ManualClock } from '../support/manual-clock.js';
import { startTestService, type TestService } from '../support/service.js';

const AUTH = `
bindings:
  - subjects: ['user:alice']
    clusters: ['dev-*']
    roles: [change]
`;

let issuer: TestIssuer;
let folder: string;
let service: TestService;
let publicUrl: string;
const clock = new ManualClock();

beforeAll(async () => {
  issuer = await startTestIssuer();
  folder = await mkdtemp(join(tmpdir(), 'sessions-'));
  await writeFile(join(folder, 'auth.yaml'), AUTH);
  await writeFile(join(folder, 'secret'), `${CLIENT.secret}\n`);
  const port = await freePort();
  publicUrl = `http://127.0.0.1:${port}`;
  service = await startTestService(
    {
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      AUTH_FILE: join(folder, 'auth.yaml'),
      OIDC_ISSUER: issuer.url,
      OIDC_AUDIENCE: 'kube-placement',
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET_FILE: join(folder, 'secret'),
    },
    { clock },
  );
}, 120_000);
afterAll(async () => {
  await service.close();
  await issuer.close();
  await rm(folder, { recursive: true });
});

/** A browser as far as logging in needs one: it follows redirects by hand and keeps cookies. */
class Visitor {
  readonly cookies = new Map<string, string>();
  /** What the last response set, with the attributes. */
  setCookies: readonly string[] = [];

  async send(method: string, url: string, headers: Record<string, string> = {}, body?: object): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(url, service.url), {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.setCookies = response.headers.getSetCookie();
    for (const set of this.setCookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return response;
  }

  /** To the identity provider and back. @returns the response to the return */
  async logIn(returnTo = '/ui/clusters/dev-1/trail?revision=3'): Promise<Response> {
    const begun = await this.send('GET', `/session/login?returnTo=${encodeURIComponent(returnTo)}`);
    expect(begun.status).toBe(303);
    const asked = await fetch(begun.headers.get('location')!, { redirect: 'manual' });
    return this.send('GET', asked.headers.get('location')!);
  }
}

const own = { 'sec-fetch-site': 'same-origin' };
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } };

describe('a login with a browser', () => {
  it('opens a session with which the caller may do what its bindings say', async () => {
    const visitor = new Visitor();
    expect((await visitor.send('GET', '/api/v1/clusters')).status).toBe(401);
    expect(await (await visitor.send('GET', '/session')).json()).toEqual({
      authentication: 'required',
      login: 'session/login',
      user: null,
    });
    const back = await visitor.logIn();
    expect([back.status, back.headers.get('location')]).toEqual([303, '/ui/clusters/dev-1/trail?revision=3']);
    const session = visitor.setCookies.find((set) => set.startsWith('kube-placement-session='))!;
    expect(session).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Expires=/);
    expect(await (await visitor.send('GET', '/session', own)).json()).toMatchObject({ user: 'alice' });
    const caller = await visitor.send('GET', '/api/v1/caller?cluster=dev-1', own);
    expect(await caller.json()).toEqual({
      name: 'alice',
      kind: 'oidc',
      groups: ['sre'],
      permissions: ['read', 'evaluate', 'change'],
    });
    const list = { apiVersion: 'v1', kind: 'List', items: [NODE] };
    const path = '/api/v1/clusters/dev-1/snapshots?createCluster=true';
    expect((await visitor.send('POST', path, own, list)).status).toBe(201);
    const query = { query: '{ caller(cluster: "prod") { name permissions } }' };
    const graphql = await visitor.send('POST', '/graphql', own, query);
    expect(await graphql.json()).toEqual({ data: { caller: { name: 'alice', permissions: [] } } });
  });

  it('does not let other pages, or requests that tell no page, change anything', async () => {
    const visitor = new Visitor();
    await visitor.logIn();
    const list = { apiVersion: 'v1', kind: 'List', items: [NODE] };
    const path = '/api/v1/clusters/dev-2/snapshots?createCluster=true';
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const answer = await visitor.send('POST', path, headers, list);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([403, 'cross-site-request']);
    }
    expect((await visitor.send('GET', '/api/v1/clusters/dev-2', own)).status).toBe(404);
    expect((await visitor.send('POST', path, { origin: publicUrl }, list)).status).toBe(201);
  });

  it('ends when somebody logs out, and after its time', async () => {
    const visitor = new Visitor();
    await visitor.logIn();
    const stolen = new Map(visitor.cookies);
    expect((await visitor.send('POST', '/session/logout')).status).toBe(403);
    expect((await visitor.send('POST', '/session/logout', own)).status).toBe(204);
    expect(visitor.cookies.size).toBe(0);
    for (const [name, value] of stolen) visitor.cookies.set(name, value);
    const refused = await visitor.send('GET', '/api/v1/clusters', own);
    expect([refused.status, await refused.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'unauthenticated', detail: 'The session has ended. Log in again.' }),
    ]);
    await visitor.logIn();
    clock.pass(8 * 3600 - 1);
    expect((await visitor.send('GET', '/api/v1/clusters', own)).status).toBe(200);
    clock.pass(1);
    expect((await visitor.send('GET', '/api/v1/clusters', own)).status).toBe(401);
  });

  it('is refused if the provider refuses it, or what comes back belongs to no login or another one', async () => {
    const detail = async (response: Response): Promise<unknown[]> => [
      response.status,
      ((await response.json()) as { detail: string }).detail,
    ];
    const user = issuer.user;
    issuer.user = undefined;
    expect(await detail(await new Visitor().logIn())).toEqual([
      401,
      'The identity provider refused the login: access_denied.',
    ]);
    issuer.user = user;
    expect(await detail(await new Visitor().send('GET', '/session/callback?code=code-1&state=x'))).toEqual([
      401,
      'This login has expired, or began in another browser. Log in again.',
    ]);
    const [one, other] = [new Visitor(), new Visitor()];
    const begun = await one.send('GET', '/session/login');
    await other.send('GET', '/session/login');
    const asked = await fetch(begun.headers.get('location')!, { redirect: 'manual' });
    expect(await detail(await other.send('GET', asked.headers.get('location')!))).toEqual([
      401,
      'The response of the identity provider does not belong to this login. Log in again.',
    ]);
    expect(other.cookies.has('kube-placement-session')).toBe(false);
    issuer.user = { groups: ['sre'] };
    expect(await detail(await new Visitor().logIn())).toEqual([401, expect.any(String)]);
    issuer.user = user;
  });

  it.each([
    'https://evil.example/',
    '//evil.example/ui/',
    '/\\evil.example',
    '/api/v1/clusters',
    '/ui/../session/logout',
  ])('never leads to %s', async (returnTo) => {
    expect((await new Visitor().logIn(returnTo)).headers.get('location')).toBe('/ui/');
  });

  it('answers 503 while the provider is gone, before the first login too', async () => {
    issuer.available = false;
    const port = await freePort();
    const fresh = await startTestService({
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      OIDC_ISSUER: issuer.url,
      OIDC_AUDIENCE: 'kube-placement',
      OIDC_CLIENT_ID: CLIENT.id,
    });
    try {
      const answer = await fresh.request('GET', '/session/login');
      expect([answer.status, answer.at('code')]).toEqual([503, 'identity-provider-unavailable']);
      expect(answer.headers.get('retry-after')).toBe('5');
    } finally {
      issuer.available = true;
      await fresh.close();
    }
  });
});

describe('the caller', () => {
  it('is anonymous and may do everything without authentication', async () => {
    const open = await startTestService();
    try {
      const answer = await open.request('GET', '/api/v1/caller');
      expect(answer.json).toMatchObject({ name: 'anonymous', kind: 'anonymous', groups: [] });
      expect(answer.at('permissions')).toContain('admin');
      expect((await open.request('GET', '/session')).json).toEqual({ authentication: 'off', login: null, user: null });
      expect((await open.request('GET', '/session/login')).status).toBe(404);
    } finally {
      await open.close();
    }
  });
});
