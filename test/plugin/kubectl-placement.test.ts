import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { node, pod } from '../support/dumps.js';
import { kubectls, PlayedCluster } from './played-cluster.js';

const GPU = { key: 'gpu', value: 'a100', effect: 'NoSchedule' };

const NAMESPACES = ['default', 'shop'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  status: { phase: 'Active' },
}));

/** Three nodes: a is full, b and c are tainted. The pod web-1 has no node. */
const OBJECTS = [
  ...NAMESPACES,
  node('a'),
  node('b', { spec: { taints: [GPU] } }),
  node('c', { spec: { taints: [GPU] } }),
  pod('shop/full', 'a', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '3800m' } } }] }),
  {
    ...pod('shop/web-1', '', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m' } } }] }),
    status: { phase: 'Pending' },
  },
];

const deployment = (replicas: number, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
  },
});

let cluster: PlayedCluster;
beforeAll(async () => {
  cluster = await PlayedCluster.start(OBJECTS);
}, 120_000);
afterAll(() => cluster.close());
beforeEach(() => {
  cluster.play(OBJECTS);
});

describe.each(await kubectls())('kubectl placement, through %s', (kubectl) => {
  const run = (args: readonly string[], input?: string) =>
    cluster.run(args, { env: { KUBECTL_PATH: kubectl }, ...(input !== undefined && { input }) });

  it('answers by the rules of another version if it is asked to, and refuses versions that it does not know', async () => {
    const { code, out } = await run(['why', 'pod/web-1', '--rules-version', '1.33']);
    expect(code).toBe(1);
    // As kube-scheduler v1.33.13 writes it.
    expect(out.split('\n')[2]).toBe(
      '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {gpu: a100}. ' +
        'preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, ' +
        '2 Preemption is not helpful for scheduling.',
    );
    const refused = await run(['why', 'pod/web-1', '--rules-version', '1.30']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('the rules of Kubernetes 1.30 are not known; those of 1.31 to 1.36 are');
  });

  it("says why a pod finds no node in the scheduler's words, then by groups of nodes, with what would change it", async () => {
    const { code, out, err } = await run(['why', 'pod/web-1']);
    expect([code, err]).toEqual([1, '']);
    expect(out.split('\n')).toEqual([
      'pod/web-1 in namespace shop: 0 of 3 nodes can take it, 3 cannot',
      '',
      // As kube-scheduler v1.36.2 writes it into the event FailedScheduling.
      '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). no new claims to deallocate, ' +
        'preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, ' +
        '2 Preemption is not helpful for scheduling.',
      '',
      '2 nodes (b, c):',
      '  node(s) had untolerated taint(s) (gpu=a100:NoSchedule) [TaintToleration]',
      '  change the pod: tolerate gpu=a100:NoSchedule (2 nodes)',
      '  change the node: remove the taint gpu=a100:NoSchedule',
      '    kubectl taint nodes b gpu:NoSchedule-',
      '',
      '1 node (a):',
      expect.stringContaining('  Insufficient cpu (requested 500m, available 200m of 4) [NodeResourcesFit]'),
      '  change the pod: request 300m less cpu: 200m instead of 500m',
      '',
    ]);
  });

  it('says of one node whether it can take the pods of a workload, as JSON with the members of the API', async () => {
    const manifest = { ...deployment(1), metadata: { name: 'web', namespace: 'shop' } };
    cluster.play([...OBJECTS, manifest]);
    const { code, out } = await run(['why', 'deploy/web', '--node', 'b', '-o', 'json']);
    const answer = JSON.parse(out) as { items: { node: string; untoleratedTaints: object[] }[]; summary: object };
    expect(code).toBe(1);
    expect(answer.items).toMatchObject([
      { node: 'b', verdict: 'infeasible', firstFail: 'TaintToleration', untoleratedTaints: [GPU] },
    ]);
    expect(answer.summary).toEqual({ nodes: 3, feasible: 1, infeasible: 2, unknown: 0 });
    expect(await run(['why', 'deploy/web', '--node', 'a'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('can take it'),
    });
    expect(await run(['why', 'deploy/web', '--node', 'z'])).toEqual({
      code: 2,
      out: '',
      err: 'error: there is no node z\n',
    });
  });

  it('says yes with exit code 0 to manifests that can run, and no with exit code 1 and the change that helps', async () => {
    const yes = await run(['can', '-f', await cluster.file('deploy.yaml', deployment(2))]);
    expect(yes).toMatchObject({ code: 0, err: '' });
    expect(yes.out).toMatch(/^YES: /);
    expect(yes.out).toContain('Deployment shop/web: 2 of 2 on nodes; a 2');
    const spec = { nodeSelector: { 'kubernetes.io/hostname': 'b' } };
    const no = await run(['can', '-n', 'default', '-f', '-'], JSON.stringify(deployment(1, spec)));
    expect(no).toMatchObject({ code: 1, err: '' });
    expect(no.out).toMatch(/^NO: 1 of 1 pod finds no node\n/);
    expect(no.out).toContain('Deployment default/web (line 1): remove kubernetes.io/hostname from the node selector');
  });

  it('knows all of a workload that is sent as it is stored: nothing changes, or its pods are replaced', async () => {
    const affinity = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
        ],
      },
    };
    const meta = (name: string) => ({ name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '7' });
    const container = { name: 'c', image: 'i', command: ['run'], resources: {} };
    const selector = { matchLabels: { app: 'web' } };
    const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container], affinity } };
    const stored = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta('web'),
      spec: { replicas: 1, selector, template },
      status: { ...status, updatedReplicas: 1 },
    };
    const controlledBy = (kind: string, name: string) => [
      { apiVersion: 'apps/v1', kind, name, uid: `uid-${name}`, controller: true },
    ];
    const labels = { app: 'web', 'pod-template-hash': '7c5ddbdf54' };
    const made = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { ...meta('web-7c5ddbdf54'), labels, ownerReferences: controlledBy('Deployment', 'web') },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } },
      status,
    };
    const running = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...meta('web-1'), labels, ownerReferences: controlledBy('ReplicaSet', 'web-7c5ddbdf54') },
      spec: { ...template.spec, nodeName: 'a' },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    };
    const only = node('a', { metadata: { name: 'a', labels: { 'kubernetes.io/hostname': 'a' } } });
    cluster.play([...NAMESPACES, only, stored, made, running]);
    const same = await run(['can', '-f', '-', '-o', 'json'], JSON.stringify(stored));
    expect([same.code, same.err]).toEqual([0, '']);
    expect(JSON.parse(same.out)).toMatchObject({ verdict: 'yes', objects: [{ outcome: 'unchanged' }] });
    // Nowhere is room for a pod with the new command beside the old one.
    const other = await run(['can', '-f', '-', '-o', 'json'], JSON.stringify(stored).replaceAll('run', 'stop'));
    expect(other.code).toBe(1);
    expect(JSON.parse(other.out)).toMatchObject({
      verdict: 'no',
      objects: [{ outcome: 'configured' }],
      reasons: [{ message: expect.stringContaining("1 node(s) didn't match pod anti-affinity rules") }],
    });
  });

  it('lists the nodes that can take a pod, best first', async () => {
    cluster.play([...OBJECTS, node('d', { status: { allocatable: { cpu: '8', memory: '32Gi', pods: '110' } } })]);
    const file = await cluster.file('pod.yaml', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] },
    });
    const { code, out } = await run(['where', '-f', file]);
    const lines = out.split('\n');
    expect(code).toBe(0);
    expect(lines[0]).toBe('pod/p in namespace shop: 2 of 4 nodes can take it, 2 cannot');
    expect(lines.slice(2, 5).map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ['NODE', 'RANK'],
      ['d', '1'],
      ['a', '2'],
    ]);
    expect((await run(['where', '-f', file, '-o', 'name'])).out).toBe('node/d\nnode/a\n');
    expect((await run(['where', '-f', file, '-o', 'yaml'])).out).toContain('\nsummary:\n  nodes: 4\n  feasible: 2\n');
  });

  it('says which NodePool would make a node for a pod, and what the pod waits for then', async () => {
    const nodePool = (name: string, spec: object): object => ({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name },
      spec: { template: { spec: { requirements: [], ...spec } } },
    });
    cluster.play([...OBJECTS, nodePool('gpu', { taints: [GPU] }), nodePool('small', {})]);
    const { out } = await run(['where', 'pod/web-1', '--new-nodes']);
    expect(out.slice(out.indexOf('New nodes:')).split('\n').slice(0, 6)).toEqual([
      'New nodes:',
      '  NodePool gpu: would not',
      '    node(s) had untolerated taint(s) (gpu=a100:NoSchedule) [TaintToleration]',
      '  NodePool small: is not known to',
      expect.stringMatching(/^ {4}Karpenter chooses an instance type of the cloud provider/),
      '    waits for karpenter.sh/unregistered:NoExecute, removed by Karpenter, once the node is registered',
    ]);
  });

  it('names what it may not list with the rule that is missing, and then says unknown with exit code 2', async () => {
    const denied = 'persistentvolumeclaims is forbidden: User "me" cannot list resource "persistentvolumeclaims"';
    cluster.play(OBJECTS, { persistentvolumeclaims: denied });
    const spec = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] };
    const { code, out, err } = await run(['can', '-f', '-'], JSON.stringify(deployment(1, spec)));
    expect(err).toBe(
      `Not known, because it cannot be read:\nPersistentVolumeClaim: 403: ${denied}\n` +
        '  missing in a ClusterRole: {"apiGroups":[""],"resources":["persistentvolumeclaims"],"verbs":["list"]}\n\n',
    );
    expect(code).toBe(2);
    expect(out).toMatch(/^UNKNOWN: /);
  });

  it('does not take a cluster whose nodes it may not list for one without nodes', async () => {
    cluster.play(OBJECTS, { nodes: 'nodes is forbidden' });
    expect(await run(['why', 'web-1'])).toEqual({
      code: 2,
      out: '',
      err:
        'error: this cannot be answered without\n  Node: 403: nodes is forbidden\n' +
        '  missing in a ClusterRole: {"apiGroups":[""],"resources":["nodes"],"verbs":["list"]}\n',
    });
  });

  it('reads every page of a list, and whole lists if the pages expire meanwhile', async () => {
    const many = Array.from({ length: 1203 }, (_, index) => node(`n${index}`));
    const others = OBJECTS.filter((object) => (object as { kind: string }).kind !== 'Node');
    cluster.play([...many, ...others]);
    cluster.apiServer.expires = true;
    const expired = await run(['why', 'web-1']);
    cluster.apiServer.expires = false;
    expect(expired.out).toMatch(/^pod\/web-1 in namespace shop: 1203 of 1203 nodes can take it\n/);
    expect((await run(['why', 'web-1'])).out).toBe(expired.out);
  });

  it('uses the context and the kubeconfig that it is given', async () => {
    const file = await cluster.file('other', { ...cluster.apiServer.kubeconfig(), 'current-context': 'there' });
    expect(await run(['why', 'web-1', '--context', 'here'])).toMatchObject({ code: 1 });
    expect(await run(['why', 'web-1', '--kubeconfig', file])).toMatchObject({ code: 2, out: '' });
    expect(await run(['why', 'web-1', '--kubeconfig', file, '--context', 'here', '-n', 'shop'])).toMatchObject({
      code: 1,
    });
  });

  it('reads an API server whose address has a path', async () => {
    cluster.apiServer.basePath = '/k8s/clusters/c-1';
    const file = await cluster.file('with-path', cluster.apiServer.kubeconfig());
    const { code, out } = await run(['why', 'web-1', '-n', 'shop', '--kubeconfig', file]);
    cluster.apiServer.basePath = '';
    expect([code, out.split('\n')[0]]).toEqual([1, 'pod/web-1 in namespace shop: 0 of 3 nodes can take it, 3 cannot']);
  });

  it('watches: prints the answer anew only when it has changed, goes on after its watch was cut, and ends with 130', async () => {
    const changedNode = (resourceVersion: string, given: object): object => {
      const { metadata, ...rest } = node('b', given) as { metadata: object };
      return { ...rest, metadata: { ...metadata, uid: 'b', resourceVersion } };
    };
    const plugin = cluster.start(['why', 'web-1', '--watch'], { KUBECTL_PATH: kubectl });
    await plugin.says('2 nodes (b, c):');
    await plugin.says('200m instead of 500m\n');
    cluster.apiServer.push('nodes', 'MODIFIED', changedNode('101', { spec: { taints: [GPU] } }));
    cluster.apiServer.push('nodes', 'MODIFIED', changedNode('102', {}));
    const anew = await plugin.says('1 node (b): can take it\n');
    expect(anew).toMatch(
      /^\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\npod\/web-1 in namespace shop: 1 of 3 nodes can take it, 2 cannot\n/,
    );
    await plugin.says('200m instead of 500m\n');
    cluster.apiServer.cutWatches('nodes');
    cluster.apiServer.push('nodes', 'DELETED', changedNode('103', {}));
    await plugin.says('pod/web-1 in namespace shop: 0 of 2 nodes can take it, 2 cannot\n');
    await plugin.says('kubectl taint nodes c gpu:NoSchedule-\n');
    expect(await plugin.end('SIGINT')).toMatchObject({ code: 130, out: '' });
  });

  it('leaves no process and no socket behind', async () => {
    const temporary = await cluster.file('tmp/x', '');
    await run(['why', 'web-1'], undefined);
    // Node.js 22 and newer keep compiled code in that folder, too.
    const env = { KUBECTL_PATH: kubectl, TMPDIR: dirname(temporary), NODE_DISABLE_COMPILE_CACHE: '1' };
    await cluster.run(['why', 'web-1'], { env });
    expect(await readdir(dirname(temporary))).toEqual(['x']);
  });
});

