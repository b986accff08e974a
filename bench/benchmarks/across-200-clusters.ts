import type { BenchCluster } from '../bench-cluster.js';
import { ndjson } from '../generator/dump.js';
import { generateCluster } from '../generator/generate-cluster.js';
import { timed, type Benchmark } from '../measure.js';
import { BenchService } from '../service/bench-service.js';
import type { TestBed } from '../service/test-bed.js';
import { newPodsLike } from './sample-pods.js';
import { size } from '../brief.js';

const CLUSTERS = size(200, 3);
const SHAPE = { nodes: 25, pods: 250, taintSets: 8, tolerationSets: 20 };

/** Evaluates one pod in many small clusters. */
export const acrossClusters = (cluster: BenchCluster, bed: TestBed): Benchmark => ({
  name: 'across-200-clusters',
  unit: 'ms',
  target: { ratio: 1 },
  about: `where a pod can go in ${CLUSTERS} clusters of ${SHAPE.nodes} nodes and ${SHAPE.pods} pods, summaries, in one question over HTTP, a new pod each time; reference: ${CLUSTERS} questions, one after another`,
  rounds: 9,
  prepare: async () => {
    const service = await BenchService.start(await bed.newDatabase());
    const names = Array.from({ length: CLUSTERS }, (_, index) => `small-${index}`);
    for (const [index, name] of names.entries()) {
      await service.putCluster(name, { size: 'small' });
      await service.takeSnapshotOf(name, [...ndjson(generateCluster({ ...SHAPE, seed: index + 1 }))].join(''));
    }
    const pods = newPodsLike(cluster.state, 100).map(({ metadata, spec }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: metadata.name },
      // The small clusters do not have the service accounts of the large one.
      spec: { ...spec, serviceAccountName: 'default', serviceAccount: 'default' },
    }));
    let asked = 0;
    const next = () => pods[asked++ % pods.length];
    return {
      subject: timed('ms', async () => {
        const question = { clusterSelector: 'size=small', limit: CLUSTERS, pod: next() };
        const { items } = (await service.ask('/placements', question)) as { items: { error: unknown }[] };
        const refused = items.find(({ error }) => error !== null);
        if (refused !== undefined) throw new Error(`across-200-clusters: ${JSON.stringify(refused.error)}`);
        if (items.length !== CLUSTERS) throw new Error(`across-200-clusters: ${items.length} clusters answered`);
      }),
      reference: timed('ms', async () => {
        const pod = next();
        for (const name of names) await service.ask(`/clusters/${name}/placements`, { pod, detail: 'summary' });
      }),
      teardown: () => service.stop(),
    };
  },
});
