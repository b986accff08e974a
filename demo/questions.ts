import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { gate } from '../src/contract/gates/gate.js';
import type { allowedPods, allowedCounts } from '../src/contract/pods/pods-allowed.js';
import type { manifestFindings } from '../src/contract/findings/finding.js';
import type { nodePlacement, placementFixPlan, placementResponse } from '../src/contract/placements/placement.js';
import type { taintKey } from '../src/contract/common/taint.js';
import type { Response } from '../src/contract/schema.js';
import type { Conversation } from './conversation.js';
import { CLUSTERS_FOLDER, PENDING_POD_FILE } from './demo-clusters.js';
import type { Terminal } from './terminal.js';

type Placement = Response<typeof placementResponse>;

const YAML = 'application/yaml';
const JSON_TYPE = 'application/json';
const FILES = 'demo/questions';

/** Asks the demo's questions over HTTP, one after another, and prints each with its answer. */
export class Questions {
  private readonly terminal: Terminal;

  constructor(private readonly conversation: Conversation) {
    this.terminal = conversation.terminal;
  }

  async askAll(): Promise<void> {
    await this.gpuPod();
    await this.broadToleration();
    await this.pendingPod();
    await this.tolerationToAdd();
    await this.taintInventory();
    await this.hypotheticalTaint();
    await this.gate();
  }

  private async gpuPod(): Promise<void> {
    this.conversation.title('EKS: this pod requests a GPU and tolerates nvidia.com/gpu. Where can it go?');
    const answer = (await this.askFile('/clusters/demo-eks/placements', 'gpu-pod.yaml')) as Placement;
    this.printSummary(answer);
    this.printRefusals(answer);
    const { pod, node } = answer.items[0]?.fixes ?? {};
    this.printFix('pod', pod);
    this.printFix('node', node);
    this.terminal.prose('Kubernetes itself says only:');
    this.terminal.prose(answer.message ?? '', 6);
  }

  private printFix(of: 'pod' | 'node', fix: Response<typeof placementFixPlan> | null | undefined): void {
    if (fix == null) return;
    const { changes, verdict, remaining } = fix;
    const isEnough = verdict === 'feasible';
    this.terminal.prose(isEnough ? `the ${of} alone can do it, by` : `the ${of} alone cannot do it: even after`);
    for (const { command, summary } of changes) this.terminal.line(`      ${command ?? summary}`);
    if (isEnough) return;
    this.terminal.prose(`it is still ${verdict}: ${remaining.map(({ message }) => message).join(', ')}`);
  }

  private async broadToleration(): Promise<void> {
    this.conversation.title('OpenShift: this agent tolerates everything. Where can it run?');
    const answer = (await this.askFile('/clusters/demo-openshift/placements', 'agent-pod.yaml')) as Placement;
    this.printSummary(answer);
    for (const { node, toleratedTaints } of answer.items) {
      const because = (toleratedTaints ?? []).map(
        ({ taint, toleration }) => `${taint.text}, tolerated by "${toleration.text}"`,
      );
      this.terminal.line(`   ${node}`);
      for (const line of because) this.terminal.line(`      ${line}`);
    }
    this.terminal.line();
    this.terminal.prose('Was that intended?');
    const path = '/clusters/demo-openshift/findings';
    const { findings } = (await this.askFile(path, 'agent-manifest.yaml', false)) as Response<typeof manifestFindings>;
    for (const { severity, code, field, message, suggestions } of findings) {
      this.terminal.prose(`${severity} ${code} at ${field ?? 'the pod'}: ${message}`);
      for (const { text } of suggestions) this.terminal.prose(text, 6);
    }
  }

