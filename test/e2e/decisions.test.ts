import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { stringifyJson } from '../../src/core/json/lossless-json.js';
import { list, node, pod, secretPod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

const CLUSTER = '/api/v1/clusters/shop';
const SECRET = 's3cr3t-marker';
const VALUE = 'wombat';

const TAINT = { key: 'dedicated', value: VALUE, effect: 'NoSchedule' };
const tainted = (name: string): object => node(name, { spec: { taints: [TAINT] } });

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'PASSWORD', value: SECRET }] }] },
    },
  },
};
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one', namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

const NAMES = ['root', 'ci', 'reader', 'auditor', 'blind', 'other'] as const;
type Name = (typeof NAMES)[number];
const tokens = Object.fromEntries(NAMES.map((name) => [name, newToken()])) as Record<Name, string>;
const BINDINGS = [
  { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
  { subjects: ['token:ci'], clusters: ['shop'], roles: ['evaluate'] },
  { subjects: ['token:reader'], clusters: ['shop'], roles: ['read'] },
  { subjects: ['token:auditor'], clusters: ['*'], roles: ['audit'] },
  { subjects: ['token:blind'], clusters: ['shop'], roles: ['evaluate', 'audit'], taintValues: false },
  { subjects: ['token:other'], clusters: ['elsewhere'], roles: ['evaluate'] },
];

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'decisions-'));
  const file = join(folder, 'auth.json');
  const entries = NAMES.map((name) => ({ name, sha256: tokenHash(tokens[name]).toString('hex') }));
  await writeFile(file, JSON.stringify({ tokens: entries, bindings: BINDINGS }));
  service = await startTestService({ AUTH_FILE: file, RATE_LIMIT: '0' });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (name: Name, method: string, path: string, body?: object | string): Promise<Answer> =>
  service.request(method, path.startsWith('/') ? path : `/api/v1/${path}`, body, {
    authorization: `Bearer ${tokens[name]}`,
  });
const query = (name: Name, text: string): Promise<Answer> => ask(name, 'POST', '/graphql', { query: text });

async function store(objects: readonly object[], path = CLUSTER): Promise<void> {
  const answer = await ask('root', 'POST', `${path}/snapshots?createCluster=true&allowRemovals=true`, list(objects));
  if (answer.status !== 201) throw new Error(answer.text);
}

async function place(name: Name, body: object, path = CLUSTER): Promise<Answer> {
  const answer = await ask(name, 'POST', `${path}/placements`, { record: true, ...body });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer;
}

const idOf = (answer: Answer): string => String(answer.at('decision.id'));
const sha256 = (value: unknown): string =>
  createHash('sha256')
    .update(stringifyJson(value, { sortKeys: true }))
    .digest('hex');

let blocked: Answer;
let fits: Answer;

