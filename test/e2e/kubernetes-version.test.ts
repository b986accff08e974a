import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { node, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const api = (cluster: string, path: string): string => `/api/v1/clusters/${cluster}/${path}`;
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'web', image: 'web' }] },
};

/** A cluster with one tainted node and one that is too small. */
async function take(cluster: string, kubeletVersion: string, query = ''): Promise<Answer> {
  const status = { allocatable: { cpu: '1', memory: '1Gi', pods: '10' }, nodeInfo: { kubeletVersion } };
  const spec = { taints: [{ key: 'gpu', value: 'a100', effect: 'NoSchedule' }] };
  const nodes = [node('tainted', { spec, status }), node('small', { status: { ...status, allocatable: {} } })];
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: nodes });
  return send(service, `${api(cluster, 'snapshots')}?createCluster=true&kinds=Node,Pod${query}`, body);
}

const place = (cluster: string, query = '', body: object = {}): Promise<Answer> =>
  service.request('POST', api(cluster, `placements${query}`), { pod: POD, ...body });

const declare = (cluster: string, body: object, query = ''): Promise<Answer> =>
  service.request('PUT', api(cluster, `kubernetes-version${query}`), body);

const NAMED = '1 node(s) had untolerated taint {gpu: a100}';
const UNNAMED = '1 node(s) had untolerated taint(s)';

