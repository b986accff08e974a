import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { cluster as clusterType } from '../src/contract/clusters/cluster.js';
import type { Response } from '../src/contract/schema.js';
import type { takenSnapshot } from '../src/contract/snapshots/snapshot.js';
import type { ApiClient } from './api-client.js';

/** A dump of a real cluster that others published; see clusters/README.md. */
export interface DemoCluster {
  readonly name: string;
  readonly what: string;
  /** Below demo/clusters. */
  readonly files: readonly string[];
  readonly contentType: 'application/json' | 'application/yaml';
  /** The newest time in the dump. */
  readonly capturedAt: string;
}

export const CLUSTERS_FOLDER = 'demo/clusters';
export const PENDING_POD_FILE = 'minikube-1.35-pods.yaml';

export const DEMO_CLUSTERS: readonly DemoCluster[] = [
  {
    name: 'demo-eks',
    what: 'EKS, two nodes of one tainted pool',
    files: ['eks-nodes.json', 'eks-pods.json'],
    contentType: 'application/json',
    capturedAt: '2021-12-20T23:58:47Z',
  },
  {
    name: 'demo-openshift',
    what: 'OpenShift, three masters and three workers',
    files: ['openshift-nodes.json'],
    contentType: 'application/json',
    capturedAt: '2020-04-17T12:49:31Z',
  },
  {
    name: 'demo-dedicated',
    what: 'the same, for dedicated nodes',
    files: ['openshift-nodes.json'],
    contentType: 'application/json',
    capturedAt: '2020-04-17T12:49:31Z',
  },
  {
    name: 'demo-minikube',
    what: 'minikube, with a Pending pod',
    files: ['minikube-1.35-nodes.yaml', PENDING_POD_FILE],
    contentType: 'application/yaml',
    capturedAt: '2026-06-26T10:14:15Z',
  },
];

export interface LoadedCluster {
  readonly cluster: DemoCluster;
  readonly revision: number;
  /** False if the service had the same dump already. */
  readonly sent: boolean;
  readonly counts: string;
}

/** The label with the hash of the dump that a demo cluster was loaded from, so that a second start sends nothing. */
const SOURCE_LABEL = 'demo-source';

/** Stores a dump as a snapshot, unless the service has it already. @param root the project's folder */
export async function loadDemoCluster(client: ApiClient, cluster: DemoCluster, root: string): Promise<LoadedCluster> {
  const parts = await Promise.all(cluster.files.map((file) => readFile(join(root, CLUSTERS_FOLDER, file))));
  const separator = Buffer.from(cluster.contentType === 'application/yaml' ? '\n---\n' : '\n');
  const body = Buffer.concat(parts.flatMap((part) => [part, separator]));
  const source = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const path = `/clusters/${cluster.name}`;

  const found = (await client.find({ path })) as Response<typeof clusterType> | null;
  const there = found?.labels[SOURCE_LABEL] === source ? found.headRevision : null;
  if (there !== null) return { cluster, revision: there, sent: false, counts: '' };

  const capturedAt = new Date(Math.min(Date.parse(cluster.capturedAt), Date.now())).toISOString();
  const taken = (await client.ask({
    path: `${path}/snapshots?createCluster=true&capturedAt=${capturedAt}`,
    body,
    contentType: cluster.contentType,
  })) as Response<typeof takenSnapshot>;
  await client.ask({
    method: 'PUT',
    path,
    body: JSON.stringify({ labels: { env: 'demo', [SOURCE_LABEL]: source } }),
    contentType: 'application/json',
  });
  const counts = taken.report.kept.map(({ kind, count }) => `${count} ${kind.toLowerCase()}${count === 1 ? '' : 's'}`);
  return { cluster, revision: taken.revision, sent: true, counts: counts.join(', ') };
}
