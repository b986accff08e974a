import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { judgeAdmission } from './admission.js';

async function recorded(name: string, edit: (text: string) => string = (text) => text): Promise<readonly string[]> {
  const text = await readFile(`test/conformance/recorded/admission/${name}.json`, 'utf8');
  return judgeAdmission(parseJson(edit(text)) as JsonObject);
}

describe('judgeAdmission', () => {
  it.each(['ptr-default-tolerations', 'invalid-toleration-gt-float', 'invalid-taint-value-number-type'])(
    'agrees with the recording %s',
    async (name) => {
      expect(await recorded(name)).toEqual([]);
    },
  );

  it.each([
    ['another code', 'rc-missing', '"code": 403,\n    "response"', '"code": 404,\n    "response"'],
    ['other words of a refusal', 'rc-missing', 'pod rejected', 'pod refused'],
    ['other words behind a quoted value', 'invalid-taint-value-number-type', 'cannot convert', 'could not convert'],
    ['another cause', 'invalid-toleration-gt-float', '"reason": "FieldValueInvalid"', '"reason": "FieldValueRequired"'],
    ['other seconds of a stored toleration', 'dts-plain', '"tolerationSeconds": 300', '"tolerationSeconds": 301'],
    ['another overhead', 'rc-overhead-given-equal', '"120Mi"', '"121Mi"'],
    ['another priority', 'priority-system', '"priority": 2000', '"priority": 1000'],
    ['another preemption policy', 'dts-plain', '"PreemptLowerPriority"', '"Never"'],
    ['another quality of service', 'dts-plain', '"qosClass": "BestEffort"', '"qosClass": "Burstable"'],
    ['other tolerations after an update', 'update-tolerations', '"storedTolerations": [', '"storedTolerations": [{},'],
    ['another stored taint', 'invalid-taint-numeric-value-ok', '"storedTaints": [', '"storedTaints": [{},'],
    ['an answer to strict decoding', 'invalid-toleration-unknown-field', 'unknown field', 'no field'],
  ])('notices %s', async (_, name, from, to) => {
    const found = await recorded(name, (text) => {
      expect(text).toContain(from);
      // With equal input, the last one is the observation.
      const at = text.lastIndexOf(from);
      return `${text.slice(0, at)}${to}${text.slice(at + from.length)}`;
    });
    expect(found.length).toBeGreaterThan(0);
  });

  it('notices a recording of another kind', async () => {
    const found = await recorded('dts-plain', (text) => text.replace('"pods"', '"nodes"'));
    expect(found).toEqual(['a recording of namespaceAnnotations, nodes, updates, runtimeClasses, note is not known']);
  });
});
