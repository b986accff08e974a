import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { PERMISSIONS } from '../../src/auth/permission.js';
import { QUESTIONS } from '../../src/api/questions/questions.js';
import { readConfig } from '../../src/config.js';
import type { Question } from '../../src/contract/question.js';
import { startService } from '../../src/start-service.js';
import { AUDIENCE, startTestIssuer, type TestIssuer } from '../support/issuer.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';

const CLUSTERS = '/api/v1/clusters';
const SKEW = 30;
const LIST = { apiVersion: 'v1', kind: 'List', items: SMALL_CLUSTER };
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

/** A token for each role on `prod-*`, and `root`, who may do everything everywhere. */
const NAMES = [...PERMISSIONS, 'nobody', 'root'] as const;
type Name = (typeof NAMES)[number];
const tokens = Object.fromEntries(NAMES.map((name) => [name, newToken()])) as Record<Name, string>;
const AUTH_FILE = {
  tokens: NAMES.map((name) => ({ name, sha256: tokenHash(tokens[name]).toString('hex'), groups: [`${name}s`] })),
  bindings: [
    ...PERMISSIONS.map((role) => ({ subjects: [`token:${role}`], clusters: ['prod-*'], roles: [role] })),
    { subjects: ['group:roots'], clusters: ['*'], roles: ['admin'], onBehalfOf: true },
    { subjects: ['group:sre', 'user:bob'], clusters: ['prod-*'], roles: ['read'] },
  ],
};

let folder: string;
let issuer: TestIssuer;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authentication-'));
  const file = join(folder, 'auth.json');
  await writeFile(file, JSON.stringify(AUTH_FILE));
  issuer = await startTestIssuer();
  service = await startTestService({
    AUTH_FILE: file,
    OIDC_ISSUER: issuer.url,
    OIDC_AUDIENCE: AUDIENCE,
    OIDC_CLOCK_SKEW_SECONDS: String(SKEW),
    OIDC_JWKS_COOLDOWN_SECONDS: '0',
    RATE_LIMIT: '0',
  });
  for (const cluster of ['prod-a', 'prod-b', 'test-c']) {
    const path = `${CLUSTERS}/${cluster}/snapshots?createCluster=true`;
    expect((await as('root', 'POST', path, LIST)).status).toBe(201);
  }
});
afterAll(async () => {
  await service.close();
  await issuer.close();
  await rm(folder, { recursive: true, force: true });
});

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const as = (name: Name, method: string, path: string, body?: object): Promise<Answer> =>
  service.request(method, path, body, bearer(tokens[name]));
const withToken = (token: string): Promise<Answer> =>
  service.request('GET', `${CLUSTERS}/prod-a`, undefined, bearer(token));
const graphqlAs = (name: Name, query: string, variables: object = {}): Promise<Answer> =>
  service.request('POST', '/graphql', { query, variables }, bearer(tokens[name]));

describe('a scenario', () => {
  const SCENARIO = { changes: [{ editNodes: { nodes: ['a'], taints: ['k:NoSchedule'] } }] };
  const inQuery = `scenario=${encodeURIComponent(JSON.stringify(SCENARIO))}`;
  const lists = ['nodes', 'nodes/a', 'nodes/a/pods-allowed', 'pods', 'pods/t/db-1', 'taints', 'taint-sets', 'findings'];

  it.each([...lists, 'toleration-sets', 'quotas', 'allocations', 'metrics', 'diff?to=head'])(
    'needs the permission evaluate over REST: %s',
    async (path) => {
      const url = `${CLUSTERS}/prod-a/${path}${path.includes('?') ? '&' : '?'}${inQuery}`;
      const refused = await as('read', 'GET', url);
      expect([refused.status, refused.at('code')]).toEqual([403, 'forbidden']);
      expect(refused.at('detail')).toContain('the "evaluate" permission');
      expect((await as('evaluate', 'GET', url)).status).toBe(200);
    },
  );

  it('needs it on each cluster', async () => {
    const refused = await as('read', 'GET', `/api/v1/taints?${inQuery}`);
    expect([refused.status, refused.at('items.0.error.code'), refused.at('items.0.result')]).toEqual([
      200,
      'forbidden',
      null,
    ]);
    expect((await as('evaluate', 'GET', `/api/v1/taints?${inQuery}`)).at('items.0.error')).toBeNull();
  });

  it.each(['nodes(scenario: $s) { totalCount }', 'taints(scenario: $s) { totalCount }'])(
    'needs it over GraphQL: %s',
    async (field) => {
      const query = `query ($s: ScenarioInput) { cluster(name: "prod-a") { ${field} } }`;
      const refused = await graphqlAs('read', query, { s: SCENARIO });
      expect(refused.at('errors.0.extensions.code')).toBe('forbidden');
      expect((await graphqlAs('evaluate', query, { s: SCENARIO })).at('errors')).toBeUndefined();
    },
  );
});

