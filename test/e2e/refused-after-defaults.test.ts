import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { node } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

const AT = '/api/v1/clusters/shop';

const inShop = (apiVersion: string, kind: string, name: string, spec: object, status?: object): object => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'shop' },
  spec,
  ...(status && { status }),
});
const requesting = (cpu: string): object => ({
  containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }],
});
const manifest = (cpu: string): object => inShop('v1', 'Pod', 'x', requesting(cpu));
const deployment = (name: string, cpu: string): object =>
  inShop('apps/v1', 'Deployment', name, {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: requesting(cpu) },
  });

/** Its LimitRange gives every container a limit of half a CPU, also one that requests more. */
const CLUSTER = [
  node('n1'),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  inShop('v1', 'LimitRange', 'defaults', { limits: [{ type: 'Container', default: { cpu: '500m' } }] }),
  inShop(
    'v1',
    'ResourceQuota',
    'q',
    { hard: { 'requests.cpu': '10' } },
    { hard: { 'requests.cpu': '10' }, used: { 'requests.cpu': '1' } },
  ),
  deployment('large', '700m'),
  deployment('small', '500m'),
];

const FAULT =
  'spec.containers[0].resources.requests: Invalid value: "700m": must be less than or equal to cpu limit of 500m';
const REFUSAL = `Pod "x" is invalid: ${FAULT}`;
const refusalOf = (workload: string): RegExp => new RegExp(`^Pod "${workload}[-\\w]*" is invalid: .* limit of 500m$`);

describe('a pod that the limits of a LimitRange make invalid', () => {
  let service: TestService;
  const ask = (question: string, body: object): Promise<Answer> => service.request('POST', `${AT}/${question}`, body);

  beforeAll(async () => {
    service = await startTestService();
    await store(service, 'shop', CLUSTER);
  });
  afterAll(() => service.close());

  it('is refused in admission reviews', async () => {
    const answer = await ask('admission-reviews', { pod: manifest('700m') });
    expect(answer.at('refusal')).toMatchObject({ by: 'validation', status: 422, message: REFUSAL });
  });

  it.each(['placements', 'capacities'])('is refused in %s', async (question) => {
    const refused = await ask(question, { pod: manifest('700m') });
    expect(refused.status).toBe(422);
    expect(refused.json).toMatchObject({
      code: 'admission-refused',
      detail: REFUSAL,
      errors: [
        { code: 'validation', message: FAULT },
        { code: 'hint', field: 'admission' },
      ],
    });
    expect((await ask(question, { pod: manifest('500m') })).status).toBe(200);
    expect((await ask(question, { pod: manifest('700m'), admission: 'skip' })).status).toBe(200);
  });

  it.each(['placements', 'capacities'])('is refused in %s of a stored workload', async (question) => {
    const ref = (name: string): object => ({ workloadRef: { kind: 'Deployment', namespace: 'shop', name } });
    const refused = await ask(question, ref('large'));
    expect(refused.json).toMatchObject({
      code: 'admission-refused',
      detail: expect.stringMatching(refusalOf('large')),
    });
    expect((await ask(question, ref('small'))).status).toBe(200);
  });

  it('is refused in queue runs', async () => {
    const pods = [
      { id: 'large', pod: manifest('700m') },
      { id: 'small', pod: manifest('500m') },
    ];
    const answer = await ask('queue-runs', { pods });
    expect(answer.at('refused')).toMatchObject([{ id: 'large', by: 'validation', message: REFUSAL, pods: 1 }]);
  });

  it('is refused in scenarios that add it', async () => {
    const adding = (cpu: string): Promise<Answer> =>
      ask('queue-runs', { scenario: { changes: [{ addPods: { pod: manifest(cpu) } }] } });
    expect((await adding('700m')).json).toMatchObject({
      errors: [{ code: 'admission-refused', message: expect.stringContaining(FAULT) }],
    });
    expect((await adding('500m')).status).toBe(200);
  });

  it('is refused in quota reviews, sent or stored', async () => {
    const workloadRef = (name: string): object => ({ kind: 'Deployment', namespace: 'shop', name });
    const answer = await ask('quota-reviews', {
      items: [
        { id: 'sent', pod: manifest('700m') },
        { id: 'large', workloadRef: workloadRef('large'), replicas: 5 },
        { id: 'small', workloadRef: workloadRef('small'), replicas: 5 },
      ],
    });
    const refused = { admitted: 0, refusal: { by: 'validation', status: 422 } };
    expect(answer.at('items')).toMatchObject([
      { review: { ...refused, refusal: { message: REFUSAL } } },
      { review: { ...refused, refusal: { message: expect.stringMatching(refusalOf('large')) } } },
      { review: { admitted: 5, refusal: null } },
    ]);
  });

  it('is a finding', async () => {
    const answer = await ask('findings', { manifest: manifest('700m') });
    expect(answer.at('findings')).toContainEqual(
      expect.objectContaining({ code: 'refused-by-admission', message: expect.stringContaining(REFUSAL) }),
    );
  });
});
