import { describe, expect, it } from '@jest/globals';
import { BadAnswer } from '../kube-api/reflector/json-scan.js';
import { PageValues } from './page-values.js';

/** All items of a page, which comes in chunks of a few bytes. */
function read(text: string, atOnce?: number) {
  const page = new PageValues(atOnce);
  const bytes = Buffer.from(text);
  const items: unknown[] = [];
  for (let at = 0; at < bytes.length; at += 7) items.push(...page.push(bytes.subarray(at, at + 7)));
  const { items: rest, ...envelope } = page.end();
  return { ...envelope, items: [...items, ...rest] };
}

const PAGE = {
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '7', continue: 'token', remainingItemCount: 3 },
  items: [{ metadata: { name: 'ä', generation: 1 } }, { metadata: { name: 'b] }"', finalizers: [] } }],
};

// The first length is longer than every page, so that it is parsed at once; the second one is shorter.
describe.each([1000, 10])('a page, of which %i bytes are parsed at once,', (atOnce) => {
  it('has its items, its moment and the token of the next page', () => {
    const { items, apiVersion, kind } = PAGE;
    expect(read(JSON.stringify(PAGE), atOnce)).toEqual({
      apiVersion,
      kind,
      resourceVersion: '7',
      next: 'token',
      items,
    });
    expect(read(JSON.stringify(PAGE, null, 2), atOnce).items).toEqual(items);
  });

  it('keeps integers that a number cannot hold', () => {
    const text = '{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"a":9223372036854775807}]}';
    expect(read(text, atOnce)).toMatchObject({ items: [{ a: 9223372036854775807n }], next: undefined });
  });

  it('has no items if they are null or missing', () => {
    const head = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":""}';
    for (const rest of [',"items":null}', ',"items":[]}', '}']) {
      expect(read(head + rest, atOnce)).toMatchObject({ items: [], next: undefined, resourceVersion: '7' });
    }
  });

  it('is refused if it is cut, is no list or has other items than objects', () => {
    const whole = JSON.stringify(PAGE);
    for (const text of [
      whole.slice(0, -1),
      whole.slice(0, 150),
      '',
      'Service Unavailable',
      '[]',
      '{"items":[]}',
      `{"kind":"PodList","apiVersion":"v1","items":[1]}`,
    ]) {
      expect(() => read(text, atOnce)).toThrow(BadAnswer);
    }
  });
});

it('knows the token of the next page of a long page before its items', () => {
  const page = new PageValues(10);
  const text = Buffer.from(JSON.stringify(PAGE));
  const opening = text.indexOf('[') + 1;
  expect([...page.push(text.subarray(0, opening))]).toEqual([]);
  expect(page.next).toBe('token');
});
