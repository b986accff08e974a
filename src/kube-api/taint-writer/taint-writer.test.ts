import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { replanChange } from '../../core/taint-change/replan-change.js';
import type { RecordedNodeChange } from '../../core/taint-change/undo-change.js';
import type { Taint } from '../../core/kubernetes/objects/taints.js';
import { NodesApiServer } from '../../../test/support/nodes-api-server.js';
import { AddressGuard } from '../address-guard.js';
import { ApiClient } from '../api-client.js';
import { nodeTarget } from './node-target.js';
import { TaintWriter, type TaintWrite, type WriteResult } from './taint-writer.js';

const HOLD = { key: 'hold', value: 'a', effect: 'NoSchedule' } as Taint;
const adds = (...added: Taint[]): RecordedNodeChange => ({ difference: { added, removed: [], changed: [] } });

let server: NodesApiServer;
let writer: TaintWriter;
/** The versions that were noted before a write was sent. */
let noted: string[];
beforeAll(async () => {
  server = await NodesApiServer.start();
  const client = new ApiClient(new AddressGuard(true));
  const apiServer = { server: server.url, ca: server.ca, user: { kind: 'token', token: 't' } } as const;
  writer = new TaintWriter((request) => client.ask(apiServer, request));
});
afterAll(() => server.stop());
beforeEach(() => {
  server.nodes.clear();
  server.writes.length = 0;
  server.meddle = () => undefined;
  noted = [];
});

const write = (change: RecordedNodeChange, more: Partial<TaintWrite> = {}): Promise<WriteResult> =>
  writer.write({
    target: nodeTarget({ node: 'n', decide: (node) => replanChange(node, change), touches: ['taints'] }),
    beforeWrite: (version) => {
      noted.push(version);
      return Promise.resolve(true);
    },
    ...more,
  });
/** Does something at the first request of a kind. */
function once(method: 'GET' | 'PATCH', dryRun: boolean, what: () => ReturnType<NodesApiServer['meddle']>): void {
  let open = true;
  server.meddle = (request) => {
    if (!open || request.method !== method || request.dryRun !== dryRun) return undefined;
    open = false;
    return what();
  };
}
const version = (): string => server.nodes.get('n')!.metadata.resourceVersion;