describe('an unauthenticated caller', () => {
  const asked: readonly (readonly [method: string, path: string])[] = [
    ['GET', CLUSTERS],
    ['GET', `${CLUSTERS}/prod-a`],
    ['POST', `${CLUSTERS}/prod-a/placements`],
    ['GET', '/api/v1/well-known-taints'],
    ['POST', '/graphql'],
    ['GET', '/graphql?query={__typename}'],
    ['GET', '/metrics'],
  ];
  it.each(asked)('gets 401 without details from %s %s', async (method, path) => {
    const answer = await service.request(method, path, method === 'POST' ? { query: '{ __typename }' } : undefined);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.at(path.startsWith('/graphql') ? 'errors.0.extensions.code' : 'code')).toBe('unauthenticated');
  });

  it('gets 401 before its body is read', async () => {
    const answer = await service.request('POST', `${CLUSTERS}/prod-a/placements`, '{"broken', {
      'content-type': 'application/json',
    });
    expect(answer.status).toBe(401);
  });

  it.each(['/healthz', '/readyz', '/docs', '/docs/openapi.json', '/docs/errors', '/graphiql'])(
    'may use %s',
    async (path) => {
      expect((await service.request('GET', path)).status).toBe(200);
      expect((await service.request('HEAD', path)).status).toBe(200);
    },
  );

  it('gets 404 for a path that does not exist', async () => {
    expect((await service.request('GET', '/api/v1/nothing')).at('code')).toBe('route-not-found');
  });
});

describe('a static token', () => {
  it('names its caller', async () => {
    expect((await withToken(tokens.read)).status).toBe(200);
    expect(service.logLines()).toMatch(/"path":"\/api\/v1\/clusters\/prod-a","status":200,"caller":"read"/);
  });

  const wrong: readonly (readonly [name: string, header: () => string])[] = [
    ['that nobody has', () => `Bearer ${newToken()}`],
    ['with one character more', () => `Bearer ${tokens.root}x`],
    ['with one character less', () => `Bearer ${tokens.root.slice(0, -1)}`],
    ['whose hash is sent in its place', () => `Bearer ${tokenHash(tokens.root).toString('hex')}`],
    ['of another scheme', () => `Basic ${Buffer.from(`root:${tokens.root}`).toString('base64')}`],
    ['that is two', () => `Bearer ${tokens.root} ${tokens.read}`],
    ['that is none', () => 'Bearer '],
  ];
  it.each(wrong)('%s is refused', async (_, header) => {
    const answer = await service.request('GET', CLUSTERS, undefined, { authorization: header() });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });
});

