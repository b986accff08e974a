import { describe, expect, it } from '@jest/globals';
import { PlayedClient, type PlayedAnswer } from '../../../test/support/played-client.js';
import type { Reflection, ReflectorState, WireObject } from './reflection.js';
import { Reflector, type ReflectorOptions } from './reflector.js';

const NODES = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' };

const object = (name: string, resourceVersion: number, rest: object = { kind: 'Node', apiVersion: 'v1' }): object => ({
  ...rest,
  metadata: { name, uid: `uid-${name}`, resourceVersion: String(resourceVersion) },
});
const list = (resourceVersion: number, names: readonly string[], more: object = {}): string =>
  JSON.stringify({
    kind: 'NodeList',
    apiVersion: 'v1',
    metadata: { resourceVersion: String(resourceVersion), ...more },
    items: names.map((name) => object(name, 1, {})),
  });
const event = (type: string, name: string, resourceVersion: number): string =>
  `${JSON.stringify({ type, object: object(name, resourceVersion) })}\n`;
const bookmark = (resourceVersion: number, annotations: object = {}): string =>
  `${JSON.stringify({
    type: 'BOOKMARK',
    object: { kind: 'Node', apiVersion: 'v1', metadata: { resourceVersion: String(resourceVersion), annotations } },
  })}\n`;
const ENDS_INITIAL = { 'k8s.io/initial-events-end': 'true' };
const failure = (code: number, message = '', headers: Readonly<Record<string, string>> = {}): PlayedAnswer => ({
  status: code,
  headers,
  chunks: [JSON.stringify({ kind: 'Status', status: 'Failure', message, code })],
});
const LASTING: PlayedAnswer = { lasts: 150_000, chunks: [[60_000, bookmark(9)]] };

class Told implements Reflection {
  readonly told: string[] = [];
  readonly states: ReflectorState[] = [];
  progressed = '';
  onEvent: (object: WireObject) => void | Promise<void> = () => undefined;

  beginList(): ReturnType<Reflection['beginList']> {
    const names: string[] = [];
    return {
      item: ({ name }) => {
        names.push(name);
      },
      commit: (resourceVersion) => {
        this.told.push(`list ${resourceVersion} ${names.join(' ')}`.trim());
      },
      discard: () => {
        this.told.push('discarded');
      },
    };
  }

  event(type: string, wired: WireObject): void | Promise<void> {
    this.told.push(`${type} ${wired.name} ${wired.resourceVersion}`);
    return this.onEvent(wired);
  }

  progress(resourceVersion: string): void {
    this.progressed = resourceVersion;
  }

  state(state: ReflectorState): void {
    this.states.push(state);
  }
}

async function reflected(
  answers: readonly PlayedAnswer[],
  options: Partial<ReflectorOptions> = {},
  told = new Told(),
): Promise<{ readonly asked: readonly string[]; readonly slept: readonly number[]; readonly told: Told }> {
  const client = new PlayedClient(answers);
  const reflector = new Reflector(client, NODES, {
    clock: client.clock,
    random: () => 0,
    pageSize: 2,
    watchList: 'never',
    ...options,
  });
  await client.run((signal) => reflector.run(told, signal));
  const asked = client.asked.map(({ path }) =>
    path
      .replace('/api/v1/nodes', '')
      .replace('watch=true&allowWatchBookmarks=true&', '')
      .replace('&timeoutSeconds=300', ''),
  );
  return { asked, slept: client.asked.map(({ slept }) => slept), told };
}

