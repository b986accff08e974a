import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { build } from 'esbuild';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTestService, type TestService } from '../support/service.js';

const run = promisify(execFile);

/** A program that uses the types of openapi-typescript, and `openapi-fetch`. */
const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const [url = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url });
const path = { cluster: 'generated' };
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable: { cpu: '4', pods: '110' } } });

function dataOf<Data>({ data, error, response }: { data?: Data; error?: { detail: string }; response: Response }): Data {
  if (data === undefined) throw new Error(\`\${response.status} \${error?.detail ?? ''}\`);
  return data;
}

const taken = dataOf(
  await client.POST('/api/v1/clusters/{cluster}/snapshots', {
    params: { path, query: { createCluster: true } },
    body: { apiVersion: 'v1', kind: 'List', items: [node('node-1'), node('node-2'), node('node-3')] },
  }),
);

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'asked' }, spec: { containers: [{ name: 'c' }] } };
const ask = async (): Promise<number> =>
  dataOf(await client.POST('/api/v1/clusters/{cluster}/placements', { params: { path }, body: { pod } })).summary.feasible;
const before = await ask();

const names: string[] = [];
let next: string | undefined;
let pages = 0;
do {
  const query = { limit: 2, ...(next === undefined ? {} : { continue: next }) };
  const page = dataOf(await client.GET('/api/v1/clusters/{cluster}/nodes', { params: { path, query } }));
  names.push(...page.items.map(({ name }) => name));
  next = page.continue ?? undefined;
  pages++;
} while (next !== undefined);

const scenario = JSON.stringify({ addTaints: [] });
const refused = await client.GET('/api/v1/clusters/{cluster}/nodes', { params: { path, query: { scenario } } });

const following = new AbortController();
const stream = dataOf(
  await client.GET('/api/v1/clusters/{cluster}/events', {
    params: { path, query: { types: ['taintChangeRecorded'] } },
    parseAs: 'stream',
    signal: following.signal,
  }),
);

const change = { nodes: ['node-1'], taints: ['dedicated=team:NoSchedule'], reason: 'for a team' };
const changes = '/api/v1/clusters/{cluster}/taint-changes';
const planned = dataOf(await client.POST(changes, { params: { path }, body: { ...change, dryRun: true } }));
const untouched = await ask();
const made = dataOf(await client.POST(changes, { params: { path }, body: change }));
const id = made.change?.id ?? '';
const tainted = await ask();
const reverted = dataOf(
  await client.POST('/api/v1/clusters/{cluster}/taint-changes/{id}/revert', { params: { path: { ...path, id } }, body: { reason: 'the team is gone' } }),
);
const after = await ask();

const actions: unknown[] = [];
let text = '';
for await (const chunk of stream!.pipeThrough(new TextDecoderStream())) {
  text += chunk;
  actions.splice(0, actions.length, ...[...text.matchAll(/^data: (.*)\\n/gm)].map(([, data = '']) => JSON.parse(data).taintChangeRecorded.action));
  if (actions.length === 2) break;
}
following.abort();

console.log(
  JSON.stringify({
    revision: taken.revision,
    feasible: { before, untouched, tainted, after },
    names,
    pages,
    refusal: refused.error?.code,
    outcomes: [planned, made, reverted].map(({ nodes }) => nodes.map(({ outcome }) => outcome)),
    dryRun: planned.dryRun,
    actions,
  }),
);
`;

/** What the programs below do with the functions of a generator: upload, ask, page, be refused. */
const RESULT = { revision: 1, feasible: 2, names: ['node-1', 'node-2'], pages: 2, refusal: 'invalid-request' };

const OBJECTS = `
const [url = ''] = process.argv.slice(2);
const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable: { cpu: '4', pods: '110' } } });
const dump = { apiVersion: 'v1', kind: 'List', items: [node('node-1'), node('node-2')] };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'asked' }, spec: { containers: [{ name: 'c' }] } };
const names: string[] = [];
let pages = 0;
let next: string | undefined;
`;

const HEY_API = `
import { changeTaints, followCluster, listNodes, placePod, takeSnapshot } from './hey';
import { client } from './hey/client.gen';
${OBJECTS}
client.setConfig({ baseUrl: url, throwOnError: true });
const options = { path: { cluster: 'hey' }, throwOnError: true } as const;
const { data: taken } = await takeSnapshot({ ...options, query: { createCluster: true }, body: dump });
const { data: placed } = await placePod({ ...options, body: { pod } });
do {
  const query = { limit: 1, ...(next === undefined ? {} : { continue: next }) };
  const { data: page } = await listNodes({ ...options, query });
  names.push(...page.items.map(({ name }) => name));
  next = page.continue ?? undefined;
  pages++;
} while (next !== undefined);
const { error } = await listNodes({ ...options, throwOnError: false, query: { scenario: '{"addTaints":[]}' } });

await changeTaints({ ...options, body: { nodes: ['node-1'], taints: ['a=b:NoSchedule'], reason: 'a test' } });
const { stream } = await followCluster({ ...options, query: { after: '1', types: ['taintChangeRecorded'], follow: false } });
for await (const event of stream) if (typeof event !== 'object') throw new Error(String(event));
console.log(JSON.stringify({ revision: taken.revision, feasible: placed.summary.feasible, names, pages, refusal: error?.code }));
`;

const ORVAL = `
import { listNodes, placePod, takeSnapshot } from './orval';
${OBJECTS}
// The functions have paths; their transport is that of the program.
const { fetch } = globalThis;
globalThis.fetch = (path, init) => fetch(url + String(path), init);
const taken = await takeSnapshot('orval', dump, { createCluster: true });
if (taken.status !== 201) throw new Error(taken.data.detail);
const placed = await placePod('orval', { pod });
if (placed.status !== 200) throw new Error(placed.data.detail);
do {
  const page = await listNodes('orval', { limit: 1, ...(next === undefined ? {} : { continue: next }) });
  if (page.status !== 200) throw new Error(String(page.status));
  names.push(...page.data.items.map(({ name }) => name));
  next = page.data.continue ?? undefined;
  pages++;
} while (next !== undefined);
const { data: refused } = await listNodes('orval', { scenario: '{"addTaints":[]}' });
const refusal = refused !== undefined && 'code' in refused ? refused.code : undefined;
console.log(JSON.stringify({ revision: taken.data.revision, feasible: placed.data.summary.feasible, names, pages, refusal }));
`;

let service: TestService;
let folder = '';
beforeAll(async () => {
  service = await startTestService();
  // Where packages are found.
  await mkdir('node_modules/.cache', { recursive: true });
  folder = await mkdtemp(join(process.cwd(), 'node_modules/.cache/generated-client-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe('clients that are generated from openapi.yaml', () => {
  const PROGRAMS = { 'openapi-fetch': OPENAPI_FETCH, 'hey-api': HEY_API, orval: ORVAL };

  const generate = (generator: string, ...options: readonly string[]) =>
    run(process.execPath, [`node_modules/${generator}`, ...options]);

  beforeAll(async () => {
    const at = (name: string): string => join(folder, name);
    await Promise.all([
      writeFile(at('package.json'), '{"type":"module"}'),
      generate('openapi-typescript/bin/cli.js', 'openapi.yaml', '--output', at('schema.d.ts')),
      generate('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.yaml', '-o', at('hey'), '-c', '@hey-api/client-fetch'),
      generate('orval/dist/bin/orval.js', '--input', 'openapi.yaml', '--output', at('orval.ts'), '--client', 'fetch'),
      ...Object.entries(PROGRAMS).map(([name, text]) => writeFile(at(`use-${name}.ts`), text)),
    ]);
  }, 240_000);

  it('compile strictly', async () => {
    const compiled = await run(process.execPath, [
      ...['node_modules/typescript/bin/tsc', '--ignoreConfig', '--strict', '--noEmit', '--types', 'node'],
      ...['--target', 'es2023', '--module', 'esnext', '--moduleResolution', 'bundler'],
      ...Object.keys(PROGRAMS).map((name) => join(folder, `use-${name}.ts`)),
    ]).catch((error: unknown) => error as { readonly stdout: string });
    expect(compiled.stdout).toBe('');
  }, 240_000);

  async function outcomeOf(program: string): Promise<unknown> {
    const outfile = join(folder, `use-${program}.js`);
    const entryPoints = [join(folder, `use-${program}.ts`)];
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
    return JSON.parse((await run(process.execPath, [outfile, service.url])).stdout);
  }

  it('upload, ask, page, preview, change, revert and follow: openapi-fetch', async () => {
    expect(await outcomeOf('openapi-fetch')).toEqual({
      revision: 1,
      feasible: { before: 3, untouched: 3, tainted: 2, after: 3 },
      names: ['node-1', 'node-2', 'node-3'],
      pages: 2,
      refusal: 'invalid-request',
      outcomes: [['changed'], ['changed'], ['changed']],
      dryRun: true,
      actions: ['change', 'revert'],
    });
  });

  it.each(['hey-api', 'orval'])('upload, ask, page and are refused: %s', async (program) => {
    expect(await outcomeOf(program)).toEqual(RESULT);
  });
});

const GO = `package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	openapi "example.com/generated/client"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func node(name string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name},
		"status": map[string]any{"allocatable": map[string]any{"cpu": "4", "pods": "110"}}}
}

func main() {
	ctx := context.Background()
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Args[1]}}
	client := openapi.NewAPIClient(configuration)
	dump := map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{node("node-1"), node("node-2")}}
	taken, _, err := client.SnapshotsAPI.TakeSnapshot(ctx, "go").CreateCluster(true).RequestBody(dump).Execute()
	check(err)
	question := openapi.NewPlacementRequest()
	question.SetPod(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "asked"},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "c"}}}})
	body := openapi.PlacementRequestOrManifest{PlacementRequest: question}
	placed, _, err := client.PlacementsAPI.PlacePod(ctx, "go").PlacementRequestOrManifest(body).Execute()
	check(err)
	names, pages, next := []string{}, 0, ""
	for {
		request := client.NodesAPI.ListNodes(ctx, "go").Limit(1)
		if next != "" {
			request = request.Continue_(next)
		}
		page, _, err := request.Execute()
		check(err)
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		pages++
		if next = page.GetContinue(); next == "" {
			break
		}
	}
	_, _, err = client.NodesAPI.ListNodes(ctx, "go").Scenario("{\\"addTaints\\":[]}").Execute()
	var refused *openapi.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic("the question is not refused")
	}
	// Its clients read no problem documents, but keep the body.
	problem := map[string]any{}
	check(json.Unmarshal(refused.Body(), &problem))
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"revision": taken.Revision, "feasible": placed.Summary.Feasible,
		"names": names, "pages": pages, "refusal": problem["code"]}))
}
`;

const PYTHON = `
import json, sys
import openapi_client as client

def node(name):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": "4", "pods": "110"}}}

with client.ApiClient(client.Configuration(host=sys.argv[1])) as connection:
    dump = {"apiVersion": "v1", "kind": "List", "items": [node("node-1"), node("node-2")]}
    client.ClustersApi(connection).put_cluster("python")
    taken = client.SnapshotsApi(connection).take_snapshot("python", dump)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked"}, "spec": {"containers": [{"name": "c"}]}}
    question = client.PlacementRequestOrManifest(client.PlacementRequest(pod=pod))
    placed = client.PlacementsApi(connection).place_pod("python", question)
    names, pages, following = [], 0, None
    nodes = client.NodesApi(connection)
    while True:
        page = nodes.list_nodes("python", limit=1, **({} if following is None else {"var_continue": following}))
        names += [item.name for item in page.items]
        pages += 1
        following = page.var_continue
        if following is None:
            break
    try:
        nodes.list_nodes("python", scenario='{"addTaints":[]}')
        raise SystemExit("the question is not refused")
    except client.ApiException as error:
        refusal = json.loads(error.body)["code"]
    print(json.dumps({"revision": taken.revision, "feasible": placed.summary.feasible, "names": names, "pages": pages, "refusal": refusal}))
`;

/** The jar of OpenAPI Generator; its clients need Go, and Python with what the generated requirements.txt lists. */
const JAR = process.env['OPENAPI_GENERATOR_JAR'];
const describeWithJar = JAR === undefined ? describe.skip : describe;

describeWithJar('clients of OpenAPI Generator, from the document as OpenAPI 3.0', () => {
  async function generated(language: string): Promise<string> {
    const document = join(folder, 'openapi-3.0.yaml');
    await writeFile(document, (await service.request('GET', '/openapi-3.0.yaml')).text);
    const output = join(folder, language);
    await run('java', [
      ...['-jar', JAR!, 'generate', '-i', document, '-g', language, '-o', output],
      ...['--git-host', 'example.com', '--git-user-id', 'generated', '--git-repo-id', 'client'],
      ...['--additional-properties', 'enumClassPrefix=true'],
    ]);
    return output;
  }

  it('compile, upload, ask, page and are refused: Go', async () => {
    const cwd = await generated('go');
    await mkdir(join(cwd, 'use'));
    await writeFile(join(cwd, 'use/main.go'), GO);
    const { stdout } = await run('go', ['run', './use', service.url], { cwd });
    expect(JSON.parse(stdout)).toEqual(RESULT);
  }, 600_000);

  it('load, upload, ask, page and are refused: Python', async () => {
    const cwd = await generated('python');
    await writeFile(join(cwd, 'use.py'), PYTHON);
    const { stdout } = await run('python3', ['use.py', service.url], { cwd });
    expect(JSON.parse(stdout)).toEqual(RESULT);
  }, 600_000);
});
