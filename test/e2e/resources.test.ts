import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { get as httpGet } from 'node:http';
import { list, node, pod as storedPod, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

let service: TestService;
const C = '/api/v1/clusters/c';

const kata = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata-fc' },
  handler: 'kata-fc',
  overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
};
const limited = (name: string, cpu: string, memory: string) => ({
  name,
  resources: { limits: { cpu, memory }, requests: { cpu, memory } },
});
const KATA_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'd' },
  spec: {
    runtimeClassName: 'kata-fc',
    containers: [
      { name: 'a', resources: { limits: { cpu: '500m', memory: '100Mi' } } },
      { name: 'b', resources: { limits: { cpu: '1500m', memory: '100Mi' } } },
    ],
  },
};
const withUid = (object: object, uid: string, status: object = {}) => {
  const { metadata, ...rest } = object as { metadata: object };
  return { ...rest, metadata: { ...metadata, uid, creationTimestamp: '2026-01-01T00:00:00Z' }, status };
};

beforeAll(async () => {
  service = await startTestService();
  const objects = [
    node('n1', {
      metadata: { name: 'n1', labels: { pool: 'a' } },
      spec: {
        taints: [
          { key: 'z', effect: 'NoSchedule' },
          { key: 'dedicated', value: 'gpu', effect: 'NoExecute' },
        ],
      },
    }),
    node('n2'),
    kata,
    withUid(
      storedPod('d/held', 'n1', {
        runtimeClassName: 'kata-fc',
        overhead: { cpu: '250m', memory: '120Mi' },
        containers: [limited('a', '500m', '100Mi'), limited('b', '1500m', '100Mi')],
        tolerations: [
          { key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoExecute', tolerationSeconds: 60 },
        ],
      }),
      'uid-held',
      { phase: 'Running', qosClass: 'Guaranteed' },
    ),
    withUid(
      storedPod('d/resized', 'n1', { containers: [{ name: 'a', resources: { requests: { cpu: '4' } } }] }),
      'uid-resized',
      {
        phase: 'Running',
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
        containerStatuses: [{ name: 'a', allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } }],
      },
    ),
    storedPod('d/done', 'n1', { overhead: { cpu: '9' }, containers: [limited('a', '2', '2Gi')] }),
    storedPod('e/waits', '', { overhead: { cpu: '1' } }),
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'd' },
      status: { hard: { 'requests.cpu': '10' }, used: { 'requests.cpu': '2250m' } },
    },
  ].map((object) =>
    'metadata' in object && (object.metadata as { name?: string }).name === 'done'
      ? { ...object, status: { phase: 'Succeeded' } }
      : object,
  );
  expect((await send(service, `${C}/snapshots?createCluster=true`, list(objects))).status).toBe(201);
});
afterAll(() => service.close());

const asked = (body: object): Promise<Answer> => service.request('POST', `${C}/pod-resources`, body);
const read = (path: string, accept?: string): Promise<Answer> =>
  service.request('GET', `${C}/${path}`, undefined, accept === undefined ? {} : { accept });
/** A field of the cluster. */
const graphql = async (field: string, variables: object = {}, declared = ''): Promise<Answer> =>
  service.graphql(`query Q${declared} { cluster(name: "c") { it: ${field} } }`, variables);

