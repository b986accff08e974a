import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSources } from '../support/build-sources.js';
import { node, secretPod } from '../support/dumps.js';
import { ListingApiServer } from '../support/listing-api-server.js';
import { until } from '../support/followers.js';
import { startTestService, type TestService } from '../support/service.js';

const SECRET = 'hunter2';
/** Milliseconds; less than a test has, so that it can say what did not come. */
const MOST_WAIT = 50_000;
const versioned = (object: object, resourceVersion: number, uid: string): object => {
  const { metadata } = object as { metadata: object };
  return { ...object, metadata: { ...metadata, uid, resourceVersion: String(resourceVersion) } };
};
const NODE = versioned(node('a'), 10, 'u-a');
const POD = versioned(secretPod(SECRET), 11, 'u-p');
const CONFIG = versioned(
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop' }, data: { password: SECRET } },
  12,
  'u-c',
);
const RESOURCES = [
  { apiVersion: 'v1', plural: 'nodes', kind: 'Node', items: [NODE] },
  { apiVersion: 'v1', plural: 'pods', kind: 'Pod', items: [POD] },
  { apiVersion: 'v1', plural: 'configmaps', kind: 'ConfigMap', items: [CONFIG] },
];

let service: TestService;
let sources: string;
let folder: string;
let apiServer: ListingApiServer;
/** Between the agent and the service: it sees all that leaves the cluster, and can cut the way. */
let way: Server;
let seen = '';
let isCut = false;