describe('a token of the identity provider', () => {
  it('identifies its caller and grants the roles of its groups', async () => {
    expect((await withToken(await issuer.token())).status).toBe(200);
    expect((await withToken(await issuer.token({ claims: { groups: 'sre' } }))).status).toBe(200);
    expect((await withToken(await issuer.token({ claims: { sub: 'bob', groups: [] } }))).status).toBe(200);
    expect(service.logLines()).toContain('"caller":"alice"');
  });

  it('grants nothing to callers without a binding, or to a user with the name of a token', async () => {
    expect((await withToken(await issuer.token({ claims: { groups: ['dev'] } }))).at('code')).toBe('cluster-not-found');
    expect((await withToken(await issuer.token({ claims: { sub: 'root', groups: [] } }))).status).toBe(404);
  });

  it('may have several audiences', async () => {
    expect((await withToken(await issuer.token({ audience: ['other', AUDIENCE] }))).status).toBe(200);
  });

  it('is accepted within the clock skew', async () => {
    expect((await withToken(await issuer.token({ expiresIn: 10 - SKEW }))).status).toBe(200);
    expect((await withToken(await issuer.token({ notBeforeIn: SKEW - 10 }))).status).toBe(200);
  });

  const secret = async (): Promise<Uint8Array> => new TextEncoder().encode(await issuer.publicKey());
  const forged = (): SignJWT => new SignJWT({ sub: 'alice', groups: ['roots'] });
  const refused: readonly (readonly [name: string, token: () => Promise<string>, says: string])[] = [
    ['for another audience', () => issuer.token({ audience: 'other' }), 'audience'],
    ['of another issuer', () => issuer.token({ issuer: 'https://evil.example' }), 'issuer'],
    ['expired beyond the skew', () => issuer.token({ expiresIn: -SKEW - 10 }), 'expired'],
    ['not valid yet beyond the skew', () => issuer.token({ notBeforeIn: SKEW + 10 }), 'not valid yet'],
    ['without a time of expiry', () => issuer.token({ expiresIn: null }), 'no expiry time'],
    ['signed with an unknown key', () => issuer.token({ unknownKey: true }), 'key'],
    ['whose subject is empty', () => issuer.token({ claims: { sub: '' } }), '"sub" contains no name'],
    [
      'whose signature is of other words',
      async () => tampered(await issuer.token()),
      'signature of the token is invalid',
    ],
    ['of three parts that are none', () => Promise.resolve('a.b.c'), 'malformed'],
    [
      'without a signature (alg: none)',
      () =>
        Promise.resolve(
          new UnsecuredJWT({ sub: 'alice', groups: ['roots'] })
            .setIssuer(issuer.url)
            .setAudience(AUDIENCE)
            .setExpirationTime('1h')
            .encode(),
        ),
      'not accepted',
    ],
    [
      'signed by HMAC with the public key',
      async () =>
        forged()
          .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
          .setIssuer(issuer.url)
          .setAudience(AUDIENCE)
          .setExpirationTime('1h')
          .sign(await secret()),
      'not accepted',
    ],
  ];
  it.each(refused)('%s is refused', async (_, token, says) => {
    const answer = await withToken(await token());
    expect(answer.status).toBe(401);
    expect(answer.at('code')).toBe('unauthenticated');
    expect(answer.at('detail')).toContain(says);
  });

  it('is accepted once its key is published, and refused once its key is withdrawn', async () => {
    const before = await issuer.token();
    expect((await withToken(before)).status).toBe(200);
    await issuer.rotate();
    expect((await withToken(await issuer.token())).status).toBe(200);
    expect((await withToken(before)).status).toBe(401);
  });

  it('gets 503 while its key cannot be fetched', async () => {
    await issuer.rotate();
    const token = await issuer.token();
    issuer.available = false;
    const answer = await withToken(token);
    expect([answer.status, answer.at('code')]).toEqual([503, 'identity-provider-unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await withToken(tokens.read)).status).toBe(200);
    issuer.available = true;
    expect((await withToken(token)).status).toBe(200);
  });

  function tampered(token: string): string {
    const [head, , signature] = token.split('.');
    const payload = { sub: 'alice', groups: ['roots'], iss: issuer.url, aud: AUDIENCE, exp: 99_999_999_999 };
    return [head, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.');
  }
});

describe('the access of a caller', () => {
  it.each([
    ['read', false],
    ['root', true],
  ] as const)('tells whether %s may act for others, and sees values', async (name, onBehalfOf) => {
    const answer = await as(name, 'GET', `${CLUSTERS}/prod-a/access`);
    expect([answer.status, answer.json]).toEqual([
      200,
      { cluster: 'prod-a', onBehalfOf, taintValues: true, missingForApply: null, missingForDeviceTaintRules: null },
    ]);
    const over = await graphqlAs(name, '{ cluster(name: "prod-a") { access { onBehalfOf taintValues } } }');
    expect(over.at('data.cluster.access')).toEqual({ onBehalfOf, taintValues: true });
  });

  it('is that to one cluster', async () => {
    expect((await as('apply', 'GET', `${CLUSTERS}/test-c/access`)).at('code')).toBe('cluster-not-found');
    expect((await as('root', 'GET', `${CLUSTERS}/prod-z/access`)).at('code')).toBe('cluster-not-found');
  });
});

describe('a webhook call', () => {
  it('is recorded with its sender, whatever user it names, and its token grants nothing else', async () => {
    const base = `${CLUSTERS}/prod-w`;
    expect((await as('root', 'POST', `${base}/snapshots?createCluster=true`, LIST)).status).toBe(201);
    const pool = {
      nodes: { matchLabels: { type: 'big' } },
      taints: ['dedicated=ml:NoSchedule'],
      labels: { dedicated: 'ml' },
      users: { namespaces: ['ml'] },
    };
    expect((await as('root', 'PUT', `${base}/pools/ml`, pool)).status).toBeLessThan(300);
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u',
        resource: { group: '', version: 'v1', resource: 'pods' },
        operation: 'CREATE',
        namespace: 'ml',
        userInfo: { username: 'somebody-else' },
        object: POD,
      },
    };
    const refused = await as('evaluate', 'POST', `${base}/webhooks/mutate-pods`, review);
    expect([refused.status, refused.at('code')]).toEqual([403, 'forbidden']);
    expect(refused.at('detail')).toContain('requires the "admit" permission');
    expect((await as('admit', 'POST', `${base}/webhooks/mutate-pods`, review)).status).toBe(200);
    const caller = { name: 'admit', kind: 'token', issuer: null };
    const records = await as('audit', 'GET', `${base}/admission-records`);
    expect(records.at('items')).toMatchObject([{ username: 'somebody-else', caller }]);
    const query = `{ admissionRecords(cluster: "prod-w", first: 5) { nodes { username caller { name kind issuer } } } }`;
    const graphql = await as('audit', 'POST', '/graphql', { query });
    expect(graphql.at('data.admissionRecords.nodes')).toEqual([{ username: 'somebody-else', caller }]);
    for (const path of ['', '/nodes', '/admission-records']) {
      expect((await as('admit', 'GET', `${base}${path}`)).status).toBe(403);
    }
    expect((await as('admit', 'GET', CLUSTERS)).at('items')).toEqual([]);
    expect((await as('root', 'DELETE', base)).status).toBe(200);
  });
});

describe('a role', () => {
  const [snapshot, placements] = [`/snapshots`, `/placements`];
  interface Case {
    readonly name: string;
    readonly method: string;
    readonly path: string;
    readonly body?: object;
    readonly query?: string;
    readonly roles: readonly Name[];
  }
  const every = PERMISSIONS.filter((role) => role !== 'admit');
  const cases: readonly Case[] = [
    {
      name: 'read a cluster',
      method: 'GET',
      path: '',
      query: 'query { cluster(name: "NAME") { name } }',
      roles: every,
    },
    {
      name: 'list its nodes',
      method: 'GET',
      path: '/nodes',
      query: 'query { cluster(name: "NAME") { nodes { totalCount: __typename } } }',
      roles: every,
    },
    { name: 'compare revisions', method: 'GET', path: '/diff?from=1&to=1', roles: every },
    {
      name: 'place a pod',
      method: 'POST',
      path: placements,
      body: { pod: POD },
      query: `query ($pod: KubernetesObject!) { placement(cluster: "NAME", input: { pod: $pod }) { summary { feasible } } }`,
      roles: ['evaluate', 'change', 'apply', 'approve', 'admin'],
    },
    {
      name: 'find what is odd about a manifest',
      method: 'POST',
      path: '/findings',
      body: { manifest: POD },
      query: `query ($pod: KubernetesObject!) { manifestFindings(cluster: "NAME", input: { manifest: $pod }) { unknownFields } }`,
      roles: ['evaluate', 'change', 'apply', 'approve', 'admin'],
    },
    {
      name: 'take a snapshot',
      method: 'POST',
      path: snapshot,
      body: LIST,
      query: 'mutation ($list: JSON!) { takeSnapshot(input: { cluster: "NAME", manifests: [$list] }) { revision } }',
      roles: ['change', 'apply', 'admin'],
    },
    {
      name: 'answer a webhook call',
      method: 'POST',
      path: '/webhooks/mutate-pods',
      body: {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          uid: 'u',
          resource: { group: '', version: 'v1', resource: 'pods' },
          operation: 'CREATE',
          namespace: 'default',
          object: POD,
        },
      },
      roles: ['admit', 'admin'],
    },
    {
      name: 'label a cluster',
      method: 'PUT',
      path: '',
      body: { labels: { a: 'b' } },
      query: 'mutation { putCluster(input: { cluster: "NAME", labels: { a: "b" } }) { name } }',
      roles: ['admin'],
    },
    {
      name: 'remove old revisions',
      method: 'POST',
      path: '/retention',
      body: { keepRevisions: 100 },
      query: 'mutation { applyRetention(input: { cluster: "NAME", keepRevisions: 100 }) { dryRun: __typename } }',
      roles: ['admin'],
    },
  ];
  const table = cases.flatMap((one) =>
    [...PERMISSIONS, 'nobody' as const].map((role) => ({ ...one, role, allowed: one.roles.includes(role) })),
  );

  it('of admin is needed to correct capture times', async () => {
    const correct = (role: Name): Promise<Answer> =>
      as(role, 'POST', `${CLUSTERS}/prod-a/capture-time-corrections`, { reason: 'r' });
    for (const role of every.filter((one) => one !== 'admin'))
      expect((await correct(role)).at('code')).toBe('forbidden');
    expect((await correct('admin')).status).toBe(200);
  });

  it.each(table)('$role, to $name: $allowed', async ({ role, allowed, method, path, body, query }) => {
    const answer = await as(role, method, `${CLUSTERS}/prod-a${path}`, body);
    const refusal = role === 'nobody' ? [404, 'cluster-not-found'] : [403, 'forbidden'];
    if (allowed) expect(answer.status).toBeLessThan(300);
    else expect([answer.status, answer.at('code')]).toEqual(refusal);
    if (query === undefined) return;
    const inGraphql = await graphqlAs(role, query.replaceAll('NAME', 'prod-a'), { pod: POD, list: LIST });
    expect(inGraphql.at('errors.0.extensions.code')).toBe(allowed ? undefined : refusal[1]);
  });

  it('that is missing is named in the error', async () => {
    const answer = await as('read', 'POST', `${CLUSTERS}/prod-a/placements`, { pod: POD });
    expect(answer.at('detail')).toBe(
      'This operation requires the "evaluate" permission for cluster "prod-a", which read does not have.',
    );
  });

  it('is needed on every cluster for responses about all of them', async () => {
    expect((await as('admin', 'GET', '/metrics')).status).toBe(403);
    expect((await as('root', 'GET', '/metrics')).status).toBe(200);
  });

  it('is not needed for what concerns no cluster', async () => {
    expect((await as('nobody', 'GET', '/api/v1/well-known-taints')).status).toBe(200);
    expect((await as('nobody', 'POST', '/api/v1/findings', { manifest: POD })).status).toBe(200);
    const query = 'query ($pod: KubernetesObject!) { manifestFindings(input: { manifest: $pod }) { unknownFields } }';
    expect((await graphqlAs('nobody', query, { pod: POD })).at('errors')).toBeUndefined();
  });
});

