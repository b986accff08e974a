import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startControlPlane, type ControlPlane } from '../../test/control-plane/control-plane.js';
import { variable } from '../../test/control-plane/plane-faults.js';

const NODES = 500;
const PODS = 2_000;
/** Requests at a time; an API server takes more, a small machine does not. */
const AT_A_TIME = 16;
const RESOURCES = { cpu: '8', memory: '32Gi', pods: '110' };

/** A running control plane with nodes and pods. */
export class LivePlane {
  readonly shape = { nodes: NODES, pods: PODS };

  private constructor(
    private readonly plane: ControlPlane,
    readonly kubeconfig: object,
  ) {}

  static async start(): Promise<LivePlane> {
    const plane = await startControlPlane({ DISABLE_ADMISSION: 'TaintNodesByCondition' });
    const { token } = plane.access;
    const ca = await readFile(join(plane.folder, 'pki', 'ca.crt'));
    const kubeconfig = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: await variable(plane, 'APISERVER_URL'),
            'certificate-authority-data': ca.toString('base64'),
          },
        },
      ],
      users: [{ name: 'u', user: { token } }],
    };
    const live = new LivePlane(plane, kubeconfig);
    await each(NODES, (at) =>
      plane.api.must('POST', '/api/v1/nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: nameOf(at), labels: { pool: `p${at % 10}` } },
        status: { allocatable: RESOURCES, capacity: RESOURCES },
      }),
    );
    await each(PODS, (at) =>
      plane.api.must('POST', '/api/v1/namespaces/default/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `pod-${at}`, labels: { app: `a${at % 50}` } },
        spec: {
          nodeName: nameOf(at % NODES),
          automountServiceAccountToken: false,
          containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
          tolerations: [{ operator: 'Exists' }],
        },
      }),
    );
    return live;
  }

  /** Taints a node, as kubectl does. @returns when the API server had answered, in milliseconds since the epoch */
  async taint(key: string): Promise<{ readonly at: number; readonly node: string }> {
    const node = nameOf(Number(key.replace(/\D/g, '')) % NODES);
    await this.plane.api.must('PATCH', `/api/v1/nodes/${node}`, { spec: { taints: [{ key, effect: 'NoSchedule' }] } });
    return { at: performance.timeOrigin + performance.now(), node };
  }

  /** Reads nodes and pods in pages, and parses them. @returns seconds */
  async read(): Promise<number> {
    const started = performance.now();
    for (const kind of ['nodes', 'pods']) {
      let next: unknown = '';
      do {
        const page = `/api/v1/${kind}?limit=500&continue=${encodeURIComponent(String(next))}`;
        const { metadata } = await this.plane.api.must('GET', page);
        next = (metadata as { readonly continue?: unknown }).continue;
      } while (next !== undefined && next !== '');
    }
    return (performance.now() - started) / 1000;
  }

  stop(): Promise<void> {
    return this.plane.stop();
  }
}

const nameOf = (at: number): string => `node-${at}`;

async function each(count: number, make: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await make(next++);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}