beforeAll(async () => {
  [service, sources, folder, apiServer] = await Promise.all([
    startTestService(),
    buildSources('agent-test', ['src']),
    mkdtemp(join(tmpdir(), 'agent-')),
    ListingApiServer.start(RESOURCES),
  ]);
  way = createServer((request, response) => {
    if (isCut) {
      request.socket.destroy();
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => {
      parts.push(part);
      seen += part.toString();
    });
    request.on('end', () => {
      const body = Buffer.concat(parts);
      void fetch(service.url + request.url!, {
        method: request.method!,
        headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
        ...(request.method === 'POST' && { body }),
      }).then(
        async (answer) => {
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
        },
        // As any proxy in between: what did not come through is cut, not left open.
        () => request.socket.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => {
    way.listen(0, '127.0.0.1', resolve);
  });
}, 240_000);
afterAll(async () => {
  way.closeAllConnections();
  way.close();
  await Promise.all([service.close(), apiServer.close()]);
  await rm(sources, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

let made = 0;
let cluster: string;
const running = new Set<ChildProcess>();
beforeEach(() => {
  cluster = `c${++made}`;
  seen = '';
  isCut = false;
  apiServer.restart(RESOURCES);
});
afterEach(async () => {
  for (const child of running) await end(child);
});

interface RunningAgent {
  readonly child: ChildProcess;
  /** Resolves when a line of its output matches. */
  says(pattern: RegExp): Promise<string>;
  readonly output: () => string;
}

async function start(options: readonly string[] = [], kubeconfig = apiServer.kubeconfig()): Promise<RunningAgent> {
  const file = join(folder, `${cluster}.yaml`);
  await writeFile(file, JSON.stringify(kubeconfig));
  const server = `http://127.0.0.1:${(way.address() as AddressInfo).port}`;
  const given = [
    'agent',
    '--server',
    server,
    '--cluster',
    cluster,
    '--kubeconfig',
    file,
    '--coalesce',
    '10',
    ...options,
  ];
  const child = spawn(process.execPath, [join(sources, 'src/cli/kube-placement.js'), ...given], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  let output = '';
  let check = (): void => undefined;
  child.stderr.on('data', (part: Buffer) => {
    output += part.toString();
    check();
  });
  return {
    child,
    output: () => output,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        check = () => {
          const found = pattern.exec(output);
          if (found !== null) resolve(found[0]);
        };
        child.once('exit', () => reject(new Error(`the agent ended:\n${output}`)));
        setTimeout(() => {
          reject(new Error(`the agent has not said ${String(pattern)}:\n${output}`));
        }, MOST_WAIT).unref();
        check();
      }),
  };
}

/** @returns the exit code */
async function end(child: ChildProcess): Promise<number | null> {
  running.delete(child);
  if (child.exitCode !== null) return child.exitCode;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return child.exitCode;
}

const names = async (list: string): Promise<unknown> =>
  (
    (await service.request('GET', `/api/v1/clusters/${cluster}/${list}`)).at('items') as { readonly name: string }[]
  ).map(({ name }) => name);
const positions = async (): Promise<unknown> =>
  (await service.request('GET', `/api/v1/clusters/${cluster}/deltas`)).at('positions');

describe('the agent', () => {
  it('sends the cluster and then what changes, and nothing that is not kept', async () => {
    const agent = await start();
    await agent.says(/sent a snapshot, revision 1: /);
    expect(await names('nodes')).toEqual(['a']);
    apiServer.push('nodes', 'ADDED', versioned(node('b'), 120, 'u-b'));
    apiServer.push(
      'pods',
      'MODIFIED',
      versioned({ ...secretPod(SECRET), spec: { nodeName: 'b', containers: [] } }, 121, 'u-p'),
    );
    await agent.says(/changed and 0 deleted objects, revision \d/);
    apiServer.push('nodes', 'DELETED', versioned(node('a'), 122, 'u-a'));
    await agent.says(/and 1 deleted objects/);
    expect(await names('nodes')).toEqual(['b']);
    expect(seen).toContain('with-secrets');
    expect(seen).not.toContain(SECRET);
    expect(await positions()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'Node', resourceVersion: '122', count: 1, snapshotNeeded: false }),
      ]),
    );
    expect(await end(agent.child)).toBe(0);
  });

  it('says nothing to the service of a heartbeat', async () => {
    const agent = await start();
    await agent.says(/: watching/);
    apiServer.push('nodes', 'MODIFIED', versioned(node('a'), 130, 'u-a'));
    apiServer.push('nodes', 'ADDED', versioned(node('b'), 131, 'u-b'));
    await agent.says(/sent 1 changed and 0 deleted objects, revision 2/);
    expect(await positions()).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'Node', snapshotNeeded: false })]),
    );
  });

  it('goes on where it was when the service is away for a while', async () => {
    const agent = await start();
    await agent.says(/: watching/);
    isCut = true;
    apiServer.push('nodes', 'ADDED', versioned(node('b'), 140, 'u-b'));
    await agent.says(/the service does not take it: fetch failed/);
    apiServer.push('nodes', 'ADDED', versioned(node('c'), 141, 'u-c'));
    isCut = false;
    await agent.says(/sent 1 changed and 0 deleted objects, revision 3/);
    expect(await names('nodes')).toEqual(['a', 'b', 'c']);
    expect(seen.match(/"kind":"PodList"/g)).toHaveLength(1);
  });

  it('sends a snapshot of what the service needs one of', async () => {
    const agent = await start();
    await agent.says(/: watching/);
    // Somebody else stores another state.
    await service.request(
      'POST',
      `/api/v1/clusters/${cluster}/snapshots`,
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [node('a'), node('x')] }),
    );
    apiServer.push('nodes', 'ADDED', versioned(node('b'), 150, 'u-b'));
    await agent.says(/the service needs a snapshot of Node[^]*sent a snapshot, revision \d: 1 Node/);
    expect(await names('nodes')).toEqual(['a']);
  });

  it('goes on after a restart where the service is, as another stream and without a list', async () => {
    const first = await start();
    await first.says(/: watching/);
    apiServer.push('nodes', 'ADDED', versioned(node('b'), 160, 'u-b'));
    await first.says(/sent 1 changed and 0 deleted objects, revision 2/);
    expect(await end(first.child)).toBe(0);
    const before = apiServer.asked.length;
    seen = '';
    apiServer.push('nodes', 'ADDED', versioned(node('c'), 161, 'u-c'));
    apiServer.push('nodes', 'DELETED', versioned(node('a'), 162, 'u-a'));
    apiServer.push('pods', 'MODIFIED', versioned(secretPod(SECRET), 163, 'u-p'));
    const second = await start();
    await second.says(/going on where the service is, with 4 objects of 3 kinds/);
    await second.says(/sent 1 changed and 1 deleted objects, revision 3/);
    expect(await names('nodes')).toEqual(['b', 'c']);
    const asked = apiServer.asked.slice(before).filter((path) => /\/(nodes|pods|configmaps)\b/.test(path));
    expect(asked.filter((path) => !path.includes('watch=true'))).toEqual([]);
    expect(asked).toContainEqual(expect.stringMatching(/nodes\?.*resourceVersion=160/));
    expect(seen).not.toContain('NodeList');
    // Of the pod nothing that is kept has changed: its position comes with a delta of its own.
    await until(async () => JSON.stringify(await positions()).includes('"163"'));
    expect(await positions()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'Node', resourceVersion: '162', count: 2, snapshotNeeded: false }),
        expect.objectContaining({ kind: 'Pod', resourceVersion: '163', count: 1, snapshotNeeded: false }),
      ]),
    );
  });

  it('lists after a restart what the API server no longer knows the changes of', async () => {
    const first = await start();
    await first.says(/: watching/);
    expect(await end(first.child)).toBe(0);
    apiServer.restart([{ ...RESOURCES[0]!, items: [NODE, versioned(node('b'), 170, 'u-b')] }, ...RESOURCES.slice(1)]);
    apiServer.oldest = 150;
    apiServer.resourceVersion = 200;
    const second = await start();
    // Of deltas and snapshots that overtake each other, none is refused.
    apiServer.push('pods', 'ADDED', versioned({ ...secretPod(SECRET), metadata: { name: 'q' } }, 201, 'u-q'));
    await second.says(/sent a snapshot, revision \d: 2 Node/);
    await second.says(/sent 1 changed and 0 deleted objects/);
    expect(await names('nodes')).toEqual(['a', 'b']);
    expect(second.output()).not.toContain('beginning anew');
  });

  it('sends everything anew after a restart where somebody else has stored something, and for another cluster', async () => {
    const system = (uid: string): object =>
      versioned({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }, 5, uid);
    const namespaces = (uid: string) => ({
      apiVersion: 'v1',
      plural: 'namespaces',
      kind: 'Namespace',
      items: [system(uid)],
    });
    apiServer.restart([...RESOURCES, namespaces('u-1')]);
    const first = await start();
    await first.says(/: watching/);
    expect(await end(first.child)).toBe(0);
    await service.request(
      'POST',
      `/api/v1/clusters/${cluster}/snapshots?kinds=Node`,
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [node('a'), node('x')] }),
    );
    const second = await start();
    await second.says(/going on where the service is, with 3 objects of 3 kinds/);
    await second.says(/sent a snapshot, revision 3: 1 Node/);
    expect(await names('nodes')).toEqual(['a']);
    expect(await end(second.child)).toBe(0);
    apiServer.restart([...RESOURCES, namespaces('u-2')]);
    const third = await start();
    await third.says(/the service has the objects of another cluster/);
    await third.says(/sent a snapshot, revision 4: /);
  });

  it('reads policies and ConfigMaps anew after a restart, because the former say of which of the latter the data is sent', async () => {
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'p' },
      spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'true' }] },
    };
    const binding = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'b' },
      spec: {
        policyName: 'p',
        paramRef: { name: 'c', namespace: 'shop', parameterNotFoundAction: 'Deny' },
        validationActions: ['Deny'],
      },
    };
    const group = 'admissionregistration.k8s.io/v1';
    apiServer.restart([
      ...RESOURCES,
      {
        apiVersion: group,
        plural: 'validatingadmissionpolicies',
        kind: policy.kind,
        items: [versioned(policy, 20, 'u-v')],
      },
      {
        apiVersion: group,
        plural: 'validatingadmissionpolicybindings',
        kind: binding.kind,
        items: [versioned(binding, 21, 'u-w')],
      },
    ]);
    const first = await start();
    await first.says(/: watching/);
    expect(await end(first.child)).toBe(0);
    // The policies come after the ConfigMap, whose data is then sent in a second line.
    const release = apiServer.holdList('validatingadmissionpolicies');
    const second = await start();
    await second.says(/going on where the service is, with 2 objects of 2 kinds/);
    await until(() => Promise.resolve(seen.includes('ConfigMapList')));
    release();
    await second.says(/sent a snapshot, revision \d: (?=.*1 ConfigMap)(?=.*1 ValidatingAdmissionPolicy,?)/);
    apiServer.push('configmaps', 'MODIFIED', versioned({ ...CONFIG, data: { limit: 'three' } }, 180, 'u-c'));
    await second.says(/sent 1 changed and 0 deleted objects/);
    expect(seen).toContain('three');
  });

  it('leaves out what it may not read, with the rule that is missing', async () => {
    apiServer.restart([RESOURCES[0]!, { ...RESOURCES[1]!, denied: 'pods is forbidden' }, RESOURCES[2]!]);
    const agent = await start();
    await agent.says(/sent a snapshot, revision 1: (1 Node, 1 ConfigMap|1 ConfigMap, 1 Node)/);
    await agent.says(
      /Pod: denied: 403: pods is forbidden; missing in a ClusterRole: \{"apiGroups":\[""\],"resources":\["pods"\]/,
    );
  });

  it.each<[string, () => readonly string[], () => object, RegExp]>([
    [
      'a kubeconfig without its context',
      () => ['--context', 'there'],
      () => apiServer.kubeconfig(),
      /has no context "there"/,
    ],
    [
      'a token that cannot be read',
      () => ['--token-file', join(folder, 'absent')],
      () => apiServer.kubeconfig(),
      /--token-file: ENOENT/,
    ],
  ])('ends with 2 for %s', async (_, options, kubeconfig, message) => {
    const { child } = await start(options(), kubeconfig());
    let output = '';
    child.stderr!.on('data', (part: Buffer) => (output += part.toString()));
    await once(child, 'close');
    running.delete(child);
    expect([child.exitCode, output]).toEqual([2, expect.stringMatching(message)]);
  });
});
