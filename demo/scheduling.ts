import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { placementResponse } from '../src/contract/placements/placement.js';
import type { Response } from '../src/contract/schema.js';
import type { AnswerTo } from '../src/contract/question.js';
import type { explainPreemption } from '../src/contract/scheduling/questions.js';
import type { reviewSchedulerConfiguration } from '../src/contract/scheduling/scheduler-configuration-questions.js';
import type { Conversation } from './conversation.js';
import type { Terminal } from './terminal.js';

const OPENSHIFT = '/clusters/demo-openshift';
const WORKERS = ['ip-10-0-133-108', 'ip-10-0-135-88', 'ip-10-0-155-121'].map(
  (host) => `${host}.us-west-1.compute.internal`,
);

const CONFIGURATIONS = 'test/real-clusters/scheduler-config';

interface Capacity {
  readonly replicas: number;
  readonly next: { readonly message: string } | null;
  readonly breakdown: readonly {
    readonly name: string;
    readonly nodes: number;
    readonly open: number;
    readonly replicas: number;
    readonly stops: readonly { readonly plugin: string; readonly message: string; readonly nodes: number }[];
  }[];
}

/** A pod with a priority and a request for CPU. */
const podOf = (name: string, priority: number, cpu: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { priority, containers: [{ name: 'main', image: 'main:1', resources: { requests: { cpu } } }] },
});

/** Asks what the scheduler would do: which pods it preempts, which nodes it prefers, and how many replicas fit. */
export class Scheduling {
  private readonly terminal: Terminal;

  constructor(private readonly conversation: Conversation) {
    this.terminal = conversation.terminal;
  }

  async askAll(): Promise<void> {
    await this.preemption();
    await this.ranking();
    await this.capacity();
    await this.configurations();
  }

  private async preemption(): Promise<void> {
    this.conversation.title(
      'OpenShift, if its workers were full: which pods does an urgent pod preempt, and on which node?',
    );
    const batch = WORKERS.map((nodeName, index) => ({
      addPods: { pod: podOf(`batch-${index}`, index === 1 ? -10 : 10, '3'), nodeName, admission: 'skip' },
    }));
    const answer = (await this.conversation.askJson(`${OPENSHIFT}/preemptions`, {
      pod: podOf('urgent', 1000, '2'),
      admission: 'skip',
      scenario: { changes: batch },
    })) as AnswerTo<typeof explainPreemption>;
    this.terminal.prose('the condition that Kubernetes sets on the pod:');
    this.terminal.prose(answer.message ?? '', 6);
    const victims = answer.victims.map(
      ({ namespace, name, priority }) => `${namespace}/${name} (priority ${priority})`,
    );
    this.terminal.prose(`${answer.outcome}: ${answer.nominatedNodeName}, where ${victims.join(', ')} is preempted`);
    this.terminal.prose(`it is the best of ${answer.candidateCount} candidates by ${answer.decidedBy}`);
  }

  private async ranking(): Promise<void> {
    this.conversation.title(
      'OpenShift: three workers can take this pod. Which one does the scheduler prefer, and why?',
    );
    const busy = { addPods: { pod: podOf('busy', 10, '2'), nodeName: WORKERS[0]!, admission: 'skip' } };
    const answer = (await this.conversation.askJson(`${OPENSHIFT}/placements`, {
      pod: podOf('web', 10, '500m'),
      admission: 'skip',
      ranking: true,
      scenario: { changes: [busy] },
    })) as Response<typeof placementResponse>;
    const { ranking } = answer;
    this.terminal.table(
      (ranking?.nodes ?? []).map(({ node, rank, total, scores }) => [
        `${rank}. ${node}`,
        `${total} =`,
        scores
          .flatMap(({ plugin, normalized, weight }) => (normalized ? [`${plugin} ${normalized} x ${weight}`] : []))
          .join(' + '),
      ]),
    );
    const fit = ranking?.nodes.at(-1)?.scores.find(({ plugin }) => plugin === 'NodeResourcesFit');
    this.terminal.prose(`NodeResourcesFit of the last one: ${fit?.formula}`);
    for (const { of, amounts, score } of fit?.terms ?? []) {
      this.terminal.prose(`${of}: ${JSON.stringify(amounts)} scores ${score}`, 6);
    }
    this.terminal.prose(`${ranking?.tied} nodes are tied: Kubernetes picks one of them at random`);
  }

  private async capacity(): Promise<void> {
    this.conversation.title('OpenShift: how many replicas of a pod with 1 CPU fit, and what stops the next one?');
    const { replicas, next, breakdown } = (await this.conversation.askJson(`${OPENSHIFT}/capacities`, {
      pod: podOf('web', 10, '1'),
      admission: 'skip',
    })) as Capacity;
    this.terminal.prose(`${replicas} fit; then: ${next?.message}`);
    for (const { name, nodes, open, replicas: there, stops } of breakdown) {
      const why = stops.map(({ plugin, message, nodes: refused }) => `${plugin}: ${message} (${refused})`).join(', ');
      this.terminal.prose(`${name === 'none' ? 'no taints' : name}: ${there} on ${open} of ${nodes} nodes; ${why}`, 6);
    }
  }

  private async configurations(): Promise<void> {
    this.conversation.title('Two real scheduler configurations, of OpenShift and of Koordinator: what do they set?');
    for (const name of ['high-node-utilization.yaml', 'koordinator.yaml']) {
      const file = join(CONFIGURATIONS, name);
      const path = `${OPENSHIFT}/scheduler-configuration-reviews`;
      const body = await readFile(join(this.conversation.root, file));
      const request = { path, body, contentType: 'application/yaml' };
      const answer = (await this.conversation.ask(request, `--data-binary @${file}`)) as AnswerTo<
        typeof reviewSchedulerConfiguration
      >;
      for (const { schedulerName, scores, outOfTreePlugins } of answer.configuration?.profiles ?? []) {
        this.terminal.prose(
          `${schedulerName}: ${scores.map(({ plugin, weight }) => `${plugin} x ${weight}`).join(', ')}`,
        );
        const outOfTree = outOfTreePlugins.map((plugin) => plugin.name).join(', ');
        if (outOfTree !== '') this.terminal.prose(`out-of-tree plugins, whose decisions are unknown: ${outOfTree}`, 6);
      }
      for (const { message } of answer.faults) this.terminal.prose(`error: ${message}`, 6);
    }
  }
}
