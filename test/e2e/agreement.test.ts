import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { runConformance } from '../conformance/run-conformance.js';
import { node, pod } from '../support/dumps.js';
import { until } from '../support/followers.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } };
/** Kinds that decide, and are loaded without an object. */
const KINDS =
  '&allowRemovals=true&kinds=Node,Pod,Namespace,Service,ReplicationController,ReplicaSet,StatefulSet,PodDisruptionBudget,DeviceClass,ResourceQuota';
const SECRET = 'payments-team';

const labelled = (name: string, cpu: string, spec: object = {}): object => ({
  ...node(name, { spec, status: { allocatable: { cpu, memory: '16Gi', pods: '110' } } }),
  metadata: { name, labels: { 'kubernetes.io/hostname': name, team: SECRET } },
});
const TAINTED = { taints: [{ key: 'dedicated', value: SECRET, effect: 'NoSchedule' }] };
const NODES = [labelled('small', '2'), labelled('large', '8'), labelled('kept', '8', TAINTED), NAMESPACE];

interface Given {
  readonly on?: string;
  readonly cpu?: string;
  readonly told?: string;
  readonly metadata?: object;
  readonly conditions?: readonly object[];
  readonly spec?: object;
}

/** A pod that a scheduler has decided about, or not yet. */
function decided(name: string, { on = '', cpu = '1', told, metadata = {}, conditions, spec = {} }: Given = {}): object {
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
  const scheduled =
    told === undefined
      ? { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-05-04T00:00:20Z' }
      : { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: told };
  const one = pod(`web/${name}`, on, { containers, ...(on === '' ? { nodeName: undefined } : {}), ...spec });
  return {
    ...one,
    metadata: { ...(one as { metadata: object }).metadata, uid: name, ...metadata },
    status: {
      phase: on === '' ? 'Pending' : 'Running',
      conditions: conditions ?? (on === '' && told === undefined ? [] : [scheduled]),
    },
  };
}

const SHORT =
  '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.';
const RIGHT =
  '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let seconds = 0;
/** Stores the next revision, ten seconds later. */
async function next(objects: readonly object[], cluster = 'shop', after = 10): Promise<void> {
  seconds += after;
  const at = new Date(Date.UTC(2026, 4, 4) + seconds * 1000).toISOString();
  await store(service, cluster, [...NODES, ...objects], `${KINDS}&capturedAt=${at}`);
}

const get = (path: string, cluster = 'shop'): Promise<Answer> =>
  service.request('GET', `/api/v1/clusters/${cluster}/${path}`);

/** The agreement once everything was compared; the background work of the service compares. */
async function compared(query = '', cluster = 'shop'): Promise<Answer> {
  for (;;) {
    const head = (await service.request('GET', `/api/v1/clusters/${cluster}`)).at('headRevision');
    const answer = await get(`agreement${query}`, cluster);
    if (answer.at('comparedUntil') === head) return answer;
  }
}

type Case = Readonly<Record<string, unknown>>;
/** By rule, how many predictions agreed, disagreed, and were unknown. */
function rules(answer: Answer): Record<string, readonly unknown[]> {
  const counts = answer.at('rules') as readonly Case[];
  return Object.fromEntries(
    counts.map((one) => [String(one['rule']), [one['agreed'], one['disagreed'], one['unknown']]]),
  );
}

/** What the conformance runner says of a case: how many failed, and why. */
async function conformance(found: unknown): Promise<{ readonly passed: number; readonly failures: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'case-'));
  try {
    await mkdir(join(folder, 'recorded', 'scheduling'), { recursive: true });
    await writeFile(join(folder, 'recorded', 'scheduling', 'case.json'), JSON.stringify(found));
    const [tally] = await runConformance(folder);
    return { passed: tally!.passed, failures: tally!.failures };
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('predictions beside what a cluster did', () => {
  it('agree where pods are bound to the best node, and told in the same words', async () => {
    await next([decided('p'), decided('q', { cpu: '9' })]);
    await next([decided('p', { on: 'large' }), decided('q', { cpu: '9', told: RIGHT })]);
    const answer = await compared();
    expect(answer.status).toBe(200);
    expect(rules(answer)).toEqual({ filter: [1, 0, 0], message: [1, 0, 0], score: [1, 0, 0] });
    expect([answer.at('rate'), answer.at('disagreements')]).toEqual([1, []]);
    expect(answer.at('days.0')).toMatchObject({ day: '2026-05-04', scheduler: 'default-scheduler', agreed: 1 });
  });

  it('disagree with the difference spelled out', async () => {
    const running = decided('p', { on: 'large' });
    const told = decided('q', { cpu: '9', told: RIGHT });
    const waiting = ['filtered', 'behind', 'misled'].map((name) =>
      decided(name, { cpu: name === 'misled' ? '9' : '1' }),
    );
    await next([running, told, ...waiting]);
    await next([running, told, decided('filtered', { on: 'kept' }), ...waiting.slice(1)]);
    const withFirst = [running, told, decided('filtered', { on: 'kept' })];
    await next([...withFirst, decided('behind', { on: 'small' }), waiting[2]!]);
    await next([...withFirst, decided('behind', { on: 'small' }), decided('misled', { cpu: '9', told: SHORT })]);
    const answer = await compared();
    expect(rules(answer)).toEqual({ filter: [2, 1, 0], message: [1, 1, 0], score: [1, 1, 0] });
    const listed = await get('agreement/disagreements');
    expect(listed.at('items')).toMatchObject([
      {
        rule: 'message',
        name: 'misled',
        difference: { ours: RIGHT, theirs: SHORT, differsAt: 27 },
        hasCase: true,
      },
      {
        rule: 'score',
        name: 'behind',
        text: expect.stringMatching(
          /^small was chosen with a total of \d+, \d+ behind large with \d+: NodeResourcesFit/,
        ),
        difference: { node: 'small', best: ['large'] },
      },
      {
        rule: 'filter',
        name: 'filtered',
        revision: 4,
        text: 'kept was chosen, and is refused: TaintToleration: node(s) had untolerated taint(s)',
        difference: { node: 'kept', refusals: [{ plugin: 'TaintToleration' }] },
      },
    ]);
    expect(rules(await compared('?rule=score'))).toEqual({ score: [1, 1, 0] });
    expect((await compared('?since=2026-05-05T00:00:00Z')).at('days')).toEqual([]);
    const page = await get('agreement/disagreements?limit=1');
    const second = await get(`agreement/disagreements?limit=1&continue=${String(page.at('continue'))}`);
    expect(second.at('items.0.name')).toBe('behind');
  });

  it('can be downloaded as cases that the conformance runner takes, cut down and masked', async () => {
    const items = (await get('agreement/disagreements')).at('items') as readonly Case[];
    for (const { number, name } of items) {
      const plain = await get(`agreement/disagreements/${String(number)}/case`);
      expect(plain.status).toBe(200);
      const masked = await get(`agreement/disagreements/${String(number)}/case?masked=true`);
      expect(masked.text).not.toMatch(/payments|dedicated|"(small|large|kept|filtered|behind|misled|web)"/);
      for (const found of [plain.json, masked.json]) {
        const { passed, failures } = await conformance(found);
        expect([name, passed, failures.length]).toEqual([name, 0, 1]);
        expect(failures[0]).toMatch(/it goes to|message is|it is placed|goes to/);
      }
    }
    const filtered = items.find(({ name }) => name === 'filtered')!;
    const found = (await get(`agreement/disagreements/${String(filtered['number'])}/case`)).json as {
      readonly observed: { readonly nodesStored: readonly object[]; readonly podsStored: readonly object[] };
    };
    expect(found.observed.nodesStored).toMatchObject([{ metadata: { name: 'kept' } }]);
    expect(found.observed.podsStored).toEqual([]);
    // With the taint that our rule minds away, the cluster's choice is ours.
    const mended = JSON.parse(JSON.stringify(found).replace('NoSchedule', 'PreferNoSchedule')) as object;
    expect(await conformance(mended)).toMatchObject({ passed: 1 });
  });

  it('compare the moment at which taints evict with the predicted one', async () => {
    const taint = { taints: [{ key: 'drain', effect: 'NoExecute' }] };
    const stays = { tolerations: [{ key: 'drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 15 }] };
    const evicted = (name: string, at: string): object =>
      decided(name, {
        on: 'a',
        spec: stays,
        metadata: { deletionTimestamp: at, deletionGracePeriodSeconds: 0 },
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }],
      });
    const [a, drained] = [labelled('a', '8'), labelled('a', '8', taint)];
    const pods = ['on-time', 'too-late'].map((name) => decided(name, { on: 'a', spec: stays }));
    seconds = 3600;
    await next([a, ...pods], 'drained', 0);
    await next([drained, ...pods], 'drained', 2);
    await next([drained, evicted('on-time', '2026-05-04T01:00:16Z'), pods[1]!], 'drained', 18);
    await next([drained, evicted('too-late', '2026-05-04T01:00:40Z')], 'drained', 22);
    const answer = await compared('', 'drained');
    expect(rules(answer)).toMatchObject({ eviction: [1, 1, 0] });
    expect(answer.at('disagreements.0')).toMatchObject({
      rule: 'eviction',
      name: 'too-late',
      scheduler: 'taint-eviction-controller',
      text: 'the pod was evicted at 2026-05-04T01:00:40Z, 23 s after the predicted 2026-05-04T01:00:17Z',
      hasCase: false,
    });
    const unavailable = await get(
      `agreement/disagreements/${String(answer.at('disagreements.0.number'))}/case`,
      'drained',
    );
    expect([unavailable.status, unavailable.at('code')]).toEqual([409, 'case-not-available']);
  });

  it('compare the words with which admission refused a pod', async () => {
    const team = (used: number): object => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'team', namespace: 'web' },
      spec: { hard: { pods: '2' } },
      status: { hard: { pods: '2' }, used: { pods: String(used) } },
    });
    const replicas = (message?: string): object => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'api', namespace: 'web', uid: 'api' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'api' } },
        template: { metadata: { labels: { app: 'api' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
      status: {
        replicas: 2,
        ...(message !== undefined && {
          conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }],
        }),
      },
    });
    const said = (quota: string): string =>
      `pods "api-6r6db" is forbidden: exceeded quota: ${quota}, requested: pods=1, used: pods=2, limited: pods=2`;
    seconds = 10_000;
    await next([team(2), replicas()], 'refused', 0);
    await next([team(2), replicas(said('team'))], 'refused');
    await next([team(2), replicas(said('other'))], 'refused');
    const answer = await compared('', 'refused');
    const [agreed, disagreed, unknown] = rules(answer)['admission'] as readonly number[];
    expect(agreed).toBe(1);
    // Kinds that admission looks up were never loaded, so it is not certain.
    expect([disagreed, unknown]).toEqual([0, 1]);
    expect(answer.at('unknowns.0')).toMatchObject({ rule: 'admission', name: 'api', because: 'admissionNotKnown' });
  });

  it('are read as of one moment, whatever is compared meanwhile', async () => {
    const before = await compared('', 'refused');
    const client = new pg.Client(service.databaseUrl);
    await client.connect();
    await client.query('begin');
    // A reader that has the counts waits for the cases.
    await client.query('lock table agreement_cases in access exclusive mode');
    const reading = get('agreement', 'refused');
    await until(async () => {
      const [waiting] = await sql<{ count: number }>(
        service.databaseUrl,
        `select count(*)::integer as count from pg_locks where not granted and relation = 'agreement_cases'::regclass`,
      );
      return waiting!.count > 0;
    });
    const ofCluster = `cluster_id = (select id from clusters where name = 'refused')`;
    await client.query(`update agreement_days set unknown = 0 where ${ofCluster}`);
    await client.query(`delete from agreement_cases where ${ofCluster} and outcome = 'unknown'`);
    await client.query('commit');
    await client.end();
    const during = await reading;
    expect([during.at('unknown'), during.at('unknowns')]).toEqual([before.at('unknown'), before.at('unknowns')]);
    expect((await get('agreement', 'refused')).at('unknowns')).toEqual([]);
  });

  it('are not compared between revisions that are far apart', async () => {
    seconds = 7200;
    await next([decided('p')], 'rare', 0);
    await next([decided('p', { on: 'kept' })], 'rare', 61);
    expect((await compared('', 'rare')).at('rules')).toEqual([]);
  });

  it('cost no state of a cluster that nobody asks about, until something is decided', async () => {
    seconds = 10_800;
    const loads = async (): Promise<readonly string[]> => {
      const { text } = await service.request('GET', '/metrics');
      return [...text.matchAll(/^kube_placement_state_load_duration_seconds_count.* (\d+)$/gm)].map(
        ([, count]) => count!,
      );
    };
    const holding = (on: string, phase: string): object => ({ ...decided('x', { on, cpu: '6' }), status: { phase } });
    const waiting = decided('q', { cpu: '4' });
    await next([holding('large', 'Running'), waiting], 'unasked');
    await next([holding('large', 'Running'), decided('q', { cpu: '4', metadata: { labels: { a: 'b' } } })], 'unasked');
    await compared('', 'unasked');
    const before = await loads();
    await next([holding('large', 'Succeeded'), waiting], 'unasked');
    expect(rules(await compared('', 'unasked'))).toEqual({});
    expect(await loads()).toEqual(before);
    // The words are those of the state before the pod ended.
    const told = RIGHT.replace('3 Preemption is', '1 No preemption victims found for incoming pod, 2 Preemption is');
    await next([holding('large', 'Succeeded'), decided('q', { cpu: '4', told })], 'unasked');
    expect(rules(await compared('', 'unasked'))).toEqual({ message: [1, 0, 0] });
    expect(await loads()).not.toEqual(before);
  });

  it('are counted once each, of revisions that come faster than they are compared, with decisions and without', async () => {
    seconds = 14_400;
    const pods = (bound: number, changed = ''): readonly object[] =>
      ['a', 'b', 'c'].map((name, index) =>
        decided(name, { ...(index < bound && { on: 'large' }), metadata: { labels: { changed } } }),
      );
    for (const [bound, changed] of [
      [0, ''],
      [0, 'once'],
      [1, 'once'],
      [1, 'twice'],
      [2, 'twice'],
      [2, 'again'],
      [3, 'again'],
    ] as const) {
      await next(pods(bound, changed), 'busy');
    }
    expect(rules(await compared('', 'busy'))).toEqual({ filter: [3, 0, 0], score: [3, 0, 0] });
  });

  it('tell followers of each disagreement, once and with an id to resume from', async () => {
    const follow = async (after: string): Promise<string> => {
      const query = `types=disagreement&follow=false&after=${encodeURIComponent(after)}`;
      return (await fetch(`${service.url}/api/v1/clusters/shop/events?${query}`)).text();
    };
    const events = [...(await follow('0')).matchAll(/^event: disagreement\nid: (\S+)\ndata: (.*)$/gm)];
    const told = events.map(([, , data = '']) => (JSON.parse(data) as { disagreement: object }).disagreement);
    expect(told).toMatchObject([
      { rule: 'filter', name: 'filtered', outcome: 'disagreed' },
      { rule: 'score', name: 'behind' },
      { rule: 'message', name: 'misled', difference: { differsAt: 27 } },
    ]);
    expect(await follow(events[1]![1]!)).toContain('misled');
    expect(await follow(events[1]![1]!)).not.toContain('behind');
    expect(await follow(events[2]![1]!)).not.toContain('event: disagreement');
  });

  it('are the same in GraphQL, and counted in metrics', async () => {
    const answer = await service.graphql(
      `{ cluster(name: "shop") { agreement { agreed disagreed rate rules { rule agreed }
         disagreements { name difference { differsAt } } }
         disagreements(first: 1) { edges { node { name rule } } } } }`,
    );
    const found = await get('agreement');
    expect(answer.at('data.cluster.agreement.disagreed')).toBe(found.at('disagreed'));
    expect(answer.at('data.cluster.disagreements.edges.0.node')).toMatchObject({ name: 'misled' });
    const metrics = await service.request('GET', '/metrics');
    expect(metrics.text).toContain('kube_placement_agreement_total{rule="message",outcome="disagreed"} 1');
  });

  it('are refused with every error at once', async () => {
    const answer = await get('agreement?rule=luck&since=yesterday');
    expect(answer.status).toBe(400);
    expect((answer.at('errors') as readonly Case[]).map(({ field }) => field)).toEqual(['rule', 'since']);
    expect((await get('agreement/disagreements/999/case')).at('code')).toBe('case-not-found');
    expect((await get('agreement', 'missing')).at('code')).toBe('cluster-not-found');
  });
});
