import type { JsonObject } from '../../src/core/json/json-value.js';
import { nameOf, type ApiServer } from './api-server.js';

const STRATEGIC = 'application/strategic-merge-patch+json';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const BEAT_MS = 10_000;
const LOOK_MS = 200;

/** Annotations of pods that say how the played kubelet treats them. */
const NOT_READY = 'test/notReady';
const SUCCEEDS = 'test/succeed';

interface BoundPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
  readonly status: { readonly phase: string };
}

/**
 * Nodes whose kubelets are played: they renew their leases, start each bound pod at once, ready unless its annotation says otherwise,
 * and let deleted pods go at once.
 */
export class PlayedNodes {
  private readonly timers: NodeJS.Timeout[] = [];
  private busy: Promise<void> = Promise.resolve();

  private constructor(
    private readonly api: ApiServer,
    private readonly names: readonly string[],
  ) {}

  /** Creates nodes that are ready, and plays them until `remove`. */
  static async create(api: ApiServer, nodes: readonly JsonObject[]): Promise<PlayedNodes> {
    const played = new PlayedNodes(api, nodes.map(nameOf));
    for (const node of nodes) {
      const status = { ...(node['status'] as JsonObject), conditions: nodeConditions(), nodeInfo: NODE_INFO };
      await api.must('POST', '/api/v1/nodes', { ...node, status });
      const spec = { holderIdentity: nameOf(node), leaseDurationSeconds: 40, renewTime: microTime() };
      const metadata = { name: nameOf(node), namespace: 'kube-node-lease' };
      await api.must('POST', LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
    }
    played.every(BEAT_MS, () => played.beat());
    played.every(LOOK_MS, () => played.tend());
    await api.until('nodes without the not-ready taint', async () => {
      const { items } = (await api.must('GET', '/api/v1/nodes')) as unknown as {
        readonly items: readonly JsonObject[];
      };
      const left = items.filter((node) => taintKeys(node).includes('node.kubernetes.io/not-ready'));
      const uncordoned = items.filter(
        (node) =>
          (node['spec'] as JsonObject)['unschedulable'] === true &&
          !taintKeys(node).includes('node.kubernetes.io/unschedulable'),
      );
      return left.length + uncordoned.length === 0 ? true : undefined;
    });
    return played;
  }

  async remove(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.busy;
    for (const name of this.names) {
      await this.api.must('DELETE', `/api/v1/nodes/${name}`);
      await this.api.must('DELETE', `${LEASES}/${name}`);
    }
  }

  /** One turn after another; a turn that fails is followed by the next. */
  private every(milliseconds: number, turn: () => Promise<void>): void {
    const timer = setInterval(() => {
      this.busy = this.busy.then(turn).catch((error: unknown) => {
        process.stderr.write(`a played kubelet: ${String(error)}\n`);
      });
    }, milliseconds);
    this.timers.push(timer);
  }

  private async beat(): Promise<void> {
    for (const name of this.names)
      await this.api.ask('PATCH', `${LEASES}/${name}`, { spec: { renewTime: microTime() } });
  }

  private async tend(): Promise<void> {
    const selector = encodeURIComponent('spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed');
    const { items } = (await this.api.must('GET', `/api/v1/pods?fieldSelector=${selector}`)) as unknown as {
      readonly items: readonly BoundPod[];
    };
    for (const { metadata, spec, status } of items) {
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
      const { uid } = metadata;
      if (metadata.deletionTimestamp !== undefined) {
        await this.api.ask('DELETE', path, { gracePeriodSeconds: 0, preconditions: { uid } });
      } else if (status.phase === 'Pending') {
        const started = startedStatus(spec.containers, metadata.annotations ?? {});
        await this.api.ask('PATCH', `${path}/status`, { metadata: { uid }, status: started }, STRATEGIC);
      }
    }
  }
}

function startedStatus(
  containers: BoundPod['spec']['containers'],
  annotations: Readonly<Record<string, string>>,
): JsonObject {
  const at = now();
  const isEnded = annotations[SUCCEEDS] !== undefined;
  const ready = !isEnded && annotations[NOT_READY] === undefined;
  const readiness = (type: string): JsonObject => ({ type, status: ready ? 'True' : 'False', lastTransitionTime: at });
  const state = isEnded
    ? { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } }
    : { running: { startedAt: at } };
  return {
    phase: isEnded ? 'Succeeded' : 'Running',
    startTime: at,
    hostIP: '127.0.0.1',
    podIP: '10.244.0.1',
    podIPs: [{ ip: '10.244.0.1' }],
    conditions: [
      { type: 'Initialized', status: 'True', lastTransitionTime: at },
      readiness('Ready'),
      readiness('ContainersReady'),
    ],
    containerStatuses: containers.map(({ name, image }) => ({
      ...{ name, image, imageID: '', ready, started: !isEnded, restartCount: 0, containerID: `played://${name}` },
      state,
    })),
  };
}

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');
const microTime = (): string => new Date().toISOString().replace(/Z$/, '000Z');

const taintKeys = (node: JsonObject): readonly string[] =>
  (((node['spec'] as JsonObject)['taints'] ?? []) as { readonly key: string }[]).map(({ key }) => key);

function nodeConditions(): JsonObject[] {
  const at = now();
  const condition = (type: string, status: string, reason: string): JsonObject => ({
    ...{ type, status, reason, message: reason, lastHeartbeatTime: at, lastTransitionTime: at },
  });
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
    condition('Ready', 'True', 'KubeletReady'),
  ];
}

const NODE_INFO: JsonObject = {
  ...{ kubeletVersion: 'v1.36.2', kubeProxyVersion: '', operatingSystem: 'linux', architecture: 'amd64' },
  ...{ osImage: 'played', kernelVersion: '6.1.0', containerRuntimeVersion: 'containerd://2.0.0' },
  ...{ machineID: 'played', systemUUID: 'played', bootID: 'played' },
};
