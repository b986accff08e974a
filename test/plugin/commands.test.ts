import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { node, pod } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';
import { kubectls, PlayedCluster, type Ran } from './played-cluster.js';

const QUOTA = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 't', name: 'team' },
  spec: { hard: { pods: '3' } },
  status: { hard: { pods: '3' }, used: { pods: '1' } },
};
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 't', name: 'db' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'db' } } },
};
const NAMESPACES = ['default', 's', 't', 't-x'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  status: { phase: 'Active' },
}));
const OBJECTS = [...SMALL_CLUSTER, ...NAMESPACES, QUOTA, BUDGET];
/** Up to 1.32 its template is valid. */
const NIGHTLY = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', namespace: 't' },
  spec: {
    schedule: '0 3 * * *',
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'i' }],
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: ['-'] }] }],
                },
              },
            },
          },
        },
      },
    },
  },
};
const EXPECTATIONS = `apiVersion: kube-placement/v1
kind: Expectations
expectations:
  - name: At most 3 nodes have the taint gpu
    taintedNodes: {taint: {key: gpu}, atMost: 3}
`;

let cluster: PlayedCluster;
let service: TestService;
let kubectl: string;
beforeAll(async () => {
  [[kubectl], cluster, service] = (await Promise.all([
    kubectls(),
    PlayedCluster.start(OBJECTS, 't'),
    startTestService(),
  ])) as [[string], PlayedCluster, TestService];
}, 180_000);
afterAll(() => Promise.all([cluster.close(), service.close()]));
beforeEach(() => {
  cluster.play(OBJECTS);
});

const run = (args: readonly string[]): Promise<Ran> => cluster.run(args, { env: { KUBECTL_PATH: kubectl } });
const words = (text: string): readonly (readonly string[])[] => text.split('\n').map((line) => line.split(/ {3,}/));

