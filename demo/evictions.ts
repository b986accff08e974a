import type { drainedPod, drainHead } from '../src/contract/disruptions/drain.js';
import type { evictionScheduleHead, scheduledPod } from '../src/contract/evictions/eviction-schedule.js';
import type { Response } from '../src/contract/schema.js';
import type { Conversation } from './conversation.js';
import { followOnce } from './follow-once.js';
import type { Terminal } from './terminal.js';

const CLUSTER = '/clusters/demo-eks';
const NODE = 'duckboat-01';
const TAINT = 'maintenance=true:NoExecute';
/** A time in the future, so that every start of the demo prints the same. */
const NOON = '2030-01-01T12:00:00Z';

type ScheduledPod = Response<typeof scheduledPod>;
type Schedule = Response<typeof evictionScheduleHead> & { readonly items: readonly ScheduledPod[] };
type Drain = Response<typeof drainHead> & { readonly items: readonly Response<typeof drainedPod>[] };

/** Asks which pods would be evicted, when, and why: by a taint, by a failing node, by a drain; and follows the cluster. */
export class Evictions {
  private readonly terminal: Terminal;

  constructor(private readonly conversation: Conversation) {
    this.terminal = conversation.terminal;
  }

  async askAll(): Promise<void> {
    await this.byTaint();
    await this.bySilence();
    await this.runningTimer();
    await this.drainBesideNoExecute();
    await this.follow();
  }

  private async byTaint(): Promise<void> {
    this.conversation.title(
      `EKS: at noon ${NODE} gets ${TAINT}. Which pods are evicted, when, and what would keep them?`,
    );
    const scenario = { changes: [{ editNodes: { nodes: [NODE], taints: [TAINT] } }] };
    const answer = await this.schedule({ nodes: [NODE], asOf: NOON, scenario });
    this.printPods(answer.items);
    const [first] = answer.items;
    this.terminal.prose(`why ${first?.namespace}/${first?.name} is evicted: ${first?.because}`);
    this.terminal.prose(
      `it is marked for deletion then, and gone at ${String(first?.departure?.gone?.latest ?? 'an unknown time')}`,
    );
    this.terminal.prose(`it would stay without ${first?.keptWithout?.anyOf.join(' or ')}`);
    for (const note of first?.notes ?? []) this.terminal.prose(note);
  }

  private async bySilence(): Promise<void> {
    this.conversation.title(
      `EKS: at noon ${NODE} stops responding. What happens in the next hours, and where do its pods go?`,
    );
    const outages = [{ nodes: [NODE] }];
    const answer = await this.schedule({ nodes: [NODE], asOf: NOON, outages, landing: true });
    for (const { moment, added, removed, why } of answer.changes.items) {
      const what = [...added.map((taint) => `+ ${taint}`), ...removed.map((taint) => `- ${taint}`)].join(', ');
      this.terminal.line(`   ${within(moment)}  ${what}`);
      this.terminal.prose(why, 6);
    }
    this.printPods(answer.items);
    const after = answer.outage?.firstEvictionAfterSeconds;
    this.terminal.prose(`an outage of less than ${after} s evicts nothing`);
    const { totals, pods } = answer.landing!;
    this.terminal.prose(
      `${totals.replaced} pods are replaced: ${totals.landed} find a node, ${totals.withoutNode} find none, ${totals.unknown} unknown`,
    );
    for (const { namespace, name, chosen, refusal } of pods.items.filter((pod) => pod.verdict !== null).slice(0, 3)) {
      const taints = (refusal?.reasons ?? []).flatMap((reason) => reason.taints.map(({ taint }) => taint));
      this.terminal.prose(`${namespace}/${name}: ${chosen ?? `no node (${taints.join(', ')})`}`, 6);
    }
    const stuck = answer.items.find(({ departure }) => departure !== null && departure.gone === null);
    this.terminal.prose(`the evicted pods are not gone: ${stuck?.departure?.note ?? ''}`);
  }