describe('a Reflector that lists', () => {
  it('joins pages, keeps the resourceVersion of the first, and watches from there', async () => {
    const { asked, told } = await reflected([
      { chunks: [list(5, ['a', 'b'], { continue: 'x/y=' })] },
      { chunks: [list(6, ['c'])] },
    ]);
    expect(asked).toEqual(['?limit=2', '?limit=2&continue=x%2Fy%3D', '?resourceVersion=5']);
    expect(told.told).toEqual(['list 5 a b c']);
    expect(told.progressed).toBe('5');
  });

  it('begins anew without pages when a page is no longer there', async () => {
    const { asked, told } = await reflected([
      { chunks: [list(5, ['a', 'b'], { continue: 'x' })] },
      failure(410, 'The provided continue parameter is too old'),
      { chunks: [list(7, ['a', 'c'])] },
      { chunks: [`${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`] },
      { chunks: [list(8, ['a'])] },
    ]);
    expect(asked).toEqual([
      '?limit=2',
      '?limit=2&continue=x',
      '',
      '?resourceVersion=7',
      '?limit=2',
      '?resourceVersion=8',
    ]);
    expect(told.told).toEqual(['discarded', 'list 7 a c', 'list 8 a']);
  });

  it.each<[string, PlayedAnswer, string]>([
    ['is cut', { chunks: [list(5, ['a']).slice(0, -20)], ended: 'reset' }, 'reset'],
    ['ends in an item', { chunks: [list(5, ['a']).slice(0, -20)] }, 'the middle of a list'],
    ['is silent in the middle', { chunks: [list(5, ['a']).slice(0, -20)], ended: 'open' }, 'nothing came within 30 s'],
    ['does not come', { status: 0, ended: 'open' }, 'no answer within 70 s'],
    ['is a Table', { chunks: [list(5, []).replace('NodeList', 'Table')] }, 'Table'],
    [
      'has objects without their spec',
      { chunks: [list(5, ['a']).replace('"metadata":{"name"', '"kind":"PartialObjectMetadata","metadata":{"name"')] },
      'a PartialObjectMetadata',
    ],
    ['has items that are no objects', { chunks: ['{"items":[1]}'] }, 'not objects'],
    ['has no resourceVersion', { chunks: ['{"kind":"NodeList","apiVersion":"v1","items":[]}'] }, 'no resourceVersion'],
    ['is no JSON', { chunks: ['<html>'] }, 'not JSON'],
    ['is of another type', { headers: { 'Content-Type': 'text/html' } }, 'text/html'],
    ['is a redirect', { status: 302, headers: { Location: 'https://elsewhere' } }, '302'],
  ])('shows nothing of a list that %s, and asks again later', async (_, answer, why) => {
    const { asked, slept, told } = await reflected([answer, { chunks: [list(6, ['a'])] }]);
    expect(told.told).toEqual(['discarded', 'list 6 a']);
    expect(asked.slice(0, 2)).toEqual(['?limit=2', '?limit=2']);
    expect(slept[1]).toBe(800);
    expect(told.states[1]).toMatchObject({ state: 'retrying' });
    expect((told.states[1] as { why?: string }).why?.toLowerCase()).toContain(why.toLowerCase());
  });

  it('takes a list without items, and one whose items are null', async () => {
    const { told } = await reflected([{ chunks: [list(5, []).replace('[]', 'null')] }]);
    expect(told.told).toEqual(['list 5']);
  });

  it('waits longer after each failure, up to 30 s, and as long as the server asks', async () => {
    const failures = Array.from({ length: 7 }, () => failure(503));
    const { slept } = await reflected([...failures, failure(429, '', { 'Retry-After': '45' })]);
    expect(slept).toEqual([0, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 45_000]);
  });

  it.each([
    [403, { state: 'denied', rule: { apiGroups: [''], resources: ['nodes'], verbs: ['list'] } }],
    [401, { state: 'denied', rule: null }],
    [404, { state: 'notServed' }],
  ])('shows what is missing after %d, and comes back', async (code, state) => {
    const { told } = await reflected([failure(code, 'no'), { chunks: [list(5, ['a'])] }, LASTING]);
    expect(told.states).toMatchObject([{ state: 'listing' }, state, { state: 'listing' }, { state: 'watching' }]);
    expect(told.told).toEqual(['discarded', 'list 5 a']);
  });
});