describe('pod-resources', () => {
  it('explains the sums of a manifest, with the overhead of its RuntimeClass', async () => {
    const answer = await asked({ pod: KATA_POD, node: 'n1' });
    expect(answer.status).toBe(200);
    expect(answer.at('source')).toBe('manifest');
    expect(answer.at('admission.text')).toBe('map[cpu:250m memory:120Mi]');
    expect(answer.at('requests.0')).toMatchObject({
      resource: 'cpu',
      total: '2250m',
      text: '500m (container a) + 1500m (container b) = 2; plus overhead 250m: 2250m',
      decidedBy: 'running',
      overhead: '250m',
    });
    expect(answer.at('limits.1.total')).toBe('320Mi');
    expect(answer.at('scheduler')).toMatchObject({
      requests: { cpu: '2250m', memory: '320Mi' },
      specRequests: { milliCPU: 2250, memory: 335544320, others: [] },
    });
    expect(answer.at('qos')).toMatchObject({ qosClass: 'Guaranteed', reasons: [{ code: 'RequestsEqualLimits' }] });
    expect(answer.at('quota')).toMatchObject({ 'requests.cpu': '2250m', 'limits.memory': '320Mi', pods: '1' });
    expect(answer.at('nodeTable')).toMatchObject({ node: 'n1', cpuRequests: { quantity: '2250m', percent: 56 } });
    expect(answer.at('cgroup')).toMatchObject({
      paths: [
        { driver: 'cgroupfs', path: '/kubepods/pod<uid>' },
        { driver: 'systemd', path: '/kubepods.slice/kubepods-pod<uid>.slice' },
      ],
      cpuShares: 2304,
      cpuWeight: 88,
      cpuQuota: 225000,
      cpuPeriod: 100000,
      memory: 335544320,
      unlimited: [],
    });
  });

  it('lists files and weights by version, driver and runtime, and what is unknown', async () => {
    const answer = await asked({
      pod: KATA_POD,
      cgroupVersion: 'v2',
      cgroupDriver: 'systemd',
      cpuCFSQuotaPeriod: 10000,
    });
    expect(answer.at('cgroup.files')).toEqual([
      {
        version: 'v2',
        files: [
          { file: 'cpu.weight', text: '88' },
          { file: 'cpu.max', text: '22500 10000' },
          { file: 'memory.max', text: '335544320' },
        ],
      },
    ]);
    expect(answer.at('cgroup.weights')).toEqual([
      expect.objectContaining({ level: 'pod', conversion: 'linear', cpuWeight: 88 }),
      expect.objectContaining({ container: 'a', conversion: 'linear', cpuShares: 512, cpuWeight: 20 }),
      expect.objectContaining({ container: 'a', conversion: 'curve', cpuShares: 512, cpuWeight: 59 }),
      expect.objectContaining({ container: 'b', conversion: 'linear' }),
      expect.objectContaining({ container: 'b', conversion: 'curve' }),
    ]);
    const unknowns = answer.at('cgroup.unknowns') as { code: string }[];
    expect(unknowns.map(({ code }) => code)).toEqual([
      'uid',
      'cfs-quota',
      'memory-qos',
      'cgroup-root',
      'container-runtime',
      'huge-page-sizes',
    ]);
  });

  it('names the container that leaves the pod without a limit', async () => {
    const spec = { containers: [{ name: 'a', resources: { limits: { memory: '1Gi' } } }, { name: 'proxy' }] };
    const metadata = { name: 'asked', namespace: 'e' };
    const answer = await asked({ pod: { ...KATA_POD, metadata, spec } });
    expect(answer.at('cgroup.memory')).toBeNull();
    expect(answer.at('cgroup.unlimited')).toContainEqual({
      container: 'proxy',
      resource: 'memory',
      message: "container proxy has no memory limit, so the pod's cgroup has none",
    });
    expect(answer.at('qos.qosClass')).toBe('Burstable');
  });

  it('counts the actual amounts of a stored pod while its resize is infeasible', async () => {
    const answer = await read('pods/d/resized/resources');
    expect(answer.at('source')).toBe('stored');
    expect(answer.at('resize')).toMatchObject({
      pending: 'Infeasible',
      amounts: [{ container: 'a', desired: '4', allocated: '1', actual: '1', counted: '1', countedFrom: 'actual' }],
    });
    expect(answer.at('scheduler')).toMatchObject({
      requests: { cpu: '1' },
      specRequests: { milliCPU: 4000 },
      nodeRequests: { milliCPU: 1000 },
    });
    expect(answer.at('pod')).toMatchObject({ node: 'n1', uid: 'uid-resized' });
  });

  it('takes the template of a workload, and a scenario', async () => {
    const workload = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'w', namespace: 'd' },
      spec: {
        selector: { matchLabels: { app: 'w' } },
        template: { metadata: { labels: { app: 'w' } }, spec: KATA_POD.spec },
      },
    };
    const answer = await asked({ workload });
    expect(answer.at('source')).toBe('template');
    expect(answer.at('requests.0.total')).toBe('2250m');
  });

  it('is the same in GraphQL', async () => {
    const fields =
      '{ source admission { text } requests { resource total text } qos { qosClass reasons { code message } } quota cgroup { paths { driver path } files { version files { file text } } memory unlimited { container } } scheduler { requests specRequests { milliCPU } } nodeTable { node text } metrics }';
    const declared = '($question: PodResourcesInput!)';
    const question = { pod: KATA_POD, node: 'n1' };
    const answer = await graphql(`podResources(input: $question) ${fields}`, { question }, declared);
    const rest = (await asked(question)).json as object;
    expect(answer.at('errors')).toBeUndefined();
    expect(rest).toMatchObject(answer.at('data.cluster.it') as object);
  });

  it('takes a manifest unchanged if admission is skipped', async () => {
    for (const [path, body] of [
      ['pod-resources?admission=skip', { pod: KATA_POD }],
      ['pod-resources', { pod: KATA_POD, admission: 'skip' }],
    ] as const) {
      const answer = await service.request('POST', `${C}/${path}`, body);
      expect(answer.status).toBe(200);
      expect(answer.at('admission.overhead')).toBeNull();
    }
  });

  it('refuses what admission refuses', async () => {
    const refused = await asked({ pod: { ...KATA_POD, spec: { ...KATA_POD.spec, overhead: { cpu: '1' } } } });
    expect([refused.status, refused.at('code')]).toEqual([422, 'admission-refused']);
    expect(refused.at('detail')).toContain("Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  });

  it('names every bad field', async () => {
    const answer = await asked({
      pod: { ...KATA_POD, spec: { containers: [{ name: 'A_', resources: { limits: { cpu: 'x' } } }] } },
      podRef: { name: 'held' },
      cgroupDriver: 'other',
      cpuCFSQuotaPeriod: 5,
      misspelt: true,
    });
    expect(answer.status).toBe(400);
    const errors = answer.at('errors') as { pointer: string }[];
    const pointers = errors.map(({ pointer }) => pointer);
    for (const pointer of ['/misspelt', '/cgroupDriver', '/cpuCFSQuotaPeriod', '/podRef']) {
      expect(pointers).toContain(pointer);
    }
    expect(pointers.some((pointer) => pointer.startsWith('/pod/spec/containers/0/resources/limits/cpu'))).toBe(true);
  });

  it.each([
    ['no subject', {}, 400, 'invalid-request'],
    ['a pod that is not stored', { podRef: { namespace: 'd', name: 'no' } }, 404, 'object-not-found'],
    ['a node that is not stored', { podRef: { namespace: 'd', name: 'held' }, node: 'no' }, 404, 'object-not-found'],
  ])('refuses %s', async (_, body, status, code) => {
    const answer = await asked(body);
    expect([answer.status, answer.at('code')]).toEqual([status, code]);
  });
});

const NODE_TEXT = `Taints:             dedicated=gpu:NoExecute
                    z:NoSchedule
Non-terminated Pods:          (2 in total)
  Namespace                   Name       CPU Requests  CPU Limits   Memory Requests  Memory Limits  Age
  ---------                   ----       ------------  ----------   ---------------  -------------  ---
  d                           held       2250m (56%)   2250m (56%)  320Mi (1%)       320Mi (1%)     AGE
  d                           resized    1 (25%)       0 (0%)       0 (0%)           0 (0%)         AGE
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests      Limits
  --------           --------      ------
  cpu                6250m (156%)  2250m (56%)
  memory             320Mi (1%)    320Mi (1%)
  ephemeral-storage  0 (0%)        0 (0%)
`;
const ageless = (text: string): string => text.replace(/\d+[yd]\d*d?$/gm, 'AGE');

describe('node allocation', () => {
  it('has the tables of kubectl describe node, and what is free', async () => {
    const answer = await read('nodes/n1/allocation');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      node: 'n1',
      podCount: 2,
      items: [
        { namespace: 'd', name: 'held', cpuRequests: { quantity: '2250m', percent: 56 } },
        { namespace: 'd', name: 'resized', cpuRequests: { quantity: '1', percent: 25 } },
      ],
      resources: expect.arrayContaining([
        { resource: 'cpu', requests: { quantity: '6250m', percent: 156 }, limits: { quantity: '2250m', percent: 56 } },
      ]),
      room: expect.arrayContaining([
        { resource: 'cpu', allocatable: 4000, requested: 3250, overhead: 250, free: 750 },
        { resource: 'pods', allocatable: 110, requested: 2, overhead: 0, free: 108 },
      ]),
      remainingItemCount: 0,
    });
  });

  it.each([
    ['format=describe', 'nodes/n1/allocation?format=describe', undefined],
    ['Accept: text/plain', 'nodes/n1/allocation', 'text/plain'],
  ])('is the text of kubectl by %s', async (_, path, accept) => {
    const answer = await read(path, accept);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(ageless(answer.text)).toBe(NODE_TEXT);
  });

  it('is the same in GraphQL', async () => {
    const text = await graphql('describeNode(node: "n1")');
    expect(ageless(String(text.at('data.cluster.it')))).toBe(NODE_TEXT);
    const found = await graphql(
      'nodeAllocation(node: "n1", first: 1) { node podCount room { resource allocatable requested overhead free } resources { resource requests { quantity percent } } pods { totalCount pageInfo { hasNextPage } nodes { name cpuRequests { quantity percent } } } }',
    );
    const rest = await read('nodes/n1/allocation?limit=1');
    expect(found.at('data.cluster.it.room')).toEqual(rest.at('room'));
    expect(found.at('data.cluster.it.pods')).toMatchObject({
      totalCount: 2,
      pageInfo: { hasNextPage: true },
      nodes: [{ name: 'held', cpuRequests: { quantity: '2250m', percent: 56 } }],
    });
    const next = await read(`nodes/n1/allocation?limit=1&continue=${String(rest.at('continue'))}`);
    expect(next.at('items.0.name')).toBe('resized');
  });

  it('counts what a scenario changes', async () => {
    const scenario = encodeURIComponent(JSON.stringify({ changes: [{ removePods: { pods: ['d/held'] } }] }));
    const answer = await read(`nodes/n1/allocation?scenario=${scenario}`);
    expect(answer.at('podCount')).toBe(1);
  });

  it('is not found for an unknown node', async () => {
    for (const path of ['nodes/no/allocation', 'nodes/no/allocation?format=describe']) {
      const answer = await read(path);
      expect([answer.status, answer.at('code')]).toEqual([404, 'object-not-found']);
    }
    const format = await read('nodes/n1/allocation?format=yaml');
    expect([format.status, format.at('errors.0.field')]).toEqual([400, 'format']);
  });

  it('shows tolerations as kubectl describe pod does', async () => {
    const text = 'Tolerations:     dedicated=gpu:NoExecute for 60s\n';
    expect((await read('pods/d/held/resources?format=describe')).text).toBe(text);
    expect((await read('pods/d/held/resources', 'text/plain')).text).toBe(text);
    expect((await graphql('describePod(namespace: "d", name: "held")')).at('data.cluster.it')).toBe(text);
  });
});

