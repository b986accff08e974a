import { describe, expect, it } from '@jest/globals';
import { FieldPath } from './field-path.js';
import {
  compileNodeSelector,
  compilePreferredTerms,
  matchNodeSelector,
  matchRequiredNodeAffinity,
  requiredNodeAffinity,
} from './node-selector.js';
import type { Labels } from './objects/meta.js';
import type { Node } from './objects/node.js';
import type { PodSpec } from './objects/pod.js';
import type { NodeSelectorRequirement, NodeSelectorTerm } from './objects/selectors.js';

const node = (name: string, labels: Labels = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
});
const where = (key: string, operator: string, ...values: string[]): NodeSelectorRequirement => ({
  key,
  operator,
  values,
});
const labels = (...matchExpressions: NodeSelectorRequirement[]): NodeSelectorTerm => ({ matchExpressions });
const fields = (...matchFields: NodeSelectorRequirement[]): NodeSelectorTerm => ({ matchFields });
const match = (of: Node, ...nodeSelectorTerms: NodeSelectorTerm[]) => matchNodeSelector({ nodeSelectorTerms }, of);

describe('matchNodeSelector', () => {
  const big = node('n1', { zone: 'a', cores: '16' });

  it.each<[string, NodeSelectorTerm[], boolean]>([
    ['no terms match nothing', [], false],
    ['an empty term matches nothing', [{}], false],
    ['an empty term does not hinder another', [{}, labels(where('zone', 'In', 'a'))], true],
    ['requirements of a term are ANDed', [labels(where('zone', 'In', 'a'), where('cores', 'Gt', '16'))], false],
    ['terms are ORed', [labels(where('cores', 'Lt', '16')), labels(where('cores', 'Gt', '8'))], true],
    ['a missing label meets NotIn', [labels(where('gpu', 'NotIn', 'x'))], true],
    ['a field is the node’s name', [fields(where('metadata.name', 'In', 'n1'))], true],
    ['a field may exclude the name', [fields(where('metadata.name', 'NotIn', 'n1'))], false],
    ['another field reads as empty', [fields(where('metadata.namespace', 'In', ''))], true],
    ['a bad term does not hinder a good one', [labels(where('zone', 'In')), labels(where('zone', 'Exists'))], true],
  ])('%s', (_name, terms, want) => {
    expect(match(big, ...terms).matches).toBe(want);
  });

  it('ignores field requirements for a node without a name', () => {
    expect(match(node(''), fields(where('metadata.name', 'In', 'n1'))).matches).toBe(true);
  });

  it('reports the faults of every invalid term if no term matches', () => {
    const terms = [
      labels(where('zone', 'Near')),
      labels(where('zone', 'In', 'b')),
      fields(where('metadata.name', 'In', 'x', 'y')),
    ];
    expect(match(big, ...terms)).toMatchObject({
      matches: false,
      message:
        '[nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", ' +
        'nodeSelectorTerms[2].matchFields[0].values: Invalid value: ["x","y"]: must have one element]',
    });
  });

  it('refuses a negative bound, because no label value begins with a dash', () => {
    expect(match(big, labels(where('cores', 'Gt', '-1')))).toMatchObject({
      matches: false,
      message: expect.any(String),
    });
  });

  it('provides each requirement for evaluating a single value', () => {
    const [term] = compileNodeSelector({ nodeSelectorTerms: [{}, labels(where('cores', 'Gt', '8'))] }).terms;
    const [requirement] = term!.labels;
    expect([term!.index, requirement!.key]).toEqual([1, 'cores']);
    expect([undefined, '8', '9', 'x'].map((value) => requirement!.matchesValue(value))).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });
});

describe('matchRequiredNodeAffinity', () => {
  const spec = (more: Partial<PodSpec>): { spec: PodSpec } => ({ spec: { containers: [], ...more } });
  const required = (...nodeSelectorTerms: NodeSelectorTerm[]): Partial<PodSpec> => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const matches = (more: Partial<PodSpec>, of: Node) => matchRequiredNodeAffinity(requiredNodeAffinity(spec(more)), of);

  it('requires both the node selector and the required terms', () => {
    const both = { nodeSelector: { disk: 'ssd' }, ...required(labels(where('zone', 'In', 'a'))) };
    expect(matches(both, node('n', { disk: 'ssd', zone: 'a' }))).toEqual({ matches: true });
    expect(matches(both, node('n', { disk: 'hdd', zone: 'a' }))).toEqual({ matches: false });
    expect(matches(both, node('n', { disk: 'ssd', zone: 'b' }))).toEqual({ matches: false });
  });

  it('matches every node for a pod without requirements, and none for an empty list of terms', () => {
    expect(matches({ nodeSelector: {}, affinity: { nodeAffinity: {} } }, node('n'))).toEqual({ matches: true });
    expect(matches(required(), node('n'))).toEqual({ matches: false });
  });

  it('does not validate the node selector, and reports no invalid terms if it does not match', () => {
    expect(matches({ nodeSelector: { 'a/b/c': '-' } }, node('n', { 'a/b/c': '-' }))).toEqual({ matches: true });
    const bad = { nodeSelector: { disk: 'ssd' }, ...required(labels(where('zone', 'In'))) };
    expect(matches(bad, node('n'))).toEqual({ matches: false });
  });
});

describe('compilePreferredTerms', () => {
  const term = (weight: number, preference: NodeSelectorTerm) => ({ weight, preference });

  it('skips terms without weight or requirements, including invalid ones', () => {
    const compiled = compilePreferredTerms([
      term(0, labels(where('zone', 'Near'))),
      term(5, {}),
      term(7, labels(where('zone', 'Exists'))),
    ]);
    expect('terms' in compiled && compiled.terms.map(({ weight, term: { index } }) => [weight, index])).toEqual([
      [7, 2],
    ]);
  });

  it('fails as a whole because of one invalid term', () => {
    const terms = [term(7, labels(where('zone', 'Exists'))), term(1, labels(where('zone', 'In')))];
    expect(compilePreferredTerms(terms, FieldPath.of('preferred'))).toMatchObject({
      message:
        "preferred[1].matchExpressions[0].values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    });
  });
});
