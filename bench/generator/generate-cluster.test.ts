import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { JsonValue } from '../../src/core/json/json-value.js';
import { decodeObject } from '../../src/core/kubernetes/decode.js';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import type { KubernetesObject } from '../../src/core/kubernetes/objects/meta.js';
import { byteStream, kubectlList, ndjson } from './dump.js';
import { generateCluster } from './generate-cluster.js';

const SMALL = { nodes: 120, pods: 3000, taintSets: 20, tolerationSets: 60 };

function decoded(): readonly KubernetesObject[] {
  return [...generateCluster(SMALL)].map((raw) => {
    const result = decodeObject(raw as unknown as JsonValue);
    if (result.outcome !== 'object') throw new Error(JSON.stringify(result));
    return result.object;
  });
}

const state = ClusterState.build(
  decoded(),
  KINDS.map(({ kind }) => kind),
);

describe('a generated cluster', () => {
  it('has the requested numbers of nodes, pods, taint sets and toleration sets', () => {
    expect(state.nodes.count).toBe(SMALL.nodes);
    expect(state.pods.count).toBe(SMALL.pods);
    expect(new Set(state.nodes.taintSetIds).size).toBe(SMALL.taintSets);
    const tolerationSets = new Set(
      Array.from({ length: state.pods.count }, (_, pod) => state.pods.tolerationSetId(pod)),
    );
    expect(tolerationSets.size).toBe(SMALL.tolerationSets);
  });

  it('fits the bound pods on their nodes', () => {
    for (const resource of ['cpu', 'memory', 'pods']) {
      for (let node = 0; node < state.nodes.count; node++) {
        const requested = Number(state.nodes.requested.at(resource, node));
        expect(requested).toBeLessThanOrEqual(Number(state.nodes.allocatable.at(resource, node)));
      }
    }
  });

  it('leaves a few pods pending and has most running', () => {
    const pending = Array.from({ length: state.pods.count }, (_, pod) => pod).filter(
      (pod) => state.pods.nodeName(pod) === '',
    );
    expect(pending.length).toBeGreaterThan(SMALL.pods * 0.01);
    expect(pending.length).toBeLessThan(SMALL.pods * 0.1);
  });

  it('includes the workload of every pod', () => {
    const kinds = new Set(Array.from({ length: state.pods.count }, (_, pod) => state.pods.workload(pod).kind));
    expect([...kinds].sort()).toEqual(['DaemonSet', 'Deployment', 'Job', 'StatefulSet']);
  });

  it('is the same for the same seed and different for another seed', () => {
    const text = (seed: number): string => [...ndjson(generateCluster({ nodes: 5, pods: 40, seed }))].join('');
    expect(text(1)).toBe(text(1));
    expect(text(1)).not.toBe(text(2));
  });

  it('writes pods of 3 to 5 KB', () => {
    const sizes = [...generateCluster(SMALL)]
      .filter((object) => object['kind'] === 'Pod')
      .map((object) => JSON.stringify(object).length);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    expect(mean).toBeGreaterThan(3000);
    expect(mean).toBeLessThan(5000);
  });

  it('is available as a List of valid JSON and as a byte stream of it', async () => {
    const shape = { nodes: 3, pods: 10 };
    const text = [...kubectlList(generateCluster(shape))].join('');
    const list = JSON.parse(text) as { kind: string; items: unknown[] };
    expect(list.kind).toBe('List');
    expect(list.items).toEqual(
      [...generateCluster(shape)].map((object) => JSON.parse(JSON.stringify(object)) as unknown),
    );
    let bytes = 0;
    for await (const chunk of byteStream(kubectlList(generateCluster(shape)))) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(Buffer.byteLength(text));
  });
});