describe('a write of taints', () => {
  it('is a dry run first, then a patch that tests version and taints, and says the new version', async () => {
    server.addNode('n', { taints: [{ key: 'other', effect: 'NoExecute' }] });
    const before = version();
    expect(await write(adds(HOLD))).toMatchObject({
      outcome: 'written',
      resourceVersion: version(),
      by: 'answer',
      code: 200,
    });
    expect(server.taintsOf('n')).toEqual(['hold=a:NoSchedule', 'other:NoExecute']);
    expect(server.writes.map(({ dryRun, tested }) => [dryRun, tested])).toEqual([
      [true, before],
      [false, before],
    ]);
    expect(noted).toEqual([before]);
  });

  it('sends nothing if the node has the change already', async () => {
    server.addNode('n', { taints: [{ ...HOLD }] });
    expect(await write(adds(HOLD))).toMatchObject({ outcome: 'unchanged', why: 'already' });
    expect([server.writes, noted]).toEqual([[], []]);
  });

  it('is decided anew after somebody else was faster, and loses nothing of theirs', async () => {
    server.addNode('n');
    once('PATCH', false, () => {
      server.change('n', ({ spec }) => (spec.taints = [{ key: 'fast', effect: 'NoExecute' }]));
      return undefined;
    });
    expect(await write(adds(HOLD))).toMatchObject({ outcome: 'written' });
    expect(server.taintsOf('n')).toEqual(['hold=a:NoSchedule', 'fast:NoExecute']);
    expect(server.done).toHaveLength(1);
  });

  it('is refused if what it overwrites has another value by then', async () => {
    server.addNode('n');
    once('PATCH', false, () => {
      server.change('n', ({ spec }) => (spec.taints = [{ key: 'hold', value: 'theirs', effect: 'NoSchedule' }]));
      return undefined;
    });
    expect(await write(adds(HOLD))).toMatchObject({
      outcome: 'refused',
      message: 'hold=theirs:NoSchedule is there, which was not when the change was made',
    });
    expect(server.done).toEqual([]);
  });

  it('is left for later if others are always faster', async () => {
    server.addNode('n');
    server.meddle = ({ method, dryRun }) => {
      if (method === 'PATCH' && !dryRun)
        server.change('n', ({ metadata }) => (metadata.labels = { beat: String(noted.length) }));
      return undefined;
    };
    expect(await write(adds(HOLD))).toMatchObject({ outcome: 'later', code: 422 });
    expect([noted.length, server.done.length]).toEqual([5, 0]);
  });

  it('is refused for good with the words of the API server', async () => {
    expect(await write(adds(HOLD))).toMatchObject({ outcome: 'refused', code: 404, message: 'nodes "n" not found' });
    server.addNode('n');
    once('PATCH', true, () => 'forbidden');
    expect(await write(adds(HOLD))).toMatchObject({
      outcome: 'refused',
      code: 403,
      message: expect.stringContaining('cannot patch resource "nodes"'),
    });
    expect(await write(adds(HOLD), { uid: 'another' })).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('created again'),
    });
    expect(noted).toEqual([]);
  });

  it.each([
    [
      'overloaded',
      { outcome: 'later', code: 429, retryAfter: 1, message: 'Too many requests, please try again later.' },
    ],
    [
      'webhook',
      { outcome: 'later', code: 500, message: expect.stringContaining('failed calling webhook "broken.example.com"') },
    ],
  ] as const)('can be tried later when the API server is %s', async (fault, result) => {
    server.addNode('n');
    for (const dryRun of [true, false]) {
      once('PATCH', dryRun, () => fault);
      expect(await write(adds(HOLD))).toMatchObject(result);
    }
    expect(server.done).toEqual([]);
  });

  it.each(['cutAfter', 'timeoutAfter'] as const)(
    'counts once when its answer is lost (%s): the node is read',
    async (fault) => {
      server.addNode('n');
      once('PATCH', false, () => fault);
      expect(await write(adds(HOLD))).toMatchObject({ outcome: 'written', by: 'read', resourceVersion: version() });
      expect([server.done.length, noted.length]).toEqual([1, 1]);
    },
  );

  it('is sent again when the connection was cut before it was executed', async () => {
    server.addNode('n');
    once('PATCH', false, () => 'cut');
    expect(await write(adds(HOLD))).toMatchObject({ outcome: 'written', by: 'answer' });
    expect([server.done.length, noted.length]).toEqual([1, 2]);
  });

  it('is unknown while the node cannot be read, and is not claimed if somebody else made the change', async () => {
    server.addNode('n');
    const tested = version();
    let gone = false;
    server.meddle = ({ method, dryRun }) => {
      if (method === 'PATCH' && !dryRun) gone = true;
      return gone ? 'cut' : undefined;
    };
    const unknown = await write(adds(HOLD));
    expect(unknown).toMatchObject({ outcome: 'unknown', testedVersion: tested });
    server.meddle = () => undefined;
    server.change('n', ({ spec }) => (spec.taints = [{ ...HOLD }]));
    expect(await write(adds(HOLD), { unsureOf: tested })).toMatchObject({ outcome: 'unchanged', why: 'found' });
    server.change('n', ({ spec }) => delete spec.taints);
    server.change('n', ({ spec }) => (spec.taints = [{ ...HOLD }]), 'kube-placement');
    expect(await write(adds(HOLD), { unsureOf: tested })).toMatchObject({ outcome: 'written', by: 'read' });
    expect(server.done).toEqual([]);
  });

  it('is not sent unless it was noted before', async () => {
    server.addNode('n');
    expect(await write(adds(HOLD), { beforeWrite: () => Promise.resolve(false) })).toMatchObject({
      outcome: 'abandoned',
    });
    expect(server.done).toEqual([]);
  });

  it('ends after the dry run if that is asked', async () => {
    server.addNode('n');
    expect(await write(adds(HOLD), { dryRun: true })).toMatchObject({
      outcome: 'admitted',
      resourceVersion: version(),
    });
    expect([server.done, noted]).toEqual([[], []]);
  });

  it('cordons, and removes the whole list', async () => {
    server.addNode('n', { taints: [{ key: 'old', effect: 'NoExecute' }] });
    const change: RecordedNodeChange = {
      difference: {
        added: [],
        changed: [],
        removed: [{ key: 'old', effect: 'NoExecute' }],
        cordon: 'cordoned',
      },
      labels: { set: [{ key: 'example.com/pool', after: 'x' }], removed: [] },
    };
    expect(await write(change)).toMatchObject({ outcome: 'written' });
    expect(server.nodes.get('n')).toMatchObject({
      spec: { unschedulable: true },
      metadata: { labels: { 'example.com/pool': 'x' } },
    });
    expect(server.taintsOf('n')).toEqual([]);
  });
});