describe('kubectl placement', () => {
  it('begins its usage with kubectl placement', async () => {
    const { code, out } = await cluster.run(['why', '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: kubectl placement why \[options\] \[pod\]\n/);
  });

  it.each([
    [['why'], 'error: name a pod, such as pod/web-1, or a file: -f FILE\n'],
    [['why', 'service/web'], /^error: "service" makes no pods: use one of pod, deployment, /],
    [['why', 'pod/nobody'], 'error: Pod shop/nobody does not exist.\n'],
    [['can'], 'error: name a file with manifests: -f FILE\n'],
    [['can', '-f', '/nowhere.yaml'], /^error: the manifests cannot be read\n {2}ENOENT: .*\/nowhere.yaml/],
    [['why', 'web-1', '-o', 'xml'], /^error: unknown output "xml": use one of json, /],
    [['wy'], /^error: unknown command 'wy'\n\(Did you mean why\?\)/],
  ])('answers 2 to %j, with nothing on standard output', async (args, message) => {
    const { code, out, err } = await cluster.run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('says how to name kubectl if it is not found', async () => {
    const { code, err } = await cluster.run(['why', 'web-1'], { env: { KUBECTL_PATH: '/nowhere/kubectl' } });
    expect(code).toBe(2);
    expect(err).toBe(
      'error: cannot run /nowhere/kubectl: there is no such program. Set KUBECTL_PATH to the path of kubectl.\n',
    );
  });
});
