import { DEFAULT_RULES } from '../../src/core/kubernetes/kubernetes-rules.js';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ClusterStates } from '../../src/app/states/cluster-states.js';
import { StateImages } from '../../src/app/states/state-images.js';
import { connect } from '../../src/storage/open-database.js';
import { ObjectReader } from '../../src/storage/object-reader.js';
import { StateImageStore } from '../../src/storage/state-image-store.js';
import { residentMemory } from './bench-service.js';

/** The work for a new process: load the head revision into a state, or only read and parse its content. */
export interface HeadWork {
  readonly databaseUrl: string;
  readonly cluster: string;
  /** From its objects, or from its image, which is made first if there is none. */
  readonly work: 'load' | 'image' | 'parse';
}

export interface HeadWorkResult {
  readonly seconds: number;
  /** The peak memory of the process, in MB. */
  readonly peakMemory: number;
  /** The size of the content that was read, in MB. */
  readonly contentSize: number;
  readonly objects: number;
}

/** Does the work in a new process. The time excludes process start and connecting. */
export async function workOnHead(work: HeadWork, nodeOptions: readonly string[] = []): Promise<HeadWorkResult> {
  const child = fork(fileURLToPath(import.meta.url), ['work'], { execArgv: [...nodeOptions] });
  const ended = once(child, 'exit');
  const early = ended.then(() => Promise.reject(new Error('the process that loads the head ended early')));
  early.catch(() => undefined);
  child.send(work);
  const [result] = (await Promise.race([once(child, 'message'), early])) as [HeadWorkResult];
  // The process runs until the disconnect, so that its exit cannot arrive before its answer.
  child.disconnect();
  await ended;
  return result;
}

async function load(url: string, cluster: string, fromImage: boolean): Promise<Omit<HeadWorkResult, 'peakMemory'>> {
  const database = await connect(url, {}, () => undefined);
  const [head] = await database.query<{ id: string; revision: number; kinds: string[] }>(
    `select c.id, c.head_revision as revision, r.loaded_kinds as kinds
     from clusters c join revisions r on r.cluster_id = c.id and r.number = c.head_revision where c.name = $1`,
    [cluster],
  );
  const { id, revision, kinds } = head!;
  const key = { clusterId: Number(id), revision, loadedKinds: kinds, rules: DEFAULT_RULES };
  const images = new StateImages(new StateImageStore(database));
  const states = new ClusterStates(new ObjectReader(database), { budgetBytes: Infinity, ...(fromImage && { images }) });
  const start = performance.now();
  const state = await states.get(key);
  const seconds = (performance.now() - start) / 1000;
  await images.made();
  await database.dataSource.destroy();
  return { seconds, contentSize: 0, objects: state.nodes.count + state.pods.count };
}

async function parse(url: string, cluster: string): Promise<Omit<HeadWorkResult, 'peakMemory'>> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('begin');
  const start = performance.now();
  await client.query(
    `declare contents no scroll cursor for select content from object_versions
     where cluster_id = (select id from clusters where name = '${cluster}') and valid_to is null`,
  );
  let characters = 0;
  let objects = 0;
  for (;;) {
    const { rows } = await client.query<[string]>({ text: 'fetch 4000 from contents', rowMode: 'array' });
    if (rows.length === 0) break;
    for (const [content] of rows) {
      JSON.parse(content);
      characters += content.length;
      objects++;
    }
  }
  const seconds = (performance.now() - start) / 1000;
  await client.end();
  return { seconds, contentSize: characters / 1e6, objects };
}

if (process.send !== undefined && process.argv[2] === 'work') {
  process.once('message', (message) => {
    const { databaseUrl, cluster, work } = message as HeadWork;
    void (work === 'parse' ? parse(databaseUrl, cluster) : load(databaseUrl, cluster, work === 'image')).then(
      async (result) => {
        process.send!({ ...result, peakMemory: (await residentMemory('self')).peak } satisfies HeadWorkResult);
      },
    );
  });
}
