import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { inChunks } from '../../test/support/snapshot-reading.js';
import type { AuditEventRow } from '../core/audit/audit-event-row.js';
import type { AuditEventsReport } from './audit-events-report.js';
import type { AuditIngestOptions } from './ingest-audit-events.js';
import { readAuditEventStream } from './read-audit-event-stream.js';

const TYPE = { kind: 'Event', apiVersion: 'audit.k8s.io/v1' };

function untyped(auditID: string, more: object = {}): object {
  return {
    level: 'RequestResponse',
    auditID,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/nodes/n',
    verb: 'patch',
    user: { username: 'alice' },
    objectRef: { resource: 'nodes', name: 'n' },
    responseStatus: { code: 200 },
    stageTimestamp: '2026-05-04T03:02:00.804783Z',
    ...more,
  };
}
const event = (auditID: string, more: object = {}): object => ({ ...TYPE, ...untyped(auditID, more) });
const eventList = (items: readonly object[]): object => ({
  kind: 'EventList',
  apiVersion: 'audit.k8s.io/v1',
  metadata: {},
  items,
});
const lines = (...values: readonly (object | string)[]): string =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');
const others = [
  event('reads', { verb: 'get' }),
  event('pods', { objectRef: { resource: 'pods', name: 'p' } }),
  event('pods too', { objectRef: { resource: 'pods', name: 'q' } }),
];

interface Read {
  readonly ids: readonly string[];
  readonly rows: readonly AuditEventRow[];
  readonly report: AuditEventsReport;
}

async function read(body: string | Uint8Array, size = 7, options: AuditIngestOptions = {}): Promise<Read> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const reading = readAuditEventStream(inChunks(bytes, size), options);
  const rows: AuditEventRow[] = [];
  for await (const batch of reading.rows) rows.push(...batch);
  const ids = rows.map(({ content }) => (JSON.parse(content) as { auditID: string }).auditID);
  return { ids, rows, report: await reading.report };
}

const NONE = { count: 0, first: [] };

