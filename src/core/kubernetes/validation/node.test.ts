import { DEFAULT_RULES, rulesOfMinor, type KubernetesRules } from '../kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '../../json/lossless-json.js';
import { decodeObject } from '../decode.js';
import type { FieldError } from '../field-error.js';
import { validateNode, type NodeManifest } from './node.js';

function validate(metadata: object, more: object = {}, rules: KubernetesRules = DEFAULT_RULES): FieldError[] {
  const manifest = { apiVersion: 'v1', kind: 'Node', metadata, ...more };
  const decoded = decodeObject(parseJson(stringifyJson(manifest)), { strict: true, whole: true });
  if (decoded.outcome !== 'object') throw new Error(stringifyJson(decoded));
  return validateNode(decoded.object as NodeManifest, rules);
}

const messages = (errors: readonly FieldError[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

describe('validateNode', () => {
  it("reports a taint with upstream's path, and points to its actual field", () => {
    const errors = validate({ name: 'n' }, { spec: { taints: [{ key: 'a', effect: 'NoRun' }] } });
    expect(errors).toMatchObject([{ field: 'metadata.taints[0].effect', pointer: '/spec/taints/0/effect' }]);
  });

  it.each<[string, object, string[]]>([
    ['lets a name be generated', { generateName: 'node-' }, []],
    [
      'refuses annotations of more than 256 KiB in all',
      { name: 'n', annotations: { a: 'x'.repeat(200_000), b: 'x'.repeat(70_000) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    ['allows annotation keys with capitals in their domain', { name: 'n', annotations: { 'Example.com/X': '' } }, []],
    [
      'names the annotation as it was written',
      { name: 'n', annotations: { '/X': '' } },
      ['metadata.annotations: Invalid value: "/X": prefix part must be non-empty'],
    ],
    [
      'refuses an owner without uid, and an Event as an owner',
      { name: 'n', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e' }] },
      [
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":""}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'refuses a second controller',
      {
        name: 'n',
        ownerReferences: ['a', 'b'].map((name) => ({
          apiVersion: 'x/v1',
          kind: 'K',
          name,
          uid: 'u',
          controller: true,
        })),
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"x/v1","kind":"K","name":"a","uid":"u","controller":true},{"apiVersion":"x/v1","kind":"K","name":"b","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for K/a and K/b',
      ],
    ],
    [
      'refuses two finalizers that exclude each other',
      { name: 'n', finalizers: ['orphan', 'foregroundDeletion', 'example.com/mine'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion","example.com/mine"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'refuses a negative generation and managed fields of an unknown operation',
      { name: 'n', generation: -1, managedFields: [{ operation: 'Patch', fieldsType: 'FieldsV2' }] },
      [
        'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
        'metadata.managedFields.operation: Invalid value: "Patch": must be `Apply` or `Update`',
        'metadata.managedFields.fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
      ],
    ],
  ])('%s', (_, metadata, expected) => {
    expect(messages(validate(metadata))).toEqual(expected);
  });

  it('cuts a prefix two bytes before its end, so that half a letter stays invalid', () => {
    expect(validate({ name: 'n', generateName: 'a-' })).toEqual([]);
    expect(validate({ name: 'n', generateName: 'é-' })).toMatchObject([{ field: 'metadata.generateName' }]);
  });

  it('escapes characters that are special in HTML in a list', () => {
    const owner = { apiVersion: '/v1', kind: 'Event', name: '<e>', uid: 'u' };
    expect(messages(validate({ name: 'n', ownerReferences: [owner] }))).toEqual([
      'metadata.ownerReferences: Invalid value: {"apiVersion":"/v1","kind":"Event","name":"\\u003ce\\u003e","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ]);
  });

  it.each<[string, object, string[]]>([
    ['one network', { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] }, []],
    ['both families', { podCIDRs: ['10.0.0.0/24', '2001:db8::/64'] }, []],
    ['the single field alone', { podCIDR: 'x' }, ['spec.podCIDRs[0]']],
    ['a single field that disagrees with the list, and wins', { podCIDR: '10.0.0.0/24', podCIDRs: ['x'] }, []],
    ['bits beyond the prefix', { podCIDRs: ['10.0.0.1/24'] }, ['spec.podCIDRs[0]']],
    ['bits beyond an IPv6 prefix', { podCIDRs: ['2001:db8::8000/112'] }, ['spec.podCIDRs[0]']],
    ['a host network', { podCIDRs: ['10.0.0.1/32'] }, []],
    ['an IPv4 network written as IPv6', { podCIDRs: ['::ffff:10.0.0.0/120'] }, ['spec.podCIDRs[0]']],
    ['an IPv6 network with an IPv4 tail', { podCIDRs: ['64:ff9b::1.2.3.0/120'] }, []],
    ['too many groups', { podCIDRs: ['1:2:3:4:5:6:7:8:9/64'] }, ['spec.podCIDRs[0]']],
    ['a leading zero of the prefix', { podCIDRs: ['10.0.0.0/08'] }, ['spec.podCIDRs[0]']],
  ])('judges networks: %s', (_, spec, fields) => {
    expect(validate({ name: 'n' }, { spec }).map(({ field }) => field)).toEqual(fields);
  });

  it('judges networks and features by the version', () => {
    const said = (more: object, ...minors: number[]): string[][] =>
      minors.map((minor) => messages(validate({ name: 'n' }, more, rulesOfMinor(minor))));
    const within = 'spec.podCIDRs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length';
    expect(said({ spec: { podCIDRs: ['10.0.0.1/24'] } }, 35, 36)).toEqual([[], [within]]);
    const twice = said({ spec: { podCIDRs: ['10.0.0.0/24', '10.0.0.0/24'] } }, 32, 33);
    expect(twice[0]).toEqual([...twice[1]!, 'spec.podCIDRs[1]: Duplicate value: "10.0.0.0/24"']);
    expect(twice[1]).toHaveLength(1);
    const features = said({ status: { declaredFeatures: ['lower'] } }, 35, 36);
    expect(features.map((texts) => texts.length)).toEqual([0, 1]);
  });

  it('names the field of an owner that is missing, up to 1.33', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: '', uid: '' };
    const said = [33, 34].map((minor) =>
      messages(validate({ name: 'n', ownerReferences: [owner] }, {}, rulesOfMinor(minor))),
    );
    const at = 'metadata.ownerReferences';
    expect(said).toEqual([
      ['name', 'uid'].map((field) => `${at}.${field}: Invalid value: "": ${field} must not be empty`),
      ['name', 'uid'].map((field) => `${at}.${field}: Invalid value: "": must not be empty`),
    ]);
  });
});
