import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../json/lossless-json.js';
import type { JsonObject } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { decodeRefusal } from './decode-refusal.js';

describe('decodeRefusal', () => {
  it.each([
    [
      'Pod',
      { spec: { containers: [{ name: 5 }] } },
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    [
      'Pod',
      { spec: { containers: [], priority: 'high' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      'Pod',
      { spec: { containers: [], tolerations: [{ key: 'a', foo: 1, bar: 2 }] } },
      'strict decoding error: unknown field "spec.tolerations[0].foo", unknown field "spec.tolerations[0].bar"',
    ],
    [
      'Node',
      { spec: { taints: [{ key: 'a', effect: 'NoExecute', timeAdded: '2026-13-01T00:00:00Z' }] } },
      'parsing time "2026-13-01T00:00:00Z": month out of range',
    ],
    [
      'Node',
      { spec: { taints: [{ key: 'a', effect: 'NoExecute', timeAdded: '2026-01-01' }] } },
      'parsing time "2026-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
    ],
  ])('tells a %s as Go would: %#', (kind, more, words) => {
    const given = parseJson(JSON.stringify({ apiVersion: 'v1', kind, metadata: { name: 'x' }, ...more })) as JsonObject;
    const decoded = decodeObject(given, { strict: true, whole: true });
    expect(decodeRefusal(kind, given, decoded.outcome === 'invalid' ? decoded.errors : [])).toEqual({
      by: 'decoding',
      status: 400,
      message: `${kind} in version "v1" cannot be handled as a ${kind}: ${words}`,
      causes: [],
    });
  });
});