  private async pendingPod(): Promise<void> {
    this.conversation.title(
      "minikube: a pod is Pending. What did the cluster's own scheduler say, and what do we say?",
    );
    const path = '/clusters/demo-minikube/pods/scraper/e2e-container-pending/placement?view=nodes';
    const answer = (await this.conversation.ask({ path })) as Placement;
    const theirs = await this.verdictInTheDump('scraper', 'e2e-container-pending');
    this.terminal.prose('its scheduler, in the condition PodScheduled:');
    this.terminal.prose(theirs, 6);
    this.terminal.prose('this service:');
    this.terminal.prose(answer.message ?? '', 6);
    const equal = theirs === answer.message;
    this.terminal.line(`   ${this.terminal.bold(equal ? 'equal, to the letter' : 'NOT equal')}`);
    this.terminal.prose('what neither message says:');
    for (const { reasons, fixes } of answer.items) {
      for (const { fields, facts } of reasons ?? []) {
        const { label } = facts as { readonly label?: { key: string; wanted: string; actual: string | null } };
        if (label === undefined) continue;
        const has = label.actual === null ? 'has no such label' : `has ${label.actual}`;
        this.terminal.prose(`${fields[0]?.path ?? ''} wants ${label.key}=${label.wanted}; the node ${has}`, 6);
      }
      for (const { command } of fixes?.node?.changes ?? []) this.terminal.line(`      ${command ?? ''}`);
    }
  }

  private async tolerationToAdd(): Promise<void> {
    this.conversation.title(
      'OpenShift: a plain pod. Which taint keeps it off the masters, and which toleration would help?',
    );
    const path = '/clusters/demo-openshift/placements';
    const answer = (await this.askFile(path, 'web-pod.yaml')) as Placement;
    this.printSummary(answer);
    this.printRefusals(answer);
    const refused = answer.items.find(({ verdict }) => verdict === 'infeasible');
    for (const taint of refused?.untoleratedTaints ?? []) {
      if (taint.wellKnown !== null) this.terminal.prose(`${taint.key}: ${taint.wellKnown}`);
    }
    const changes = refused?.fixes?.pod?.changes ?? [];
    this.terminal.prose('with this in its spec, the pod can run there:');
    for (const { yaml } of changes) this.terminal.block(yaml ?? '');

    const question = parse(await this.read('web-pod.yaml')) as { pod: { spec: { tolerations?: unknown[] } } };
    question.pod.spec.tolerations = changes.map(({ change }) => (change as { toleration?: unknown }).toleration);
    const body = JSON.stringify(question);
    const again = (await this.conversation.client.ask({ path, body, contentType: JSON_TYPE })) as Placement;
    this.terminal.prose(`the same question with it: ${countsOf(again)}`);
  }

  private async taintInventory(): Promise<void> {
    this.conversation.title('Every demo cluster: which taints are there, and who tolerates them?');
    const request = { path: '/taints?clusterSelector=env%3Ddemo' };
    const { items } = (await this.conversation.ask(request)) as {
      readonly items: readonly { cluster: string; result: { items: readonly Response<typeof taintKey>[] } | null }[];
    };
    const rows = items.flatMap(({ cluster, result }) => {
      const taints = result?.items.flatMap((key) => key.taints) ?? [];
      if (taints.length === 0) return [[cluster, 'no taint', '', '']];
      return taints.map(({ taint, nodes, toleratedBy }) => [
        cluster,
        taint.text,
        counted(nodes, 'node'),
        `tolerated by ${counted(toleratedBy.pods, 'pod')} of ${counted(toleratedBy.workloads, 'workload')}`,
      ]);
    });
    this.terminal.table(rows);
  }

  private async hypotheticalTaint(): Promise<void> {
    this.conversation.title(
      'EKS: which pods would stay if we tainted the nodes for maintenance? Asking changes nothing.',
    );
    const path = '/clusters/demo-eks/pods-allowed';
    const answer = (await this.conversation.askJson(path, {
      taints: ['maintenance=true:NoExecute'],
    })) as {
      readonly pods: Response<typeof allowedCounts>;
      readonly items: readonly Response<typeof allowedPods>[];
    };
    this.terminal.prose(`${answer.pods.allowed} pods tolerate it, ${answer.pods.refused} do not`);
    const rows = [...answer.items]
      .sort((a, b) => Number(b.allowed) - Number(a.allowed))
      .map(({ allowed, workload }) => [
        allowed ? 'stays' : 'goes',
        workload.kind,
        `${workload.namespace}/${workload.name}`,
      ]);
    this.terminal.table(rows);
  }