describe('kubectl placement', () => {
  it('previews a change of taints in the syntax of kubectl taint: who is evicted, and which workloads lose nodes', async () => {
    const { code, out, err } = await run(['taint', 'nodes', 'a', 'maintenance=true:NoExecute']);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').slice(0, 4)).toEqual([
      'kubectl taint nodes a maintenance=true:NoExecute',
      '  node/a tainted',
      '',
      'Pods evicted at once: 3; later: 0; tolerating it: 1',
    ]);
    expect(words(out)).toContainEqual(['now', 'a', '2', 'StatefulSet t/db (2)']);
  });

  it('answers 1 to a change of taints that kubectl refuses', async () => {
    const { code, out, err } = await run(['taint', 'b', 'gpu=t4:NoSchedule']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('node b already has gpu taint(s) with same effect(s) and --overwrite is false');
  });

  it('does not apply a change of taints without a yes', async () => {
    const { code, out, err } = await run(['taint', 'a', 'x=y:NoSchedule', '--apply']);
    expect(out).toContain('kubectl taint nodes a x=y:NoSchedule');
    expect({ code, err }).toEqual({ code: 2, err: 'error: there is no terminal to ask on: add --yes\n' });
  });

  describe('applies a change of taints', () => {
    /** A kubectl that writes down how kubectl taint is called, and ends with a code. */
    const recording = async (
      code: number,
    ): Promise<{ readonly env: NodeJS.ProcessEnv; readonly calls: () => Promise<string> }> => {
      const calls = await cluster.file(`calls-${code}`, '');
      const script = `#!/bin/sh\n[ "$1" = taint ] || exec "${kubectl}" "$@"\necho "$@" >>"${calls}"\nexit ${code}\n`;
      const program = await cluster.file(`kubectl-${code}`, script);
      await chmod(program, 0o755);
      return { env: { KUBECTL_PATH: program }, calls: () => readFile(calls, 'utf8') };
    };
    const TAINT = ['taint', 'b', 'gpu=t4:NoSchedule', '--overwrite', '--context', 'here', '--apply'];

    it('by kubectl, with its options, whose failure is an answer of 1', async () => {
      const { env, calls } = await recording(0);
      expect((await cluster.run([...TAINT, '--yes'], { env })).code).toBe(0);
      const refused = ['taint', 'b', 'gpu=t4:NoSchedule', '--apply', '--yes'];
      expect((await cluster.run(refused, { env })).code).toBe(1);
      expect(await calls()).toBe('taint nodes b gpu=t4:NoSchedule --overwrite --context=here\n');
      expect((await cluster.run([...TAINT, '--yes'], { env: (await recording(3)).env })).code).toBe(1);
    });

    it.each([
      ['y', 0, 'taint nodes b gpu=t4:NoSchedule --overwrite --context=here\n'],
      ['n', 1, ''],
    ])('after the answer %s on the terminal, with the exit code %i', async (answer, code, called) => {
      const { env, calls } = await recording(0);
      const command = [process.execPath, 'dist/plugin/kubectl-placement.js', ...TAINT].join(' ');
      const environment = { ...process.env, KUBECONFIG: cluster.kubeconfig, ...env };
      const terminal = spawn('script', ['-qec', command, '/dev/null'], { env: environment });
      let said = '';
      terminal.stdout.setEncoding('utf8').on('data', (part: string) => {
        said += part;
        if (!said.includes('Run kubectl taint? [y/N] ')) return;
        said = '';
        terminal.stdin.write(`${answer}\n`);
      });
      const [ended] = (await once(terminal, 'close')) as [number | null];
      expect([ended, await calls()]).toEqual([code, called]);
    });
  });

  it('says how a drain would go, and which budget blocks it', async () => {
    const { code, out } = await run(['drain', 'b', '--force']);
    expect(code).toBe(1);
    expect(words(out)[1]?.slice(0, 2)).toEqual(['b', 'blocked']);
    expect(out).toContain('\nBlocked by:\n  poddisruptionbudget/t/db (1 pod): the sync fails ');
    const free = await run(['drain', 'e']);
    expect([free.code, words(free.out)[1]?.slice(0, 2)]).toEqual([0, ['e', 'drained']]);
  });

  it('lists the pods that NoExecute taints evict', async () => {
    const broken = node('broken', {
      metadata: { name: 'broken', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { taints: [{ key: 'down', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }] },
    });
    const evicted = { ...pod('t/doomed', 'broken'), status: { phase: 'Running' } };
    cluster.play([...OBJECTS, broken, evicted]);
    const { code, out } = await run(['evictions', 'broken']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Of \d+ pods on nodes, evicted now: 1; later: 0; staying despite a NoExecute taint: 0\n/);
    expect(await run(['evictions', 'a'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ evicted now: 0; /),
    });
  });

  it('lists taints with the pods that tolerate them', async () => {
    const { code, out } = await run(['taints']);
    expect(code).toBe(0);
    expect(words(out)).toContainEqual(['gpu=a100:NoSchedule', '2', '3', '1']);
    expect((await run(['taints', '-o', 'name'])).out).toContain('taint/gpu=t4:NoSchedule\n');
  });

  it('recounts quotas, of the namespace of the context or of all', async () => {
    const { code, out } = await run(['quota']);
    expect(code).toBe(0);
    expect(words(out)).toContainEqual(['t', 'team', 'pods', '3', '3', '0', 'full']);
    expect((await run(['quota', '-n', 's', '-o', 'name'])).out).toBe('');
    expect((await run(['quota', '-A', '-o', 'name'])).out).toBe('resourcequota/team\n');
  });

  it('counts how many replicas fit, and answers 1 if they are too few', async () => {
    const file = await cluster.file('big.yaml', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'big' },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '2' } } }] },
    });
    const old = await cluster.file('old.yaml', {
      apiVersion: 'apps/v1beta1',
      kind: 'Deployment',
      metadata: { name: 'w' },
    });
    expect((await run(['capacity', '-f', old])).err).toContain(
      'no matches for kind "Deployment" in version "apps/v1beta1"',
    );
    const { code, out } = await run(['capacity', '-f', file, '--replicas', '2']);
    expect([code, out.split('\n')[0]]).toEqual([0, '2 replicas of pod/big fit']);
    expect((await run(['capacity', '-f', file, '--replicas', '3'])).code).toBe(1);
  });

  it('sums the overhead of pods', async () => {
    const heavy = pod('t/heavy', 'a', { runtimeClassName: 'kata', overhead: { cpu: '250m' } });
    cluster.play([...OBJECTS, { ...heavy, status: { phase: 'Running' } }]);
    const { out } = await run(['overhead', '--by', 'namespace']);
    expect(words(out)).toContainEqual(['t', '1', 'cpu=250m']);
    expect(words(out)).toContainEqual(['in total', '1', 'cpu=250m']);
  });

  it('lists findings, and answers 1 if there is an error among them', async () => {
    const { code, out } = await run(['findings', '-o', 'json']);
    const { counts } = JSON.parse(out) as { counts: { error: number } };
    expect(code).toBe(counts.error > 0 ? 1 : 0);
    expect((await run(['findings'])).out).toMatch(new RegExp(`^${counts.error} errors, \\d+ warnings, \\d+ notes\\n`));
  });

  it('says what another version of Kubernetes would do differently, and answers 1 if it would refuse a pod', async () => {
    expect((await run(['upgrade', '--to', '1.31'])).out).toMatch(
      /^v1\.36\.2 -> v1\.31\.14: gate \d+\n\nFeature gates: \d+ \(-o wide lists them\)\n$/,
    );
    expect((await run(['upgrade', '--to', '1.31', '-o', 'wide'])).out).toContain('FeatureGate PodLevelResources');
    cluster.play([...OBJECTS, NIGHTLY]);
    const { code, out, err } = await run(['upgrade', '--to', 'v1.34.1-eks-113cf36', '--rules-version', '1.32']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/^v1\.32\.13 -> v1\.34\.1: refused 1, /);
    expect(words(out)).toContainEqual(['refused', 'CronJob t/nightly', '0', 'A pod of its template is refused.']);
  });

  it('needs a known version to compare with', async () => {
    expect(await run(['upgrade', '--to', '1.40'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('the rules of Kubernetes 1.40 are not known'),
    });
    expect(await run(['upgrade'])).toMatchObject({ code: 2, err: expect.stringContaining("'--to <version>'") });
  });

  it('explains a well-known taint without a cluster', async () => {
    const { code, out } = await cluster.run(['explain', 'node.kubernetes.io/not-ready:NoExecute'], {
      env: { KUBECTL_PATH: '/nowhere' },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^Key: +node.kubernetes.io\/not-ready\nProduct: +Kubernetes\n/);
    expect((await cluster.run(['explain', 'gpu'])).code).toBe(1);
  });

  it('writes a snapshot to a file, compressed or not, and to a service', async () => {
    const file = await cluster.file('dump.json.gz', '');
    expect(await run(['snapshot', file])).toEqual({ code: 0, out: '', err: '' });
    expect(gunzipSync(await readFile(file)).toString()).toContain('{"kind":"NodeList","apiVersion":"v1","items":[');
    const sent = await run(['snapshot', '--server', service.url, '--cluster', 'sent']);
    expect(sent).toMatchObject({ code: 0, err: '', out: expect.stringContaining('stored as revision 1\n') });
  });

  it('needs a service to say what was', async () => {
    expect(await run(['who', 'a'])).toEqual({
      code: 2,
      out: '',
      err: 'error: what happened before is recorded by a service: use --server URL --cluster NAME\n',
    });
  });
});