describe('a cluster that the caller may not see', () => {
  const asked: readonly { readonly method: string; readonly path: string; readonly body?: object }[] = [
    { method: 'GET', path: '' },
    { method: 'GET', path: '/nodes' },
    { method: 'GET', path: '/nodes/a' },
    { method: 'GET', path: '/pods' },
    { method: 'GET', path: '/taints' },
    { method: 'GET', path: '/snapshots' },
    { method: 'GET', path: '/snapshots/head' },
    { method: 'GET', path: '/diff' },
    { method: 'GET', path: '/findings' },
    { method: 'POST', path: '/placements', body: { pod: POD } },
    { method: 'POST', path: '/snapshots', body: LIST },
    { method: 'POST', path: '/retention', body: { keepRevisions: 1 } },
    { method: 'DELETE', path: '' },
  ];
  const unlike = ({ json }: Answer, name: string): unknown =>
    JSON.parse(JSON.stringify({ ...(json as object), requestId: '' }).replaceAll(name, 'NAME'));

  it.each(asked)('gets the same response as one that does not exist: $method $path', async ({ method, path, body }) => {
    const hidden = await as('admin', method, `${CLUSTERS}/test-c${path}`, body);
    const absent = await as('root', method, `${CLUSTERS}/absent${path}`, body);
    expect(hidden.status).toBe(404);
    expect(unlike(hidden, 'test-c')).toEqual(unlike(absent, 'absent'));
  });

  it('cannot be created by that caller', async () => {
    expect((await as('admin', 'PUT', `${CLUSTERS}/test-new`, {})).at('code')).toBe('cluster-not-found');
    const path = `${CLUSTERS}/test-new/snapshots?createCluster=true`;
    expect((await as('change', 'POST', path, LIST)).at('code')).toBe('cluster-not-found');
    expect((await as('root', 'GET', `${CLUSTERS}/test-new`)).status).toBe(404);
  });

  it('can be created by a caller with a role on its name', async () => {
    expect((await as('change', 'PUT', `${CLUSTERS}/prod-new`, {})).at('code')).toBe('forbidden');
    expect((await as('change', 'POST', `${CLUSTERS}/prod-new/snapshots?createCluster=true`, LIST)).status).toBe(201);
    expect((await as('admin', 'DELETE', `${CLUSTERS}/prod-new`)).status).toBe(200);
  });

  it('is in no list and in no response about many clusters', async () => {
    const names = async (path: string, body?: object): Promise<unknown[]> => {
      const answer = await as('evaluate', body === undefined ? 'GET' : 'POST', `/api/v1${path}`, body);
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain('test-c');
      return (answer.at('items') as { name?: string; cluster?: string }[]).map(({ name, cluster }) => name ?? cluster);
    };
    expect(await names('/clusters')).toEqual(['prod-a', 'prod-b']);
    expect(await names('/clusters?limit=2')).toEqual(['prod-a', 'prod-b']);
    expect(await names('/taints')).toEqual(['prod-a', 'prod-b']);
    expect(await names('/findings')).toEqual(['prod-a', 'prod-b']);
    expect(await names('/placements', { pod: POD })).toEqual(['prod-a', 'prod-b']);
    expect((await as('evaluate', 'GET', `${CLUSTERS}?limit=2`)).at('remainingItemCount')).toBe(0);

    const query = `query ($pod: KubernetesObject!) {
      clusters { edges { node { name } } }
      taints { edges { node { cluster } } }
      findings { edges { node { cluster } } }
      placementsAcross(input: { pod: $pod }) { edges { node { cluster placement { summary { feasible } } error { code } } } }
    }`;
    const answer = await graphqlAs('evaluate', query, { pod: POD });
    expect(answer.at('errors')).toBeUndefined();
    expect(answer.text).not.toContain('test-c');
    for (const field of ['clusters', 'taints', 'findings', 'placementsAcross']) {
      expect((answer.at(`data.${field}.edges`) as object[]).length).toBe(2);
    }
  });

  it('differs from a visible cluster without the permission, which gets 403', async () => {
    const answer = await as('read', 'POST', '/api/v1/placements', { pod: POD });
    expect(answer.at('items.0.cluster')).toBe('prod-a');
    expect(answer.at('items.0.error.code')).toBe('forbidden');
  });
});

