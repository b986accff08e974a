import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { list, node, pod as storedPod, send } from '../support/dumps.js';
import { podsOf, shownMoment, tolerates, type ShownPod } from '../support/eviction-schedules.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

/** The examples of Kubernetes' documentation and popular articles, sent to the service. */
interface Example {
  readonly name: string;
  readonly with: string | readonly string[];
  readonly given?: {
    readonly taint?: string;
    readonly taints?: readonly string[];
    readonly label?: string;
    readonly resource?: string;
    readonly toleration?: object;
    readonly tolerations?: readonly object[];
    readonly runtimeClass?: object;
    readonly containers?: readonly { readonly name: string; readonly limits: object }[];
  };
  readonly cases?: readonly (string | TolerationCase)[];
  readonly keys?: readonly string[];
  readonly legacy?: readonly string[];
  readonly expect?: {
    readonly scheduler: Readonly<Record<string, string>>;
    readonly admission: string;
    readonly quota: Readonly<Record<string, string>>;
    readonly 'describe-node': string;
    readonly 'cgroup-memory-limit-bytes': number;
    readonly 'cgroup-path': string;
    readonly metrics: readonly string[];
  };
}

interface TolerationCase {
  readonly toleration: object;
  readonly tolerates: boolean | 'all';
  readonly taint?: string;
  readonly taints?: 'any';
  readonly 'taints-on-three-nodes'?: readonly string[];
}

/** What the service can do so far, of all that the examples are marked with. */
const CAPABILITIES = ['placement', 'taint-changes', 'evictions', 'quota', 'scheduler'] as const;
type Capability = (typeof CAPABILITIES)[number];

const EXAMPLES = parse(
  readFileSync(join(process.cwd(), 'test/conformance/documented-examples.yaml'), 'utf8'),
) as Example[];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let clusters = 0;

/** A new cluster of these objects, and its placements' address. */
async function clusterOf(...objects: object[]): Promise<string> {
  const cluster = `c${++clusters}`;
  const address = `/api/v1/clusters/${cluster}`;
  expect((await send(service, `${address}/snapshots?createCluster=true`, list(objects))).status).toBe(201);
  return `${address}/placements`;
}

