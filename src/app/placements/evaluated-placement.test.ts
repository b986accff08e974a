import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { EvaluatedPlacement, EvaluatedPlacements } from './evaluated-placement.js';
import { placedSubject } from './placed-subject.js';
import { placingProfile } from './placing-profile.js';

const GATES = DEFAULT_GATES;
const states = (count: number): ClusterState[] =>
  Array.from({ length: count }, (_, i) =>
    ClusterState.build([{ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}` } }], ['Node', 'Pod']),
  );

/** Evaluates a pod with this many labels to match. */
function evaluated(state: ClusterState, labels: number): EvaluatedPlacement {
  const nodeSelector = Object.fromEntries(Array.from({ length: labels }, (_, i) => [`label-${i}`, 'value']));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }] } };
  const read = placedSubject({ pod }, 'pod', state, GATES);
  // More labels than a manifest may have.
  const subject = { ...read, pod: { ...read.pod, spec: { ...read.pod.spec, nodeSelector } } };
  return new EvaluatedPlacement(subject, placingProfile(state, subject.pod, undefined, GATES), undefined);
}

/** A cluster of pools of two nodes, each pool with a taint of its own. */
const cluster = (count: number): ClusterState =>
  ClusterState.build(
    Array.from({ length: count }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `n${String(i).padStart(3, '0')}`, labels: { pool: `p${i >> 1}` } },
      spec: { taints: [{ key: 'pool', value: `p${i >> 1}`, effect: 'NoSchedule' }] },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
    })),
    ['Node', 'Pod'],
  );

describe('explanations of nodes', () => {
  it('share their lists if they differ only in the name', () => {
    const placement = evaluated(cluster(4), 1);
    const [first, second, third] = [placement.node(0), placement.node(1), placement.node(2)];
    expect([first.node, second.node]).toEqual(['n000', 'n001']);
    expect(second.reasons).toBe(first.reasons);
    expect(third.reasons).not.toEqual(first.reasons);
  });

  it('are recomputed if they have many parts', () => {
    const placement = evaluated(cluster(2), 20);
    const [first, second] = [placement.node(0), placement.node(1)];
    expect(first.reasons.length).toBeGreaterThan(16);
    expect(second.reasons).not.toBe(first.reasons);
    expect(second.reasons).toEqual(first.reasons);
  });

  it('are recomputed beyond the first 200 distinct ones', () => {
    const placement = evaluated(cluster(404), 1);
    for (let node = 0; node < 404; node += 2) placement.node(node);
    expect(placement.node(399).reasons).toBe(placement.node(398).reasons);
    expect(placement.node(401).reasons).not.toBe(placement.node(400).reasons);
  });
});

describe('cached evaluations', () => {
  it('exclude requests that occurred once', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    let made = 0;
    const ask = (): EvaluatedPlacement =>
      known.get(state, 'a', () => {
        made += 1;
        return evaluated(state, 1);
      });
    const first = ask();
    const second = ask();
    expect(second).not.toBe(first);
    expect(ask()).toBe(second);
    expect(made).toBe(2);
  });

  it('serve a request that occurs twice on the same state', () => {
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
  ])('%s are evicted, least recently used first, before they fill the memory', (_, count) => {
    const all = states(count);
    const known = new EvaluatedPlacements();
    const model = evaluated(all[0]!, 2000);
    let made = 0;
    const asked = new Set<number>();
    const ask = (question: number): void => {
      // A request that occurred once is not cached.
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

  it('stay if more requests than fit occur in turn', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const model = evaluated(state, 2000);
    const rounds = Array.from({ length: 4 }, () => {
      let made = 0;
      for (let question = 0; question < 200; question += 1) {
        known.get(state, String(question), () => {
          made += 1;
          return model;
        });
      }
      return made;
    });
    expect(rounds[0]).toBe(200);
    expect(rounds[1]).toBe(200);
    expect(rounds[2]).toBeLessThan(190);
    expect(rounds[3]).toBe(rounds[2]);
  });

  it('make room if they were not used since the request last occurred', () => {
    const [state] = states(1) as [ClusterState];
    const known = new EvaluatedPlacements();
    const model = evaluated(state, 2000);
    const ask = (question: string): boolean => {
      let isMade = false;
      known.get(state, question, () => {
        isMade = true;
        return model;
      });
      return isMade;
    };
    for (let question = 0; question < 200; question += 1) {
      ask(`old ${question}`);
      ask(`old ${question}`);
    }
    expect([ask('new'), ask('new'), ask('new')]).toEqual([true, true, false]);
  });

  it('take memory by what was read of them', () => {
    const state = cluster(400);
    const known = new EvaluatedPlacements();
    let made = 0;
    const ask = (question: string): EvaluatedPlacement =>
      known.get(state, question, () => {
        made += 1;
        return evaluated(state, 1);
      });
    const askAll = (name: string, read: (found: EvaluatedPlacement) => void): void => {
      for (let number = 0; number < 120; number += 1) {
        ask(`${name} ${number}`);
        read(ask(`${name} ${number}`));
      }
    };
    // One node of each, as a small page would: all have room.
    askAll('small', (found) => found.node(0));
    expect(made).toBe(240);
    ask('small 0');
    expect(made).toBe(240);
    // 200 distinct explanations of each, a megabyte: not all have room.
    askAll('large', (found) => {
      for (let node = 0; node < 400; node += 1) found.node(node);
    });
    expect(made).toBe(480);
    ask('large 119');
    expect(made).toBe(480);
    ask('large 0');
    expect(made).toBe(481);
  });

  it('never include the largest', () => {
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