describe('a change with a dry run', () => {
  const changes = QUESTIONS.map(({ question }) => question as Question).filter(
    ({ dryRunPermission }) => dryRunPermission !== undefined,
  );
  const variables = { id: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11', pool: 'ml' };
  const message = ({ permission }: Question): string =>
    `This operation requires the "${permission}" permission for cluster "prod-b", which evaluate does not have.`;

  it('is one of taints, pools, admission, expectations, guardrails, the Kubernetes version or the scheduler', () => {
    expect(changes.map(({ id }) => id).sort()).toEqual([
      'admission.declare',
      'admission.reset',
      'deviceTaintChanges.change',
      'expectations.delete',
      'expectations.put',
      'guardrails.delete',
      'guardrails.put',
      'kubernetesVersion.declare',
      'kubernetesVersion.reset',
      'pools.delete',
      'pools.put',
      'schedulerConfiguration.declare',
      'schedulerConfiguration.reset',
      'taintChanges.change',
      'taintChanges.revert',
    ]);
  });

  it.each(changes)('needs its permission over REST, a dry run does not: $id', async (question) => {
    const { method, path, query, examples, body: declared } = question;
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => ({ ...variables, cluster: 'prod-b' })[name] ?? '');
    const ask = (dryRun: boolean): Promise<Answer> => {
      const inQuery = query !== undefined && 'dryRun' in query;
      const given = examples.body as object;
      const url = `/api/v1/${place}${inQuery ? `?dryRun=${String(dryRun)}` : ''}`;
      return as('evaluate', method, url, declared && (inQuery ? given : { ...given, dryRun }));
    };
    const refused = await ask(false);
    expect([refused.status, refused.at('code'), refused.at('detail')]).toEqual([403, 'forbidden', message(question)]);
    expect(((await ask(true)).at('code') as string | undefined) ?? 'answered').toMatch(/^(answered|\w+-not-found)$/);
  });

  it.each(changes)('needs it over GraphQL, a dry run does not: $id', async (question) => {
    const { graphql, variables: named = {}, body, examples } = question;
    const { name, input } = graphql!;
    const ask = (dryRun: boolean): Promise<Answer> => {
      const members = Object.entries(named).map(([member, { in: variable }]) => ({
        [member]: variables[variable as keyof typeof variables],
      }));
      const given = body?.whole === undefined ? (examples.body as object) : { [body.whole]: examples.body };
      const values: object = Object.assign({ ...given, cluster: 'prod-b', dryRun }, ...members) as object;
      return graphqlAs('evaluate', `mutation ($input: ${input!.type!}!) { ${name}(input: $input) { __typename } }`, {
        input: values,
      });
    };
    const refused = await ask(false);
    expect(refused.at('errors.0.extensions.code')).toBe('forbidden');
    expect(refused.at('errors.0.message')).toBe(message(question));
    expect(((await ask(true)).at('errors.0.extensions.code') as string | undefined) ?? 'answered').toMatch(
      /^(answered|\w+-not-found)$/,
    );
  });
});

