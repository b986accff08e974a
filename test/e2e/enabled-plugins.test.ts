import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KINDS } from '../../src/core/kubernetes/kinds.js';
import { node } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const ALL_KINDS = `&kinds=${KINDS.map(({ kind }) => kind).join(',')}`;
const CLUSTER = [node('a'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }];

let service: TestService;
let clusters = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A cluster of which everything is known, with some plugins enabled besides those that are by default. */
async function clusterWith(...enablePlugins: string[]): Promise<string> {
  const cluster = `c${clusters++}`;
  await store(service, cluster, CLUSTER, ALL_KINDS);
  const declared = await service.request('PUT', `/api/v1/clusters/${cluster}/admission-configuration`, {
    enablePlugins,
  });
  expect(declared.status).toBe(200);
  return cluster;
}

const pod = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', ...metadata },
  spec: { containers: [{ name: 'web', image: 'web:1' }], ...spec },
});
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};
const ask = (cluster: string, question: string, body: object): Promise<Answer> =>
  service.request('POST', `/api/v1/clusters/${cluster}/${question}`, body);
const review = (cluster: string, given: object): Promise<Answer> => ask(cluster, 'admission-reviews', { pod: given });

const REVIEWED = 'a server reviews the images of the pod, and what it says is not known';

describe('an enabled plugin that is not evaluated and may refuse pods', () => {
  let cluster: string;
  beforeAll(async () => {
    cluster = await clusterWith('ImagePolicyWebhook');
  });

  it('makes an admission review unknown, by name', async () => {
    const answer = await review(cluster, pod());
    expect(answer.at('outcome')).toBe('unknown');
    expect(answer.at('undecided')).toEqual([{ plugin: 'ImagePolicyWebhook', missingKind: null, why: REVIEWED }]);
  });

  it('makes every node unknown in a placement', async () => {
    const answer = await ask(cluster, 'placements', { pod: pod() });
    expect([answer.at('summary.feasible'), answer.at('summary.unknown')]).toEqual([0, 1]);
    expect(answer.text).toContain(REVIEWED);
  });

  it('makes a gate unknown', async () => {
    const answer = await ask(cluster, 'gates', { manifests: [DEPLOYMENT] });
    expect(answer.at('verdict')).toBe('unknown');
    expect(answer.at('reasons.0')).toMatchObject({ code: 'PodsUnknown', by: 'ImagePolicyWebhook', message: REVIEWED });
  });

  it('keeps pods out of a queue run, which says why', async () => {
    const answer = await ask(cluster, 'queue-runs', { pods: [{ id: 'web', pod: pod(), replicas: 2 }] });
    expect(answer.text).toContain(REVIEWED);
  });

  it('makes a quota review and a preemption unknown', async () => {
    const reviewed = await ask(cluster, 'quota-reviews', { items: [{ id: 'web', pod: DEPLOYMENT }] });
    expect([reviewed.at('items.0.review.outcome'), reviewed.at('items.0.review.undecided.0')]).toEqual([
      'unknown',
      { plugin: 'ImagePolicyWebhook', missingKind: null, why: REVIEWED },
    ]);
    const preemption = await ask(cluster, 'preemptions', { pod: pod() });
    expect(preemption.at('outcome')).toBe('unknown');
    expect(preemption.text).toContain(REVIEWED);
  });

  it('makes a capacity unknown', async () => {
    const answer = await ask(cluster, 'capacities', { pod: pod() });
    expect(answer.text).toContain(REVIEWED);
  });
});