const taintOf = (text: string) => {
  const [, key, value, effect] = /^(?:\S+ )?([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text)!;
  return { key, ...(value === undefined ? {} : { value }), effect };
};

const nodeWith = (name: string, ...taints: string[]) => node(name, { spec: { taints: taints.map(taintOf) } });
const podWith = (...tolerations: object[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked' },
  spec: { containers: [{ name: 'c' }], tolerations },
});

interface NodeResponse {
  readonly node: string;
  readonly verdict: string;
  readonly untoleratedTaints: readonly {
    readonly key: string;
    readonly text: string;
    readonly wellKnown: string | null;
  }[];
}

const placed = async (address: string, pod: object): Promise<Map<string, NodeResponse>> => {
  const answer = await service.request('POST', address, { pod, view: 'nodes' });
  expect(answer.status).toBe(200);
  return new Map((answer.at('items') as NodeResponse[]).map((one) => [one.node, one]));
};

async function holdsForTolerations({ given, cases = [] }: Example): Promise<void> {
  for (const { toleration, tolerates, ...about } of cases as readonly TolerationCase[]) {
    const several = about['taints-on-three-nodes'];
    const taints = several ?? [about.taint ?? given?.taint ?? 'any.example/key=value:NoExecute'];
    const nodes = taints.map((taint, index) => nodeWith(`n${index}`, taint));
    if (about.taints === 'any') nodes.push(node('cordoned', { spec: { unschedulable: true } }));
    const answers = await placed(await clusterOf(...nodes), podWith(toleration));
    const wanted = tolerates === false ? 'infeasible' : 'feasible';
    const verdicts = [...answers.values()].map(({ verdict }) => verdict);
    expect({ toleration, verdicts }).toEqual({ toleration, verdicts: nodes.map(() => wanted) });
  }
}

type Handlers = Readonly<Record<string, (example: Example) => Promise<void>>>;

const PLACEMENT: Handlers = {
  'equal-and-exists-both-match': holdsForTolerations,
  'five-ways-of-fuzzy-matching': holdsForTolerations,

  'three-taints-two-tolerations': async ({ given }) => {
    const answers = await placed(
      await clusterOf(nodeWith('node1', ...given!.taints!), node('free')),
      podWith(...given!.tolerations!),
    );
    expect(answers.get('node1')).toMatchObject({
      verdict: 'infeasible',
      untoleratedTaints: [{ text: 'key2=value2:NoSchedule' }],
      toleratedTaints: [
        { taint: { text: 'key1=value1:NoSchedule' }, toleration: { pointer: '/pod/spec/tolerations/0' } },
        { taint: { text: 'key1=value1:NoExecute' }, toleration: { pointer: '/pod/spec/tolerations/1' } },
      ],
    });
  },

  'prefer-no-schedule': async () => {
    const answers = await placed(await clusterOf(nodeWith('only', 'soft=yes:PreferNoSchedule')), podWith());
    expect(answers.get('only')).toMatchObject({ verdict: 'feasible', reasons: [], untoleratedTaints: [] });
  },

  'fpga-pod': async ({ given }) => {
    const address = await clusterOf(
      nodeWith('node-fpga-1', given!.taint!),
      node('plain'),
      nodeWith('other', 'a=b:NoSchedule'),
    );
    const answers = await placed(address, podWith(given!.toleration!));
    expect([...answers.values()].map(({ node: name, verdict }) => [name, verdict])).toEqual([
      ['node-fpga-1', 'feasible'],
      ['other', 'infeasible'],
      ['plain', 'feasible'],
    ]);
  },

  'well-known-taints': async ({ keys = [], legacy = [] }) => {
    const all = [...keys, ...legacy];
    expect(all.length).toBeGreaterThan(8);
    const address = await clusterOf(...all.map((key, index) => nodeWith(`n${index}`, `${key}:NoSchedule`)));
    const without = await placed(address, podWith());
    for (const [index, key] of all.entries()) {
      const [taint] = without.get(`n${index}`)!.untoleratedTaints;
      expect(taint).toMatchObject({ key, wellKnown: expect.any(String) });
      if (legacy.includes(key)) expect(taint!.wellKnown).toContain('legacy');
      const tolerating = await placed(address, podWith({ key, operator: 'Exists' }));
      expect(tolerating.get(`n${index}`)!.verdict).toBe('feasible');
    }
    const uninitialized = keys.findIndex((key) => key.endsWith('/uninitialized'));
    expect(without.get(`n${uninitialized}`)!.untoleratedTaints[0]!.wellKnown).toMatch(
      /Removed by .*cloud-controller-manager/,
    );
  },

  'kata-fc-overhead': async ({ given, expect: wanted }) => {
    const containers = given!.containers!.map(({ name, limits }) => ({ name, resources: { limits } }));
    const pod = (more: object = {}) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'test-pod' },
      spec: { runtimeClassName: 'kata-fc', containers, ...more },
    });
    const sized = (cpu: string, memory: string) => ({ status: { allocatable: { cpu, memory, pods: '10' } } });
    const address = await clusterOf(
      given!.runtimeClass!,
      node('exact', sized('2250m', '320Mi')),
      node('short', sized('2249m', '319Mi')),
    );
    const answer = await service.request('POST', address, { pod: pod(), view: 'nodes' });
    expect(answer.at('pod.requests')).toEqual(wanted!.scheduler);
    expect(answer.at('added')).toContainEqual(
      expect.objectContaining({
        by: 'RuntimeClass',
        pointer: '/spec/overhead',
        value: { cpu: '250m', memory: '120Mi' },
      }),
    );
    expect(answer.at('items.0')).toMatchObject({ node: 'exact', verdict: 'feasible' });
    expect(answer.at('items.1')).toMatchObject({
      node: 'short',
      reasons: [
        { message: 'Insufficient cpu', facts: { requested: '2250m', available: '2249m' } },
        { message: 'Insufficient memory', facts: { requested: '320Mi', available: '319Mi' } },
      ],
    });
    const refused = await service.request('POST', address, { pod: pod({ overhead: { cpu: '1' } }) });
    expect(refused.status).toBe(422);
    expect(refused.json).toMatchObject({
      code: 'admission-refused',
      detail:
        "pods \"test-pod\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    });
  },
};

/** The cluster of two nodes for the commands below, and the taints of its nodes. */
async function clusterToTaint() {
  const placements = await clusterOf(node('node1'), node('node-fpga-1'));
  const address = placements.replace(/\/placements$/, '');
  return {
    /** What kubectl has after `taint`, sent as a change: `nodes NODE TAINT...`. */
    taint: (command: string) => {
      const [resource, name, ...taints] = command.split(' ');
      expect(resource).toBe('nodes');
      return service.request('POST', `${address}/taint-changes`, { nodes: [name], taints, reason: 'as documented' });
    },
    taints: async (name: string) =>
      ((await service.request('GET', `${address}/nodes/${name}`)).at('node.taints') as { text: string }[]).map(
        ({ text }) => text,
      ),
  };
}

