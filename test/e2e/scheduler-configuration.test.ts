import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { node, pod as storedPod } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const API_VERSION = 'kubescheduler.config.k8s.io/v1';
const api = (cluster: string, path: string): string => `/api/v1/clusters/${cluster}/${path}`;

const configuration = (...profiles: object[]): object => ({
  apiVersion: API_VERSION,
  kind: 'KubeSchedulerConfiguration',
  profiles,
});

const POLICY = {
  apiVersion: 'v1',
  kind: 'Policy',
  predicates: [{ name: 'PodFitsResources' }, { name: 'PodToleratesNodeTaints' }, { name: 'NoSuchPredicate' }],
  priorities: [
    { name: 'LeastRequestedPriority', weight: 1 },
    { name: 'TaintTolerationPriority', weight: 2 },
  ],
};

const inConfigMap = (data: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'scheduler', namespace: 'kube-system' },
  data,
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let clusters = 0;
async function newCluster(...objects: object[]): Promise<string> {
  const cluster = `c${++clusters}`;
  await store(service, cluster, [node('a'), node('b'), ...objects]);
  return cluster;
}

const declare = (
  cluster: string,
  body: object,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Answer> => service.request('PUT', api(cluster, `scheduler-configuration${query}`), body, headers);

const read = (cluster: string, query = ''): Promise<Answer> =>
  service.request('GET', api(cluster, `scheduler-configuration${query}`));

const review = (cluster: string, body: object): Promise<Answer> =>
  service.request('POST', api(cluster, 'scheduler-configuration-reviews'), body);

const withoutBasis = (answer: unknown): object =>
  Object.fromEntries(Object.entries(answer as object).filter(([name]) => name !== 'basis'));

const detailsOf = (answer: Answer): readonly { pointer: string; code: string; message: string }[] =>
  answer.at('errors') as readonly { pointer: string; code: string; message: string }[];

const PROFILE_FIELDS =
  'schedulerName filters scores { plugin weight } points { point plugins } arguments outOfTreePlugins { name former points } percentageOfNodesToScore';
const READ_FIELDS = `source profiles { ${PROFILE_FIELDS} } warnings { code message pointer plugin } mapping { kind name given plugins today weight }`;

describe('a scheduler configuration', () => {
  it('is the default until one is stored, and each revision has its own', async () => {
    const cluster = await newCluster();
    const before = await read(cluster);
    expect(before.json).toMatchObject({
      declared: false,
      document: null,
      source: 'KubeSchedulerConfiguration',
      profiles: [{ schedulerName: 'default-scheduler', outOfTreePlugins: [] }],
      warnings: [],
    });
    const document = configuration({ schedulerName: 'one' }, { schedulerName: 'two', percentageOfNodesToScore: 30 });
    const declared = await declare(cluster, document);
    expect(declared.status).toBe(200);
    expect(declared.json).toMatchObject({
      basis: { revision: 2 },
      declared: true,
      changed: true,
      dryRun: false,
      profiles: [{ schedulerName: 'one' }, { schedulerName: 'two', percentageOfNodesToScore: 30 }],
      warnings: [{ code: 'PercentageOfNodesNotApplied', pointer: '/profiles/1/percentageOfNodesToScore' }],
    });
    const now = await read(cluster);
    expect(now.json).toMatchObject({ declared: true, document });
    expect((await read(cluster, '?revision=1')).json).toMatchObject({ declared: false });
    expect((await declare(cluster, document)).json).toMatchObject({ changed: false, basis: { revision: 2 } });
    const reset = await service.request('DELETE', api(cluster, 'scheduler-configuration'));
    expect(reset.json).toMatchObject({ declared: false, changed: true, basis: { revision: 3 } });
    await store(service, cluster, [node('a')]);
    expect((await read(cluster, '?revision=2')).json).toMatchObject({ declared: true });
  });

  it('is not stored by a dry run or with an outdated If-Match', async () => {
    const cluster = await newCluster();
    const tried = await declare(cluster, configuration({ schedulerName: 'x' }), { query: '?dryRun=true' });
    expect(tried.json).toMatchObject({ dryRun: true, changed: true, basis: { revision: 1 }, declared: true });
    expect((await read(cluster)).json).toMatchObject({ declared: false });
    const late = await declare(cluster, configuration({}), { headers: { 'if-match': '"7"' } });
    expect([late.status, late.at('code')]).toEqual([412, 'precondition-failed']);
    expect((await declare(cluster, configuration({}), { headers: { 'if-match': '"1"' } })).status).toBe(200);
  });

  it('can be sent as YAML, and in a ConfigMap', async () => {
    const cluster = await newCluster();
    const yaml = await fetch(service.url + api(cluster, 'scheduler-configuration'), {
      method: 'PUT',
      headers: { 'content-type': 'application/yaml' },
      body: `apiVersion: ${API_VERSION}\nkind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: from-yaml\n`,
    });
    expect(await yaml.json()).toMatchObject({ profiles: [{ schedulerName: 'from-yaml' }] });
    const text = JSON.stringify(POLICY);
    const policy = await declare(cluster, inConfigMap({ 'policy.cfg': text }));
    expect(policy.json).toMatchObject({ source: 'Policy', document: POLICY });
  });

  it.each([
    ['koordinator.yaml', 'koord-scheduler', 4],
    ['high-node-utilization.yaml', 'default-scheduler', 0],
  ])('of a real scheduler is accepted unchanged: %s', async (file, schedulerName, outOfTree) => {
    const cluster = await newCluster();
    const answer = await fetch(service.url + api(cluster, 'scheduler-configuration'), {
      method: 'PUT',
      headers: { 'content-type': 'application/yaml' },
      body: await readFile(`test/real-clusters/scheduler-config/${file}`),
    });
    expect(answer.status).toBe(200);
    const json = (await answer.json()) as { profiles: { schedulerName: string; outOfTreePlugins: object[] }[] };
    expect(json.profiles[0]!.schedulerName).toBe(schedulerName);
    expect(json.profiles[0]!.outOfTreePlugins.length).toBeGreaterThanOrEqual(outOfTree);
  });

  it('is the same over GraphQL', async () => {
    const cluster = await newCluster();
    await declare(cluster, POLICY);
    const rest = withoutBasis((await read(cluster)).json);
    const answer = await service.graphql(
      `query($c: String!) { cluster(name: $c) { schedulerConfiguration { declared document ${READ_FIELDS} } } }`,
      { c: cluster },
    );
    expect(answer.at('data.cluster.schedulerConfiguration')).toEqual(rest);
    const mutation = `mutation($input: SchedulerConfigurationInput!) { declareSchedulerConfiguration(input: $input) { declared changed dryRun document ${READ_FIELDS} } }`;
    const input = { cluster, configuration: configuration({ schedulerName: 'g' }), dryRun: true };
    const declared = await service.graphql(mutation, { input });
    const same = await declare(cluster, configuration({ schedulerName: 'g' }), { query: '?dryRun=true' });
    expect(declared.at('data.declareSchedulerConfiguration')).toEqual(withoutBasis(same.json));
    const bad = await service.graphql(mutation, { input: { cluster, configuration: { kind: 'Nothing' } } });
    expect(bad.at('errors.0.extensions.errors.0.pointer')).toMatch(/^\/input\/configuration/);
    const reset = await service.graphql(
      'mutation($input: ResetSchedulerConfigurationInput!) { resetSchedulerConfiguration(input: $input) { declared changed } }',
      { input: { cluster } },
    );
    expect(reset.at('data.resetSchedulerConfiguration')).toEqual({ declared: false, changed: true });
    const reviewed = await service.graphql(
      `query($c: String!, $d: JSON!) { cluster(name: $c) { schedulerConfigurationReview(input: { configuration: $d }) { accepted stage message faults { message pointer } configuration { ${READ_FIELDS} } pods { schedulerName pods pending scheduled } } } }`,
      { c: cluster, d: POLICY },
    );
    expect(reviewed.at('data.cluster.schedulerConfigurationReview')).toEqual(
      withoutBasis((await review(cluster, POLICY)).json),
    );
  });

  it('shows how a Policy is mapped, and names that Kubernetes never had', async () => {
    const answer = await review(await newCluster(), POLICY);
    expect(answer.json).toMatchObject({ accepted: true, configuration: { source: 'Policy' } });
    const mapping = answer.at('configuration.mapping') as readonly { name: string; today: readonly string[] }[];
    expect(Object.fromEntries(mapping.map(({ name, today }) => [name, today]))).toMatchObject({
      PodFitsResources: ['NodeResourcesFit'],
      PodToleratesNodeTaints: ['TaintToleration'],
      NoSuchPredicate: [],
      LeastRequestedPriority: ['NodeResourcesFit'],
      TaintTolerationPriority: ['TaintToleration'],
    });
    const warnings = answer.at('configuration.warnings') as readonly { code: string; message: string }[];
    expect(warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['PolicyRemoved', 'UnknownPredicate']));
  });

  it('lists the pods of the cluster that it would schedule', async () => {
    const cluster = await newCluster(
      storedPod('d/one', 'a'),
      storedPod('d/two', ''),
      storedPod('d/other', '', { schedulerName: 'volcano' }),
    );
    const answer = await review(cluster, configuration({ schedulerName: 'default-scheduler' }));
    expect(answer.at('pods')).toEqual([
      { schedulerName: 'default-scheduler', pods: 2, pending: 1, scheduled: true },
      { schedulerName: 'volcano', pods: 1, pending: 1, scheduled: false },
    ]);
  });
});