describe('a recorded decision', () => {
  beforeAll(async () => {
    await store([tainted('a'), tainted('b')]);
    blocked = await place('ci', { workload: DEPLOYMENT });
  });

  it('has the id of the answer, which names it only if it is recorded', async () => {
    expect(blocked.at('decision')).toEqual({
      id: blocked.at('basis.decisionId'),
      askedAt: expect.any(String),
      questionHash: sha256({ workload: DEPLOYMENT }),
      answerHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const other = await ask('ci', 'POST', `${CLUSTER}/placements`, { pod: POD });
    expect(other.at('decision')).toBeNull();
    expect((await ask('root', 'GET', `decisions/${String(other.at('basis.decisionId'))}`)).status).toBe(404);
  });

  it('is read with its question and its answer, whose hash can be verified', async () => {
    const found = await ask('ci', 'GET', `decisions/${idOf(blocked)}`);
    expect(found.json).toMatchObject({
      ...(blocked.at('decision') as object),
      cluster: 'shop',
      clusterId: 1,
      revision: 1,
      rulesVersion: 'v1.36.2',
      caller: { name: 'ci', kind: 'token', issuer: null },
      type: 'placement',
      verdict: 'no',
      summary: '0 of 2 nodes can take Deployment shop/web.',
      workloads: [{ kind: 'Deployment', namespace: 'shop', name: 'web' }],
      reasons: [
        {
          code: 'UntoleratedTaint',
          verdict: 'no',
          message: 'node(s) had untolerated taint(s)',
          object: null,
          count: 2,
        },
      ],
      outcome: null,
      outcomeNote: 'No later revision is stored yet.',
    });
    expect({ ...(found.at('answer') as object), decision: blocked.at('decision'), continue: null }).toEqual(
      blocked.json,
    );
    expect(sha256(found.at('answer'))).toBe(found.at('answerHash'));
  });

  it('keeps no secrets of manifests', async () => {
    const whole = await place('ci', { pod: secretPod(SECRET), admission: 'skip' });
    const found = await ask('ci', 'GET', `decisions/${idOf(whole)}`);
    expect(found.at('question.pod.spec.containers.0.env.0')).toEqual({ name: 'PASSWORD', value: 'withheld' });
    expect(found.at('questionNote')).toMatch(/^\d+ values that may be secrets are replaced by "withheld"\.$/);
    const stored = await sql(service.databaseUrl, 'select * from decisions');
    expect(JSON.stringify(stored)).not.toContain(SECRET);
  });

  it('is shown with its question only to who asked and to auditors', async () => {
    const path = `decisions/${idOf(blocked)}`;
    expect((await ask('auditor', 'GET', path)).at('question.workload.kind')).toBe('Deployment');
    const read = await ask('reader', 'GET', path);
    expect([read.status, read.at('question'), read.at('verdict')]).toEqual([200, null, 'no']);
    expect(read.at('questionNote')).toContain('only to the caller who asked it, and to auditors');
    expect((await ask('other', 'GET', path)).status).toBe(404);
    expect((await ask('reader', 'POST', `${path}/replay`)).status).toBe(403);
    expect((await ask('root', 'GET', 'decisions/nothing')).at('code')).toBe('decision-not-found');
  });

  it('is shown without the values of taints to callers who may not see them', async () => {
    const path = `decisions/${idOf(blocked)}`;
    expect((await ask('root', 'GET', path)).text).toContain(VALUE);
    const masked = await ask('blind', 'GET', path);
    expect(masked.at('answer.rollup.0.taints.0.taint')).toBe('dedicated=***:NoSchedule');
    const texts = [masked, await ask('blind', 'GET', `${CLUSTER}/decisions?format=ndjson`)];
    texts.push(await ask('blind', 'POST', `${path}/replay`), await ask('blind', 'GET', `${CLUSTER}/decisions`));
    texts.push(await query('blind', `{ decision(id: "${idOf(blocked)}") { answer reasons { message } } }`));
    for (const { status, text } of texts) {
      expect(status).toBe(200);
      expect(text).not.toContain(VALUE);
    }
  });

  it('is not named if it cannot be stored', async () => {
    await sql(
      service.databaseUrl,
      `create function fill() returns trigger language plpgsql as $$
       begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create trigger full_disk before insert on decisions for each row execute function fill()`,
    );
    const answer = await ask('ci', 'POST', `${CLUSTER}/placements`, { pod: POD, record: true });
    expect([answer.status, answer.at('code')]).toEqual([503, 'database-unavailable']);
    expect((await ask('ci', 'POST', `${CLUSTER}/placements`, { pod: POD })).status).toBe(200);
    await sql(service.databaseUrl, 'drop function fill() cascade');
  });

  it('is of the first page only', async () => {
    const answer = await ask('ci', 'POST', `${CLUSTER}/placements`, { pod: POD, record: true, continue: 'x' });
    expect([answer.status, answer.at('errors.0.field')]).toEqual([400, 'continue']);
  });
});

describe('what the cluster did after a decision', () => {
  beforeAll(async () => {
    const web = (name: string, on: string) => pod(`shop/${name}`, on, {}, { kind: 'ReplicaSet', name: 'web-1' });
    const replicaSet = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: 'web-1',
        namespace: 'shop',
        uid: 'web-1',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'web', controller: true }],
      },
    };
    const deployment = { ...DEPLOYMENT, metadata: { ...DEPLOYMENT.metadata, uid: 'web' } };
    await store([tainted('a'), tainted('b'), { ...deployment, spec: { ...deployment.spec, replicas: 0 } }]);
    // The node that turns the verdict, among changes that do not.
    const labelled = { ...tainted('a'), metadata: { name: 'a', labels: { zone: 'z' } } };
    await store([labelled, node('b'), deployment, replicaSet, web('web-1-x', 'b'), web('web-1-y', '')]);
    fits = await place('ci', { workload: DEPLOYMENT });
  });

  it('is read from later revisions', async () => {
    const found = await ask('ci', 'GET', `decisions/${idOf(blocked)}`);
    expect(found.at('outcomeNote')).toBeNull();
    expect(found.at('outcome')).toMatchObject({
      revision: 3,
      workloads: [
        {
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          status: 'unknown',
          sinceRevision: 2,
          since: expect.any(String),
          bound: 1,
          pending: 1,
          nodes: [{ name: 'b', pods: 1 }],
          note: 'The revision of the decision has no objects of kind Deployment.',
        },
      ],
    });
    await store([node('b'), { ...DEPLOYMENT, metadata: { ...DEPLOYMENT.metadata, labels: { new: 'yes' } } }]);
    const later = await ask('ci', 'GET', `decisions/${idOf(fits)}`);
    expect(later.at('outcome.workloads.0')).toMatchObject({ status: 'changed', sinceRevision: 4, bound: 1 });
  });
});