const TAINT_CHANGES: Handlers = {
  'kubectl-taint-syntax': async ({ cases = [] }) => {
    const { taint, taints } = await clusterToTaint();
    const [add, removeWithValue, removeEffect, removeKey, addOther] = cases as readonly string[];
    expect(cases).toHaveLength(5);
    const accepts = async (command: string, message: string, name: string, left: readonly string[]) => {
      const answer = await taint(command);
      const found = { status: answer.status, message: answer.at('nodes.0.message'), kubectl: answer.at('kubectl') };
      // The command comes back as it was, without the value that a removal does not look at.
      const kubectl = [`kubectl taint ${command.replace(/=\w+(:\w+-)$/, '$1')}`];
      expect(found).toEqual({ status: 201, message, kubectl });
      expect(await taints(name)).toEqual(left);
    };
    const refuses = async (command: string, message: string) => {
      const before = await taints('node1');
      const answer = await taint(command);
      const found = { status: answer.status, code: answer.at('code'), message: answer.at('errors.0.message') };
      expect(found).toEqual({ status: 409, code: 'taint-change-refused', message });
      expect(await taints('node1')).toEqual(before);
    };

    // Each removal needs the taint to be there, and is refused in kubectl's words where it is not.
    for (const [removal, absent] of [
      [removeWithValue!, 'taint "key1:NoSchedule" not found'],
      [removeEffect!, 'taint "key1:NoSchedule" not found'],
      [removeKey!, 'taint "key1" not found'],
    ] as const) {
      await refuses(removal, absent);
      await accepts(add!, 'node/node1 tainted', 'node1', ['key1=value1:NoSchedule']);
      await refuses(add!, 'node node1 already has key1 taint(s) with same effect(s) and --overwrite is false');
      await accepts(removal, 'node/node1 untainted', 'node1', []);
    }
    await accepts(addOther!, 'node/node-fpga-1 tainted', 'node-fpga-1', ['hardware=fpga:NoSchedule']);

    // A removal looks at key and effect alone: the value may be another, the effect may not; a key takes every effect.
    await accepts(add!, 'node/node1 tainted', 'node1', ['key1=value1:NoSchedule']);
    await refuses('nodes node1 key1:NoExecute-', 'taint "key1:NoExecute" not found');
    await accepts('nodes node1 key1=other:NoSchedule-', 'node/node1 untainted', 'node1', []);
    const both = ['key1=value1:NoExecute', 'key1=value1:NoSchedule'];
    await accepts(add!, 'node/node1 tainted', 'node1', both.slice(1));
    await accepts('nodes node1 key1=value1:NoExecute', 'node/node1 tainted', 'node1', both);
    await accepts(removeKey!, 'node/node1 untainted', 'node1', []);
  },
};

/** The start of the schedules, after everything that is stored here. */
const NOON = '2126-05-04T12:00:00Z';
const afterNoon = (seconds: number): string =>
  new Date(Date.parse(NOON) + seconds * 1000).toISOString().replace('.000Z', 'Z');
const setTaints = (seconds: number, name: string, ...taints: object[]): object => ({
  at: afterNoon(seconds),
  do: 'setTaints',
  node: name,
  taints,
});

/** Stores a new cluster of these objects, and returns its eviction schedule. */
async function schedulesOf(...objects: object[]) {
  const address = (await clusterOf(...objects)).replace(/placements$/, 'eviction-schedules');
  const ask = async (body: object) => {
    const answer = await service.request('POST', address, { view: 'pods', asOf: NOON, ...body });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer;
  };
  return {
    ask,
    pod: async (name: string, body: object): Promise<ShownPod | undefined> => podsOf(await ask(body)).get(name),
  };
}

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const execute = (key: string): object => ({ key, effect: 'NoExecute' });
const inZone = (zone: string, name: string): object => ({
  ...node(name),
  metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
});
const created = (name: string, nodeName: string, tolerations: readonly object[]): object => ({
  at: NOON,
  do: 'createPod',
  node: nodeName,
  manifest: { ...podWith(...tolerations), metadata: { name, namespace: 'd' } },
});

