import { describe, expect, it } from '@jest/globals';
import type { Node } from '../kubernetes/objects/node.js';
import { kubectlCommands, shellText, type NodeTarget } from './kubectl-command.js';
import { parseLabelArguments } from './parse-label-arguments.js';
import { parseTaintArguments } from './parse-taint-arguments.js';
import { runKubectl } from './run-kubectl.js';
import type { TaintEdit } from './taint-edit.js';

const edit = (words: readonly string[], more: Partial<TaintEdit> = {}): TaintEdit => ({
  ...parseTaintArguments(words),
  overwrite: false,
  ...more,
});
const NAMES: NodeTarget = { names: ['n1', 'n2'] };

describe('kubectlCommands', () => {
  it.each<[string, TaintEdit, NodeTarget, string[]]>([
    [
      'taints only',
      edit(['a=1:NoSchedule', 'b:NoExecute', 'c-', 'd=5:NoExecute-']),
      NAMES,
      ['kubectl taint nodes n1 n2 a=1:NoSchedule b:NoExecute c- d:NoExecute-'],
    ],
    [
      'everything at once',
      edit(['a:NoSchedule'], { overwrite: true, unschedulable: true, labels: parseLabelArguments(['k=v', 'old-']) }),
      NAMES,
      [
        'kubectl taint nodes n1 n2 a:NoSchedule --overwrite',
        'kubectl cordon n1 n2',
        'kubectl label nodes n1 n2 k=v old- --overwrite',
      ],
    ],
    [
      'a selector, quoted for the shell',
      edit(['a-'], { unschedulable: false }),
      { selector: "pool in (a,b),!it's" },
      [
        `kubectl taint nodes --selector 'pool in (a,b),!it'\\''s' a-`,
        `kubectl uncordon --selector 'pool in (a,b),!it'\\''s'`,
      ],
    ],
  ])('%s', (_, given, target, expected) => {
    expect(kubectlCommands(given, target).map(shellText)).toEqual(expected);
  });

  it('have the same result as the edit', () => {
    const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', labels: { pool: 'a' } } };
    const target: NodeTarget = { selector: 'pool in (a,b)' };
    let nodes: readonly Node[] = [node];
    for (const command of kubectlCommands(edit(['a=1:NoSchedule'], { unschedulable: true }), target)) {
      const run = runKubectl(command, nodes);
      expect(run.exitCode).toBe(0);
      ({ nodes } = run);
    }
    expect(nodes[0]?.spec).toEqual({
      taints: [
        { key: 'a', value: '1', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
      ],
      unschedulable: true,
    });
  });
});
