import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/storage/embedded/postgres-server.js';
import { TestBrowser } from '../support/browser.js';
import { node } from '../support/dumps.js';
import { CLIENT, startTestIssuer, type TestIssuer } from '../support/issuer.js';
import { ManualClock } from '../support/manual-clock.js';
import { startTestService, type TestService } from '../support/service.js';

const TOKEN = 'a-token-of-256-bits-that-nobody-guesses';
const AUTH = `
tokens:
  - name: ci
    sha256: ${createHash('sha256').update(TOKEN).digest('hex')}
bindings:
  - subjects: ['user:alice', 'token:ci']
    clusters: ['*']
    roles: [read]
    taintValues: false
  - subjects: ['token:ci']
    clusters: ['*']
    roles: [admin]
    taintValues: false
`;
/** What the service answers to a page that has not logged in yet. */
const REFUSALS = [/^401: /, /status of 401/];

let issuer: TestIssuer;
let folder: string;
let service: TestService;
let browser: TestBrowser;
const clock = new ManualClock();

beforeAll(async () => {
  issuer = await startTestIssuer();
  folder = await mkdtemp(join(tmpdir(), 'login-'));
  await writeFile(join(folder, 'auth.yaml'), AUTH);
  await writeFile(join(folder, 'secret'), CLIENT.secret);
  const port = await freePort();
  const settings = {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    AUTH_FILE: join(folder, 'auth.yaml'),
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: 'kube-placement',
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET_FILE: join(folder, 'secret'),
  };
  [service, browser] = await Promise.all([startTestService(settings, { clock }), TestBrowser.start()]);
  const taints = [{ key: 'team', value: 'secret-name', effect: 'NoSchedule' }];
  const list = { apiVersion: 'v1', kind: 'List', items: [node('a', { spec: { taints } })] };
  const sent = await service.request('POST', '/api/v1/clusters/guarded/snapshots?createCluster=true', list, {
    authorization: `Bearer ${TOKEN}`,
  });
  expect(sent.status).toBe(201);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await service.close();
  await issuer.close();
  await rm(folder, { recursive: true });
});

describe('the login', () => {
  it('leads to the identity provider and back to the page, until the session ends', async () => {
    const page = await browser.page(service.url, issuer.url);
    page.expectFaults(...REFUSALS);
    await page.open('clusters/guarded/overview?revision=1');
    await page.sees('Log in with the identity provider');
    expect(await page.page.$('button.search-open')).toBeNull();
    expect(await page.page.$('.link-state')).toBeNull();
    expect(await page.violations()).toEqual([]);
    await page.click('button', 'Log in with the identity provider');
    await page.sees('team=***:NoSchedule');
    expect(page.page.url()).toBe(`${service.url}/ui/clusters/guarded/overview?revision=1`);
    await page.sees('alice');
    await page.page.waitForSelector('button.search-open');
    expect(await page.page.content()).not.toContain('secret-name');
    expect(await page.page.evaluate('document.cookie')).toBe('');

    clock.pass(8 * 3600);
    await page.open('clusters/guarded/overview');
    await page.sees('Log in with the identity provider');
    await page.click('button', 'Log in with the identity provider');
    await page.sees('team=***:NoSchedule');
    await page.click('button', 'Log out');
    await page.sees('Log in with the identity provider');
    expect(page.faults).toEqual([]);
  });

  it('takes a token for a tab, and says what is wrong with another one', async () => {
    const page = await browser.page(service.url);
    page.expectFaults(...REFUSALS);
    await page.open('');
    await page.fill('Or with a token, for this tab', 'wrong');
    await page.click('button', 'Use the token');
    await page.sees('The token is unknown.');
    await page.fill('Or with a token, for this tab', TOKEN);
    await page.click('button', 'Use the token');
    await page.sees('guarded');
    await page.sees('ci');
    expect(page.faults).toEqual([]);
  });
});