const EVICTIONS: Handlers = {
  'three-taints-two-tolerations': async ({ given }) => {
    const { pod } = await schedulesOf(
      node('node1'),
      storedPod('d/runs', 'node1', { tolerations: given!.tolerations! }),
    );
    const found = await pod('runs', { events: [setTaints(0, 'node1', ...given!.taints!.map(taintOf))] });
    expect(found).toMatchObject({
      action: 'never',
      at: null,
      taints: [{ taint: 'key1=value1:NoExecute', toleration: 'spec.tolerations[1]', seconds: null }],
    });
  },

  'toleration-seconds-3600': async ({ given }) => {
    const { pod } = await schedulesOf(node('n'), storedPod('d/p', 'n', { tolerations: [given!.toleration!] }));
    const set = setTaints(60, 'n', taintOf(given!.taint!));
    const evicted = await pod('p', { events: [set] });
    expect([evicted!.action, shownMoment(evicted!.at)]).toEqual(['at', afterNoon(60 + 3600)]);
    const removed = await pod('p', { events: [set, setTaints(60 + 3599, 'n')] });
    expect(removed).toMatchObject({ action: 'never', cancelled: { at: { latest: afterNoon(60 + 3599) } } });
    const tooLate = await pod('p', { events: [set, setTaints(60 + 3601, 'n')] });
    expect(shownMoment(tooLate!.at)).toBe(afterNoon(60 + 3600));
  },

  'well-known-taints': async ({ keys = [], legacy = [] }) => {
    const pressures = [
      ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
      ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
      ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
      ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
    ] as const;
    const pressed = pressures.map(([type]) => {
      const conditions = [
        { type: 'Ready', status: 'True' },
        { type, status: 'True' },
      ];
      return node(type.toLowerCase(), { status: { conditions } });
    });
    const cordoned = node('cordoned', { spec: { unschedulable: true } });
    const tainted = node('legacy', { spec: { taints: legacy.map((key) => ({ key, effect: 'NoExecute' })) } });
    const placements = await clusterOf(...pressed, cordoned, tainted, inZone('z', 'fails'), inZone('z', 'works'));
    const address = placements.replace(/placements$/, '');
    const findings = (await service.request('GET', `${address}findings?view=findings&limit=1000`)).at('items') as {
      code: string;
      message: string;
      occurrences: { items?: unknown } | null;
    }[];
    for (const key of [...pressures.map(([, one]) => one), 'node.kubernetes.io/unschedulable']) {
      expect(keys).toContain(key);
      const missing = findings.filter(({ code }) => code === 'condition-taint-missing');
      expect(missing.map(({ message }) => message)).toContainEqual(expect.stringContaining(`${key}:NoSchedule`));
    }
    for (const key of legacy) {
      const explained = findings.filter(({ code, message }) => code === 'legacy-taint' && message.includes(` ${key},`));
      expect(explained).toHaveLength(1);
    }

    const { ask } = await schedulesOf(inZone('z', 'fails'), inZone('z', 'works'), inZone('z', 'idle'), node('other'));
    for (const [how, key] of [
      ['notReady', NOT_READY],
      ['silent', UNREACHABLE],
    ]) {
      const answer = await ask({ outages: [{ nodes: ['fails'], how }] });
      const added = (answer.at('changes.items') as { added: string[] }[]).flatMap((change) => change.added);
      expect(added).toEqual([`${key}:NoSchedule`, `${key}:NoExecute`]);
    }

    // A legacy key is a plain string: a toleration of the newer key does not tolerate it.
    for (const key of legacy) {
      const { pod } = await schedulesOf(
        node('n'),
        storedPod('d/newer', 'n', { tolerations: [tolerates(NOT_READY), tolerates(UNREACHABLE)] }),
        storedPod('d/same', 'n', { tolerations: [tolerates(key, 30)] }),
      );
      const body = { events: [setTaints(0, 'n', execute(key))] };
      expect(await pod('newer', body)).toMatchObject({
        action: 'now',
        because: `No toleration matches ${key}:NoExecute.`,
      });
      expect(shownMoment((await pod('same', body))!.at)).toBe(afterNoon(30));
    }
  },

  'unreachable-6000': async ({ given }) => {
    const { pod } = await schedulesOf(node('n'));
    const old = { ...(given!.toleration as { key: string }), key: 'node.alpha.kubernetes.io/unreachable' };
    for (const [toleration, taint, seconds] of [
      [given!.toleration!, NOT_READY, 300],
      [given!.toleration!, UNREACHABLE, 6000],
      [old, NOT_READY, 300],
      [old, UNREACHABLE, 300],
      [old, old.key, 6000],
    ] as const) {
      const events = [created('p', 'n', [toleration]), setTaints(10, 'n', execute(taint))];
      expect([taint, shownMoment((await pod('p', { events }))!.at)]).toEqual([taint, afterNoon(10 + seconds)]);
    }
  },

  'daemonset-tolerations': async () => {
    const daemonSet = (hostNetwork: boolean): object => ({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'd', uid: 'agent' },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: { containers: [{ name: 'c', image: 'i' }], ...(hostNetwork && { hostNetwork }) },
        },
      },
    });
    const placements = await clusterOf(node('n'));
    const given = async (hostNetwork: boolean): Promise<unknown[]> => {
      const answer = await service.request('POST', placements, { pod: daemonSet(hostNetwork) });
      const added = answer.at('added') as { by: string; pointer: string; value: unknown }[];
      return added
        .filter(({ by, pointer }) => by === 'DaemonSet controller' && pointer.startsWith('/spec/tolerations'))
        .flatMap(({ value }) => value);
    };
    const exists = (key: string, effect: string): object => ({ key, operator: 'Exists', effect });
    const always = [
      exists(NOT_READY, 'NoExecute'),
      exists(UNREACHABLE, 'NoExecute'),
      ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) =>
        exists(`node.kubernetes.io/${name}`, 'NoSchedule'),
      ),
    ];
    expect(await given(false)).toEqual(always);
    expect(await given(true)).toEqual([...always, exists('node.kubernetes.io/network-unavailable', 'NoSchedule')]);

    const { ask } = await schedulesOf(node('n'), node('m'), node('o'), storedPod('d/plain', 'n'));
    const scenario = { changes: [{ addPods: { pod: daemonSet(false), count: 1, nodeName: 'n' } }] };
    for (const how of ['silent', 'notReady']) {
      const answer = await ask({ scenario, outages: [{ nodes: ['n'], how }] });
      const actions = [...podsOf(answer).values()].map(({ name, action }) => [name.replace(/-.*/, ''), action]);
      expect(actions).toEqual([
        ['plain', 'at'],
        ['agent', 'never'],
      ]);
    }
  },

  'rate-limited-tainting': async () => {
    const zones = [
      ...Array.from({ length: 4 }, (_, index) => inZone('a', `a${index}`)),
      ...Array.from({ length: 4 }, (_, index) => inZone('b', `b${index}`)),
    ];
    const pods = zones.map((_, index) => storedPod(`d/p${index}`, `${index < 4 ? 'a' : 'b'}${index % 4}`));
    const { ask } = await schedulesOf(...zones, ...pods);
    const comes = async (outage: object) => {
      const answer = await ask({ outages: [outage] });
      const changes = answer.at('changes.items') as { at: string; added: string[] }[];
      const moments = changes.filter(({ added }) => added.some((taint) => taint.endsWith(':NoExecute')));
      const apart = moments.slice(1).map(({ at }, index) => (Date.parse(at) - Date.parse(moments[index]!.at)) / 1000);
      return { nodes: moments.length, apart, evicted: answer.at('counts.at') };
    };
    expect(await comes({ zone: 'b' })).toEqual({ nodes: 4, apart: [10, 10, 10], evicted: 4 });
    expect(await comes({ nodes: ['b0', 'b1', 'b2'] })).toEqual({ nodes: 0, apart: [], evicted: 0 });
    expect(await comes({ allNodes: true })).toMatchObject({ nodes: 0, apart: [] });
  },

  'memory-pressure-by-qos': async () => {
    const KEY = 'node.kubernetes.io/memory-pressure';
    const containers = [{ name: 'c', image: 'i', resources: { requests: { memory: '1Mi' } } }];
    const placements = await clusterOf(node('n', { spec: { taints: [{ key: KEY, effect: 'NoSchedule' }] } }));
    const manifest = { ...podWith(), spec: { containers } };
    const answer = await service.request('POST', placements.replace(/placements$/, 'findings'), { manifest });
    expect(answer.at('findings')).toContainEqual(
      expect.objectContaining({
        code: 'memory-pressure-not-tolerated',
        message: expect.stringContaining('only the admission plugin PodTolerationRestriction adds that toleration'),
      }),
    );
    // The condition brings NoSchedule, which evicts nobody; a NoExecute taint of that key evicts whatever the class is.
    const { ask, pod } = await schedulesOf(node('n'), storedPod('d/burstable', 'n', { containers }));
    const pressed = await ask({ events: [setTaints(0, 'n', { key: KEY, effect: 'NoSchedule' })] });
    expect(pressed.at('counts')).toMatchObject({ pods: 1, now: 0, at: 0 });
    expect(await pod('burstable', { events: [setTaints(0, 'n', execute(KEY))] })).toMatchObject({ action: 'now' });
  },
};