  private async gate(): Promise<void> {
    this.conversation.title('OpenShift: may these manifests be deployed, and will they run?');
    const answer = (await this.askFile('/clusters/demo-openshift/gates?namespace=shop', 'shop.yaml')) as Response<
      typeof gate
    >;
    this.terminal.line(`   ${this.terminal.bold(answer.verdict)}: ${answer.summary}`);
    for (const { object, message } of answer.reasons) {
      this.terminal.prose(object === null ? message : `${object.kind} ${object.name}: ${message}`);
    }
    for (const { text } of answer.changes ?? []) this.terminal.prose(`it becomes yes with: ${text}`);
  }

  /** Sends a file of demo/questions. Shows the call and, by default, the file. */
  private async askFile(path: string, file: string, shown = true): Promise<unknown> {
    const body = await this.read(file);
    const request = { path, body, contentType: YAML };
    const asked = this.conversation.ask(request, `--data-binary @${FILES}/${file}`);
    if (shown) this.terminal.block(body);
    return asked;
  }

  private read(file: string): Promise<string> {
    return readFile(join(this.conversation.root, FILES, file), 'utf8');
  }

  private printSummary(answer: Placement): void {
    this.terminal.line(`   ${this.terminal.bold(countsOf(answer))}`);
  }

  /** Nodes that are refused for the same reasons are printed together. */
  private printRefusals(answer: Placement): void {
    const groups = new Map<string, string[]>();
    for (const node of answer.items) {
      if (node.verdict === 'feasible') continue;
      const why = reasonsOf(node).join('\n');
      groups.set(why, [...(groups.get(why) ?? []), node.node]);
    }
    for (const [why, nodes] of groups) {
      this.terminal.prose(`not ${nodes.join(', ')}:`);
      this.terminal.block(why);
    }
  }

  /** The message of the pod's PodScheduled condition, as the cluster's scheduler wrote it into the dump. */
  private async verdictInTheDump(namespace: string, name: string): Promise<string> {
    const text = await readFile(join(this.conversation.root, CLUSTERS_FOLDER, PENDING_POD_FILE), 'utf8');
    const { items } = parse(text) as { readonly items: readonly DumpedPod[] };
    const pod = items.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    return pod?.status.conditions.find(({ type }) => type === 'PodScheduled')?.message ?? '';
  }
}

interface DumpedPod {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly message?: string }[] };
}

/** The facts of a reason of NodeResourcesFit; amounts are quantities. */
interface ResourceFacts {
  readonly resource: string;
  readonly requested: string;
  readonly available: string;
  readonly allocatable: string;
}

function countsOf({ summary }: Placement): string {
  const { nodes, feasible, unknown } = summary;
  const open = unknown === 0 ? '' : `; ${unknown} unknown`;
  return feasible === 0 ? `nowhere: none of ${nodes} nodes${open}` : `${feasible} of ${nodes} nodes${open}`;
}

/** One line per reason, with the names that Kubernetes' own message leaves out. */
function reasonsOf({ reasons, untoleratedTaints }: Response<typeof nodePlacement>): string[] {
  return (reasons ?? []).map(({ plugin, code, message, facts }) => {
    if (code === 'UntoleratedTaint') {
      const taints = (untoleratedTaints ?? []).map(({ text }) => text).join(', ');
      return `${plugin}: untolerated taint ${taints}`;
    }
    if (code === 'InsufficientResource') {
      const { resource, requested, available, allocatable } = facts as unknown as ResourceFacts;
      return `${plugin}: ${resource}: ${requested} requested, ${available} free of ${allocatable} allocatable`;
    }
    return `${plugin}: ${message}`;
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
