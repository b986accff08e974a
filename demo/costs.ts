import type { placementResponse } from '../src/contract/placements/placement.js';
import type { podResources } from '../src/contract/resources/pod-resources.js';
import type { quotaReviewAnswerResponse } from '../src/contract/quotas/quota-review.js';
import type { Response } from '../src/contract/schema.js';
import { RefusedError } from './api-client.js';
import type { Conversation } from './conversation.js';
import type { Terminal } from './terminal.js';

const EKS = '/clusters/demo-eks';
const DEDICATED = '/clusters/demo-dedicated';
const NODE = 'duckboat-01';

const KATA = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata-fc' },
  handler: 'kata-fc',
  overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
};
const QUOTA = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team-quota', namespace: 'default' },
  spec: { hard: { 'requests.cpu': '1', pods: '10' } },
};
const LIMITS = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'limits', namespace: 'default' },
  spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] },
};
const PRIORITY = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'batch' },
  value: 100,
};
const POOL = {
  nodes: { matchLabels: { 'node-role.kubernetes.io/worker': '', 'topology.kubernetes.io/zone': 'us-west-1b' } },
  taints: ['dedicated=ml:NoSchedule'],
  labels: { dedicated: 'ml' },
  users: { namespaces: ['ml'] },
};

/** Asks what pods cost and whether quotas admit them, and dedicates nodes to a team. */
export class Costs {
  private readonly terminal: Terminal;

  constructor(private readonly conversation: Conversation) {
    this.terminal = conversation.terminal;
  }

  async askAll(): Promise<void> {
    await this.everyStation();
    await this.describeNode();
    await this.quota();
    await this.dedicatedPool();
    await this.admissionReview();
  }

