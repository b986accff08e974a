import { describe, expect, it } from '@jest/globals';
import { errorsInWordsOf } from '../field-error.js';
import { rulesOfMinor } from '../kubernetes-rules.js';
import type { ResourceSlice } from '../objects/dra.js';
import { validateResourceSlice } from './resource-slice.js';

function said(spec: object, minor = 36): readonly string[] {
  const slice = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 's' },
    spec: { driver: 'gpu.example.com', pool: { name: 'a', generation: 1, resourceSliceCount: 1 }, ...spec },
  } as ResourceSlice;
  const rules = rulesOfMinor(minor);
  return errorsInWordsOf(rules, validateResourceSlice(slice, rules)).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const FOUR = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
const THREE = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';
const OF_DEVICE = `${THREE} when \`perDeviceNodeSelection\` is set to true in the ResourceSlice spec`;
const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };

/** The words of validation.go as of 1.31, 1.32, 1.33 and 1.36. */
describe('the nodes of a ResourceSlice', () => {
  it('are said in exactly one way', () => {
    for (const spec of [{ nodeName: 'a' }, { allNodes: true }, { nodeSelector: { nodeSelectorTerms: [term] } }]) {
      for (const minor of [31, 32, 33, 36]) expect(said(spec, minor)).toEqual([]);
    }
    expect([31, 32, 33, 36].map((minor) => said({}, minor))).toEqual([
      [`spec: Required value: ${THREE}`],
      [`spec: Required value: ${THREE}`],
      [`spec: Required value: ${FOUR}`],
      [`spec: Required value: ${FOUR}`],
    ]);
    const two = { nodeName: 'a', allNodes: true };
    expect([32, 36].map((minor) => said(two, minor))).toEqual([
      [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${THREE}, but multiple fields are set`],
      [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${FOUR}, but multiple fields are set`],
    ]);
  });

  it('are not none: false and an empty name are invalid since 1.33', () => {
    expect(said({ nodeName: '', allNodes: true }, 32)).toEqual([]);
    expect(said({ nodeName: '', allNodes: true })).toEqual([
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
    ]);
    expect(said({ nodeName: 'a', perDeviceNodeSelection: false })).toEqual([
      'spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true',
    ]);
    expect(said({ nodeSelector: { nodeSelectorTerms: [] } }, 31)).toEqual([
      'spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: null: must have exactly one selector term',
    ]);
  });

  it('are those of its devices where it says so, and of these only there', () => {
    const devices = [{ name: 'a', nodeName: 'n' }, { name: 'b' }, { name: 'c', nodeName: 'n', allNodes: true }];
    expect(said({ perDeviceNodeSelection: true, devices })).toEqual([
      `spec.devices[1]: Required value: ${OF_DEVICE}`,
      `spec.devices[2]: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${OF_DEVICE}`,
    ]);
    expect(said({ nodeName: 'n', devices: [{ name: 'a', nodeName: 'n' }] })).toEqual([
      'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ]);
  });
});

it('refuses the request policy of a device that is allocated as a whole', () => {
  const capacity = { 'gpu.example.com/memory': { value: '1Gi', requestPolicy: { default: '1Gi' } } };
  expect(said({ nodeName: 'n', devices: [{ name: 'a', capacity }] })).toEqual([
    'spec.devices[0].capacity[gpu.example.com/memory].requestPolicy: Forbidden: allowMultipleAllocations must be true',
  ]);
  expect(said({ nodeName: 'n', devices: [{ name: 'a', capacity, allowMultipleAllocations: true }] })).toEqual([]);
});