describe('a Reflector that watches', () => {
  const from5 = { resumeFrom: '5' };

  it('resumes without a list from where it ended before, and after a bookmark', async () => {
    const { asked, slept } = await reflected(
      [{ chunks: [event('MODIFIED', 'a', 7), bookmark(9)], lasts: 5000 }],
      from5,
    );
    expect(asked).toEqual(['?resourceVersion=5', '?resourceVersion=9']);
    expect(slept).toEqual([0, 0]);
  });

  it('resumes from the last whole event after a garbled one, and lists anew when it stays garbled', async () => {
    const garbled = event('MODIFIED', 'b', 8).replace('"name":', '"name"');
    const { asked, told } = await reflected(
      [
        { chunks: [event('ADDED', 'a', 7), garbled, event('DELETED', 'a', 9)] },
        { chunks: [garbled] },
        { chunks: [garbled] },
        { chunks: [list(9, ['b'])] },
      ],
      from5,
    );
    expect(told.told).toEqual(['ADDED a 7', 'list 9 b']);
    expect(asked).toEqual([
      '?resourceVersion=5',
      '?resourceVersion=7',
      '?resourceVersion=7',
      '?limit=2',
      '?resourceVersion=9',
    ]);
  });

  it.each<[string, Buffer | string]>([
    ['bytes that are no UTF-8', event('MODIFIED', 'a', 8).replace('uid-a', '\ud800')],
    ['an event of an unknown type', event('CHANGED', 'a', 8)],
    ['an object of another kind', event('MODIFIED', 'a', 8).replace('"Node"', '"Table"')],
    ['an object without a name', event('MODIFIED', '', 8)],
    ['an event without an object', '{"type":"ADDED"}\n'],
  ])('does not take %s for an event', async (_, line) => {
    const { told, asked } = await reflected([{ chunks: [bookmark(6), String(line)] }], from5);
    if (!String(line).includes('\ud800')) expect(told.told).toEqual([]);
    expect(asked.at(-1)).toMatch(/\?resourceVersion=[68]$/);
  });

  it.each<[string, PlayedAnswer]>([
    ['is cut in the middle of an event', { chunks: [event('ADDED', 'a', 7), event('ADDED', 'b', 8).slice(0, 30)] }],
    ['is reset', { chunks: [event('ADDED', 'a', 7)], ended: 'reset' }],
    ['is silent', { chunks: [event('ADDED', 'a', 7)], ended: 'open' }],
    ['ends in an error', { chunks: [event('ADDED', 'a', 7), '{"type":"ERROR","object":{"code":500}}\n'] }],
  ])('resumes from the last event, after a while, when the watch %s', async (_, answer) => {
    const { asked, slept, told } = await reflected([answer], from5);
    expect(told.told).toEqual(['ADDED a 7']);
    expect(asked).toEqual(['?resourceVersion=5', '?resourceVersion=7']);
    expect(slept[1]).toBe(800);
  });

  it('does not ask at once again when a watch ends at once without an event', async () => {
    expect((await reflected([{}], from5)).slept).toEqual([0, 800]);
  });

  it('waits for a watch whose response a proxy holds back until its first bookmark', async () => {
    const { asked, told } = await reflected(
      [{ headersAtMs: 60_000, chunks: [[60_000, bookmark(8)]], lasts: 90_000 }],
      from5,
    );
    expect(asked).toEqual(['?resourceVersion=5', '?resourceVersion=8']);
    expect(told.states).toMatchObject([{ state: 'watching' }]);
  });

  it('keeps the watch of which only the right was lost', async () => {
    const { asked, told } = await reflected([failure(403, 'no'), { chunks: [event('ADDED', 'a', 7)] }], from5);
    expect(asked).toEqual(['?resourceVersion=5', '?resourceVersion=5', '?resourceVersion=7']);
    expect(told.states[0]).toMatchObject({ state: 'denied', rule: { verbs: ['watch'] } });
  });

  it.each([
    ['older: lists anew', 4, '?limit=2'],
    ['not older: watches on', 6, '?resourceVersion=5'],
  ])('asks how far the server is when two watches bring nothing; it is %s', async (_, version, next) => {
    const silent: PlayedAnswer = { ended: 'open' };
    const { asked } = await reflected([silent, silent, { chunks: [list(version, ['a'])] }], from5);
    expect(asked).toEqual(['?resourceVersion=5', '?resourceVersion=5', '?limit=1', next]);
  });

  it('ends a watch that the server does not end in time', async () => {
    const chunks = Array.from({ length: 8 }, (__, index) => [index * 60_000, bookmark(index + 6)] as const);
    const { asked } = await reflected([{ chunks, ended: 'open' }], from5);
    expect(asked.at(-1)).toBe('?resourceVersion=11');
  });

  it('reads no further while the reflection is busy', async () => {
    const told = new Told();
    const seen: string[] = [];
    told.onEvent = async ({ name }) => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
    };
    await reflected([{ chunks: [event('ADDED', 'a', 7) + event('ADDED', 'b', 8)] }], from5, told);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('ends with the error of the reflection', async () => {
    const told = new Told();
    told.onEvent = () => {
      throw new RangeError('full');
    };
    await expect(reflected([{ chunks: [event('ADDED', 'a', 7)] }], from5, told)).rejects.toThrow('full');
  });
});

describe('a Reflector that takes the state as a watch', () => {
  const auto = { watchList: 'auto' } as const;
  const STATE = '?sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

  it('shows it when it is whole, and what came in between after that', async () => {
    const { asked, told } = await reflected(
      [
        {
          chunks: [
            event('ADDED', 'a', 3) + event('ADDED', 'b', 4) + event('DELETED', 'a', 6),
            bookmark(7, ENDS_INITIAL) + event('MODIFIED', 'b', 8),
          ],
          lasts: 5000,
        },
      ],
      auto,
    );
    expect(asked).toEqual([STATE, '?resourceVersion=8']);
    expect(told.told).toEqual(['list 7 a b', 'DELETED a 6', 'MODIFIED b 8']);
  });

  it.each<[string, PlayedAnswer]>([
    ['is refused', failure(422, 'sendInitialEvents is forbidden')],
    ['does not end in time', { chunks: [event('ADDED', 'a', 3)], ended: 'open' }],
    ['ends too early', { chunks: [event('ADDED', 'a', 3)], lasts: 60_000 }],
  ])('lists in pages, from then on, when it %s', async (_, answer) => {
    const gone: PlayedAnswer = { chunks: ['{"type":"ERROR","object":{"code":410}}\n'] };
    const { asked, told } = await reflected(
      [answer, { chunks: [list(5, ['a'])] }, gone, { chunks: [list(6, ['a'])] }],
      auto,
    );
    expect(asked).toEqual([STATE, '?limit=2', '?resourceVersion=5', '?limit=2', '?resourceVersion=6']);
    expect(told.told).toEqual(['discarded', 'list 5 a', 'list 6 a']);
  });

  it('lists in pages where only lists are allowed, and the other way round', async () => {
    const { asked, told } = await reflected(
      [failure(403), failure(403), failure(403), { chunks: [list(5, [])] }],
      auto,
    );
    expect(asked).toEqual([STATE, '?limit=2', STATE, '?limit=2', '?resourceVersion=5']);
    expect(told.states[1]).toMatchObject({ state: 'denied', rule: { verbs: ['list'] } });
  });

  it('tries it again after an overload, but not for ever', async () => {
    const { asked } = await reflected([failure(429), failure(503), failure(500), { chunks: [list(5, [])] }], auto);
    expect(asked).toEqual([STATE, STATE, STATE, '?limit=2', '?resourceVersion=5']);
  });
});