describe('the replay of a decision', () => {
  const replay = (answer: Answer, parameters = ''): Promise<Answer> =>
    ask('ci', 'POST', `decisions/${idOf(answer)}/replay${parameters}`);

  it('has the same bytes on the same revision', async () => {
    const again = await replay(blocked, '?head=false');
    expect(again.json).toMatchObject({
      decision: { id: idOf(blocked) },
      same: {
        revision: 1,
        identical: true,
        verdict: 'no',
        answerHash: blocked.at('decision.answerHash'),
        differences: [],
        note: null,
      },
      head: null,
    });
  });

  it('has the same bytes whatever part of the answer was asked for', async () => {
    const scenario = { changes: [{ removeNodes: { nodes: ['a'] } }] };
    const asked = await ask('ci', 'POST', `${CLUSTER}/placements?revision=3&intents=exclude`, {
      ...{ record: true, pod: POD, view: 'nodes', ranking: true, fixes: true, seed: 7, limit: 1 },
      ...{ scenario, scheduler: { outOfTreePlugins: 'leaveOut' } },
    });
    expect([asked.status, asked.at('summary.nodes')]).toEqual([200, 1]);
    const again = await replay(asked);
    expect(again.at('same')).toMatchObject({ revision: 3, identical: true, verdict: 'yes' });
    // On the head, the scenario removes a node that is gone.
    expect(again.at('head')).toMatchObject({ verdict: null, turned: null });
    expect(again.at('head.note')).toMatch(/^The question has no answer on the head: The scenario cannot be applied/);
  });

  it('says on the head that the verdict turned, in which revision, and by which object', async () => {
    const again = await replay(blocked);
    expect(again.at('head')).toMatchObject({
      revision: 4,
      verdict: 'yes',
      turned: true,
      summary: '1 of 1 nodes can take Deployment shop/web.',
      from: { revision: 1 },
      differences: { nodes: { added: 0, removed: 1, changed: 1 } },
      turnedBy: {
        from: 2,
        revision: 3,
        kind: 'snapshot',
        before: 'no',
        after: 'yes',
        objects: [
          { kind: 'Node', namespace: '', name: 'b', change: 'changed', patch: [{ op: 'remove', path: '/spec' }] },
        ],
        kinds: [],
        note: null,
      },
      note: null,
    });
    const kept = await replay(fits);
    expect(kept.at('head')).toMatchObject({ turned: false, turnedBy: null, verdict: 'yes', note: null });
  });

  it('says what differs if the stored answer is another', async () => {
    // Only the owner of the tables can do this.
    const other = JSON.stringify({ summary: { nodes: 7 } });
    await sql(
      service.databaseUrl,
      `alter table decisions disable trigger decisions_not_changed;
       update decisions set answer = '${other}', answer_hash = '${'0'.repeat(64)}' where id = '${idOf(fits)}';
       alter table decisions enable trigger decisions_not_changed`,
    );
    const again = await replay(fits, '?head=false');
    expect(again.at('same.identical')).toBeNull();
    expect(again.at('same.note')).toContain('1 values that may be secrets were withheld');
    const differences = again.at('same.differences') as { pointer: string; before: unknown; after: unknown }[];
    expect(differences.find(({ pointer }) => pointer === '/summary/nodes')).toEqual({
      pointer: '/summary/nodes',
      before: 7,
      after: 2,
    });
  });

  it('is the same over GraphQL', async () => {
    const answer = await query(
      'ci',
      `{ decisionReplay(id: "${idOf(blocked)}") { same { identical answerHash }
           head { turned verdict turnedBy { from revision objects { kind name change patch { op path } } } } } }`,
    );
    expect(answer.at('errors')).toBeUndefined();
    expect(answer.at('data.decisionReplay')).toEqual({
      same: { identical: true, answerHash: blocked.at('decision.answerHash') },
      head: {
        turned: true,
        verdict: 'yes',
        turnedBy: {
          from: 2,
          revision: 3,
          objects: [{ kind: 'Node', name: 'b', change: 'changed', patch: [{ op: 'remove', path: '/spec' }] }],
        },
      },
    });
  });

  it('cannot say anything about a revision that is no longer stored, or by other rules', async () => {
    const path = '/api/v1/clusters/short';
    await store([tainted('a')], path);
    const made = await place('root', { pod: POD }, path);
    await store([node('a')], path);
    await sql(
      service.databaseUrl,
      `alter table decisions disable trigger decisions_not_changed;
       update decisions set rules_version = 'v1.35.0', answer_hash = '' where id = '${idOf(made)}';
       alter table decisions enable trigger decisions_not_changed`,
    );
    const again = (parameters = ''): Promise<Answer> =>
      ask('root', 'POST', `decisions/${idOf(made)}/replay${parameters}`);
    const byOthers = await again();
    expect(byOthers.at('same')).toMatchObject({ identical: null, verdict: 'no' });
    expect(byOthers.at('same.note')).toContain('the rules of Kubernetes v1.35.0, but those of v1.36.2 apply now');

    expect((await ask('root', 'POST', `${path}/retention`, { keepRevisions: 1 })).status).toBe(200);
    const gone = await again();
    expect(gone.at('same')).toMatchObject({ identical: null, note: 'Revision 1 of short is no longer stored.' });
    expect(gone.at('head')).toMatchObject({
      turned: true,
      turnedBy: null,
      differences: null,
      note: 'The verdict turned before revision 2, the oldest stored one.',
    });

    expect((await ask('root', 'DELETE', path)).status).toBe(200);
    expect([(await again()).status, (await again()).at('code')]).toEqual([404, 'cluster-not-found']);
    const found = await ask('root', 'GET', `decisions/${idOf(made)}`);
    expect([found.status, found.at('outcomeNote')]).toEqual([200, 'The cluster was deleted.']);
    expect((await ask('root', 'GET', `${path}/decisions`)).at('items.0.id')).toBe(idOf(made));
    await store([node('a')], path);
    expect((await again()).at('detail')).toContain('another one has its name now');
  });

  it('is refused if the question was not kept', async () => {
    const large = { ...POD, spec: { ...POD.spec, padding: 'x'.repeat(1_100_000) } };
    const made = await place('ci', { pod: large, admission: 'skip', detail: 'summary' });
    const found = await ask('ci', 'GET', `decisions/${idOf(made)}`);
    expect(found.at('question')).toBeNull();
    expect(found.at('questionNote')).toBe('The question has more than 1048576 characters; only its hash is kept.');
    const again = await replay(made);
    expect([again.status, again.at('code')]).toEqual([409, 'decision-not-replayable']);
  });
});