/** Of the examples marked `quota` those that hold so far; with all of them it becomes one of the capabilities. */
const QUOTA: Handlers = {
  'dedicated-nodes': async ({ given }) => {
    const [key, value] = given!.label!.split('=') as [string, string];
    const dedicated = nodeWith('dedicated', given!.taint!) as { metadata: object };
    const placements = await clusterOf(
      { ...dedicated, metadata: { name: 'dedicated', labels: { [key]: value } } },
      node('elsewhere'),
      ...['group', 'others'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    );
    const address = placements.replace(/\/placements$/, '');
    const declared = await service.request('PUT', `${address}/pools/group`, {
      nodes: { matchLabels: { [key]: value } },
      taints: [given!.taint!],
      labels: { [key]: value },
      users: { namespaces: ['group'] },
    });
    expect(declared.status).toBe(201);
    const toleration = { operator: 'Equal', ...taintOf(given!.taint!) };
    const podIn = (namespace: string, ...tolerations: object[]) => ({
      ...podWith(...tolerations),
      metadata: { name: 'asked', namespace },
      spec: { containers: [{ name: 'c', image: 'i' }], tolerations },
    });
    const feasible = async (pod: object, query = '') => {
      const answers = await placed(`${placements}${query}`, pod);
      return [...answers.values()].filter(({ verdict }) => verdict === 'feasible').map((one) => one.node);
    };
    const stored = async (namespace: string) => {
      const answer = await service.request('POST', `${address}/admission-reviews`, { pod: podIn(namespace) });
      return answer.at('pod.spec') as { tolerations: object[]; affinity?: object };
    };

    const own = await stored('group');
    expect(own.tolerations).toContainEqual(toleration);
    expect(own.affinity).toEqual({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }],
        },
      },
    });
    const other = await stored('others');
    expect(other.tolerations).not.toContainEqual(toleration);
    expect(other.affinity).toBeUndefined();

    expect(await feasible(podIn('group'))).toEqual(['dedicated']);
    expect(await feasible(podIn('others'))).toEqual(['elsewhere']);
    // A toleration permits, and attracts nothing.
    expect(await feasible(podIn('group', toleration), '?admission=skip')).toEqual(['dedicated', 'elsewhere']);
    const intruder = await service.request('POST', placements, { pod: podIn('others', toleration) });
    expect([intruder.status, intruder.at('code')]).toEqual([422, 'admission-refused']);
  },

  'special-hardware': async ({ given }) => {
    const [special, rather, gpu] = given!.taints!;
    const address = (
      await clusterOf(nodeWith('gpu', gpu!), nodeWith('special', special!), nodeWith('rather', rather!))
    ).replace(/\/placements$/, '');
    const declared = await service.request('PUT', `${address}/admission-configuration`, {
      enablePlugins: ['ExtendedResourceToleration'],
    });
    expect(declared.status).toBe(200);
    const asking = (resources: object) => ({
      ...podWith(),
      spec: { containers: [{ name: 'c', image: 'i', resources }] },
    });
    const answer = await service.request('POST', `${address}/admission-reviews`, {
      pod: asking({ limits: { 'nvidia.com/gpu': '1' } }),
    });
    expect(answer.at('pod.spec.tolerations')).toContainEqual({
      key: 'nvidia.com/gpu',
      operator: 'Exists',
      effect: 'NoSchedule',
    });
    const untolerated = async (pod: object) => {
      const answers = await placed(`${address}/placements`, pod);
      return ['gpu', 'special', 'rather'].map((name) => answers.get(name)?.untoleratedTaints.length);
    };
    expect(await untolerated(asking({ limits: { 'nvidia.com/gpu': '1' } }))).toEqual([0, 1, 0]);
    expect(await untolerated(asking({}))).toEqual([1, 1, 0]);

    // The same by a pool, which keeps its pods on the special nodes and others off, whatever they tolerate.
    const pool = await service.request('PUT', `${address}/pools/hardware`, {
      nodes: { matchLabels: { special: 'true' } },
      taints: [special!, gpu!],
      labels: { special: 'true' },
      users: { extendedResource: given!.resource! },
    });
    expect(pool.status).toBe(201);
    const pooled = await service.request('POST', `${address}/admission-reviews`, {
      pod: asking({ limits: { [given!.resource!]: '1' } }),
    });
    const { tolerations } = pooled.at('pod.spec') as { tolerations: { key?: string }[] };
    expect(tolerations.filter((one) => one.key === given!.resource)).toHaveLength(1);
    expect(tolerations).toContainEqual({ operator: 'Equal', ...taintOf(special!) });
    expect(await untolerated(asking({ limits: { [given!.resource!]: '1' } }))).toEqual([0, 0, 0]);
    const intruder = { ...asking({}), spec: { ...asking({}).spec, tolerations: [{ operator: 'Exists' }] } };
    const refused = await service.request('POST', `${address}/admission-reviews`, { pod: intruder });
    expect(refused.at('refusal.by')).toBe('pools');
  },

  'default-toleration-seconds': async () => {
    const address = (await clusterOf(node('n'))).replace(/\/placements$/, '');
    const stored = async (...tolerations: object[]) => {
      const pod = { ...podWith(), spec: { containers: [{ name: 'c', image: 'i' }], tolerations } };
      return (await service.request('POST', `${address}/admission-reviews`, { pod })).at('pod.spec.tolerations');
    };
    const [notReady, unreachable] = [NOT_READY, UNREACHABLE].map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    }));
    expect(await stored()).toEqual([notReady, unreachable]);
    for (const effect of ['NoExecute', undefined]) {
      const own = { key: NOT_READY, operator: 'Exists', ...(effect && { effect }) };
      expect(await stored(own)).toEqual([own, unreachable]);
      const all = { operator: 'Exists', ...(effect && { effect }) };
      expect(await stored(all)).toEqual([all]);
    }
    const other = { key: NOT_READY, operator: 'Exists', effect: 'NoSchedule' };
    expect(await stored(other)).toEqual([other, notReady, unreachable]);
  },

  'memory-pressure-by-qos': async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
    const address = (await clusterOf(node('n'), namespace)).replace(/\/placements$/, '');
    const isAdded = async (resources: object) => {
      const pod = { ...podWith(), spec: { containers: [{ name: 'c', image: 'i', resources }] } };
      const answer = await service.request('POST', `${address}/admission-reviews`, { pod });
      return JSON.stringify(answer.at('pod.spec.tolerations')).includes('node.kubernetes.io/memory-pressure');
    };
    const burstable = { requests: { memory: '1Mi' } };
    expect([await isAdded(burstable), await isAdded({})]).toEqual([false, false]);
    await service.request('PUT', `${address}/admission-configuration`, { enablePlugins: ['PodTolerationRestriction'] });
    expect([await isAdded(burstable), await isAdded({})]).toEqual([true, false]);
  },

  'kata-fc-overhead': async ({ given, expect: wanted }) => {
    const containers = given!.containers!.map(({ name, limits }) => ({
      name,
      resources: { limits, requests: limits },
    }));
    const spec = { runtimeClassName: 'kata-fc', containers };
    const overhead = { cpu: '250m', memory: '120Mi' };
    const uid = '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11';
    const running = storedPod('default/test-pod', 'large', { ...spec, overhead }) as { metadata: object };
    const placements = await clusterOf(
      given!.runtimeClass!,
      node('large', { status: { allocatable: { cpu: '4', memory: '32G', pods: '110' } } }),
      { ...running, metadata: { ...running.metadata, uid }, status: { phase: 'Running' } },
    );
    const address = placements.replace(/\/placements$/, '');
    const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'test-pod' }, spec };
    const costs = await service.request('POST', `${address}/pod-resources`, { pod: manifest, node: 'large' });
    const stored = await service.request('GET', `${address}/pods/default/test-pod/resources`);
    for (const answer of [costs, stored]) {
      expect(answer.status).toBe(200);
      expect(answer.at('admission.text')).toBe(wanted!.admission);
      expect(answer.at('scheduler.requests')).toEqual(wanted!.scheduler);
      expect(answer.at('scheduler.specRequests')).toMatchObject({ milliCPU: 2250, memory: 320 * 1024 * 1024 });
      expect(answer.at('quota')).toMatchObject(wanted!.quota);
      expect(answer.at('nodeTable.text')).toContain(wanted!['describe-node']);
      const bytes = wanted!['cgroup-memory-limit-bytes'];
      expect(answer.at('cgroup.memory')).toBe(bytes);
      const written = [
        { file: 'memory.limit_in_bytes', text: String(bytes) },
        { file: 'memory.max', text: String(bytes) },
      ];
      expect(answer.at('cgroup.files.0.files')).toContainEqual(written[0]);
      expect(answer.at('cgroup.files.1.files')).toContainEqual(written[1]);
      for (const name of wanted!.metrics) {
        expect(answer.at('metrics')).toContainEqual(
          expect.stringContaining(`${name}{namespace="default",pod="test-pod"`),
        );
      }
    }
    expect(costs.at('cgroup.paths.0.path')).toBe(`/${wanted!['cgroup-path']}`);
    expect(stored.at('cgroup.paths.0.path')).toBe(`/${wanted!['cgroup-path'].replace('<uid>', uid)}`);

    const refused = { ...manifest, spec: { ...spec, overhead: { ...overhead, cpu: '300m' } } };
    const refusal = await service.request('POST', `${address}/pod-resources`, { pod: refused });
    expect([refusal.status, refusal.at('code')]).toEqual([422, 'admission-refused']);
    const same = { ...manifest, spec: { ...spec, overhead: { cpu: '0.25', memory: '120Mi' } } };
    const admitted = await service.request('POST', `${address}/pod-resources`, { pod: same });
    expect(admitted.at('admission.text')).toBe(wanted!.admission);

    const described = await service.request('GET', `${address}/nodes/large/allocation?format=describe`);
    expect(described.text).toContain(wanted!['describe-node']);
    const page = await service.request('GET', `${address}/metrics`);
    const labels = `{namespace="default",pod="test-pod",uid="${uid}"}`;
    expect(page.text).toContain(`kube_pod_overhead_cpu_cores${labels} 0.25\n`);
    expect(page.text).toContain(`kube_pod_overhead_memory_bytes${labels} 1.2582912e+08\n`);
  },
};

