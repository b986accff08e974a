import { list, node, pod, send } from './dumps.js';
import type { TestService } from './service.js';

const taint = (key: string, value: string, effect: string): object => ({ key, ...(value && { value }), effect });

const labelled = (object: object, labels: Record<string, string>): object => {
  const { metadata } = object as { metadata: object };
  return { ...object, metadata: { ...metadata, labels } };
};

const POLICIES = 'admissionregistration.k8s.io/v1';

/** The kinds of admission policies and webhooks, with none that applies: policies have no binding, bindings no policy. */
export const UNUSED_POLICIES: readonly object[] = [
  { apiVersion: POLICIES, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'unbound' }, spec: {} },
  {
    apiVersion: POLICIES,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'dangling' },
    spec: { policyName: 'missing', validationActions: ['Deny'] },
  },
  { apiVersion: POLICIES, kind: 'MutatingAdmissionPolicy', metadata: { name: 'unbound' }, spec: {} },
  {
    apiVersion: POLICIES,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: 'dangling' },
    spec: { policyName: 'missing' },
  },
  { apiVersion: POLICIES, kind: 'MutatingWebhookConfiguration', metadata: { name: 'empty' } },
  { apiVersion: POLICIES, kind: 'ValidatingWebhookConfiguration', metadata: { name: 'empty' } },
];

const GPU = { key: 'gpu', operator: 'Equal', value: 'a100', effect: 'NoSchedule' };

/**
 * Five nodes and seven pods, few enough to remember:
 * a plain; b and e gpu=a100:NoSchedule; c gpu=t4:NoSchedule and slow:PreferNoSchedule; d cordoned, slow:PreferNoSchedule.
 */
export const SMALL_CLUSTER: readonly object[] = [
  labelled(node('a'), { pool: 'plain', 'kubernetes.io/hostname': 'a' }),
  labelled(node('b', { spec: { taints: [taint('gpu', 'a100', 'NoSchedule')] } }), { pool: 'gpu' }),
  labelled(node('c', { spec: { taints: [taint('gpu', 't4', 'NoSchedule'), taint('slow', '', 'PreferNoSchedule')] } }), {
    pool: 'gpu',
  }),
  node('d', { spec: { unschedulable: true, taints: [taint('slow', '', 'PreferNoSchedule')] } }),
  labelled(node('e', { spec: { taints: [taint('gpu', 'a100', 'NoSchedule')] } }), { pool: 'gpu' }),
  ...[
    pod('t/db-0', 'b', { tolerations: [GPU], priority: 7 }, { kind: 'StatefulSet', name: 'db' }),
    pod('t/db-1', 'a', { tolerations: [GPU] }, { kind: 'StatefulSet', name: 'db' }),
    pod('t/db-2', 'a', {}, { kind: 'StatefulSet', name: 'db' }),
  ].map((one) => ({ ...labelled(one, { app: 'db' }), status: { phase: 'Running', qosClass: 'BestEffort' } })),
  { ...pod('t-x/one', 'a', { tolerations: [{ operator: 'Exists' }] }), status: { phase: 'Running' } },
  {
    ...pod('s/two', '', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '250m' } } }] }),
    status: { phase: 'Pending' },
  },
  {
    ...pod('s/three', 'gone', { tolerations: [{ ...GPU, effect: 'NoExecute', tolerationSeconds: 60 }] }),
    status: { phase: 'Running' },
  },
  { ...pod('z/done', 'a', { tolerations: [GPU] }), status: { phase: 'Succeeded' } },
];

/** Stores objects as the next revision of a cluster. @param query further parameters, such as `&kinds=Node` */
export async function store(
  service: TestService,
  cluster: string,
  objects: readonly object[],
  query = '',
): Promise<void> {
  const path = `/api/v1/clusters/${cluster}/snapshots?createCluster=true${query}`;
  const answer = await send(service, path, list(objects));
  if (answer.status !== 201) throw new Error(`the snapshot was not taken in: ${answer.text}`);
}