describe('lists of decisions', () => {
  const idsAt = async (name: Name, path: string): Promise<unknown[]> =>
    ((await ask(name, 'GET', path)).at('items') as { id: unknown }[]).map(({ id }) => id);

  it('are of one cluster or of all that the caller may read, newest first, with filters and pages', async () => {
    const all = await idsAt('ci', `${CLUSTER}/decisions`);
    expect(all).toContain(idOf(blocked));
    expect(all.indexOf(idOf(fits))).toBeLessThan(all.indexOf(idOf(blocked)));
    expect(await idsAt('ci', 'decisions')).toEqual(all);
    expect(await idsAt('other', 'decisions')).toEqual([]);
    expect((await idsAt('auditor', 'decisions')).length).toBe(all.length + 1);

    const workload = 'workloadKind=Deployment&namespace=shop&workload=web';
    expect(await idsAt('ci', `${CLUSTER}/decisions?${workload}&verdict=no`)).toEqual([idOf(blocked)]);
    expect(await idsAt('ci', `decisions?${workload}&caller=ci&type=placement`)).toEqual([idOf(fits), idOf(blocked)]);
    const at = encodeURIComponent(String(blocked.at('decision.askedAt')));
    expect(await idsAt('ci', `${CLUSTER}/decisions?until=${at}`)).toEqual([]);
    expect(await idsAt('ci', `${CLUSTER}/decisions?since=${at}`)).toEqual(all);

    const first = await ask('ci', 'GET', `${CLUSTER}/decisions?limit=1`);
    const next = await ask('ci', 'GET', `${CLUSTER}/decisions?limit=100&continue=${String(first.at('continue'))}`);
    expect([first.at('items.0.id'), ...(next.at('items') as { id: unknown }[]).map(({ id }) => id)]).toEqual(all);
    const wrong = await ask('ci', 'GET', `decisions?continue=${String(first.at('continue'))}`);
    expect(wrong.at('code')).toBe('invalid-continue-token');
    expect((await ask('ci', 'GET', `${CLUSTER}/decisions?since=${at}&until=${at}`)).at('errors.0.field')).toBe('until');
    expect((await ask('root', 'GET', '/api/v1/clusters/none/decisions')).status).toBe(404);
    expect((await ask('other', 'GET', `${CLUSTER}/decisions`)).status).toBe(404);
  });

  it('are exported as NDJSON, whole and oldest first', async () => {
    const answer = await ask('auditor', 'GET', `${CLUSTER}/decisions?format=ndjson&workload=web`);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="decisions-shop.ndjson"');
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ id }) => id)).toEqual([idOf(blocked), idOf(fits)]);
    expect(lines[0]).toMatchObject({ question: { workload: { kind: 'Deployment' } }, verdict: 'no' });
    expect(sha256(lines[0]!['answer'])).toBe(blocked.at('decision.answerHash'));
    const own = await ask('reader', 'GET', 'decisions?format=ndjson&workload=web');
    expect(own.text.split('\n').filter((line) => line.includes('"question":null'))).toHaveLength(2);
  });

  it('are the same over GraphQL', async () => {
    const answer = await query(
      'ci',
      `{ decisions(first: 2, workload: "web") { nodes { id verdict workloads { name } } pageInfo { hasNextPage } }
         cluster(name: "shop") { decisions(verdict: no, workload: "web") { nodes { id } } }
         decision(id: "${idOf(blocked)}") { summary question outcome { workloads { status } } } }`,
    );
    expect(answer.at('errors')).toBeUndefined();
    expect(answer.at('data.decisions.nodes')).toEqual([
      { id: idOf(fits), verdict: 'yes', workloads: [{ name: 'web' }] },
      { id: idOf(blocked), verdict: 'no', workloads: [{ name: 'web' }] },
    ]);
    expect(answer.at('data.cluster.decisions.nodes')).toEqual([{ id: idOf(blocked) }]);
    expect(answer.at('data.decision')).toMatchObject({
      summary: '0 of 2 nodes can take Deployment shop/web.',
      question: { workload: { kind: 'Deployment' } },
    });
  });
});