describe('the rules of a cluster', () => {
  it('are those of its newest kubelet, and the message is in the words of that version', async () => {
    await take('kubelets', 'v1.33.4-eks-1');
    const answer = await place('kubelets');
    expect(answer.at('basis')).toMatchObject({
      kubernetesVersion: 'v1.33.4-eks-1',
      rulesVersion: 'v1.33.13',
      rulesSource: 'nodes',
      featureGates: [],
    });
    expect(answer.at('message')).toContain(NAMED);
    expect(answer.at('message')).not.toContain('no new claims to deallocate');
    expect(answer.at('ruleDifferences')).toEqual([]);
  });

  it.each([
    ['v1.34.1', NAMED, 'v1.34.1'],
    ['v1.34.2', UNNAMED, 'v1.34.9'],
  ])('follow the patch release from which a message changed: %s', async (version, words, release) => {
    const cluster = version.replaceAll('.', '-');
    await take(cluster, version);
    const own = await place(cluster);
    expect(own.at('message')).toContain(words);
    // As `kubectl version` of a vendor's cluster says it.
    const asked = await place(cluster, `?rulesVersion=${version}-eks-113cf36`);
    expect(asked.at('message')).toBe(own.at('message'));
    expect(asked.at('basis.rulesVersion')).toBe(release);
    expect(own.at('basis.rulesVersion')).toBe(release);
  });

  it('write the reasons of each node, too: whatever was asked before, of other pods and by other rules', async () => {
    const spec = {
      taints: [
        { key: 'gpu', value: 'a100', effect: 'NoSchedule' },
        { key: 'old', effect: 'NoExecute' },
      ],
    };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [node('n', { spec })] });
    await send(service, `${api('reasons', 'snapshots')}?createCluster=true&kinds=Node,Pod`, body);
    const tolerations = [{ key: 'gpu', operator: 'Exists' }];
    const asked = [POD, { ...POD, spec: { ...POD.spec, tolerations } }];
    const messages: string[][] = [];
    for (const version of ['1.36', '1.33', '1.36']) {
      for (const pod of asked) {
        const answer = await place('reasons', `?rulesVersion=${version}`, { pod });
        const [group] = answer.at('groups') as readonly { reasons: readonly { message: string; facts: object }[] }[];
        messages.push(group!.reasons.map(({ message }) => message));
      }
    }
    const unnamed = 'node(s) had untolerated taint(s)';
    const named = (taint: string): string => `node(s) had untolerated taint {${taint}}`;
    expect(messages).toEqual([
      [unnamed, unnamed],
      [unnamed],
      [named('gpu: a100'), named('gpu: a100')],
      [named('old: ')],
      [unnamed, unnamed],
      [unnamed],
    ]);
  });

  it('are those of its API server if the snapshot says its version, from that revision on', async () => {
    await take('upgraded', 'v1.33.4');
    const taken = await take('upgraded', 'v1.33.4', '&apiServerVersion=v1.35.1');
    expect(taken.at('basis')).toMatchObject({ kubernetesVersion: 'v1.35.1', rulesSource: 'apiServer' });
    const now = await place('upgraded');
    expect(now.at('basis')).toMatchObject({ revision: 2, rulesVersion: 'v1.35.6', rulesSource: 'apiServer' });
    expect(now.at('message')).toContain(UNNAMED);
    const before = await place('upgraded', '?revision=1');
    expect(before.at('basis')).toMatchObject({ rulesVersion: 'v1.33.13', rulesSource: 'nodes' });
    expect(before.at('message')).toContain(NAMED);
    // The next snapshot does not say it again.
    await take('upgraded', 'v1.34.4');
    expect((await place('upgraded')).at('basis')).toMatchObject({ rulesVersion: 'v1.35.6' });
  });

  it('are those that a delta brings', async () => {
    await take('delta', 'v1.33.4');
    const delta = { stream: 's', sequence: 1, apiServerVersion: 'v1.34.9' };
    const taken = await service.request('POST', api('delta', 'deltas'), delta);
    expect(taken).toMatchObject({ status: 200 });
    expect(taken.at('basis')).toMatchObject({ revision: 2, rulesVersion: 'v1.34.9', rulesSource: 'apiServer' });
    const again = await service.request('POST', api('delta', 'deltas'), { ...delta, sequence: 2 });
    expect(again.at('head')).toBe(2);
    expect((await place('delta')).at('basis')).toMatchObject({ revision: 2, rulesSource: 'apiServer' });
  });

  it('are others where a question asks for them', async () => {
    await take('asked', 'v1.35.1');
    const older = await place('asked', '?rulesVersion=1.31');
    expect(older.at('basis')).toMatchObject({
      kubernetesVersion: 'v1.35.1',
      rulesVersion: 'v1.31.14',
      rulesSource: 'question',
    });
    expect(older.at('message')).toContain(NAMED);
    expect(older.at('ruleDifferences')).toContainEqual(
      expect.objectContaining({ code: 'message-names-taint', since: '1.35' }),
    );
    const graphql = await service.graphql(
      `{ cluster(name: "asked") { placement(rulesVersion: "1.31", input: { pod: ${toGraphql(POD)} }) { message basis { rulesVersion rulesSource } } } }`,
    );
    expect(graphql.at('data.cluster.placement')).toEqual({
      message: older.at('message'),
      basis: { rulesVersion: 'v1.31.14', rulesSource: 'question' },
    });
    const moved = await service.request('POST', api('asked', 'placement-comparisons'), {
      against: { rulesVersion: '1.36' },
    });
    expect(moved).toMatchObject({ status: 200 });
    expect(moved.at('against')).toMatchObject({ rulesVersion: 'v1.36.2', rulesSource: 'question' });
  });

  it('are asked for by a version that is known, which is checked with everything else', async () => {
    const answer = await place('asked', '?rulesVersion=1.30&maxAge=soon');
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.at('errors')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          field: 'rulesVersion',
          message: 'the rules of Kubernetes 1.30 are not known; those of 1.31 to 1.36 are',
        }),
        expect.objectContaining({ field: 'maxAge' }),
      ]),
    );
    for (const wrong of ['latest', '1.x', '2.34', 'v1.34.1 eks', '1.34.1.2']) {
      expect(await place('asked', `?rulesVersion=${wrong}`)).toMatchObject({ status: 400 });
    }
    const unread = await take('unread', 'v1.34.1', '&apiServerVersion=latest');
    expect(unread).toMatchObject({ status: 400 });
    expect(unread.at('errors')).toContainEqual(expect.objectContaining({ field: 'apiServerVersion' }));
  });
});

/** Scenarios of the recordings with one pod that finds no node, and no steps. */
const RECORDED = [
  'matchfields-and-taint-prefilter',
  'cordon-mixed-with-insufficient',
  'insufficient-cpu',
  'preempt-not-helpful-taints',
  'aggregation-order-many-reasons',
];

interface Recording {
  readonly input: {
    readonly nodes: readonly object[];
    readonly pending: readonly object[];
    readonly bound?: readonly object[];
  };
  readonly observed: { readonly decisions: readonly { readonly podScheduled: { readonly message: string } | null }[] };
}