describe('the other plugins that are off by default', () => {
  it('refuse everything, if it is AlwaysDeny', async () => {
    const cluster = await clusterWith('AlwaysDeny');
    const answer = await review(cluster, pod());
    expect(answer.at('outcome')).toBe('refused');
    expect(answer.at('refusal')).toMatchObject({
      by: 'AlwaysDeny',
      status: 403,
      message: 'pods "web" is forbidden: admission control is denying all modifications',
    });
    const gate = await ask(cluster, 'gates', { manifests: [DEPLOYMENT], proposeChanges: false });
    expect(gate.at('verdict')).toBe('no');
    expect(gate.at('reasons.0')).toMatchObject({
      code: 'ObjectRefused',
      by: 'AlwaysDeny',
      message: 'deployments.apps "web" is forbidden: admission control is denying all modifications',
    });
  });

  it('pull every image, if it is AlwaysPullImages', async () => {
    const cluster = await clusterWith('AlwaysPullImages');
    const answer = await review(
      cluster,
      pod({ volumes: [{ name: 'v', image: { reference: 'data:1', pullPolicy: 'IfNotPresent' } }] }),
    );
    expect(answer.at('outcome')).toBe('admitted');
    expect(answer.at('pod.spec.containers.0.imagePullPolicy')).toBe('Always');
    expect(answer.at('pod.spec.volumes.0.image')).toEqual({ reference: 'data:1', pullPolicy: 'Always' });
    const placed = await ask(cluster, 'placements', { pod: pod() });
    expect(placed.at('summary.feasible')).toBe(1);
  });

  it('leave an update without new images as it is, if it is AlwaysPullImages', async () => {
    const cluster = await clusterWith('AlwaysPullImages');
    const answer = await ask(cluster, 'admission-reviews', {
      operation: 'update',
      pod: pod({}, { labels: { a: 'b' } }),
      stored: pod(),
    });
    expect(answer.at('outcome')).toBe('admitted');
    expect(answer.at('pod.spec.containers.0.imagePullPolicy')).toBe('IfNotPresent');
  });

  it('refuse other topologies than hosts, if it is LimitPodHardAntiAffinityTopology', async () => {
    const cluster = await clusterWith('LimitPodHardAntiAffinityTopology');
    const term = (topologyKey: string): object => ({ topologyKey, labelSelector: { matchLabels: { app: 'web' } } });
    const anti = (topologyKey: string): object =>
      pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(topologyKey)] } } });
    expect((await review(cluster, anti('kubernetes.io/hostname'))).at('outcome')).toBe('admitted');
    expect((await review(cluster, anti('topology.kubernetes.io/zone'))).at('refusal.message')).toBe(
      'pods "web" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed',
    );
  });

  it('know no namespace that does not exist, if it is NamespaceExists', async () => {
    const cluster = `c${clusters++}`;
    await store(service, cluster, CLUSTER, ALL_KINDS);
    await service.request('PUT', `/api/v1/clusters/${cluster}/admission-configuration`, {
      plugins: ['NamespaceExists'],
    });
    const answer = await review(cluster, pod({}, { namespace: 'absent' }));
    expect(answer.at('refusal')).toMatchObject({
      by: 'NamespaceExists',
      status: 404,
      message: 'namespaces "absent" not found',
    });
  });

  it('create a namespace of which not everything is known, if it is NamespaceAutoProvision', async () => {
    const cluster = await clusterWith('NamespaceAutoProvision');
    expect((await review(cluster, pod())).at('outcome')).toBe('admitted');
    const answer = await review(cluster, pod({}, { namespace: 'absent' }));
    expect(answer.at('outcome')).toBe('unknown');
    expect(answer.at('undecided.0')).toEqual({
      plugin: 'NamespaceAutoProvision',
      missingKind: null,
      why: 'namespace "absent" does not exist and is created, and what admission makes of it is not known',
    });
  });

  it('ask for permissions only of who sets owner references', async () => {
    const cluster = await clusterWith('OwnerReferencesPermissionEnforcement');
    const owned = (blockOwnerDeletion: boolean): object => ({
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'cm', uid: 'u', blockOwnerDeletion }],
    });
    expect((await review(cluster, pod())).at('outcome')).toBe('admitted');
    expect((await review(cluster, pod({}, owned(false)))).at('outcome')).toBe('admitted');
    expect((await review(cluster, pod({}, owned(true)))).at('undecided.0.why')).toBe(
      'whether the sender may set an owner reference to ConfigMap "cm" is not known',
    );
    expect((await ask(cluster, 'gates', { manifests: [DEPLOYMENT] })).at('verdict')).toBe('yes');
  });

  it('concern mirror pods alone, if it is NodeRestriction', async () => {
    const cluster = await clusterWith('NodeRestriction');
    expect((await review(cluster, pod())).at('outcome')).toBe('admitted');
    const mirror = pod({ nodeName: 'a' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
    expect((await review(cluster, mirror)).at('undecided.0.plugin')).toBe('NodeRestriction');
  });
});