describe('allocations', () => {
  const names = (answer: Answer): string[] => (answer.at('items') as { node: string }[]).map(({ node: name }) => name);

  it('lists nodes by name, by labels, or the freest first, page by page', async () => {
    expect(names(await read('allocations'))).toEqual(['n1', 'n2']);
    expect(names(await read('allocations?labelSelector=pool%3Da'))).toEqual(['n1']);
    const first = await read('allocations?freest=cpu&limit=1');
    expect([names(first), first.at('remainingItemCount')]).toEqual([['n2'], 1]);
    const second = await read(`allocations?freest=cpu&limit=1&continue=${String(first.at('continue'))}`);
    expect(names(second)).toEqual(['n1']);
  });

  it('is the same in GraphQL', async () => {
    const found = await graphql(
      'allocations(freest: "cpu") { totalCount nodes { node podCount room { resource free } } }',
    );
    expect(found.at('data.cluster.it.nodes')).toMatchObject([{ node: 'n2' }, { node: 'n1', podCount: 2 }]);
  });

  it('refuses an invalid selector, and a token of another list', async () => {
    expect((await read('allocations?labelSelector=%3D%3D')).at('errors.0.field')).toBe('labelSelector');
    const token = String((await read('allocations?limit=1')).at('continue'));
    expect((await read(`allocations?freest=cpu&limit=1&continue=${token}`)).at('code')).toBe('invalid-continue-token');
  });
});