  private async everyStation(): Promise<void> {
    this.conversation.title(
      'EKS: a pod in a micro-VM (kata-fc: 250m and 120Mi of overhead). What does it cost, and where?',
    );
    const limited = (name: string, cpu: string) => ({ name, resources: { limits: { cpu, memory: '100Mi' } } });
    const spec = {
      runtimeClassName: 'kata-fc',
      containers: [limited('busybox-ctr', '500m'), limited('nginx-ctr', '1500m')],
    };
    const answer = (await this.conversation.askJson(`${EKS}/pod-resources`, {
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'test-pod' }, spec },
      cgroupDriver: 'cgroupfs',
      cgroupVersion: 'v2',
      node: NODE,
      scenario: { changes: [{ putObjects: { objects: [KATA] } }] },
    })) as Response<typeof podResources>;
    const files = answer.cgroup.files.flatMap((version) => version.files.map(({ file, text }) => `${file} ${text}`));
    this.terminal.table([
      ['admission adds', answer.admission.text ?? ''],
      ...answer.requests.map(({ text }) => ['requests', text]),
      ['quality of service', answer.qos.qosClass],
      ['the scheduler requires', JSON.stringify(answer.scheduler.requests)],
      ['a quota is charged', JSON.stringify(answer.quota)],
      ['the cgroup', answer.cgroup.paths.map(({ path }) => path).join(' ')],
      ...files.map((file) => ['', file]),
      ...answer.metrics.map((line, index) => [index === 0 ? 'metrics' : '', line]),
    ]);
  }

  private async describeNode(): Promise<void> {
    this.conversation.title(`EKS: what do the pods on ${NODE} take up? In the words of kubectl describe node.`);
    const path = `${EKS}/nodes/${NODE}/allocation?format=describe`;
    this.conversation.show({ path }, '');
    const response = await fetch(this.conversation.client.address({ path }));
    // Age depends on the clock; the rest is the same at every start.
    this.terminal.block((await response.text()).replace(/ +\d+[ydhms]\d*[dhms]?$/gm, '').replace(/ +(Age|---)$/gm, ''));
  }

  private async quota(): Promise<void> {
    this.conversation.title('EKS: if the namespace had a quota of 1 CPU, would 8 replicas with 250m each be admitted?');
    const container = {
      name: 'main',
      image: 'batch:1',
      resources: { requests: { cpu: '250m' }, limits: { cpu: '250m' } },
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'batch' }, spec: { containers: [container] } };
    const { items } = (await this.conversation.askJson(`${EKS}/quota-reviews`, {
      items: [{ id: 'batch', namespace: 'default', replicas: 8, pod }],
      scenario: { changes: [{ putObjects: { objects: [QUOTA, LIMITS, PRIORITY] } }] },
    })) as Response<typeof quotaReviewAnswerResponse>;
    const review = items[0]?.review;
    this.terminal.prose(`${review?.outcome}: ${review?.admitted} of 8 are admitted; then the API server says`);
    this.terminal.prose(review?.refusal?.message ?? '', 6);
    this.terminal.prose(`to admit all of them, raise ${review?.raises?.map(({ text }) => text).join(', ')}`);
  }

  private async dedicatedPool(): Promise<void> {
    this.conversation.title('OpenShift: the worker in zone us-west-1b is for the ML team only. What has to be done?');
    const body = JSON.stringify(POOL);
    const request = { method: 'PUT' as const, path: `${DEDICATED}/pools/ml`, body, contentType: 'application/json' };
    await this.conversation.ask(request, `-X PUT -d '${body}'`);
    const remaining = (await this.conversation.ask({ path: `${DEDICATED}/pools/ml/remaining-changes` })) as {
      readonly change: object;
      readonly preview: { readonly kubectl: readonly string[] };
    };
    for (const command of remaining.preview.kubectl) this.terminal.line(`      ${command}`);
    const scenario = { changes: [{ editNodes: remaining.change }] };
    this.terminal.prose('after that, a pod of the team can run:');
    await this.place('ml', 'trainer', [], scenario);
    this.terminal.prose("and another team's pod that tolerates everything is refused:");
    await this.place('web', 'intruder', [{ operator: 'Exists' }], scenario);
  }

  private async place(
    namespace: string,
    name: string,
    tolerations: readonly object[],
    scenario: object,
  ): Promise<void> {
    const spec = { containers: [{ name: 'main', image: 'main:1' }], tolerations };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec };
    try {
      const asked = { pod, view: 'nodes', scenario };
      const answer = (await this.conversation.askJson(`${DEDICATED}/placements`, asked)) as Response<
        typeof placementResponse
      >;
      const nodes = answer.items.filter(({ verdict }) => verdict === 'feasible').map(({ node }) => node);
      this.terminal.prose(`on ${answer.summary.feasible} node only: ${nodes.join(', ')}`, 6);
      for (const { pointer, why } of answer.added.filter(({ by }) => by === 'pools')) {
        this.terminal.prose(`${pointer}: ${why}`, 6);
      }
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.terminal.prose(detailOf(error), 6);
    }
  }

  private async admissionReview(): Promise<void> {
    this.conversation.title('OpenShift: the same, as an API server sends it: an AdmissionReview and the response.');
    const spec = { containers: [{ name: 'main', image: 'main:1' }] };
    const request = {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      namespace: 'ml',
      operation: 'CREATE',
      userInfo: { username: 'system:serviceaccount:ml:default' },
      object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'trainer', namespace: 'ml' }, spec },
      dryRun: true,
    };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const answer = (await this.conversation.askJson(`${DEDICATED}/webhooks/mutate-pods?timeout=10s`, review)) as {
      readonly response: { readonly patch?: string };
    };
    this.terminal.block(JSON.stringify(answer));
    const { patch = '' } = answer.response;
    this.terminal.prose('its patch, decoded:');
    for (const one of JSON.parse(Buffer.from(patch, 'base64').toString()) as readonly unknown[]) {
      this.terminal.line(`      ${JSON.stringify(one)}`);
    }
  }
}

/** The detail of the problem document in a refusal. */
function detailOf({ message }: RefusedError): string {
  const problem = /\{.*\}/s.exec(message)?.[0];
  return problem === undefined ? message : ((JSON.parse(problem) as { readonly detail?: string }).detail ?? message);
}
