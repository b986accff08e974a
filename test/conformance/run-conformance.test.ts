import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runConformance } from './run-conformance.js';

describe('runConformance', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const run = async (files: Record<string, string | Buffer>, only?: string[]): Promise<Record<string, number[]>> => {
    const vectors = join(directory, 'vectors');
    await rm(vectors, { recursive: true, force: true });
    await mkdir(vectors);
    for (const [name, content] of Object.entries(files)) await writeFile(join(vectors, name), content);
    const tallies = await runConformance(directory, only === undefined ? undefined : new Set(only));
    return Object.fromEntries(tallies.map(({ name, passed, failed }) => [name, [passed, failed]]));
  };
  const vector = (tolerated: boolean): string =>
    JSON.stringify({
      input: { op: 'tolerates', tolerations: [{ operator: 'Exists' }], taint: { key: 'k', effect: 'NoExecute' } },
      want: { any: tolerated, each: [tolerated] },
    });

  it('counts agreements and disagreements in plain and compressed files', async () => {
    const lines = `${vector(true)}\n${vector(false)}\r\n\n`;
    expect(await run({ 'a.jsonl': lines, 'b.jsonl.gz': gzipSync(lines) })).toEqual({ tolerates: [2, 2] });
  });

  it('counts a corrupt or truncated compressed file as failed under its name, and continues', async () => {
    const whole = gzipSync(vector(true).repeat(100));
    const files = {
      'broken.jsonl.gz': 'not gzip',
      'cut.jsonl.gz': whole.subarray(0, whole.length - 12),
      'tolerates.jsonl': vector(true),
    };
    expect(await run(files)).toEqual({ broken: [0, 1], cut: [0, 1], tolerates: [1, 0] });
  });

  it.each([
    ['an empty file', '', { x: [0, 1] }],
    ['a line that is not JSON', `{\n${vector(true)}`, { x: [0, 1], tolerates: [1, 0] }],
    ['a line that is no vector', '{"input":{}}', { x: [0, 1] }],
    ['an op that is not known', '{"input":{"op":"fly"},"want":1}', { fly: [0, 1] }],
  ])('counts %s as failed', async (_name, content, want) => {
    expect(await run({ 'x.jsonl': content })).toEqual(want);
  });

  it('counts each recorded file once, even if several judges of its folder fail', async () => {
    const folder = join(directory, 'recorded', 'audit');
    await mkdir(folder, { recursive: true });
    const names = ['02-taint-add.json', '03-taint-add-again-refused.json'];
    const [first, second] = await Promise.all(
      names.map((name) => readFile(join('test/conformance/recorded/audit', name), 'utf8')),
    );
    const judged = async (...contents: (string | undefined)[]): Promise<number[] | undefined> => {
      for (const [index, content] of contents.entries()) await writeFile(join(folder, names[index]!), content ?? '');
      return (await run({}, ['audit']))['audit'];
    };
    expect(await judged(first, second)).toEqual([2, 0]);
    expect(await judged('[]', second)).toEqual([1, 1]);
    // Alone, the first file contradicts itself; together, the second one does not continue the first one.
    const lost = first?.replaceAll('"auditID":', '"lostID":');
    expect(await judged(lost, second)).toEqual([1, 1]);
    await rm(join(directory, 'recorded'), { recursive: true });
  });

  it('judges what other versions answered by their rules, and what was equal by those of the version that it is equal in', async () => {
    const name = 'taint-equal-wrong-value.json';
    const recorded = await readFile(join('test/conformance/recorded/scheduling', name), 'utf8');
    await mkdir(join(directory, 'recorded', 'scheduling'), { recursive: true });
    await writeFile(join(directory, 'recorded', 'scheduling', name), recorded);
    const older = recorded
      .replace('"k8sVersion": "v1.36.2"', '"k8sVersion": "v1.33.13"')
      .replaceAll('untolerated taint(s)', 'untolerated taint {dedicated: gpu}')
      .replaceAll('no new claims to deallocate, ', '');
    for (const version of ['1.33', '1.35']) {
      await mkdir(join(directory, 'versions', version, 'scheduling'), { recursive: true });
      await writeFile(join(directory, 'versions', version, 'equal.txt'), `scheduling/${name}\n`);
    }
    await writeFile(join(directory, 'versions', '1.33', 'scheduling', name), older);
    expect(await run({}, ['versions'])).toEqual({ versions: [2, 1] });
    await rm(join(directory, 'versions'), { recursive: true });
    await rm(join(directory, 'recorded'), { recursive: true });
  });

  it('counts the files of an unknown recorded folder as failed', async () => {
    const folder = join(directory, 'recorded', 'weather');
    await mkdir(folder, { recursive: true });
    for (const name of ['a.json', 'b.json']) await writeFile(join(folder, name), '{}');
    expect(await run({}, ['weather'])).toEqual({ weather: [0, 2] });
    await rm(join(directory, 'recorded'), { recursive: true });
  });

  it('counts a requested op that was not found as failed', async () => {
    expect(await run({ 'a.jsonl': vector(true) }, ['qos'])).toEqual({ qos: [0, 1] });
  });
});