describe('overhead costs', () => {
  const SCHEDULED = {
    pods: 1,
    amounts: [
      { resource: 'cpu', amount: 250 },
      { resource: 'memory', amount: 125829120 },
    ],
  };
  const NONE = { pods: 0, amounts: [] };
  const WAITING = { pods: 1, amounts: [{ resource: 'cpu', amount: 1000 }] };

  it.each([
    [
      'runtimeClass',
      [
        { name: '', scheduled: NONE, waiting: WAITING },
        { name: 'kata-fc', scheduled: SCHEDULED, waiting: NONE },
      ],
    ],
    [
      'namespace',
      [
        { name: 'd', scheduled: SCHEDULED, waiting: NONE },
        { name: 'e', scheduled: NONE, waiting: WAITING },
      ],
    ],
    ['node', [{ name: 'n1', scheduled: SCHEDULED, waiting: NONE }]],
  ])('are listed by %s, for pods that have not ended', async (by, items) => {
    const answer = await read(`overhead-costs?by=${by}`);
    expect(answer.json).toMatchObject({ by, cluster: { scheduled: SCHEDULED, waiting: WAITING }, items });
    const share = '{ pods amounts { resource amount } }';
    const found = await graphql(
      `overheadCosts(by: ${by}) { by cluster { scheduled ${share} waiting ${share} } items { nodes { name scheduled ${share} waiting ${share} } } }`,
    );
    expect(found.at('data.cluster.it')).toEqual({
      by,
      cluster: { scheduled: SCHEDULED, waiting: WAITING },
      items: { nodes: items },
    });
  });

  it('are refused by anything else', async () => {
    expect((await read('overhead-costs?by=pod')).at('errors.0.field')).toBe('by');
  });
});

