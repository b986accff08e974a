import { rulesOfMinor } from '../kubernetes-rules.js';
import { DEFAULT_GATES, gatesOf } from '../toleration.js';
import { describe, expect, it } from '@jest/globals';
import { FieldPath } from '../field-path.js';
import type { Pod, PodSpec } from '../objects/pod.js';
import { validatePlacedPod, validateReplacedPod } from './placed-pod.js';

const errorsOf = (spec: Partial<PodSpec>): readonly (readonly [string, string])[] => {
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [], ...spec } };
  const place = { metadata: FieldPath.of('metadata'), spec: FieldPath.of('spec') };
  return validatePlacedPod(pod, place, DEFAULT_GATES).map(({ field, message }) => [field, message]);
};
const container = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  containers: [{ name: 'c', resources: { requests, limits } }],
});
const AT = 'spec.containers[0].resources';

describe('resources of a new pod', () => {
  it.each<[string, Partial<PodSpec>, readonly (readonly [string, string])[]]>([
    ['a request within its limit is fine', container({ cpu: '1' }, { cpu: '1' }), []],
    [
      'a negative limit is refused where it stands',
      container({}, { memory: '-1' }),
      [[`${AT}.limits[memory]`, 'Invalid value: "-1": must be greater than or equal to 0']],
    ],
    [
      'a request above its limit is reported at the requests, not at the resource',
      container({ cpu: '2' }, { cpu: '1500m' }),
      [[`${AT}.requests`, 'Invalid value: "2": must be less than or equal to cpu limit of 1500m']],
    ],
    [
      'an extended resource needs an equal limit',
      container({ 'nvidia.com/gpu': '1' }, { 'nvidia.com/gpu': '2' }),
      [[`${AT}.requests`, 'Invalid value: "1": must be equal to nvidia.com/gpu limit of 2']],
    ],
    [
      'an extended resource needs a limit, and has no parts',
      container({ 'nvidia.com/gpu': '500m' }),
      [
        [`${AT}.requests[nvidia.com/gpu]`, 'Invalid value: "500m": must be an integer'],
        [`${AT}.limits`, 'Required value: Limit must be set for non overcommitable resources'],
      ],
    ],
    [
      'a name without a domain must be one that Kubernetes gives a meaning in containers',
      container({ gpu: '1', pods: '1' }),
      [
        [`${AT}.requests[gpu]`, 'Invalid value: "gpu": must be a standard resource type or fully qualified'],
        [`${AT}.requests[gpu]`, 'Invalid value: "gpu": must be a standard resource for containers'],
        [`${AT}.requests[pods]`, 'Invalid value: "pods": must be a standard resource for containers'],
      ],
    ],
    [
      'huge pages come whole, and never alone',
      container({ 'hugepages-2Mi': '3Mi' }, { 'hugepages-2Mi': '3Mi' }),
      [
        [`${AT}.limits[hugepages-2Mi]`, 'Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi'],
        [
          `${AT}.requests[hugepages-2Mi]`,
          'Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        ],
        [AT, 'Forbidden: HugePages require cpu or memory'],
      ],
    ],
  ])('%s', (_, spec, wanted) => {
    expect(errorsOf(spec)).toEqual(wanted);
  });

  it('reports an invalid overhead as a limit, as upstream does, with a pointer to its actual field', () => {
    const place = { metadata: FieldPath.of('metadata'), spec: FieldPath.of('spec') };
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [], overhead: { cpu: '-1' } },
    };
    expect(validatePlacedPod(pod, place, DEFAULT_GATES)).toEqual([
      expect.objectContaining({ field: 'spec.overhead.limits[cpu]', pointer: '/spec/overhead/cpu' }),
    ]);
  });
});

