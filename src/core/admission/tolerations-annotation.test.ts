import { describe, expect, it } from '@jest/globals';
import { parseTolerations } from './tolerations-annotation.js';

describe('parseTolerations', () => {
  it.each<[string, string, object]>([
    ['the empty text as an empty list', '', []],
    ['null as an empty list', ' null ', []],
    ['an element that is null as a toleration of nothing', '[null]', [{}]],
    ['unknown fields as nothing', '[{"key":"a","why":[1]}]', [{ key: 'a' }]],
    ['names in whatever case', '[{"KEY":"a","tolerationseconds":5}]', [{ key: 'a', tolerationSeconds: 5 }]],
    ['the last of several values', '[{"key":"a","key":"b"}]', [{ key: 'b' }]],
    ['null as no value', '[{"key":"a","key":null,"tolerationSeconds":null}]', [{ key: 'a' }]],
    [
      'integers of 64 bits exactly',
      '[{"tolerationSeconds":9007199254740993}]',
      [{ tolerationSeconds: 9007199254740993n }],
    ],
  ])('reads %s', (_, text, want) => {
    expect(parseTolerations(text)).toEqual(want);
  });

  it.each([
    ['{}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'],
    ['"a"', 'json: cannot unmarshal string into Go value of type []v1.Toleration'],
    ['[true]', 'json: cannot unmarshal bool into Go value of type v1.Toleration'],
    ['[{"effect":1}]', 'json: cannot unmarshal number into Go struct field Toleration.effect of type v1.TaintEffect'],
    ['[{"Key":[]}]', 'json: cannot unmarshal array into Go struct field Toleration.key of type string'],
    [
      '[{"tolerationSeconds":1e3}]',
      'json: cannot unmarshal number 1e3 into Go struct field Toleration.tolerationSeconds of type int64',
    ],
    [
      '[{"tolerationSeconds":9223372036854775808}]',
      'json: cannot unmarshal number 9223372036854775808 into Go struct field Toleration.tolerationSeconds of type int64',
    ],
  ])('refuses %s in the words of Go', (text, message) => {
    expect(() => parseTolerations(text)).toThrow(message);
  });
});
