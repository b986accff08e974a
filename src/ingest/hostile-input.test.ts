import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { read, refusal } from '../../test/support/snapshot-reading.js';
import { readSnapshot } from './read-snapshot.js';

const POD = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{}}';
const inList = (...items: string[]): string => `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`;
const annotated = (json: string): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bad","annotations":{"a/b":${json}}}}`;
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const ALIAS_BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  ...'bcdefghij'
    .split('')
    .map((key, index) => `${key}: &${key} [${Array(10).fill(`*${'abcdefghij'[index]!}`).join(', ')}]`),
  '',
].join('\n');

describe('input that is rejected', () => {
  it.each<[string, string | Uint8Array, string, object]>([
    ['nothing at all', '', 'empty', {}],
    ['white space alone', ' \n\t ', 'empty', {}],
    ['comments and separators alone', '# a\n---\n# b\n---\n', 'empty', {}],
    ['a body that stops in a list', inList(POD).slice(0, -2), 'truncated', { offset: inList(POD).length - 2 }],
    ['a body that stops in a string', POD.slice(0, 20), 'truncated', {}],
    ['a body that stops between items', '{"items":[', 'truncated', {}],
    ['garbage after a value', `${POD}\n  x`, 'malformed-json', { line: 2, column: 3 }],
    ['a bracket too many', `${inList(POD)}}`, 'malformed-json', { line: 1 }],
    ['a comma too many', inList(POD, ''), 'malformed-json', {}],
    ['a comma too few', inList(`${POD}\n${POD}`), 'malformed-json', { line: 2, column: 1 }],
    ['brackets that do not match', inList('{"a":[}}'), 'malformed-json', { item: 0 }],
    [
      'bad syntax in an item',
      inList(POD, '\n{"a": 1,\n "b": tru }'),
      'malformed-json',
      { item: 1, line: 3, column: 7 },
    ],
    ['bad syntax around the items', '{"kind": nope, "items":[]}', 'malformed-json', { line: 1, column: 10 }],
    ['a key given twice around the items', '{"kind":"PodList","kind":"NodeList","items":[]}', 'malformed-json', {}],
    ['items given twice', '{"kind":"PodList","items":[],"items":[]}', 'malformed-json', {}],
    ['a number', '5', 'not-an-object', {}],
    ['a list of numbers', '{"items":[1]}', 'not-an-object', { offset: 10 }],
    ['a list of nothing', '{"items":[null]}', 'not-an-object', {}],
    ['an array of arrays', '[[]]', 'not-an-object', { offset: 1 }],
    ['JSON nested 100,000 deep', '{"a":'.repeat(100_000), 'too-deep', {}],
    ['an item nested 100,000 deep', inList(`{"a":${'['.repeat(100_000)}`), 'too-deep', {}],
    ['YAML nested 100,000 deep in brackets', `a: ${'['.repeat(100_000)}`, 'too-deep', {}],
    ['YAML nested 100,000 deep in dashes', `${'- '.repeat(100_000)}a`, 'too-deep', {}],
    [
      'YAML nested 300 deep by indentation',
      Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      'too-deep',
      {},
    ],
    ['a YAML alias bomb', ALIAS_BOMB, 'too-many-aliases', { line: 5 }],
    ['an alias inside its own anchor', 'a: &a [*a]\n', 'malformed-yaml', { line: 1 }],
    ['bad YAML in the second document', 'kind: A\n---\nb: [\nc\n', 'malformed-yaml', {}],
    ['bad YAML in an item', 'kind: List\nitems:\n- kind: A\n- b: "x\n', 'malformed-yaml', { item: 1, line: 5 }],
    ['bad YAML behind the items', 'items:\n- kind: A\n  apiVersion: v1\nkind: "List\n', 'malformed-yaml', { line: 5 }],
    ['content on the line of a separator', 'a: 1\n--- b\n', 'malformed-yaml', { line: 2 }],
    ['a number that JSON does not have', 'a: .nan\n', 'malformed-yaml', { line: 1, column: 4 }],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${POD}`, 'utf16le'), 'unsupported-encoding', { offset: 0 }],
    ['UTF-16 without a mark', Buffer.from(POD, 'utf16le'), 'unsupported-encoding', { offset: 0 }],
    ['a byte that begins no character', bytes(0x7b, 0x22, 0xff, 0x22), 'unsupported-encoding', { offset: 2 }],
    ['a character that breaks off', bytes(0x7b, 0x22, 0xe2, 0x82, 0x22), 'unsupported-encoding', { offset: 2 }],
    ['a character that the end breaks off', bytes(0x7b, 0x22, 0xe2, 0x82), 'unsupported-encoding', { offset: 2 }],
    ['an overlong character', bytes(0x7b, 0xc0, 0x80), 'unsupported-encoding', { offset: 1 }],
    ['a surrogate in UTF-8', bytes(0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22), 'unsupported-encoding', { offset: 2 }],
    ['gzip that stops', gzipSync(inList(POD)).subarray(0, 30), 'truncated', {}],
    ['gzip that is damaged', Buffer.concat([gzipSync(POD).subarray(0, 20), Buffer.alloc(40, 7)]), 'malformed-gzip', {}],
  ])('refuses %s', async (_name, body, code, place) => {
    for (const chunk of [65_536, 3]) {
      if (body.length > 50_000 && chunk === 3) continue;
      const error = await refusal(body, { chunk });
      expect({ ...error.toData(), chunk }).toMatchObject({ code, ...place, chunk });
    }
  });

  it('rejects a body that is declared as gzip but is not gzip', async () => {
    expect(await refusal(POD, { contentEncoding: 'gzip' })).toMatchObject({ code: 'malformed-gzip' });
  });

  it.each(['image/png', 'multipart/form-data; boundary=x', 'text/html'])(
    'refuses the content type %s',
    async (contentType) => {
      expect(await refusal(POD, { contentType })).toMatchObject({ code: 'unsupported-media-type' });
    },
  );

  it.each(['br', 'deflate', 'gzip, gzip'])('refuses the content encoding %s', async (contentEncoding) => {
    expect(await refusal(POD, { contentEncoding })).toMatchObject({ code: 'unsupported-content-encoding' });
  });

  it.each<[string, string | Uint8Array, object, string]>([
    ['an item', inList(annotated(`"${'x'.repeat(2000)}"`)), { maxItemBytes: 1000 }, 'item-too-large'],
    ['a single object', annotated(`"${'x'.repeat(2000)}"`), { maxItemBytes: 1000 }, 'item-too-large'],
    ['a YAML document', `a: ${'x'.repeat(2000)}\n`, { maxItemBytes: 1000 }, 'item-too-large'],
    ['a YAML item', `items:\n- a: b\n- c:\n${'  - d\n'.repeat(500)}`, { maxItemBytes: 1000 }, 'item-too-large'],
    ['a body', inList(POD), { maxBodyBytes: 50 }, 'body-too-large'],
    ['an unpacked body', gzipSync(inList(POD, POD, POD, POD)), { maxDecodedBytes: 200 }, 'body-too-large'],
    ['the number of items', inList(POD, POD, POD), { maxItems: 2 }, 'too-many-items'],
    [
      'the items that wait for a kind',
      `{"items":[${'{"a":"x"},'.repeat(100)}{}]}`,
      { maxItemBytes: 200 },
      'item-too-large',
    ],
  ])('refuses %s beyond its limit', async (_name, body, limits, code) => {
    expect(await refusal(body, { limits })).toMatchObject({ code });
    expect(await refusal(body, { limits, chunk: 5 })).toMatchObject({ code });
  });

  it.each(['', '{"items":[', '# '])('aborts early on 2 GB of white space after %j', async (start) => {
    let sent = 0;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      yield await Promise.resolve(new TextEncoder().encode(start));
      const blank = new Uint8Array(65_536).fill(0x20);
      for (; sent < 2 ** 31; sent += blank.length) yield blank;
    }
    const reading = readSnapshot(body(), { invalid: 'refuse' });
    await expect(reading.rows[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'too-much-whitespace' });
    expect(sent).toBeLessThan(4 * 1024 * 1024);
  });

  it('aborts early on a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(`{"items":[{"a":"`), Buffer.alloc(64 * 1024 * 1024, 0x78)]));
    const limits = { maxItemBytes: 1024 * 1024 * 1024 };
    expect(await refusal(bomb, { limits })).toMatchObject({ code: 'compression-ratio' });
  });
});

describe('objects that cannot be stored', () => {
  it.each([
    ['a NUL character', annotated(String.raw`"x\u0000"`)],
    ['a lone surrogate', annotated(String.raw`"\ud800"`)],
    ['a lone second half of a pair', annotated(String.raw`"\udc00\ud800"`)],
    ['a NUL character in YAML', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: bad\n  annotations:\n    a/b: "\\0"\n'],
  ])('refuses %s by item and pointer', async (_name, bad) => {
    const error = await refusal(`${POD}\n---\n${bad}`);
    expect(error).toMatchObject({ code: 'invalid-objects', item: 1, invalidCount: 1 });
    expect(error.invalid[0]).toMatchObject({
      item: 1,
      kind: 'Pod',
      name: 'bad',
      pointer: '/metadata/annotations/a~1b',
    });
  });

  it('accepts complete surrogate pairs', async () => {
    expect((await read(annotated(String.raw`"\ud83d\ude00"`))).rows).toHaveLength(1);
  });

  it('names every invalid field of every object and yields no rows after the first error', async () => {
    const bad = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"},"spec":{"nodeName":1,"priority":"x"}}';
    const error = await refusal(inList(POD, bad, POD, bad));
    expect(error).toMatchObject({ code: 'invalid-objects', invalidCount: 4 });
    expect(error.invalid.map(({ item, pointer }) => `${item} ${pointer}`)).toEqual([
      '1 /spec/nodeName',
      '1 /spec/priority',
      '3 /spec/nodeName',
      '3 /spec/priority',
    ]);
  });

  it('counts all errors and names as many as the limit allows', async () => {
    const bad = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"},"spec":{"nodeName":1}}';
    const error = await refusal(inList(...Array<string>(50).fill(bad)), { limits: { maxReportedErrors: 10 } });
    expect([error.invalid.length, error.invalidCount]).toEqual([10, 50]);
  });

  it('reports the error of an item of unknown kind', async () => {
    const error = await refusal('{"items":[{"metadata":{"name":"a"}}]}');
    expect(error.invalid[0]).toMatchObject({ item: 0, name: 'a', pointer: '/kind', type: 'FieldValueRequired' });
  });

  it('rejects a watch event that deletes an earlier object', async () => {
    const error = await refusal(
      `{"type":"ADDED","object":${POD}}\n{"type":"DELETED","object":${POD.replace('{}', '{"x":1}')}}`,
    );
    // The second object lacks the namespace that the API fills in, but it is the same object.
    expect(error.invalid[0]?.message ?? '').toContain('watch event');
  });
});

describe('names with a meaning in JavaScript', () => {
  it.each(['__proto__', 'constructor', 'toString'])('keeps a label %s in JSON and YAML', async (key) => {
    const fromJson = await read(
      `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node","labels":{"a":"1","${key}":"x"}}}`,
      { invalid: 'keep' },
    );
    const fromYaml = await read(
      `apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n  labels:\n    a: "1"\n    ${key}: x\n`,
      { invalid: 'keep' },
    );
    expect(fromJson.rows[0]!.content).toContain(`"${key}":"x"`);
    expect(fromYaml.rows).toEqual(fromJson.rows);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