describe('all namespaces', () => {
  it.each([['taints'], ['evictions'], ['overhead'], ['findings']])(
    'are what %s is about, with and without -A',
    async (name) => {
      const [all, plain] = await Promise.all([run([name, '-A', '-o', 'name']), run([name, '-o', 'name'])]);
      expect(all).toEqual(plain);
      expect(all.err).toBe('');
    },
  );

  it('are refused where the question is about one, and one where it is about the cluster', async () => {
    const refused = (message: string) => ({ code: 2, out: '', err: `error: ${message}\n` });
    const one = refused('this is about one namespace: name it with --namespace');
    expect(await run(['capacity', 'pod/two', '-A'])).toEqual(one);
    expect(await run(['why', 'pod/two', '--all-namespaces'])).toEqual(one);
    expect(await run(['taints', '-n', 't'])).toEqual(refused('this is about the whole cluster: leave out --namespace'));
    expect((await run(['why', '--help'])).out).not.toContain('--all-namespaces');
    expect((await run(['__complete', 'why', '--all'])).out).toBe(':4\n');
  });
});

describe('kubectl placement --server', () => {
  const there = ['--server', () => service.url, '--cluster', 'same'].map((one) => one);
  const serverArgs = (): readonly string[] => there.map((one) => (typeof one === 'string' ? one : one()));

  beforeAll(async () => {
    expect(await run(['snapshot', '--server', service.url, '--cluster', 'same'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['why', 's/two', ['why', 'pod/two', '-n', 's']],
    ['why of a node', '', ['why', 'pod/two', '-n', 's', '--node', 'b']],
    ['why by the rules of another version', '', ['why', 'pod/two', '-n', 's', '--rules-version', '1.33']],
    ['where', '', ['where', 'pod/two', '-n', 's']],
    ['taint', '', ['taint', 'a', 'x=y:NoExecute']],
    ['drain', '', ['drain', 'b', '--force']],
    ['taints', '', ['taints']],
    ['quota', '', ['quota', '-A']],
    ['capacity', '', ['capacity', 'pod/two', '-n', 's']],
    ['overhead', '', ['overhead']],
    ['findings', '', ['findings']],
    ['an upgrade', '', ['upgrade', '--to', '1.31']],
  ])('answers %s as without a service', async (_, __, args) => {
    const [here, far] = await Promise.all(
      [args, [...args, ...serverArgs()]].map(async (all) => {
        const { code, out, err } = await run([...all, '-o', 'json']);
        const {
          basis: ofBasis,
          against: ofOther,
          startsAt: ofStart,
          ...answer
        } = JSON.parse(out) as Record<string, unknown>;
        expect([typeof ofBasis, ofStart === undefined || typeof ofStart === 'string']).toEqual(['object', true]);
        if (ofOther !== undefined) expect(ofOther).toMatchObject({ rulesVersion: 'v1.31.14' });
        return { code, err, answer: withoutTimes(answer) };
      }),
    );
    expect(far).toEqual(here);
  });

  it('checks expectations and asks the gate as without a service', async () => {
    const manifest = await cluster.file('gate.yaml', { ...pod('t/new', '', { nodeSelector: { zone: 'none' } }) });
    const can = ['can', '-f', manifest, '-n', 't'];
    const [gateHere, gateFar] = await Promise.all([run(can), run([...can, ...serverArgs()])]);
    expect(gateHere.out).toMatch(/^NO: 1 of 1 pod finds no node\nCluster here, rules of Kubernetes v/);
    expect([gateFar.code, gateFar.err]).toEqual([1, '']);
    expect(gateFar.out).toBe(gateHere.out.replace('Cluster here,', 'Cluster same, revision 1,'));
    const file = await cluster.file('expectations.yaml', EXPECTATIONS);
    const here = await run(['check', '-f', file]);
    const far = await run(['check', '-f', file, ...serverArgs()]);
    expect(here.err).toBe('');
    expect(far.code).toBe(here.code);
    expect(far.out.split('\n').slice(1)).toEqual(here.out.split('\n').slice(1));
  });

  it('tells who set the taints of a node, and lists the trail', async () => {
    const set = { nodes: ['a'], taints: ['team=ml:NoSchedule'], reason: 'the ML team moves in' };
    expect((await service.request('POST', '/api/v1/clusters/same/taint-changes', set)).status).toBe(201);
    const who = await run(['who', 'node/a', ...serverArgs(), '-o', 'wide']);
    expect(who.code).toBe(0);
    expect(words(who.out).map((line) => [line[0], line[2], line.at(-1)])).toContainEqual([
      'team=ml:NoSchedule',
      'anonymous',
      'the ML team moves in',
    ]);
    const trail = await run(['trail', '--key', 'team', ...serverArgs()]);
    expect(words(trail.out)[1]?.slice(2)).toEqual(['a', 'anonymous', expect.stringContaining('team=ml:NoSchedule')]);
  });

  it('watches: asks again after events of the cluster, prints only another answer, and ends with 130', async () => {
    const taint = async (node: string, key: string): Promise<void> => {
      const set = { nodes: [node], taints: [`${key}=x:NoSchedule`], reason: 'a drill' };
      expect((await service.request('POST', '/api/v1/clusters/same/taint-changes', set)).status).toBe(201);
    };
    const plugin = cluster.start(['taints', '-w', '-o', 'name', ...serverArgs()], { KUBECTL_PATH: '/nowhere' });
    await plugin.says('taint/slow:PreferNoSchedule\n');
    await taint('d', 'watched');
    await plugin.says('taint/watched=x:NoSchedule\n');
    // Another node has the same taint: the same names.
    await taint('e', 'watched');
    await taint('e', 'zone-is-down');
    const said = await plugin.says('taint/zone-is-down=x:NoSchedule\n');
    expect(said.match(/^taint\/watched/gm)).toHaveLength(1);
    expect(await plugin.end('SIGINT')).toEqual({ code: 130, out: '', err: '' });
  });

  it('passes on what the service refuses, and says if it does not answer', async () => {
    const absent = ['--server', service.url, '--cluster', 'absent'];
    expect(await run(['taints', ...absent])).toMatchObject({
      code: 2,
      out: '',
      err: 'error: There is no cluster "absent".\n',
    });
    expect((await run(['taints', '--server', 'http://127.0.0.1:1', '--cluster', 'x'])).err).toMatch(
      /^error: http:\/\/127.0.0.1:1 does not answer: /,
    );
    expect((await run(['taints', '--server', service.url])).err).toMatch(/^error: --server needs --cluster/);
    expect(await run(['who', '..', ...serverArgs()])).toEqual({ code: 2, out: '', err: 'error: ".." is not a name\n' });
  });
});

/** Times depend on when the question was asked. */
function withoutTimes(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutTimes(one)]));
}