  private async runningTimer(): Promise<void> {
    this.conversation.title(
      'A surprise: a pod tolerates a for 12 s and b for 2 s. b is set 3 s after a. When is the pod evicted?',
    );
    const tolerating = (key: string, tolerationSeconds: number) => ({
      ...{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds },
    });
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], tolerations: [tolerating('a', 12), tolerating('b', 2)] },
    };
    const answer = await this.schedule({
      asOf: NOON,
      events: [
        { at: NOON, do: 'createPod', node: NODE, manifest },
        { at: '2030-01-01T12:00:01Z', do: 'setTaints', node: NODE, taints: ['a:NoExecute'] },
        { at: '2030-01-01T12:00:04Z', do: 'setTaints', node: NODE, taints: ['a:NoExecute', 'b:NoExecute'] },
      ],
      pods: { namespace: 'default', actions: ['at'] },
    });
    const pod = answer.items.find(({ name }) => name === 'p');
    this.terminal.prose(`at ${String(pod?.at?.latest)}: ${pod?.because}`);
    this.terminal.prose('recorded from a real v1.36.2 control plane: marked 13.04 s after noon');
  }

  private async drainBesideNoExecute(): Promise<void> {
    this.conversation.title(`EKS: empty ${NODE} by kubectl drain, or by a NoExecute taint? Pod by pod.`);
    const answer = (await this.conversation.askJson(`${CLUSTER}/drains?view=pods`, {
      nodes: [NODE],
      taint: TAINT,
      options: { ignoreDaemonSets: true },
    })) as Drain;
    for (const { node, starts, warnings, errors } of answer.nodes.items) {
      this.terminal.prose(`kubectl drain ${node} --ignore-daemonsets: ${starts ? 'starts' : 'refuses'}`);
      for (const text of [...errors, ...warnings]) this.terminal.prose(text, 6);
    }
    this.terminal.table(
      answer.items.map(({ namespace, name, decision, noExecute }) => [
        `${namespace}/${name}`,
        `drain: ${decision?.delete === true ? 'evicts' : decision?.reason === 'Error' ? 'refuses' : 'skips'}`,
        `NoExecute: ${noExecute.action}`,
      ]),
    );
    for (const { pods, text } of answer.differences) this.terminal.prose(`${pods}: ${text}`);
  }

  private async follow(): Promise<void> {
    this.conversation.title('EKS: follow the cluster, lose the connection, and resume where it was lost.');
    const { client } = this.conversation;
    const path = `${CLUSTER}/events?follow=false&types=headChanged,taintChangeRecorded&after=0`;
    this.conversation.show({ path }, '-N');
    const cut = await followOnce(client.address({ path }), { most: 2 });
    for (const { id, summary } of cut) this.terminal.prose(`${id}  ${summary}`, 6);
    this.terminal.prose(`the connection is lost after ${cut.length} events`);
    const lastEventId = cut.at(-1)?.id ?? '';
    this.conversation.show({ path, headers: { 'Last-Event-ID': lastEventId } }, '-N');
    const rest = await followOnce(client.address({ path }), { lastEventId });
    for (const { id, summary } of rest) this.terminal.prose(`${id}  ${summary}`, 6);
    const whole = await followOnce(client.address({ path }), {});
    const same =
      [...cut, ...rest].map(({ summary }) => summary).join('\n') === whole.map(({ summary }) => summary).join('\n');
    const verdict = same ? 'no event lost, none twice' : 'NOT the same as without the interruption';
    this.terminal.line(`   ${this.terminal.bold(verdict)}`);
  }

  private async schedule(body: object): Promise<Schedule> {
    return (await this.conversation.askJson(`${CLUSTER}/eviction-schedules`, { view: 'pods', ...body })) as Schedule;
  }

  private printPods(pods: readonly ScheduledPod[]): void {
    this.terminal.table(
      pods.map(({ namespace, name, action, at, taints }) => {
        const decisive = taints.find(({ decides }) => decides);
        const seconds = decisive?.seconds == null ? '' : `tolerated for ${decisive.seconds} s`;
        return [`${namespace}/${name}`, action === 'never' ? 'stays' : at === null ? action : within(at), seconds];
      }),
    );
  }
}

const within = ({ earliest, latest }: ScheduledPod['at'] & object): string =>
  earliest === latest ? String(latest) : `${String(earliest ?? '?')} to ${String(latest)}`;
