import { afterAll, beforeAll, expect, it, describe } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { bytesOf, chunksOf, headerOf, type Exchange, type Transcript } from '../conformance/folders/wire-transcript.js';
import { kubectls, PlayedCluster } from './played-cluster.js';

async function recorded(name: string): Promise<Transcript> {
  const bytes = await readFile(`test/conformance/recorded/wire/${name}.json.gz`);
  return JSON.parse(gunzipSync(bytes).toString('utf8')) as Transcript;
}

interface List {
  readonly kind: string;
  readonly items: readonly { readonly metadata: { readonly namespace?: string; readonly name: string } }[];
}

interface Truth {
  readonly items: readonly { readonly namespace?: string; readonly name: string }[];
}

const named = ({ truth }: Transcript): readonly string[] =>
  (truth as unknown as Truth).items.map(({ namespace = '', name }) => `${namespace}/${name}`).sort();

/** The exchange of the same page: its path, and where it continues. */
function pageOf(exchanges: readonly Exchange[], url: string): Exchange | undefined {
  const key = (path: string): string => {
    const { pathname, searchParams } = new URL(path, 'https://x');
    return `${pathname} ${searchParams.get('continue') ?? ''}`;
  };
  return exchanges.find(({ request }) => key(request.path) === key(url));
}

let cluster: PlayedCluster;
let nodes: Transcript;
let pods: Transcript;
let refused: Exchange;
beforeAll(async () => {
  let reads: Transcript;
  [nodes, pods, reads, cluster] = await Promise.all([
    recorded('list-pages-nodes'),
    recorded('list-pages-pods'),
    recorded('refused-reads'),
    PlayedCluster.start([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }]),
  ]);
  refused = reads.exchanges.find(({ request }) => request.path.startsWith('/apis/coordination.k8s.io/v1/leases'))!;
  cluster.apiServer.answers = (url, response) => {
    const exchange = url.includes('/leases') ? refused : pageOf([...nodes.exchanges, ...pods.exchanges], url);
    if (exchange === undefined) return false;
    response.writeHead(exchange.response.status, { 'content-type': headerOf(exchange, 'content-type') });
    for (const chunk of chunksOf(exchange)) response.write(bytesOf(chunk));
    response.end();
    return true;
  };
}, 120_000);
afterAll(() => cluster.close());

describe.each(await kubectls())('kubectl placement with the bytes of a real API server, through %s', (kubectl) => {
  const env = { KUBECTL_PATH: kubectl };

  it('reads every object of the lists, page by page', async () => {
    const file = await cluster.file('snapshot.json', '');
    expect((await cluster.run(['snapshot', file], { env })).code).toBe(2);
    const lists = (await readFile(file, 'utf8'))
      .split(/\n(?=\{"kind":"\w+List")/)
      .map((text) => JSON.parse(text) as List);
    const namesIn = (kind: string): readonly string[] =>
      lists
        .find((list) => list.kind === kind)!
        .items.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`)
        .sort();
    expect([namesIn('NodeList'), namesIn('PodList')]).toEqual([named(nodes), named(pods)]);
  });

  it('answers about them, and names the read that was refused in the words of the API server', async () => {
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const { out, err } = await cluster.run(['why', '-f', '-', '-o', 'jsonpath={.summary.nodes}'], {
      env,
      input: JSON.stringify(manifest),
    });
    expect(out).toBe(String(named(nodes).length));
    expect(err).toMatch(
      /^Not known, because it cannot be read:\nLease: 403: leases.coordination.k8s.io is forbidden: User "[^"]+" cannot list /,
    );
  });
});