describe('the forms of output', () => {
  it.each([
    ['jsonpath={.items[*].key}', 'gpu slow'],
    ['jsonpath={range .items[?(@.key=="gpu")]}{.key}{"\\t"}{.nodes}{"\\n"}{end}', 'gpu\t3\n'],
    ["jsonpath={.items[0]['key','nodes']}", 'gpu 3'],
    [
      'custom-columns=KEY:.key,NODES:.nodes,ALL:.values[*]',
      'KEY    NODES   ALL\ngpu    3       a100,t4\nslow   2       <none>\n',
    ],
  ])('writes %s', async (form, text) => {
    expect(await run(['taints', '-o', form])).toMatchObject({ code: 0, err: '', out: text });
  });

  it('writes KYAML that reads as the same YAML', async () => {
    const [kyaml, json] = await Promise.all(['kyaml', 'json'].map((form) => run(['taints', '-o', form])));
    const { parse } = await import('yaml');
    const [fromKyaml, fromJson] = [parse(kyaml!.out), JSON.parse(json!.out)] as { items: object[] }[];
    expect(kyaml!.out).toMatch(/^---\n\{\n {2}basis: \{\n/);
    expect(fromKyaml!.items).toEqual(fromJson!.items);
  });

  it.each(['jsonpath={.items[}', 'jsonpath={range .items}', 'custom-columns=NAME'])('refuses %s', async (form) => {
    const { code, out, err } = await run(['explain', 'node.kubernetes.io/not-ready', '-o', form]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^error: (jsonpath|custom-columns): /);
  });
});

describe('completion', () => {
  it('offers commands, options and names of the cluster, as kubectl reads them', async () => {
    expect((await run(['__complete', 'wh'])).out).toMatch(/^why\t.*\nwhere\t.*\nwho\t.*\n:4\n$/);
    expect((await run(['__complete', 'why', '--no'])).out).toBe('--node\tonly this node, with every reason\n:4\n');
    expect((await run(['__complete', 'taints', '-o', 'j'])).out).toBe('json\njsonpath=\n:4\n');
    expect((await run(['__complete', 'can', '-f', ''])).out).toBe(':0\n');
  });

  it('completes in bash, and answers kubectl', async () => {
    const link = await cluster.file('bin/x', '');
    const bin = join(link, '..');
    const plugin = join(process.cwd(), 'dist', 'plugin');
    await symlink(join(plugin, 'kubectl-placement.js'), join(bin, 'kubectl-placement'));
    const env = {
      ...process.env,
      PATH: `${bin}:${plugin}:${process.env['PATH']}`,
      KUBECONFIG: cluster.kubeconfig,
      // For names, the real one asks more of an API server than is played here.
      KUBECTL_PATH: (await kubectls()).at(-1),
    };
    const { out } = await run(['completion', 'bash']);
    const typed = `${out}\nCOMP_WORDS=(kubectl-placement why --node ''); COMP_CWORD=3; _kubectl_placement; echo "\${COMPREPLY[@]}"`;
    const inBash = await promisify(execFile)('bash', ['-c', typed], { env });
    const answered = await promisify(execFile)('kubectl_complete-placement', ['drain', ''], { env });
    expect(inBash.stdout.trim().split(' ')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(answered.stdout).toBe('a\nb\nc\nd\ne\n:4\n');
  });

  describe.each([
    [
      'zsh',
      (words: string, at: number) =>
        `compdef() {}; _files() { echo FILES; }; _describe() { print -rl -- "\${(@P)2}" "\${@[3,-1]}"; }
         source =(kubectl-placement completion zsh); words=(kubectl-placement ${words}); CURRENT=${at}; _kubectl-placement`,
    ],
    [
      'fish',
      (words: string) =>
        `kubectl-placement completion fish | source; complete -C "kubectl-placement ${words.replace(/''$/, '')}"`,
    ],
  ])('in %s, where it is there', (shell, typed) => {
    let bin: string;
    beforeAll(async () => {
      bin = dirname(await cluster.file(`bin-${shell}/dump.yaml`, ''));
      await symlink(join(process.cwd(), 'dist', 'plugin', 'kubectl-placement.js'), join(bin, 'kubectl-placement'));
    });
    const typedIn = async (words: string, at: number): Promise<string | undefined> => {
      const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, HOME: bin };
      try {
        return (await promisify(execFile)(shell, ['-c', typed(words, at)], { env, cwd: bin })).stdout;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    };

    it('offers commands with what they do, beginnings of forms, and files', async () => {
      const [commands, beginnings, files] = await Promise.all([
        typedIn('wh', 2),
        typedIn('taints -o jsonp', 4),
        typedIn("can --filename ''", 4),
      ]);
      if (commands === undefined) return;
      expect(commands.split('\n').map((line) => line.split(/[:\t]/)[0])).toEqual(
        expect.arrayContaining(['where', 'who', 'why']),
      );
      expect(beginnings).toBe(shell === 'zsh' ? 'jsonpath=\n-S\n\n' : 'jsonpath=\n');
      expect(files).toContain(shell === 'zsh' ? 'FILES' : 'dump.yaml');
    });
  });

  it('has none for another shell', async () => {
    expect((await run(['completion', 'tcsh'])).code).toBe(2);
  });
});