const PAGE = `# HELP kube_node_spec_taint [STABLE] The taint of a cluster node.
# TYPE kube_node_spec_taint gauge
kube_node_spec_taint{node="n1",key="z",value="",effect="NoSchedule"} 1
kube_node_spec_taint{node="n1",key="dedicated",value="gpu",effect="NoExecute"} 1
# HELP kube_pod_overhead_cpu_cores The pod overhead in regards to cpu cores associated with running a pod.
# TYPE kube_pod_overhead_cpu_cores gauge
kube_pod_overhead_cpu_cores{namespace="d",pod="done",uid=""} 9
kube_pod_overhead_cpu_cores{namespace="d",pod="held",uid="uid-held"} 0.25
kube_pod_overhead_cpu_cores{namespace="e",pod="waits",uid=""} 1
# HELP kube_pod_overhead_memory_bytes The pod overhead in regards to memory associated with running a pod.
# TYPE kube_pod_overhead_memory_bytes gauge
kube_pod_overhead_memory_bytes{namespace="d",pod="held",uid="uid-held"} 1.2582912e+08
# HELP kube_pod_runtimeclass_name_info The runtimeclass associated with the pod.
# TYPE kube_pod_runtimeclass_name_info gauge
kube_pod_runtimeclass_name_info{namespace="d",pod="held",uid="uid-held",runtimeclass_name="kata-fc"} 1
# HELP kube_pod_tolerations Information about the pod tolerations
# TYPE kube_pod_tolerations gauge
kube_pod_tolerations{namespace="d",pod="held",uid="uid-held",key="dedicated",operator="Equal",value="gpu",effect="NoExecute",toleration_seconds="60"} 1
# HELP kube_resourcequota [STABLE] Information about resource quota.
# TYPE kube_resourcequota gauge
kube_resourcequota{namespace="d",resourcequota="q",resource="requests.cpu",type="hard"} 10
kube_resourcequota{namespace="d",resourcequota="q",resource="requests.cpu",type="used"} 2.25
`;