interface RankedPlace {
  readonly node: string;
  readonly rank: number;
  readonly total: number;
}

const ranked = async (address: string, question: object): Promise<Answer> => {
  const answer = await service.request('POST', address, { pod: podWith(), ranking: true, ...question });
  expect(answer.status).toBe(200);
  return answer;
};

const placesOf = (answer: Answer): readonly (readonly [string, number])[] =>
  (answer.at('ranking.nodes') as readonly RankedPlace[]).map(({ node: name, rank }) => [name, rank]);

const SCHEDULER: Handlers = {
  'prefer-no-schedule': async () => {
    const soft = 'soft=yes:PreferNoSchedule';
    const both = await ranked(await clusterOf(nodeWith('a', soft), nodeWith('b')), {});
    expect(both.at('summary')).toMatchObject({ nodes: 2, feasible: 2 });
    expect(placesOf(both)).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
    expect(both.at('ranking.difference')).toMatchObject({ ahead: 'b', behind: 'a', decidedBy: 'TaintToleration' });
    const only = await ranked(await clusterOf(nodeWith('a', soft)), {});
    expect(only.at('summary')).toMatchObject({ nodes: 1, feasible: 1 });
    expect(placesOf(only)).toEqual([['a', 1]]);
  },

  'filter-then-score': async () => {
    const sized = (name: string, cpu: string) =>
      node(name, { status: { allocatable: { cpu, memory: '8Gi', pods: '10' } } });
    const address = await clusterOf(
      sized('large-a', '8'),
      sized('large-b', '8'),
      sized('small', '4'),
      nodeWith('tainted', 'a=b:NoSchedule'),
    );
    const containers = [{ name: 'c', resources: { requests: { cpu: '1', memory: '1Gi' } } }];
    const pod = { ...podWith(), spec: { containers } };
    const answer = await ranked(address, { pod });
    expect(placesOf(answer)).toEqual([
      ['large-a', 1],
      ['large-b', 1],
      ['small', 3],
    ]);
    expect(answer.at('ranking.tied')).toBe(2);
    expect(answer.at('ranking.difference')).toMatchObject({ margin: 0, decidedBy: null });
    const firsts = new Set<string>();
    for (let seed = 0; seed < 10; seed++) {
      const drawn = placesOf(await ranked(address, { pod, seed }))[0]![0];
      expect(placesOf(await ranked(address, { pod, seed }))[0]![0]).toBe(drawn);
      firsts.add(drawn);
    }
    expect(firsts).toEqual(new Set(['large-a', 'large-b']));
  },

  'policies-and-profiles': async () => {
    const address = await clusterOf(nodeWith('plain'), nodeWith('tainted', 'a=b:NoSchedule'));
    const about = `${address.slice(0, -'/placements'.length)}/scheduler-configuration`;
    const policy = {
      apiVersion: 'v1',
      kind: 'Policy',
      predicates: [{ name: 'PodFitsResources' }, { name: 'PodToleratesNodeTaints' }],
      priorities: [
        { name: 'LeastRequestedPriority', weight: 1 },
        { name: 'TaintTolerationPriority', weight: 1 },
      ],
    };
    const read = await service.request('POST', `${about}-reviews`, policy);
    const mapping = read.at('configuration.mapping') as readonly { name: string; plugins: readonly string[] }[];
    expect(mapping.filter(({ name }) => !name.startsWith('Check')).map(({ name, plugins }) => [name, plugins])).toEqual(
      [
        ['PodFitsResources', ['NodeResourcesFit']],
        ['PodToleratesNodeTaints', ['TaintToleration']],
        ['LeastRequestedPriority', ['NodeResourcesLeastAllocated']],
        ['TaintTolerationPriority', ['TaintToleration']],
      ],
    );
    const configuration = {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [
        { schedulerName: 'default-scheduler' },
        { schedulerName: 'blind', plugins: { multiPoint: { disabled: [{ name: 'TaintToleration' }] } } },
      ],
    };
    expect((await service.request('PUT', about, configuration)).status).toBe(200);
    const blind = { ...podWith(), spec: { ...podWith().spec, schedulerName: 'blind' } };
    expect((await ranked(address, {})).at('summary')).toMatchObject({ feasible: 1 });
    expect((await ranked(address, { pod: blind })).at('summary')).toMatchObject({ feasible: 2 });
  },
};

const HOLDS: Readonly<Record<Capability, Handlers>> = {
  placement: PLACEMENT,
  'taint-changes': TAINT_CHANGES,
  evictions: EVICTIONS,
  quota: QUOTA,
  scheduler: SCHEDULER,
};

describe('examples of the Kubernetes documentation hold', () => {
  const marked = CAPABILITIES.flatMap((capability) =>
    EXAMPLES.filter((example) => [example.with].flat().includes(capability)).map(
      (example) => [capability, example.name, example] as const,
    ),
  );
  it.each(marked)('%s: %s', async (capability, name, example) => {
    const holds = HOLDS[capability][name];
    if (holds === undefined) throw new Error(`nothing asks the service about ${name}`);
    await holds(example);
  });

  it.each(CAPABILITIES)('%s has examples, all of which exist', (capability) => {
    const named = marked.filter(([one]) => one === capability).map(([, name]) => name);
    expect(named.length).toBeGreaterThan(0);
    expect(named.sort()).toEqual(Object.keys(HOLDS[capability]).sort());
  });
});