describe('the author of a change', () => {
  const change = (name: Name, body: object): Promise<Answer> =>
    as(name, 'POST', `${CLUSTERS}/prod-b/taint-changes`, { nodes: ['a'], reason: 'because', ...body });

  it('is the caller, whatever the body says', async () => {
    const made = await change('change', { taints: ['mine=1:NoSchedule'] });
    expect(made.status).toBe(201);
    expect(made.at('change.by')).toEqual({ name: 'change', kind: 'token', groups: ['changes'], issuer: null });
    for (const field of ['author', 'by', 'caller']) {
      const answer = await change('change', { taints: ['other=1:NoSchedule'], [field]: 'root' });
      expect([answer.status, answer.at('code')]).toEqual([400, 'invalid-request']);
    }
  });

  it('needs the permission change, except for a preview', async () => {
    expect((await change('evaluate', { taints: ['x=1:NoSchedule'] })).at('code')).toBe('forbidden');
    expect((await change('evaluate', { taints: ['x=1:NoSchedule'], dryRun: true })).status).toBe(200);
    expect((await change('read', { taints: ['x=1:NoSchedule'], dryRun: true })).at('code')).toBe('forbidden');
    expect((await change('nobody', { taints: ['x=1:NoSchedule'] })).at('code')).toBe('cluster-not-found');
  });

  it('may name another person only with onBehalfOf', async () => {
    const refused = await change('change', { taints: ['y=1:NoSchedule'], onBehalfOf: 'carl' });
    expect([refused.status, refused.at('code')]).toEqual([403, 'forbidden']);
    const alsoWrong = await change('change', { taints: ['no taint'], reason: '', onBehalfOf: 'carl' });
    expect([alsoWrong.status, alsoWrong.at('code')]).toEqual([403, 'forbidden']);
    const made = await change('root', { taints: ['y=1:NoSchedule'], onBehalfOf: 'carl' });
    expect(made.status).toBe(201);
    expect([made.at('change.by.name'), made.at('change.onBehalfOf')]).toEqual(['root', 'carl']);
  });
});

