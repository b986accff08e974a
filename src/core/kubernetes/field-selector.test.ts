import { describe, expect, it } from '@jest/globals';
import { FieldSelectorError, parseFieldSelector } from './field-selector.js';
import type { Node } from './objects/node.js';
import type { Pod } from './objects/pod.js';
import { NODE_FIELDS, POD_FIELDS } from './selectable-fields.js';

const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a,b=c\\' }, spec: { unschedulable: true } };
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { containers: [], nodeName: 'n1' },
  status: { phase: 'Running' },
};

describe('parseFieldSelector', () => {
  it.each([
    ['an empty text', '', true],
    ['empty terms', ',,', true],
    ['two terms that hold', 'metadata.name=web,status.phase==Running', true],
    ['two terms of which one fails', 'metadata.name=web,status.phase=Pending', false],
    ['an inequality that is true', 'spec.nodeName!=n2', true],
    ['an inequality that fails', 'spec.nodeName!=n1', false],
    ['the old name of the node name', 'spec.host=n1', true],
    ['an absent field as the empty text', 'status.nominatedNodeName=', true],
    ['an absent flag as false', 'spec.hostNetwork=false', true],
    ['a space, which belongs to the value', 'metadata.name= web', false],
  ])('of a pod: %s', (_name, text, want) => {
    expect(parseFieldSelector(text, POD_FIELDS).matches(pod)).toBe(want);
  });

  it('reads escaped commas, equal signs and backslashes in values, and writes them again', () => {
    const selector = parseFieldSelector('spec.unschedulable==true,metadata.name=a\\,b\\=c\\\\', NODE_FIELDS);
    expect(selector.matches(node)).toBe(true);
    expect(selector.toString()).toBe('metadata.name=a\\,b\\=c\\\\,spec.unschedulable=true');
  });

  it.each([
    ['a term without operator', 'web', "invalid selector: 'web'; can't understand 'web'"],
    ['a bad escape', 'metadata.name=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a backslash at the end', 'metadata.name=a\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a second sign', 'metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
    ['a field that pods do not offer', 'spec.priority=1', 'field label not supported: spec.priority'],
    ['a name that every object has', '__proto__=1', 'field label not supported: __proto__'],
    ['a space before a field', 'metadata.name=a, status.phase=b', 'field label not supported:  status.phase'],
  ])('refuses %s', (_name, text, message) => {
    expect(() => parseFieldSelector(text, POD_FIELDS)).toThrow(new FieldSelectorError(message));
  });
});