/** The recording of a version, which is that of 1.36 where both are equal. */
async function recordingOf(name: string, version: string): Promise<Recording> {
  const folder = join(process.cwd(), 'test/conformance');
  const own = await readFile(join(folder, 'versions', version, 'scheduling', `${name}.json.gz`)).catch(() => undefined);
  const text =
    own === undefined ? await readFile(join(folder, 'recorded/scheduling', `${name}.json`)) : gunzipSync(own);
  return JSON.parse(text.toString('utf8')) as Recording;
}

describe('one question to the same cluster', () => {
  it.each(RECORDED)('has the words of each of six schedulers: %s', async (name) => {
    const { input } = await recordingOf(name, '1.36');
    const items = [...input.nodes, ...(input.bound ?? [])];
    const path = `${api(name, 'snapshots')}?createCluster=true&kinds=Node,Pod,Namespace`;
    expect(await send(service, path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))).toMatchObject({
      status: 201,
    });
    for (const version of ['1.31', '1.32', '1.33', '1.34', '1.35', '1.36']) {
      const { observed } = await recordingOf(name, version);
      const asked = { pod: input.pending[0]!, admission: 'skip' };
      const answer = await service.request('POST', api(name, `preemptions?rulesVersion=${version}`), asked);
      expect([version, answer.at('message')]).toEqual([version, observed.decisions[0]!.podScheduled?.message]);
    }
  });
});

describe('the declared version of a cluster', () => {
  it('decides until it is reset, and each revision has its own', async () => {
    await take('declared', 'v1.35.1');
    const preview = await declare('declared', { version: '1.32' }, '?dryRun=true');
    expect(preview.at('basis')).toMatchObject({ revision: 1, rulesVersion: 'v1.32.13', rulesSource: 'setting' });
    expect((await place('declared')).at('basis.rulesVersion')).toBe('v1.35.6');
    const made = await declare('declared', { version: '1.32' });
    expect(made.json).toMatchObject({
      basis: { revision: 2, rulesVersion: 'v1.32.13', rulesSource: 'setting' },
      changed: true,
      declared: { version: '1.32', featureGates: [] },
      apiServer: null,
      nodes: 'v1.35.1',
    });
    expect((await place('declared')).at('message')).toContain(NAMED);
    expect((await place('declared', '?revision=1')).at('message')).toContain(UNNAMED);
    const read = await service.request('GET', api('declared', 'kubernetes-version'));
    const known = read.at('knownVersions') as readonly string[];
    expect(known.map((version) => /^v1\.\d+/.exec(version)![0])).toEqual([
      'v1.31',
      'v1.32',
      'v1.33',
      'v1.34',
      'v1.35',
      'v1.36',
    ]);
    for (const version of known) {
      const asked = await place('declared', `?rulesVersion=${version}`);
      expect(asked.at('basis.rulesVersion')).toBe(version);
    }
    expect(read.json).toMatchObject({ declared: { version: '1.32' }, basis: { rulesVersion: 'v1.32.13' } });
    const reset = await service.request('DELETE', api('declared', 'kubernetes-version'));
    expect(reset.json).toMatchObject({ declared: null, changed: true, basis: { rulesSource: 'nodes' } });
    expect((await place('declared')).at('message')).toContain(UNNAMED);
  });

  it('has feature gates, of which findings say whether they apply', async () => {
    await take('gates', 'v1.34.9');
    const pod = { ...POD, spec: { ...POD.spec, resources: { requests: { cpu: '5' } } } };
    const whole = await place('gates', '', { pod });
    expect(whole.at('message')).toContain('Insufficient cpu');
    const featureGates = ['PodLevelResources=false', 'NodeDeclaredFeatures=true', 'StorageCapacityScoring=true'];
    const made = await declare('gates', { featureGates });
    expect(made.at('basis')).toMatchObject({ rulesSource: 'nodes', featureGates: ['PodLevelResources=false'] });
    const gates = made.at('featureGates') as readonly { name: string }[];
    const named = (name: string) => gates.find((gate) => gate.name === name);
    expect(named('PodLevelResources')).toEqual({
      ...{
        name: 'PodLevelResources',
        stage: 'Beta',
        enabled: false,
        enabledByDefault: true,
        evaluated: true,
        problem: null,
      },
    });
    expect(named('NodeDeclaredFeatures')).toMatchObject({
      stage: null,
      enabled: false,
      problem: 'Kubernetes 1.34 has no feature gate NodeDeclaredFeatures',
    });
    expect(named('StorageCapacityScoring')).toMatchObject({ stage: 'Alpha', enabled: true, evaluated: false });
    // The request of the pod as a whole is dropped.
    const parts = await place('gates', '', { pod });
    expect(parts.at('message')).not.toContain('Insufficient cpu');
    expect(parts.at('ruleDifferences')).toEqual([
      expect.objectContaining({
        code: 'feature-gate-not-evaluated',
        message: 'The cluster sets the feature gate StorageCapacityScoring to true; what it changes is not evaluated.',
      }),
    ]);
    const findings = await service.request('GET', api('gates', 'findings?view=findings'));
    expect(findings.at('items')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: 'feature-gate-absent',
          subject: expect.objectContaining({ kind: 'Cluster' }) as object,
        }),
        expect.objectContaining({ code: 'feature-gate-not-evaluated', severity: 'info' }),
      ]),
    );
    // 1.36 does not start with it: another gate is on by then.
    const reviewed = await service.request('POST', api('gates', 'upgrade-reviews?limit=100'), { to: '1.36' });
    expect(reviewed.at('items')).toContainEqual(
      expect.objectContaining({
        kind: 'gate',
        subject: { kind: 'FeatureGate', namespace: null, name: 'PodLevelResources' },
        message:
          'The declared value false no longer applies: the feature gate InPlacePodLevelResourcesVerticalScaling, which is on, depends on it.',
      }),
    );
  });

  it('is refused as a whole for everything that is wrong with it', async () => {
    await take('refused', 'v1.34.9');
    const answer = await declare('refused', {
      version: '1.30',
      featureGates: ['NoSuchGate=true', 'PodLevelResources', 'toString=true'],
    });
    expect(answer).toMatchObject({ status: 400 });
    expect((answer.at('errors') as readonly { pointer: string }[]).map(({ pointer }) => pointer).sort()).toEqual([
      '/featureGates/0',
      '/featureGates/1',
      '/featureGates/2',
      '/version',
    ]);
    expect(await declare('refused', {})).toMatchObject({ status: 400 });
    const head = await service.request('GET', api('refused', 'kubernetes-version'));
    expect(head.json).toMatchObject({ declared: null, basis: { revision: 1 } });
  });
});

