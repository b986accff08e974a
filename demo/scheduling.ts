import type { PreemptionShape } from '../src/api/shapes/preemption-shape.js';
import type { Conversation } from './conversation.js';
import type { Terminal } from './terminal.js';

const OPENSHIFT = '/clusters/demo-openshift';
const WORKERS = ['ip-10-0-133-108', 'ip-10-0-135-88', 'ip-10-0-155-121'].map(
  (host) => `${host}.us-west-1.compute.internal`,
);

/** A pod with a priority that asks for cpu. */
const podOf = (name: string, priority: number, cpu: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { priority, containers: [{ name: 'main', image: 'main:1', resources: { requests: { cpu } } }] },
});

/** Asks what the scheduler would do: whom it takes away, whom it prefers, how many fit, and in which order. */
export class Scheduling {
  private readonly terminal: Terminal;

  constructor(private readonly conversation: Conversation) {
    this.terminal = conversation.terminal;
  }

  async askAll(): Promise<void> {
    await this.preemption();
  }

  private async preemption(): Promise<void> {
    this.conversation.title('OpenShift, if its workers were full: whom does an urgent pod push away, and from where?');
    const batch = WORKERS.map((nodeName, index) => ({
      addPods: { pod: podOf(`batch-${index}`, index === 1 ? -10 : 10, '3'), nodeName, admission: 'skip' },
    }));
    const answer = (await this.conversation.askJson(`${OPENSHIFT}/preemptions`, {
      pod: podOf('urgent', 1000, '2'),
      admission: 'skip',
      scenario: { changes: batch },
    })) as PreemptionShape;
    this.terminal.prose('Kubernetes writes into its condition:');
    this.terminal.prose(answer.message ?? '', 6);
    const victims = answer.victims.map(
      ({ namespace, name, priority }) => `${namespace}/${name} (priority ${priority})`,
    );
    this.terminal.prose(`${answer.outcome}: to ${answer.nominatedNodeName}, where ${victims.join(', ')} has to go`);
    this.terminal.prose(`of ${answer.candidateCount} candidates it is the best by ${answer.decidedBy}`);
  }
}