describe('the retention of decisions', () => {
  it('is declared for a cluster, read and reset, over REST and GraphQL', async () => {
    const path = `${CLUSTER}/decision-retention`;
    expect((await ask('reader', 'GET', path)).json).toMatchObject({ maxAge: 'forever', source: 'none' });
    const dry = await ask('root', 'PUT', path, { maxAge: '90d', dryRun: true });
    expect(dry.json).toMatchObject({ maxAge: '90d', source: 'cluster', changed: true, dryRun: true });
    const made = await ask('root', 'PUT', path, { maxAge: '90d' });
    expect([made.status, (await ask('reader', 'GET', path)).at('maxAge')]).toEqual([200, '90d']);
    expect((await ask('ci', 'PUT', path, { maxAge: '1s' })).status).toBe(403);
    const bad = await ask('root', 'PUT', path, { maxAge: 'soon' });
    expect([bad.status, bad.at('errors.0.field')]).toEqual([400, 'maxAge']);
    const graphql = await query(
      'root',
      `mutation { declareDecisionRetention(input: { cluster: "shop", maxAge: "forever" }) { maxAge changed } }`,
    );
    expect(graphql.at('data.declareDecisionRetention')).toEqual({ maxAge: 'forever', changed: true });
    const reset = await ask('root', 'DELETE', path);
    expect(reset.json).toMatchObject({ maxAge: 'forever', source: 'none', changed: true });
    expect((await ask('root', 'GET', `${path}?revision=1`)).at('source')).toBe('none');
  });
});
