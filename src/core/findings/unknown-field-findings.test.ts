import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json-value.js';
import { decodeObject } from '../kubernetes/decode.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { DEFAULT_RULES, rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { Finding } from './finding.js';
import { nearestField } from './nearest-field.js';
import { unknownFieldFindings } from './unknown-field-findings.js';

const SUBJECT = { kind: 'Deployment', namespace: 'team', name: 'web' };

function of(spec: JsonObject, podSpec: JsonObject, rules = DEFAULT_RULES, version?: string): readonly Finding[] {
  const given = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'team' },
    spec: { ...spec, template: { spec: { containers: [{ name: 'c' }], ...podSpec } } },
  };
  const decoded = decodeObject(given, { minor: rules.minor });
  if (decoded.outcome === 'ignored') throw new Error('ignored');
  return unknownFieldFindings(decoded.unknown ?? [], {
    subject: SUBJECT,
    podSpecPath: FieldPath.of('spec', 'template', 'spec'),
    server: { rules, ...(version !== undefined && { unknownVersion: version }) },
  });
}

describe('findings on unknown fields', () => {
  it('do not say that a version newer than the known ones ignores them', () => {
    expect(of({}, { futureField: 1 }, DEFAULT_RULES, 'v1.37.1')).toMatchObject([
      {
        message:
          'Kubernetes v1.36.2 has no field spec.template.spec.futureField, and whether v1.37.1 has it is not known.',
      },
    ]);
  });

  it('say since when Kubernetes has a field that the version lacks', () => {
    expect(of({}, { hostnameOverride: 'a', resources: {} }, rulesOfMinor(33))).toMatchObject([
      {
        field: 'spec.template.spec.hostnameOverride',
        message: expect.stringContaining('Kubernetes v1.33.13 has no field'),
        suggestions: [{ text: 'Remove it for this version; Kubernetes has it since 1.34.' }],
      },
    ]);
    expect(of({ resources: {} }, {}, rulesOfMinor(31))).toMatchObject([
      { suggestions: [{ text: 'Correct or remove it.' }] },
    ]);
  });

  it('suggest the known field of the same place with the nearest name', () => {
    expect(
      of({}, { containers: [{ name: 'c' }], toleration: [], initContainers: [{ name: 'i', resource: {} }] }),
    ).toEqual([
      {
        code: 'unknown-field',
        severity: 'warning',
        subject: SUBJECT,
        field: 'spec.template.spec.toleration',
        pointer: '/spec/template/spec/toleration',
        message: expect.stringContaining('has no field spec.template.spec.toleration'),
        suggestions: [{ text: 'Rename it to tolerations.' }],
      },
      expect.objectContaining({
        pointer: '/spec/template/spec/initContainers/0/resource',
        suggestions: [{ text: 'Rename it to resources.' }],
      }),
    ]);
  });

  it('suggest the pod spec for a field of it that is elsewhere', () => {
    expect(of({ tolerations: [], nodeSelector: {} }, {})).toMatchObject([
      { pointer: '/spec/tolerations', suggestions: [{ text: 'Move it to spec.template.spec.tolerations.' }] },
      { pointer: '/spec/nodeSelector', suggestions: [{ text: 'Move it to spec.template.spec.nodeSelector.' }] },
    ]);
  });

  it('suggest no field if none is near', () => {
    expect(of({}, { somethingElse: 1 })).toMatchObject([{ suggestions: [{ text: 'Correct or remove it.' }] }]);
  });

  it('are also there for a manifest with fields of the wrong type', () => {
    expect(of({}, { tolerations: 'all', nodeSelectors: {} })).toMatchObject([
      { pointer: '/spec/template/spec/nodeSelectors', suggestions: [{ text: 'Rename it to nodeSelector.' }] },
    ]);
  });

  it('are none for known fields and for keys of maps', () => {
    expect(
      of({ minReadySeconds: 1 }, { tolerations: [], nodeSelector: { toleration: 'x' }, dnsPolicy: 'Default' }),
    ).toEqual([]);
  });
});

describe('the nearest field', () => {
  const known = ['tolerations', 'nodeSelector', 'nodeName', 'image', 'key', 'env', 'affinity'];

  it.each([
    ['tolleration', 'tolerations'],
    ['tolerration', 'tolerations'],
    ['toleration', 'tolerations'],
    ['TOLERATIONS', 'tolerations'],
    ['node_selector', 'nodeSelector'],
    ['nodeSelectors', 'nodeSelector'],
    ['nodename', 'nodeName'],
    ['afinity', 'affinity'],
    ['imagee', 'image'],
    ['Key', 'key'],
  ])('to %s is %s', (name, field) => {
    expect(nearestField(name, known)).toBe(field);
  });

  it.each(['tolerance', 'keys', 'envs', 'ken', 'imageId', 'node'])('to %s is none', (name) => {
    expect(nearestField(name, ['tolerations', 'nodeSelector', 'nodeName', 'image'])).toBeUndefined();
  });
});