describe('a stream of audit events', () => {
  const two = [event('a'), event('b')];
  it.each<{ name: string; body: string | Uint8Array; events?: number }>([
    { name: 'as a log file: one on each line', body: lines(...two) },
    { name: 'as a log file without a line feed at its end', body: lines(...two).trimEnd() },
    {
      name: 'as a log file with blank lines and those of Windows',
      body: `\n ${lines(...two).replaceAll('\n', '\r\n \r\n')}`,
    },
    { name: 'as a single event', body: lines(event('a'), event('b')).replace('\n', '') },
    {
      name: 'as an EventList, whose items need no kind',
      body: JSON.stringify(eventList([untyped('a'), untyped('b')])),
    },
    {
      name: 'as an EventList on many lines',
      body: JSON.stringify(eventList([untyped('a'), event('b')]), undefined, 2),
    },
    {
      name: 'as an EventList whose kind comes behind its items',
      body: sorted(eventList([untyped('a'), untyped('b')])),
    },
    { name: 'as EventLists, one on each line', body: lines(eventList([untyped('a')]), eventList([untyped('b')])) },
    { name: 'as an EventList with events on the lines behind it', body: lines(eventList([untyped('a')]), event('b')) },
    {
      name: 'as a List of events with their kind',
      body: JSON.stringify({ kind: 'List', apiVersion: 'v1', items: two }),
    },
    { name: 'as an array', body: JSON.stringify(two) },
    { name: 'with a byte order mark', body: `\ufeff${lines(...two)}` },
    { name: 'as gzip', body: gzipSync(lines(...two)) },
  ])('$name', async ({ body }) => {
    for (const size of [1, 7, 64, 1_000_000]) {
      const { ids, report } = await read(body, size);
      expect(ids).toEqual(['a', 'b']);
      expect(report).toMatchObject({ events: 2, ignored: [], invalid: 0, problems: NONE });
    }
  });

  it('discards the parts of an event that are not stored', async () => {
    const secret = 'hunter2';
    const object = {
      kind: 'Node',
      metadata: { name: 'n', annotations: { token: secret }, labels: { [secret]: secret } },
      spec: { taints: [{ key: 'k', effect: 'NoSchedule' }], podCIDR: secret },
    };
    const { rows } = await read(
      lines(
        event('a', { requestObject: object, responseObject: object, annotations: { note: secret }, extra: secret }),
      ),
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows[0]).toMatchObject({
      node: 'n',
      at: '2026-05-04T03:02:00.804783Z',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('may be an empty EventList', async () => {
    expect((await read(JSON.stringify(eventList([])))).report).toMatchObject({ events: 0, problems: NONE });
  });

  it('counts irrelevant events by reason', async () => {
    const { ids, report } = await read(lines(...others, event('a')));
    expect(ids).toEqual(['a']);
    expect(report.ignored).toEqual([
      { reason: 'otherResource', count: 2 },
      { reason: 'notAWrite', count: 1 },
    ]);
    expect(report.events).toBe(4);
  });
});

describe('an invalid event does not affect others', () => {
  const cut = JSON.stringify(event('cut'));
  it.each<{ name: string; bad: string; message: RegExp }>([
    { name: 'that breaks off inside of a string', bad: cut.slice(0, 30), message: /string|JSON|unexpected/ },
    { name: 'that breaks off between its members', bad: cut.slice(0, cut.indexOf(',')), message: /./ },
    { name: 'of which the beginning is missing', bad: cut.slice(30), message: /unexpected|JSON/ },
    { name: 'that is no JSON at all', bad: 'E1104 03:02:00 audit.go:1] out of disk', message: /unexpected|JSON/ },
    { name: 'that is two, since a restart wrote on', bad: cut.slice(0, 50) + cut, message: /./ },
    { name: 'that is no object', bad: '17', message: /must be an object/ },
    {
      name: 'of another version',
      bad: lines(event('x', { apiVersion: 'audit.k8s.io/v1beta1' })).trim(),
      message: /must be audit/,
    },
    {
      name: 'whose name no node can have',
      bad: lines(event('x', { objectRef: { resource: 'nodes', name: 'n'.repeat(254) } })).trim(),
      message: /253/,
    },
    {
      name: 'whose time does not exist',
      bad: lines(event('x', { stageTimestamp: '0000-01-01T00:00:00Z' })).trim(),
      message: /RFC 3339/,
    },
  ])('one $name', async ({ bad, message }) => {
    for (const size of [1, 64, 1_000_000]) {
      const { ids, report } = await read(lines(event('a'), bad, event('b'), bad), size);
      expect(ids).toEqual(['a', 'b']);
      expect(report).toMatchObject({ events: 4, invalid: 2 });
      expect(report.problems.first[0]).toMatchObject({ item: 1, line: 2 });
      expect(report.problems.first.at(-1)).toMatchObject({ item: 3, line: 4 });
      expect(report.problems.first[0]!.message).toMatch(message);
    }
  });

  it('on the first line', async () => {
    for (const first of [cut.slice(0, 30), cut.slice(30), 'E1104 03:02:00']) {
      const { ids, report } = await read(lines(first, event('a')));
      expect(ids).toEqual(['a']);
      expect(report.problems.first).toMatchObject([{ item: 0, line: 1 }]);
    }
  });

  it('in an EventList, and is reported with its first line', async () => {
    const body = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[\n${JSON.stringify(untyped('a'))},\n{"level": what},\n${JSON.stringify(untyped('b', { verb: 7 }))}]}`;
    const { ids, report } = await read(body);
    expect(ids).toEqual(['a']);
    expect(report.problems.first).toMatchObject([
      { item: 1, line: 3, pointer: '' },
      { item: 2, line: 4, pointer: '/verb' },
    ]);
  });

  it('that exceeds the maximum length', async () => {
    const long = event('long', { annotations: { x: 'x'.repeat(5000) } });
    const { ids, report } = await read(lines(event('a'), long, event('b')), 100, { limits: { maxItemBytes: 4096 } });
    expect(ids).toEqual(['a', 'b']);
    expect(report.problems.first).toEqual([
      { item: 1, line: 2, pointer: '', message: 'the line is longer than 4096 bytes' },
    ]);
  });

  it('and is named in the report up to a limit', async () => {
    const { report } = await read(lines(event('a'), ...Array<string>(500).fill('x')), 1000);
    expect(report.problems.count).toBe(500);
    expect(report.problems.first).toHaveLength(100);
  });
});

describe('a stream is rejected', () => {
  const list = JSON.stringify(eventList([untyped('a'), untyped('b')]));
  it.each<{ name: string; body: string | Uint8Array; code: string }>([
    { name: 'with nothing in it', body: ' \n\t\n', code: 'empty' },
    { name: 'that is no JSON', body: 'hello', code: 'malformed-json' },
    { name: 'that is no JSON on any line', body: '<html>\n<body>\n</html>\n', code: 'malformed-json' },
    { name: 'whose EventList breaks off', body: list.slice(0, -40), code: 'truncated' },
    {
      name: 'whose EventList on many lines breaks off',
      body: JSON.stringify(JSON.parse(list), undefined, 1).slice(0, -40),
      code: 'truncated',
    },
    {
      name: 'with something behind its document',
      body: `${JSON.stringify(JSON.parse(list), undefined, 1)}\n!`,
      code: 'malformed-json',
    },
    { name: 'with a list of what is no object', body: '{"kind":"EventList","items":[1]}', code: 'not-an-object' },
    { name: 'of another encoding', body: Buffer.from(list, 'utf16le'), code: 'unsupported-encoding' },
    { name: 'whose gzip breaks off', body: gzipSync(list).subarray(0, -10), code: 'truncated' },
  ])('$name', async ({ body, code }) => {
    await expect(read(body)).rejects.toMatchObject({ code });
  });
});

/** JSON with sorted keys, as `jq -S` writes it. */
function sorted(value: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
}