/** The lines of each family in one order: that of a page is not promised. */
const sorted = (page: string): string[] =>
  page.split(/^(?=# HELP)/m).map((family) => family.split('\n').sort().join('\n'));

describe('metrics of a cluster', () => {
  it('are in the Prometheus text format unless OpenMetrics is requested', async () => {
    const answer = await read('metrics');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(sorted(answer.text)).toEqual(sorted(PAGE));
  });

  it('are in OpenMetrics with an end on request', async () => {
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.2';
    const answer = await read('metrics', accept);
    expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(answer.text.endsWith('\n# EOF\n')).toBe(true);
    expect(sorted(answer.text)).toEqual(sorted(`${PAGE}# EOF\n`));
    expect((await graphql('metrics { text }')).at('data.cluster.it.text')).toBe(answer.text);
  });

  it('are those of the selected families, at a revision', async () => {
    const answer = await read('metrics?families=kube_pod_overhead_memory_bytes&families=kube_resourcequota&revision=1');
    expect(answer.text.match(/^# TYPE \S+/gm)).toEqual([
      '# TYPE kube_pod_overhead_memory_bytes',
      '# TYPE kube_resourcequota',
    ]);
    const found = await graphql('metrics(families: ["kube_node_spec_taint"]) { basis { revision } text }');
    expect(found.at('data.cluster.it.basis.revision')).toBe(1);
    expect(found.at('data.cluster.it.text')).toMatch(/^# HELP kube_node_spec_taint [^]*# EOF\n$/);
  });

  it('are refused for unknown families, which are named', async () => {
    const answer = await read('metrics?families=kube_pod_info&families=kube_pod_tolerations&families=x');
    expect(answer.status).toBe(400);
    const errors = answer.at('errors') as { field: string }[];
    expect(errors.map(({ field }) => field)).toEqual(['families[0]', 'families[2]']);
    const revision = await read('metrics?revision=9');
    expect([revision.status, revision.at('code')]).toEqual([404, 'revision-not-found']);
  });

  it('are a stream that stops with its reader, and too long a page fails in GraphQL', async () => {
    const tolerations = Array.from({ length: 16 }, (_, index) => ({
      key: `example.com/k${index}`,
      operator: 'Exists',
    }));
    const pods = Array.from({ length: 3000 }, (_, index) => storedPod(`d/p${index}`, 'n', { tolerations }));
    const address = '/api/v1/clusters/long';
    expect((await send(service, `${address}/snapshots?createCluster=true`, list([node('n'), ...pods]))).status).toBe(
      201,
    );
    await new Promise<void>((resolve, reject) => {
      const request = httpGet(`${service.url}${address}/metrics`, (response) => {
        response.once('data', () => {
          request.destroy();
          resolve();
        });
      });
      request.once('error', reject);
    });
    const whole = await service.request('GET', `${address}/metrics`);
    expect(whole.text.match(/^kube_pod_tolerations\{/gm)).toHaveLength(3000 * 16);
    expect(service.logLines()).not.toMatch(/"level":(50|60)/);

    const found = await service.graphql('{ cluster(name: "long") { metrics { text } } }');
    expect(found.at('errors.0.extensions.code')).toBe('budget-exceeded');
    const some = await service.graphql(
      '{ cluster(name: "long") { metrics(families: ["kube_resourcequota"]) { text } } }',
    );
    expect(some.at('data.cluster.metrics.text')).toMatch(/# EOF\n$/);
  });

  it('list the overhead of a missing RuntimeClass as unknown', async () => {
    const pod = { ...KATA_POD, spec: { ...KATA_POD.spec, runtimeClassName: 'gone' } };
    const answer = await asked({ pod });
    const told = JSON.stringify([answer.at('notKnown'), answer.at('detail')]);
    expect(told).toContain('RuntimeClass');
    expect(told).toContain('gone');
  });
});