describe('a failed login', () => {
  it('is logged with reason and address, and without any part of a token', async () => {
    const jwt = await issuer.token({ audience: 'other' });
    await withToken(jwt);
    await withToken(`${tokens.root}x`);
    const lines = service.logLines();
    expect(lines).toMatch(/"address":"127\.0\.0\.1","reason":"The token has another audience\.".*rejected/);
    expect(lines).toMatch(/"reason":"The token is unknown\."/);
    for (const token of [...Object.values(tokens), ...jwt.split('.')]) {
      for (let at = 0; at + 16 <= token.length; at += 8) expect(lines).not.toContain(token.slice(at, at + 16));
    }
  });
});

describe('at startup', () => {
  const start = (settings: Record<string, string>) => startService(readConfig(settings));

  it('the log says whether callers must authenticate', async () => {
    expect(service.logLines()).toContain(
      `Authentication is required, with 10 static tokens and the tokens of ${issuer.url} and 10 bindings.`,
    );
    const open = await startTestService();
    expect(open.logLines()).toMatch(/"level":30.*Authentication is off: every caller is \\"anonymous\\"/);
    expect((await open.request('GET', CLUSTERS)).status).toBe(200);
    expect((await open.request('GET', CLUSTERS, undefined, bearer('whatever'))).status).toBe(200);
    await open.close();
  });

  it('a service on a public address refuses to start if nobody could authenticate', async () => {
    await expect(start({ HOST: '0.0.0.0' })).rejects.toThrow(
      /neither a token nor an identity provider[\s\S]*npm run token[\s\S]*OIDC_ISSUER[\s\S]*AUTHENTICATION=off/,
    );
    await expect(start({ AUTHENTICATION: 'required' })).rejects.toThrow('neither a token nor an identity provider');
  });

  it('an invalid auth file is refused with all its errors', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(
      file,
      'tokens: [{name: ci, sha256: abc}]\nbindings: [{subjects: [carl], clusters: [a], roles: [boss]}]\n',
    );
    const refusal = start({ AUTH_FILE: file });
    await expect(refusal).rejects.toThrow('tokens[0].sha256');
    await expect(refusal).rejects.toThrow('bindings[0].subjects[0]');
    await expect(refusal).rejects.toThrow('bindings[0].roles[0]');
    await expect(start({ AUTH_FILE: join(folder, 'absent') })).rejects.toThrow('AUTH_FILE cannot be read');
  });
});
