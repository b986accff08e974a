import { describe, expect, it } from '@jest/globals';
import { readWatchLine } from './watch-reader.js';

const object =
  '{"kind":"Pod","metadata":{"name":"ä","namespace":"n","uid":"u","resourceVersion":"7"},"spec":{"x":"}}"}}';

describe('a line of a watch', () => {
  it.each([
    ['as API servers write it', `{"type":"MODIFIED","object":${object}}`],
    ['with blanks', ` {"type": "MODIFIED", "object": ${object} } `],
    ['with its type last', `{"object":${object},"type":"MODIFIED"}`],
    ['with more members', `{"type":"MODIFIED","object":${object},"more":{"a":{}}}`],
  ])('is the object that it contains, %s', (_, line) => {
    const read = readWatchLine(Buffer.from(line), 'Pod');
    expect(read.type).toBe('MODIFIED');
    const { bytes, ...identity } = (read as Extract<typeof read, { readonly object: unknown }>).object;
    expect(Buffer.from(bytes).toString()).toBe(object);
    expect(identity).toEqual({ namespace: 'n', name: 'ä', uid: 'u', resourceVersion: '7' });
  });

  it.each([
    ['null', 'an object was expected'],
    ['[]', 'an object was expected'],
    ['{"metadata":null}', 'an object was expected'],
    ['{"metadata":{"name":"a"}}', 'an object has no name or no resourceVersion'],
    ['{"metadata":{"name":3,"resourceVersion":"1"}}', 'an object has no name or no resourceVersion'],
    ['{"kind":"Table","metadata":{"name":"a","resourceVersion":"1"}}', 'the answer has a Table, not a Pod'],
    ['{"kind":null,"metadata":{"name":"a","resourceVersion":"1"}}', 'the answer has an object of no kind, not a Pod'],
  ])('is refused with the object %s', (given, message) => {
    expect(() => readWatchLine(Buffer.from(`{"type":"ADDED","object":${given}}`), 'Pod')).toThrow(message);
  });
});