describe('an upgrade review', () => {
  const NODES = [
    node('big', {
      status: { allocatable: { cpu: '8', memory: '8Gi', pods: '10' }, nodeInfo: { kubeletVersion: 'v1.33.4' } },
    }),
    node('small', {
      status: { allocatable: { cpu: '2', memory: '2Gi', pods: '10' }, nodeInfo: { kubeletVersion: 'v1.33.4' } },
    }),
  ];
  const pod = (name: string, spec: object): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name },
    spec: { containers: [{ name: 'c', image: 'c' }], ...spec },
    status: { phase: 'Pending' },
  });
  const review = (body: object, query = ''): Promise<Answer> =>
    service.request('POST', api('review', `upgrade-reviews${query}`), body);
  const effects = (answer: Answer, kind: string) =>
    (answer.at('items') as readonly { kind: string; subject: { name: string } }[]).filter((one) => one.kind === kind);

  beforeAll(async () => {
    const pods = [
      // Requests of a pod as a whole count from 1.34 on.
      pod('whole', { resources: { requests: { cpu: '4' } } }),
      pod('large', { containers: [{ name: 'c', image: 'c', resources: { requests: { cpu: '64' } } }] }),
      pod('plain', {}),
    ];
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...NODES, ...pods] });
    await send(service, `${api('review', 'snapshots')}?createCluster=true&kinds=Node,Pod`, body);
  });

  it('returns what the rules of the other version change in this cluster', async () => {
    const answer = await review({ to: '1.34' });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json).toMatchObject({
      basis: { rulesVersion: 'v1.33.13', rulesSource: 'nodes' },
      against: { rulesVersion: 'v1.34.9', rulesSource: 'question' },
      groups: 3,
      evaluatedGroups: 3,
    });
    expect(effects(answer, 'field')).toEqual([
      expect.objectContaining({ before: null, message: '/resources begins to count.' }),
    ]);
    expect(effects(answer, 'nodes')).toEqual([
      expect.objectContaining({
        subject: { kind: 'Pod', namespace: 'default', name: 'whole' },
        before: 'small',
        after: '',
        message: 'Another pod like these fits 1 node fewer.',
      }),
    ]);
    expect(effects(answer, 'message').map(({ subject }) => subject.name)).toEqual(['large']);
    expect(effects(answer, 'gate')).toContainEqual(
      expect.objectContaining({
        subject: { kind: 'FeatureGate', namespace: null, name: 'PodLevelResources' },
        before: 'Alpha, off',
        after: 'Beta, on',
      }),
    );
  });

  it('refuses no pod with resource claims by rules that drop them, and neither do placements and admission reviews', async () => {
    const claiming = pod('claiming', {
      containers: [{ name: 'c', image: 'c', resources: { claims: [{ name: 'gpu' }] } }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
    });
    const items = [...NODES, claiming];
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const query = 'createCluster=true&kinds=Node,Pod&apiServerVersion=v1.34.9';
    await send(service, `${api('claiming', 'snapshots')}?${query}`, body);
    const placed = await place('claiming', '?rulesVersion=1.33', { pod: claiming });
    expect(placed).toMatchObject({ status: 200 });
    const asked = { pod: claiming };
    const admitted = await service.request('POST', api('claiming', 'admission-reviews?rulesVersion=1.33'), asked);
    // Kinds that plugins read were not loaded.
    expect(admitted.json).toMatchObject({ outcome: 'unknown' });
    const reviewed = await service.request('POST', api('claiming', 'upgrade-reviews'), { to: '1.33' });
    expect(effects(reviewed, 'field')).toContainEqual(
      expect.objectContaining({ subject: expect.objectContaining({ name: 'claiming' }) }),
    );
    expect(JSON.stringify(reviewed.json)).not.toContain('Not found');
    // Without ResourceClaims in the snapshot, 1.34 leaves open what 1.33 does not ask.
    expect(effects(reviewed, 'nodes')).toEqual([
      expect.objectContaining({
        before: '',
        after: 'big, small',
        message: 'Whether another pod like these fits 2 nodes is known by the rules of one version only.',
      }),
    ]);
  });

  it('compares the messages of the scheduler with what they say of preemption', async () => {
    const requesting = (cpu: string, more: object = {}) => ({
      containers: [{ name: 'c', image: 'c', resources: { requests: { cpu } } }],
      ...more,
    });
    const items = [NODES[1]!, pod('runs', requesting('1500m', { nodeName: 'small' })), pod('waits', requesting('1'))];
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await send(service, `${api('preempting', 'snapshots')}?createCluster=true&kinds=Node,Pod`, body);
    const reviewed = await service.request('POST', api('preempting', 'upgrade-reviews'), { to: '1.34' });
    const reason = '0/1 nodes are available: 1 Insufficient cpu.';
    const tail = 'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
    expect(effects(reviewed, 'message')).toContainEqual(
      expect.objectContaining({
        subject: { kind: 'Pod', namespace: 'default', name: 'waits' },
        before: `${reason} ${tail}`,
        after: `${reason} no new claims to deallocate, ${tail}`,
      }),
    );
  });

  it('says what it does not know of a cluster whose version is older or newer than the known rules, or which sets gates', async () => {
    const differencesOf = async (cluster: string): Promise<readonly { code: string; message: string }[]> => {
      const answer = await service.request('POST', api(cluster, 'upgrade-reviews'), { to: '1.34' });
      return answer.at('ruleDifferences') as readonly { code: string; message: string }[];
    };
    await take('known', 'v1.33.4');
    expect(await differencesOf('known')).toEqual([]);
    await declare('known', { featureGates: ['SidecarContainers=true', 'StorageCapacityScoring=true'] });
    expect(await differencesOf('known')).toEqual([
      expect.objectContaining({ code: 'feature-gate-not-evaluated', message: expect.stringContaining('Storage') }),
    ]);
    await take('old', 'v1.29.4');
    const old = await differencesOf('old');
    expect(old.length).toBeGreaterThan(0);
    expect(old.map(({ message }) => message)).toEqual(old.map(() => expect.stringMatching(/1\.(30|31)/)));
    const nodesAlone = await service.request('POST', api('old', 'upgrade-reviews'), { to: '1.34' });
    expect(nodesAlone.at('notLoaded')).toEqual(expect.arrayContaining(['Deployment', 'CronJob', 'ResourceQuota']));
    expect(nodesAlone.at('notLoaded')).not.toContain('Pod');
    await take('new', 'v1.37.0');
    expect((await differencesOf('new')).map(({ code }) => code)).toEqual(['newer-than-rules']);
  });

  it('returns nothing for the same version, and only the kinds that are asked for', async () => {
    expect((await review({ to: '1.33' })).at('items')).toEqual([]);
    const gates = await review({ to: '1.36', kinds: ['gate'] }, '?limit=2');
    expect(gates.at('items')).toHaveLength(2);
    expect(gates.at('counts.nodes')).toBe(1);
    const next = await review({ to: '1.36', kinds: ['gate'] }, `?limit=2&continue=${String(gates.at('continue'))}`);
    expect(next).toMatchObject({ status: 200 });
    expect(await review({ to: '1.30', kinds: ['nothing'] })).toMatchObject({ status: 400 });
    const graphql = await service.graphql(
      '{ cluster(name: "review") { upgradeReview(input: { to: "1.34", kinds: [nodes] }) { against { rulesVersion } nodes { kind before after } } } }',
    );
    expect(graphql.at('data.cluster.upgradeReview')).toEqual({
      against: { rulesVersion: 'v1.34.9' },
      nodes: [{ kind: 'nodes', before: 'small', after: '' }],
    });
  });

  it('evaluates the templates of workloads without pods', async () => {
    const template = (spec: object) => ({
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'c' }], ...spec },
    });
    const whole = template({ resources: { requests: { cpu: '4' } } });
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: ['-'] }] }] };
    const mistaken = template({
      restartPolicy: 'Never',
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    });
    const workload = (kind: string, name: string, more: object): object => ({
      apiVersion: kind.endsWith('Job') ? 'batch/v1' : 'apps/v1',
      kind,
      metadata: { name, namespace: 'default', uid: name, ...('metadata' in more && (more.metadata as object)) },
      spec: 'spec' in more ? more.spec : {},
      ...('status' in more && { status: more.status }),
    });
    const selector = { matchLabels: { app: 'a' } };
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'idle', uid: 'idle', controller: true },
    ];
    const items = [
      ...NODES,
      workload('Deployment', 'idle', { spec: { replicas: 0, selector, template: whole } }),
      workload('ReplicaSet', 'idle-1', {
        metadata: { ownerReferences },
        spec: { replicas: 0, selector, template: whole },
      }),
      workload('StatefulSet', 'lost', { spec: { replicas: 1, serviceName: 's', selector, template: whole } }),
      workload('Job', 'done', {
        spec: { template: mistaken },
        status: { completionTime: '2026-01-01T00:00:00Z', succeeded: 1 },
      }),
      workload('CronJob', 'nightly', {
        spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: mistaken } } },
      }),
    ];
    const kinds = 'Node,Pod,Deployment,ReplicaSet,StatefulSet,Job,CronJob';
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await send(service, `${api('idle', 'snapshots')}?createCluster=true&kinds=${kinds}`, body);
    const answer = await service.request('POST', api('idle', 'upgrade-reviews?rulesVersion=1.32'), { to: '1.34' });
    expect(answer.json).toMatchObject({ groups: 3, evaluatedGroups: 3 });
    expect(effects(answer, 'nodes')).toEqual(
      ['idle', 'lost'].map((name) =>
        expect.objectContaining({
          subject: { kind: name === 'idle' ? 'Deployment' : 'StatefulSet', namespace: 'default', name },
          pods: 0,
          before: 'small',
          message: 'A pod of its template fits 1 node fewer.',
        }),
      ),
    );
    expect(effects(answer, 'refused')).toEqual([
      expect.objectContaining({
        subject: { kind: 'CronJob', namespace: 'default', name: 'nightly' },
        pods: 0,
        after: expect.stringContaining('a valid label must be'),
        message: 'A pod of its template is refused.',
      }),
    ]);
  });
});

/** A value in GraphQL's notation. */
const toGraphql = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(toGraphql).join(', ')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.entries(value)
          .map(([name, part]) => `${name}: ${toGraphql(part)}`)
          .join(', ')}}`
      : JSON.stringify(value);
