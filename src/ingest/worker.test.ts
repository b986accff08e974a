import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { buildSources } from '../../test/support/build-sources.js';

const run = promisify(execFile);

/** The output of a program that imports the built `readSnapshot` with its worker. */
async function printed(program: string): Promise<unknown> {
  const folder = await buildSources('ingest-worker-test', ['src/core', 'src/ingest']);
  const whole = `
    const moduleUrl = ${JSON.stringify(`file://${folder}/src/ingest/read-snapshot.js`)};
    const { readNextSnapshot, readSnapshot } = await import(moduleUrl);
    const encode = (text) => new TextEncoder().encode(text);
    const pod = (name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [] } });
    const read = async (source, options = {}) => {
      const reading = readSnapshot(source, { invalid: 'refuse', ...options });
      const rows = [];
      try {
        for await (const batch of reading.rows) rows.push(...batch);
        const report = await reading.report;
        return { names: rows.map((row) => row.name), hashes: rows.map((row) => row.hash.length), kept: report.kept };
      } catch (error) {
        const ofReport = await reading.report.catch((other) => other);
        return { code: error.code, same: ofReport.code === error.code, message: error.message };
      }
    };
    ${program}`;
  try {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', whole], { timeout: 50_000 });
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('reading in another thread', () => {
  it('yields the rows, the report and typed errors, and continues after each', async () => {
    const results = await printed(`
      async function* good(count) {
        yield encode('[');
        for (let at = 0; at < count; at++) yield encode((at ? ',' : '') + JSON.stringify(pod('p' + at)));
        yield encode(']');
      }
      async function* bad() { yield encode('{"items":[{"a":1}'); yield encode('x]}'); }
      const [a, b, c, many] = await Promise.all([read(good(2)), read(bad()), read(good(3)), read(good(5000))]);
      console.log(JSON.stringify([a, b, c, many.names.length, many.names.at(-1), await read(good(1))]));`);
    expect(results).toEqual([
      { names: ['p0', 'p1'], hashes: [16, 16], kept: [{ kind: 'Pod', count: 2 }] },
      { code: 'malformed-json', same: true, message: 'unexpected character "x"' },
      { names: ['p0', 'p1', 'p2'], hashes: [16, 16, 16], kept: [{ kind: 'Pod', count: 3 }] },
      5000,
      'p4999',
      { names: ['p0'], hashes: [16], kept: [{ kind: 'Pod', count: 1 }] },
    ]);
  });

  (process.platform === 'linux' ? it : it.skip)('lets all other threads go first', async () => {
    const results = await printed(`
      const { readdirSync, readFileSync } = await import('node:fs');
      const { getPriority } = await import('node:os');
      async function* one() { yield encode(JSON.stringify(pod('p'))); }
      await read(one());
      const niceOf = (thread) => {
        const stat = readFileSync('/proc/self/task/' + thread + '/stat', 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
      };
      const threads = readdirSync('/proc/self/task');
      const others = threads.filter((thread) => niceOf(thread) === getPriority());
      console.log(JSON.stringify([
        threads.length - others.length,
        threads.map((thread) => niceOf(thread) - getPriority()).filter((steps) => steps !== 0),
        niceOf(process.pid) - getPriority(process.pid),
      ]));`);
    expect(results).toEqual([1, [10], 0]);
  });

  it('does not repeat the rows that the base has', async () => {
    const results = await printed(`
      async function* body() {
        for (const name of ['a', 'b', 'c']) {
          yield encode(JSON.stringify({ ...pod(name), metadata: { name, namespace: 'default' } }));
        }
      }
      const whole = [];
      for await (const batch of readSnapshot(body(), { invalid: 'refuse' }).rows) whole.push(...batch);
      const next = async (...stored) => {
        const hashes = Buffer.concat(stored.map((row) => row.hash));
        const rows = [];
        const reading = readNextSnapshot(body(), { invalid: 'refuse' }, { hashes, series: 's' });
        for await (const batch of reading.rows) rows.push(...batch);
        return rows.map((row) => row.unchanged ?? row.name);
      };
      const [a, b, c] = whole;
      console.log(JSON.stringify([await next(), await next(c, a), await next(c, b, a)]));`);
    expect(results).toEqual([
      ['a', 'b', 'c'],
      [1, 'b', 0],
      [2, 1, 0],
    ]);
  });

  it('has the same rows as this thread, of a body of many blocks, compressed or not', async () => {
    const results = await printed(`
      const { gzipSync } = await import('node:zlib');
      const { createHash } = await import('node:crypto');
      const { ingestNext } = await import(new URL('./ingest-stream.js', moduleUrl));
      const { ItemMemos } = await import(new URL('./item-memo.js', moduleUrl));
      const image = 'registry.example.com/' + 'i'.repeat(500);
      const body = Buffer.concat(Array.from({ length: 6000 }, (_, at) => encode(JSON.stringify({
        ...pod('p' + at),
        metadata: { name: 'p' + at, namespace: 'ns' + at % 7, ...(at % 3 && { uid: 'u' + at, resourceVersion: String(at) }) },
        spec: { containers: [{ name: 'c', image: image + at }] },
      }) + (at % 2 ? '\\n' : ''))));
      const chunks = async function* (bytes) {
        for (let from = 0; from < bytes.length; from += 70_001) yield bytes.subarray(from, from + 70_001);
      };
      const base = { hashes: new Uint8Array(0), series: 's' };
      const digest = async (batches) => {
        const digest = createHash('sha256');
        let count = 0;
        for await (const batch of batches) {
          for (const { hash, utf8, ...rest } of batch) digest.update(JSON.stringify(rest)).update(hash).update(utf8), count++;
        }
        return count + ' ' + digest.digest('hex');
      };
      const there = (bytes) => digest(readNextSnapshot(chunks(bytes), { invalid: 'refuse' }, base).rows);
      const here = await digest(ingestNext(chunks(body), { invalid: 'refuse' }, 1, base, new ItemMemos()));
      const all = await Promise.all([body, gzipSync(body), gzipSync(gzipSync(body)), body].map(there));
      console.log(JSON.stringify([here.split(' ')[0], all.map((one) => one === here)]));`);
    expect(results).toEqual(['6000', [true, true, true, true]]);
  });

  it('stops reading the source when the consumer leaves, aborts, or takes no rows', async () => {
    const results = await printed(`
      let sent = 0;
      let closed = 0;
      async function* endless() {
        try {
          yield encode('[' + JSON.stringify(pod('first')));
          for (;;) { sent++; yield encode((',' + JSON.stringify(pod('p' + sent))).repeat(1000)); }
        } finally { closed++; }
      }
      for await (const batch of readSnapshot(endless(), { invalid: 'refuse' }).rows) break;
      const controller = new AbortController();
      const aborted = read(endless(), { signal: controller.signal });
      setTimeout(() => controller.abort(), 100);
      const { code } = await aborted;
      const lazy = readSnapshot(endless(), { invalid: 'refuse' }).rows[Symbol.asyncIterator]();
      await lazy.next();
      await new Promise((resolve) => setTimeout(resolve, 300));
      const before = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
      console.log(JSON.stringify({ code, standing: sent === before }));
      process.exit(0);`);
    expect(results).toEqual({ code: 'cancelled', standing: true });
  });

  it('fails only the streams of a thread that runs out of memory, and starts another', async () => {
    const results = await printed(`
      const { WorkerPool } = await import(new URL('./worker-pool.js', moduleUrl));
      const pool = new WorkerPool(new URL('./ingest.worker.js', moduleUrl), 48);
      const readWith = (body) => new Promise((resolve) => {
        const stream = pool.open({ receive: (message) => { if (message.type !== 'more') settle(message.type); }, fail: (error) => settle(error.code) }, 'a');
        const settle = (outcome) => { stream.release(); resolve(outcome); };
        const { id } = stream;
        const options = { invalid: 'refuse', limits: { maxYamlItemBytes: 2 ** 23 } };
        stream.send({ type: 'start', stream: id, task: { kind: 'snapshot', options, seed: 1 } });
        stream.send({ type: 'chunk', stream: id, bytes: encode(body) });
        stream.send({ type: 'end', stream: id });
      });
      const huge = 'a: [' + '[],'.repeat(1_000_000) + '1]';
      console.log(JSON.stringify([await readWith(huge), await readWith(JSON.stringify(pod('a')))]));`);
    expect(results).toEqual(['out-of-memory', 'rows']);
  });

  it('leaves room for other senders, however many streams one has open', async () => {
    const results = await printed(`
      const controller = new AbortController();
      async function* dripping() {
        yield encode('[');
        await new Promise((resolve) => controller.signal.addEventListener('abort', resolve));
      }
      async function* small() { yield encode(JSON.stringify(pod('a'))); }
      const open = Array.from({ length: 16 }, () => read(dripping(), { sender: 'a', signal: controller.signal }));
      const more = await read(small(), { sender: 'a' });
      const other = await read(small(), { sender: 'b' });
      controller.abort();
      await Promise.all(open);
      console.log(JSON.stringify([more.code, other.names, (await read(small(), { sender: 'a' })).names]));`);
    expect(results).toEqual(['busy', ['a'], ['a']]);
  });
});