describe('node affinity of a new pod', () => {
  const TERMS = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const requiring = (nodeSelectorTerms: object[]): Partial<PodSpec> => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const expression = (one: object) => requiring([{ matchExpressions: [{ key: 'a', ...one }] }]);

  it.each<[string, Partial<PodSpec>, string, string]>([
    ['no term at all', requiring([]), '', 'Required value: must have at least one node selector term'],
    [
      'In without values',
      expression({ operator: 'In' }),
      '[0].matchExpressions[0].values',
      "Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
    [
      'Exists with values',
      expression({ operator: 'Exists', values: ['x'] }),
      '[0].matchExpressions[0].values',
      "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ],
    [
      'Gt with two values',
      expression({ operator: 'Gt', values: ['1', '2'] }),
      '[0].matchExpressions[0].values',
      "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    ],
    [
      'a field that is none',
      requiring([{ matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }]),
      '[0].matchFields[0].key',
      'Invalid value: "spec.x": not a valid field selector key',
    ],
  ])('%s', (_, spec, place, message) => {
    expect(errorsOf(spec)).toEqual([[TERMS + place, message]]);
  });
});

describe('affinity to other pods, and topology spread', () => {
  const term = (given: object) => ({ topologyKey: 'zone', ...given });
  const required = (given: object): Partial<PodSpec> => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(given)] } },
  });
  const AT_TERM = 'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';

  it.each<[string, Partial<PodSpec>, readonly string[]]>([
    ['a term with a selector is fine', required({ labelSelector: { matchLabels: { app: 'web' } } }), []],
    ['a term without a topology key is refused', required({ topologyKey: '' }), [`${AT_TERM}.topologyKey`]],
    [
      'a selector with an operator that is none is refused',
      required({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'Nope', values: ['a'] }] } }),
      [`${AT_TERM}.labelSelector.matchExpressions[0].operator`],
    ],
    [
      'a spread constraint is refused for its skew, its key and its action at once',
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Never' }] },
      ['maxSkew', 'topologyKey', 'whenUnsatisfiable'].map((field) => `spec.topologySpreadConstraints[0].${field}`),
    ],
  ])('%s', (_, spec, fields) => {
    expect([...new Set(errorsOf(spec).map(([field]) => field))]).toEqual(fields);
  });
});

describe('a pod by the rules of an older version', () => {
  const podOf = (spec: Partial<PodSpec>): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [], ...spec },
  });
  const place = { metadata: FieldPath.of('metadata'), spec: FieldPath.of('spec') };
  const said = (minor: number, spec: Partial<PodSpec>): string[] =>
    validatePlacedPod(podOf(spec), place, gatesOf(rulesOfMinor(minor))).map(({ message }) => message);

  it('is refused in the words of that version', () => {
    const tolerations = [{ key: 'k', operator: 'Exists', value: 'v' }];
    const rule = "value must be empty when `operator` is 'Exists'";
    const shown = 'core.Toleration{Key:"k", Operator:"Exists", Value:"v", Effect:"", TolerationSeconds:(*int64)(nil)}';
    expect([31, 32].map((minor) => said(minor, { tolerations }))).toEqual([
      [`Invalid value: ${shown}: ${rule}`],
      [`Invalid value: "v": ${rule}`],
    ]);
    const nodeSelector = { ['a'.repeat(64)]: '' };
    expect([34, 35].map((minor) => said(minor, { nodeSelector })[0]?.replace(/.*no more than /, ''))).toEqual([
      '63 characters',
      '63 bytes',
    ]);
  });

  it('is not refused for resources as a whole, which are dropped up to 1.33', () => {
    const spec = { ...container({ cpu: '2' }), resources: { requests: { cpu: '1', gpu: '1' } } };
    expect([33, 34].map((minor) => said(minor, spec).length)).toEqual([0, 1]);
    const less = { ...container({ cpu: '2' }), resources: { requests: { cpu: '1' } } };
    const replaced = (minor: number): number => validateReplacedPod(podOf(less), gatesOf(rulesOfMinor(minor))).length;
    expect([33, 34].map(replaced)).toEqual([0, 1]);
  });
});
