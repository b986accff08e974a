import { describe, expect, it } from '@jest/globals';
import { ParamSelection } from './param-selection.js';

const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap' };

function selection(paramRef: object, paramKind: object = CONFIG_MAPS, family = 'Validating'): ParamSelection {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const found = new ParamSelection();
  const binding = { policyName: 'p', paramRef };
  const objects = [
    { apiVersion, kind: `${family}AdmissionPolicyBinding`, metadata: { name: 'b' }, spec: binding },
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'p' }, spec: { paramKind } },
  ];
  for (const object of objects) found.add(object);
  return found;
}

describe('ConfigMaps that policies take as params', () => {
  const limits = { namespace: 'team', name: 'limits', labels: { policy: 'limits' } };

  it.each<[string, boolean, object]>([
    ['that a binding names, in any namespace', true, { name: 'limits' }],
    ['that a binding names, in its namespace', true, { name: 'limits', namespace: 'team' }],
    ['of another namespace', false, { name: 'limits', namespace: 'other' }],
    ['of another name', false, { name: 'other' }],
    ['that a binding selects', true, { selector: { matchLabels: { policy: 'limits' } } }],
    ['that a binding does not select', false, { selector: { matchLabels: { policy: 'other' } } }],
    ['in a namespace of which all are selected', true, { selector: {}, namespace: 'team' }],
    ['in another namespace than that of which all are selected', false, { selector: {}, namespace: 'other' }],
    ['that nothing refers to', false, { namespace: 'team' }],
  ])('%s: %s', (_, want, paramRef) => {
    expect(selection(paramRef).selects(limits)).toBe(want);
  });

  it('are none for a policy with params of another kind, or a binding of another kind of policy', () => {
    const ref = { name: 'limits' };
    expect(selection(ref, { apiVersion: 'example.com/v1', kind: 'ConfigMap' }).selects(limits)).toBe(false);
    expect(selection(ref, { apiVersion: 'v1', kind: 'Secret' }).selects(limits)).toBe(false);
    expect(selection(ref, CONFIG_MAPS, 'Mutating').selects(limits)).toBe(false);
    expect(new ParamSelection().selects(limits)).toBe(false);
  });
});