describe('an invalid configuration', () => {
  const score = (weight: number): object => ({
    plugins: { score: { enabled: [{ name: 'ImageLocality', weight }] } },
  });

  it.each([
    [
      'unknown fields, all of them',
      configuration({ plugin: {}, plugins: { score: { enable: [] } } }),
      ['/profiles/0/plugin', '/profiles/0/plugins/score/enable'],
    ],
    [
      'profiles of one name',
      configuration({ schedulerName: 'a' }, { schedulerName: 'a' }),
      ['/profiles/1/schedulerName'],
    ],
    [
      'arguments out of range, all of them',
      configuration({
        pluginConfig: [
          { name: 'InterPodAffinity', args: { hardPodAffinityWeight: 101 } },
          { name: 'DefaultPreemption', args: { minCandidateNodesPercentage: 200 } },
        ],
      }),
      [
        '/profiles/0/pluginConfig/0/args/hardPodAffinityWeight',
        '/profiles/0/pluginConfig/1/args/minCandidateNodesPercentage',
      ],
    ],
    [
      'another version',
      { apiVersion: 'kubescheduler.config.k8s.io/v1beta9', kind: 'KubeSchedulerConfiguration' },
      [''],
    ],
    ['a Policy of another version', { ...POLICY, apiVersion: 'v2' }, ['']],
    ['a ConfigMap without a configuration', inConfigMap({ a: 'kind: Deployment' }), ['/data']],
    ['a ConfigMap with YAML that is none', inConfigMap({ a: 'kind: [' }), ['/data/a']],
    ['a ConfigMap with two', inConfigMap({ a: JSON.stringify(POLICY), b: JSON.stringify(POLICY) }), ['/data']],
  ])('is refused for %s', async (_, body, pointers) => {
    const cluster = await newCluster();
    const answer = await declare(cluster, body);
    expect(answer.status).toBe(400);
    expect(detailsOf(answer).map(({ pointer }) => pointer)).toEqual(pointers);
    expect((await read(cluster)).json).toMatchObject({ declared: false });
  });

  it("is reported by a review in kube-scheduler's words, and nothing is stored", async () => {
    const cluster = await newCluster();
    const args = { hardPodAffinityWeight: 101 };
    const answer = await review(cluster, configuration({ pluginConfig: [{ name: 'InterPodAffinity', args }] }));
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      accepted: false,
      stage: 'validation',
      message: expect.stringContaining('Invalid value: 101: not in valid range [0, 100]') as unknown,
      configuration: null,
    });
  });

  it('is not one with a weight of 0, which counts as 1 with a warning, or of 101', async () => {
    const cluster = await newCluster();
    const nothing = await review(cluster, configuration(score(0)));
    expect(nothing.json).toMatchObject({ accepted: true });
    const scores = nothing.at('configuration.profiles.0.scores') as readonly {
      plugin: string;
      weight: number;
    }[];
    expect(scores).toContainEqual({ plugin: 'ImageLocality', weight: 1 });
    const much = await review(cluster, configuration(score(101)));
    expect(much.at('configuration.profiles.0.scores')).toContainEqual({ plugin: 'ImageLocality', weight: 101 });
  });

  it('is refused if it is too large or empty', async () => {
    const cluster = await newCluster();
    const large = await declare(cluster, configuration({ schedulerName: 'x'.repeat(1024 * 1024) }));
    expect([large.status, large.at('code')]).toEqual([413, 'body-too-large']);
    for (const body of ['null', '[]', '3', '"text"']) {
      const answer = await fetch(service.url + api(cluster, 'scheduler-configuration'), {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect([body, answer.status]).toEqual([body, 400]);
    }
  });
});
