import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { EvaluatedPlacement, EvaluatedPlacements } from './evaluated-placement.js';
import { placedSubject } from './placed-subject.js';

const GATES = { comparisonOperators: false };
const states = (count: number): ClusterState[] =>
  Array.from({ length: count }, (_, i) =>
    ClusterState.build([{ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}` } }], ['Node', 'Pod']),
  );

/** A pod with so many labels to be selected. */
function evaluated(state: ClusterState, labels: number): EvaluatedPlacement {
  const nodeSelector = Object.fromEntries(Array.from({ length: labels }, (_, i) => [`label-${i}`, 'value']));
  const spec = { containers: [{ name: 'c' }], nodeSelector };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
  return new EvaluatedPlacement(placedSubject({ pod }, 'pod', state, GATES), GATES, undefined);
}

describe('evaluations that are kept', () => {
  it('answer a question that came twice on the same state', () => {
    const [first, second] = states(2) as [ClusterState, ClusterState];
    const known = new EvaluatedPlacements();
    known.get(first, 'a', () => evaluated(first, 1));
    const found = known.get(first, 'a', () => evaluated(first, 1));
    const never = (): EvaluatedPlacement => {
      throw new Error('is known');
    };
    expect(known.get(first, 'a', never)).toBe(found);
    expect(() => known.get(first, 'b', never)).toThrow('is known');
    expect(() => known.get(second, 'a', never)).toThrow('is known');
  });

  it.each([
    ['of one state', 1],
    ['of many states', 50],
  ])('%s are forgotten, those used longest ago first, before they fill the memory', (_, count) => {
    const all = states(count);
    const known = new EvaluatedPlacements();
    const model = evaluated(all[0]!, 2000);
    let made = 0;
    const asked = new Set<number>();
    const ask = (question: number): void => {
      // What came once is not kept.
      if (!asked.has(question)) {
        asked.add(question);
        known.get(all[question % count]!, String(question), () => model);
      }
      known.get(all[question % count]!, String(question), () => {
        made += 1;
        return model;
      });
    };
    for (let question = 0; question < 200; question += 1) {
      ask(question);
      ask(0);
    }
    expect(made).toBe(200);
    ask(199);
    expect(made).toBe(200);
    ask(1);
    expect(made).toBe(201);
  });

  it('are never the largest', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const large = evaluated(state, 10_000);
    let made = 0;
    for (let i = 0; i < 2; i += 1) {
      known.get(state, 'large', () => {
        made += 1;
        return large;
      });
    }
    expect(made).toBe(2);
  });
});
