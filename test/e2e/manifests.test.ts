import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

let service: TestService;
const C = '/api/v1/clusters/c';

beforeAll(async () => {
  service = await startTestService();
  await store(service, 'c', SMALL_CLUSTER);
  await store(service, 'd', SMALL_CLUSTER);
});
afterAll(() => service.close());

const YAML = { 'content-type': 'application/yaml' };
const post = (path: string, body: string, headers: Record<string, string> = YAML): Promise<Answer> =>
  service.request('POST', path, body, headers);

const DEPLOYMENT = `# Source: web/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: nginx
        resources: {requests: {cpu: 100m}}
`;
const MISSPELT = DEPLOYMENT.replace('      containers:', '      tolleration: []\n      containers:');
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec: {}\n';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

const REFUSED =
  'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.template.spec.tolleration"';

/** The questions about one pod, each with a member of its response that must be the same for a manifest and for an object with it. */
const QUESTIONS: readonly (readonly [path: string, member: string])[] = [
  [`${C}/placements?admission=skip`, 'summary'],
  ['/api/v1/placements?admission=skip', 'items.0.placement.summary'],
  [`${C}/capacities?admission=skip`, 'replicas'],
  [`${C}/preemptions?admission=skip`, 'outcome'],
  [`${C}/pod-resources?admission=skip`, 'requests'],
  [`${C}/admission-reviews`, 'outcome'],
  [`${C}/nodes/search`, 'items'],
];

describe('a manifest as the body', () => {
  it.each(QUESTIONS)('is the pod of the question: %s', async (path, member) => {
    const given = await service.request('POST', path, {
      pod: JSON.parse(JSON.stringify(deployment())) as object,
      ...(path.includes('admission=skip') && { admission: 'skip' }),
    });
    expect(given.status).toBe(200);
    for (const [body, type] of [
      [DEPLOYMENT, 'application/yaml'],
      [JSON.stringify(deployment()), 'application/json'],
    ] as const) {
      const raw = await post(path, body, { 'content-type': type });
      expect([raw.status, raw.at(member)]).toEqual([200, given.at(member)]);
      expect(raw.at(member)).toBeDefined();
      expect(raw.headers.get('warning')).toBeNull();
    }
  });

  it('is the manifest whose findings are asked for, with and without a cluster', async () => {
    for (const path of [`${C}/findings`, '/api/v1/findings']) {
      const raw = await post(path, MISSPELT);
      expect(raw.status).toBe(200);
      expect(raw.at('unknownFields')).toEqual(['spec.template.spec.tolleration']);
      expect(raw.headers.get('warning')).toBe('299 - "unknown field \\"spec.template.spec.tolleration\\""');
    }
  });

  it('can be several manifests where a question takes several', async () => {
    const two = `${DEPLOYMENT}---\n${JSON.stringify(POD)}\n`;
    const batch = await post(`${C}/placements/batch?admission=skip&detail=nodes`, two);
    expect(batch.at('items')).toMatchObject([
      { id: 'Deployment/default/web', error: null },
      { id: 'Pod/default/one', error: null },
    ]);
    expect(batch.at('items.0.placement.groups.0')).toBeDefined();
    const queue = await post(`${C}/queue-runs?pending=false&replicas=3&admission=skip`, two);
    expect([queue.status, queue.at('totals.placed')]).toEqual([200, 6]);
    const review = await post(`${C}/quota-reviews?namespace=t`, two);
    expect([review.status, review.at('items.0.id'), review.at('items.1.id')]).toEqual([
      200,
      'Deployment/default/web',
      'Pod/default/one',
    ]);
  });

  it('can be a List or several objects of JSON, and each that is no pod has its error', async () => {
    const items = [POD, { ...POD, metadata: { name: 'two' } }];
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    for (const body of [list, items.map((item) => JSON.stringify(item)).join('\n')]) {
      const { json } = await post(`${C}/placements/batch`, body, { 'content-type': 'application/json' });
      expect(json).toMatchObject({ items: [{ id: 'Pod/default/one' }, { id: 'Pod/default/two' }] });
    }
    const { json } = await post(`${C}/placements/batch`, `${DEPLOYMENT}---\n${SERVICE}`);
    expect(json).toMatchObject({
      items: [
        { id: 'Deployment/default/web', error: null },
        { id: 'Service/default/web', placement: null, error: { code: 'invalid-object' } },
      ],
    });
  });

  it('takes query parameters for the other members of the body', async () => {
    const raw = await post(`${C}/preemptions?admission=skip&mostCandidates=0`, DEPLOYMENT);
    expect([raw.status, raw.at('errors.0.field')]).toEqual([400, 'mostCandidates']);
    const given = await service.request('POST', `${C}/placements?view=nodes&limit=1`, { pod: POD, admission: 'skip' });
    expect([given.status, (given.at('items') as unknown[]).length]).toEqual([200, 1]);
    const misplaced = await service.request('POST', `${C}/queue-runs?replicas=3`, { pending: true });
    expect([misplaced.status, misplaced.at('errors.0.field')]).toEqual([400, 'replicas']);
  });

  it('keeps 64-bit integers exact', async () => {
    const text = JSON.stringify(POD).replace(
      '"containers"',
      '"terminationGracePeriodSeconds":9223372036854775806,"containers"',
    );
    const { text: answer } = await post(`${C}/admission-reviews`, text, { 'content-type': 'application/json' });
    expect(answer).toContain('"terminationGracePeriodSeconds":9223372036854775806');
  });
});

describe('a body that is not one manifest', () => {
  it.each([
    ['several documents', `${DEPLOYMENT}---\n${SERVICE}`, 'application/yaml'],
    [
      'a List',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [deployment(), { ...POD, kind: 'Service', metadata: { name: 'web' } }],
      }),
      'application/json',
    ],
  ])('is refused where one pod is asked for: %s', async (_what, body, type) => {
    for (const [path] of QUESTIONS) {
      const { status, json } = await post(path, body, { 'content-type': type });
      expect([status, json]).toMatchObject([
        400,
        {
          errors: [
            {
              code: 'one-manifest',
              message:
                'this operation takes the manifest of one pod or workload; the body has 2 objects (Deployment web, Service web)',
            },
          ],
        },
      ]);
    }
  });

  it('is refused with every bad document', async () => {
    const { status, json } = await post(
      `${C}/placements/batch`,
      `${DEPLOYMENT}---\nkind: Pod\n---\nThank you for installing.\n---\na: [\n---\n${DEPLOYMENT}`,
    );
    expect([status, json]).toMatchObject([
      400,
      {
        code: 'invalid-request',
        errors: [
          { code: 'incomplete-object', message: 'document 2, line 19: apiVersion not set', line: 19 },
          { code: 'not-an-object', message: 'document 3, line 21: the document is text, not an object' },
          {
            code: 'malformed-manifests',
            message: expect.stringMatching(/^document 4, line \d+, column \d+: it is not YAML/),
          },
          {
            code: 'duplicate-object',
            message:
              'document 5, line 26: Deployment web in namespace default is there twice; the first is document 1, line 2',
          },
        ],
      },
    ]);
  });

  it.each([
    ['nothing', '# nothing\n---\n', 'application/yaml', 'invalid-request'],
    ['text', 'Thank you for installing web.', 'application/yaml', 'invalid-request'],
    ['broken YAML', 'a: [', 'application/yaml', 'malformed-yaml'],
    ['broken JSON', '{"a": ', 'application/json', 'malformed-json'],
    ['two objects, one broken', '{"kind": "Pod"} {"b": ', 'application/json', 'invalid-request'],
    ['HTML', '<html><body>x: y</body></html>', 'application/yaml', 'invalid-request'],
    ['a binary', '\u0000\u0001\u0002', 'application/yaml', 'invalid-request'],
    ['10,000 documents', 'apiVersion: v1\nkind: Pod\n---\n'.repeat(10_000), 'application/yaml', 'invalid-request'],
    ['a duplicate key of a question', 'pod: {}\npod: {}\n', 'application/yaml', 'malformed-yaml'],
    ['a duplicate key of a question in JSON', '{"pod": {}, "pod": {}}', 'application/json', 'malformed-json'],
  ])('is refused: %s', async (_what, body, type, code) => {
    const answer = await post(`${C}/placements`, body, { 'content-type': type });
    expect([answer.status, answer.at('code')]).toEqual([400, code]);
  });
});

describe('fieldValidation', () => {
  it.each(QUESTIONS)('Strict refuses unknown fields with the message of the API server: %s', async (path) => {
    const asked = path;
    const raw = await post(`${asked}${asked.includes('?') ? '&' : '?'}fieldValidation=Strict`, MISSPELT);
    // A question about several clusters has the error of each: a newer version may have the field.
    const [status, errors] = path.startsWith(C) ? [400, 'errors.0'] : [200, 'items.1.error.errors.0'];
    expect([raw.status, raw.at(`${errors}.message`), raw.at(`${errors}.code`)]).toEqual([
      status,
      REFUSED,
      'strict-decoding',
    ]);
    const warned = await post(asked, MISSPELT);
    expect([warned.status, warned.headers.get('warning')]).toEqual([
      200,
      '299 - "unknown field \\"spec.template.spec.tolleration\\""',
    ]);
    const ignored = await post(`${asked}${asked.includes('?') ? '&' : '?'}fieldValidation=Ignore`, MISSPELT);
    expect([ignored.status, ignored.headers.get('warning')]).toEqual([200, null]);
    const pod = { ...POD, spec: { ...POD.spec, foo: 1 } };
    const given = await service.request('POST', asked, { pod, fieldValidation: 'Strict' });
    expect([given.status, given.at(`${errors}.message`), given.at(`${errors}.pointer`)]).toEqual([
      status,
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo"',
      '/pod',
    ]);
  });

  it('refuses one item of a batch, and all pods of a queue', async () => {
    const pod = { ...POD, spec: { ...POD.spec, foo: 1 } };
    const batch = await service.request('POST', `${C}/placements/batch`, {
      items: [
        { id: 'a', pod, fieldValidation: 'Strict', admission: 'skip' },
        { id: 'b', pod, admission: 'skip' },
      ],
    });
    expect(batch.at('items')).toMatchObject([{ error: { code: 'invalid-request' } }, { error: null }]);
    const queue = await service.request('POST', `${C}/queue-runs`, {
      pods: [{ id: 'a', pod }],
      fieldValidation: 'Strict',
    });
    expect([queue.status, queue.at('errors.0.pointer')]).toEqual([400, '/pods/0/pod']);
  });

  it('tells duplicate fields: of YAML by their line, of JSON by their path', async () => {
    const yaml = DEPLOYMENT.replace('  replicas: 2', '  replicas: 1\n  replicas: 2');
    const strict = await post(`${C}/placements?fieldValidation=Strict`, yaml);
    expect([strict.status, strict.at('detail')]).toEqual([
      400,
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: yaml: unmarshal errors:\n  line 8: key "replicas" already set in map',
    ]);
    const warned = await post(`${C}/placements?admission=skip`, yaml);
    expect([warned.status, warned.headers.get('warning')]).toEqual([
      200,
      '299 - "line 8: key \\"replicas\\" already set in map"',
    ]);
    const json = JSON.stringify(POD).replace('"spec"', '"kind":"Pod","spec"');
    const ofJson = await post(`${C}/placements?fieldValidation=Strict`, json, { 'content-type': 'application/json' });
    expect(ofJson.at('detail')).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: duplicate field "kind"',
    );
    const merged = await post(`${C}/placements`, JSON.stringify(POD).replace('"spec"', '"spec":{},"spec"'), {
      'content-type': 'application/json',
    });
    expect([merged.status, merged.at('errors.0.code')]).toEqual([400, 'duplicate-field']);
  });

  it('is a member of the input in GraphQL', async () => {
    const pod = { ...POD, spec: { ...POD.spec, foo: 1 } };
    const query = `query ($input: PlacementInput!) { placement(cluster: "c", input: $input) { summary { feasible } } }`;
    const refused = await service.graphql(query, { input: { pod, fieldValidation: 'Strict' } });
    expect(refused.at('errors.0.message')).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo"',
    );
    const warned = await service.graphql(query, { input: { pod, fieldValidation: 'Warn', admission: 'skip' } });
    expect(warned.at('errors')).toBeUndefined();
  });
});

describe('fieldValidation by the version of the cluster', () => {
  /** In Kubernetes since 1.34. */
  const pod = { ...POD, spec: { ...POD.spec, hostnameOverride: 'a' } };
  const UNKNOWN = 'unknown field \\"spec.hostnameOverride\\"';
  const REFUSED =
    'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.hostnameOverride"';
  const of = (path: string, version: string): string =>
    `${path}${path.includes('?') ? '&' : '?'}rulesVersion=${version}`;

  it.each(QUESTIONS)('knows the fields of that version, whatever is asked: %s', async (path) => {
    const asked = path.replace('/nodes/search', '/nodes/search?limit=1');
    const known = await service.request('POST', of(asked, '1.34'), { pod, fieldValidation: 'Strict' });
    expect([known.status, known.headers.get('warning')]).toEqual([200, null]);
    const warned = await service.request('POST', of(asked, '1.33'), { pod });
    expect([warned.status, warned.headers.get('warning')]).toEqual([200, `299 - "${UNKNOWN}"`]);
    const raw = await post(of(asked, '1.33'), JSON.stringify(pod), { 'content-type': 'application/json' });
    expect([raw.status, raw.headers.get('warning')]).toEqual([200, `299 - "${UNKNOWN}"`]);
    const strict = await service.request('POST', of(asked, '1.33'), { pod, fieldValidation: 'Strict' });
    // A question about several clusters has the error of each.
    const errors = path.startsWith(C) ? strict.at('errors') : strict.at('items.0.error.errors');
    expect([strict.status, errors]).toEqual([
      path.startsWith(C) ? 400 : 200,
      [{ pointer: '/pod', code: 'strict-decoding', message: REFUSED }],
    ]);
  });

  it('warns of what is unknown to every version, and of what is to this', async () => {
    const both = { ...pod, spec: { ...pod.spec, foo: 1 } };
    const { headers } = await service.request('POST', of(`${C}/placements`, '1.33'), { pod: both });
    expect(headers.get('warning')).toBe(`299 - "${UNKNOWN}", 299 - "unknown field \\"spec.foo\\""`);
  });

  it('refuses one item of a batch, and in GraphQL', async () => {
    const items = [{ id: 'a', pod, fieldValidation: 'Strict', admission: 'skip' }];
    const batch = (version: string): Promise<Answer> =>
      service.request('POST', of(`${C}/placements/batch`, version), { items });
    expect((await batch('1.33')).at('items')).toMatchObject([
      { error: { code: 'invalid-request', errors: [{ pointer: '/items/0/pod', message: REFUSED }] } },
    ]);
    expect((await batch('1.34')).at('items')).toMatchObject([{ error: null }]);
    const query = `query ($version: String, $input: PlacementInput!) {
      placement(cluster: "c", rulesVersion: $version, input: $input) { summary { feasible } }
    }`;
    const input = { pod, fieldValidation: 'Strict', admission: 'skip' };
    const refused = await service.graphql(query, { version: '1.33', input });
    expect(refused.at('errors.0.message')).toBe(REFUSED);
    expect((await service.graphql(query, { version: '1.34', input })).at('errors')).toBeUndefined();
  });

  it('holds for scenarios, findings and reviews', async () => {
    const scenario = { changes: [{ addPods: { pod } }], fieldValidation: 'Strict' };
    const overview = (version: string): Promise<Answer> =>
      service.request('GET', of(`${C}/overview?scenario=${encodeURIComponent(JSON.stringify(scenario))}`, version));
    expect((await overview('1.33')).at('errors')).toEqual([
      { pointer: '/scenario/changes/0/addPods/pod', code: 'strict-decoding', message: REFUSED },
    ]);
    expect((await overview('1.34')).status).toBe(200);
    const findings = await service.request('POST', of(`${C}/findings`, '1.33'), { manifest: pod });
    expect(findings.at('unknownFields')).toEqual(['spec.hostnameOverride']);
    expect((await service.request('POST', of(`${C}/findings`, '1.34'), { manifest: pod })).at('unknownFields')).toEqual(
      [],
    );
  });

  it('does not read what the version lacks', async () => {
    const wrong = { ...POD, spec: { ...POD.spec, hostnameOverride: 5 } };
    const [old, now] = await Promise.all(
      ['1.33', '1.34'].map((version) =>
        service.request('POST', of(`${C}/placements?admission=skip`, version), { pod: wrong }),
      ),
    );
    expect([old!.status, now!.status]).toEqual([200, 422]);
  });
});

describe('fieldValidation on a cluster newer than the known versions', () => {
  const N = '/api/v1/clusters/newer';
  const pod = { ...POD, spec: { ...POD.spec, futureField: 1 } };
  const UNSURE = 'unknown field "spec.futureField" in 1.36; whether Kubernetes v1.37.1 has it is not known';
  const WARNING = `299 - ${JSON.stringify(UNSURE)}`;
  const NEWER = [{ code: 'newer-than-rules' }];

  beforeAll(() => store(service, 'newer', SMALL_CLUSTER, '&apiServerVersion=v1.37.1'));
  // Other tests ask about all clusters.
  afterAll(() => service.request('DELETE', N));

  it.each(QUESTIONS.filter(([path]) => path.startsWith(C)))(
    'refuses no field that the version may have, and says so: %s',
    async (path) => {
      const asked = path.replace(C, N);
      for (const fieldValidation of ['Strict', 'Warn']) {
        const { status, headers } = await service.request('POST', asked, { pod, fieldValidation });
        expect([status, headers.get('warning')]).toEqual([200, WARNING]);
      }
      const ignored = await service.request('POST', asked, { pod, fieldValidation: 'Ignore' });
      expect([ignored.status, ignored.headers.get('warning')]).toEqual([200, null]);
      // The rules of 1.36 are those of no other version.
      const known = await service.request('POST', `${asked}${asked.includes('?') ? '&' : '?'}rulesVersion=1.36`, {
        pod,
        fieldValidation: 'Strict',
      });
      expect([known.status, known.at('errors.0.code')]).toEqual([400, 'strict-decoding']);
    },
  );

  it('is the same in REST and GraphQL, in batches and across clusters, and unknown to the gate', async () => {
    const asked = { pod, admission: 'skip', fieldValidation: 'Strict' };
    const alone = await service.request('POST', `${N}/placements`, asked);
    expect(alone.json).toMatchObject({ ruleDifferences: NEWER, unknownFields: ['spec.futureField'] });
    const batch = await service.request('POST', `${N}/placements/batch`, { items: [{ id: 'a', ...asked }] });
    expect(batch.at('items')).toMatchObject([{ error: null, placement: { ruleDifferences: NEWER } }]);
    const across = await service.request('POST', '/api/v1/placements', asked);
    expect(across.at('items')).toMatchObject([
      { cluster: 'c', error: { code: 'invalid-request' } },
      { cluster: 'd', error: { code: 'invalid-request' } },
      { cluster: 'newer', error: null, placement: { ruleDifferences: NEWER } },
    ]);
    const query = `query ($input: PlacementInput!) {
      placement(cluster: "newer", input: $input) { ruleDifferences { code } unknownFields }
    }`;
    const graphql = await service.graphql(query, { input: asked });
    expect(graphql.at('data.placement')).toEqual({
      ruleDifferences: [{ code: 'newer_than_rules' }],
      unknownFields: ['spec.futureField'],
    });
    const gate = await service.request('POST', `${N}/gates`, { manifests: [pod] });
    expect(gate.at('verdict')).toBe('unknown');
    expect(gate.at('reasons')).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining(UNSURE) as unknown }),
    );
    const reviewed = await service.request('POST', `${N}/quota-reviews`, {
      items: [{ id: 'a', pod, fieldValidation: 'Strict' }],
    });
    expect(reviewed.at('items')).toMatchObject([{ error: null }]);
    const findings = await service.request('POST', `${N}/findings`, { manifest: pod, fieldValidation: 'Strict' });
    expect([findings.status, findings.headers.get('warning')]).toEqual([200, WARNING]);
    expect(findings.text).toContain('whether v1.37.1 has it is not known');
  });

  it('still refuses fields that are there twice', async () => {
    const text = JSON.stringify(pod).replace('"futureField"', '"hostPID":true,"hostPID":true,"futureField"');
    const answer = await post(`${N}/placements?fieldValidation=Strict`, text, { 'content-type': 'application/json' });
    expect([answer.status, answer.at('detail')]).toEqual([
      400,
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: duplicate field "spec.hostPID"',
    ]);
  });
});

describe('a kind in a version of its API', () => {
  const OLD = '/api/v1/clusters/older';
  const old = { ...deployment(), apiVersion: 'extensions/v1beta1' };
  const NO_MATCH = 'no matches for kind "Deployment" in version "extensions/v1beta1"';
  const UNSURE = 'whether Kubernetes v1.14.10 serves Deployment in extensions/v1beta1 is not known';

  beforeAll(() => store(service, 'older', SMALL_CLUSTER, '&apiServerVersion=v1.14.10'));
  afterAll(() => service.request('DELETE', OLD));

  it.each(QUESTIONS)('is refused in the words of clients where it is not served: %s', async (path) => {
    for (const fieldValidation of ['Strict', 'Ignore']) {
      const refused = await service.request('POST', path, { pod: old, fieldValidation });
      const errors = path.startsWith(C) ? refused.at('errors') : refused.at('items.1.error.errors');
      expect([refused.status, errors]).toEqual([
        path.startsWith(C) ? 400 : 200,
        [{ pointer: '/pod/apiVersion', code: 'no-kind-match', message: NO_MATCH }],
      ]);
    }
    const raw = await post(path, DEPLOYMENT.replace('apps/v1', 'extensions/v1beta1'));
    expect(raw.at(path.startsWith(C) ? 'errors.0.message' : 'items.1.error.errors.0.message')).toBe(NO_MATCH);
  });

  it('is taken where nobody knows whether it is served, and said', async () => {
    for (const [path] of QUESTIONS.filter(([one]) => one.startsWith(C))) {
      const { status, headers } = await service.request('POST', path.replace(C, OLD), { pod: old });
      expect([status, headers.get('warning')]).toEqual([200, `299 - ${JSON.stringify(UNSURE)}`]);
    }
    const gate = await service.request('POST', `${OLD}/gates`, { manifests: [old] });
    expect(gate.at('reasons')).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining(UNSURE) as unknown }),
    );
  });

  it('is the same in batches, reviews and GraphQL', async () => {
    const items = [{ id: 'a', pod: old }];
    for (const path of ['placements/batch', 'quota-reviews']) {
      const { json } = await service.request('POST', `${C}/${path}`, { items });
      expect(json).toMatchObject({
        items: [{ error: { errors: [{ pointer: '/items/0/pod/apiVersion', message: NO_MATCH }] } }],
      });
    }
    const query = `query ($input: PlacementInput!) { placement(cluster: "c", input: $input) { summary { feasible } } }`;
    const refused = await service.graphql(query, { input: { pod: old } });
    expect(refused.at('errors.0.message')).toBe(NO_MATCH);
  });

  it('is a finding, beside the others', async () => {
    const manifest = { ...old, spec: { ...(old as { spec?: object }).spec, foo: 1 } };
    const suggestions = [{ text: 'Change the apiVersion to apps/v1.' }];
    for (const path of [`${C}/findings`, '/api/v1/findings']) {
      const { status, json } = await service.request('POST', path, { manifest });
      expect(status).toBe(200);
      expect((json as { findings: object[] }).findings).toContainEqual(
        expect.objectContaining({
          code: 'refused-by-api-server',
          severity: 'error',
          field: 'apiVersion',
          pointer: '/apiVersion',
          message: `The API server does not take it: ${NO_MATCH}.`,
          suggestions: [expect.objectContaining(suggestions[0]!)],
        }),
      );
    }
    const unsure = await service.request('POST', `${OLD}/findings`, { manifest });
    expect(unsure.text).toContain(`The API server may refuse it: ${UNSURE}.`);
  });

  it('holds for the objects that a scenario puts', async () => {
    const put = async (apiVersion: string, kind: string, version: string): Promise<Answer> => {
      const spec = kind === 'DeviceTaintRule' ? { taint: { key: 'a', effect: 'NoSchedule' } } : {};
      const object = { apiVersion, kind, metadata: { name: 'a' }, spec };
      const scenario = { changes: [{ putObjects: { objects: [object] } }] };
      const path = `${C}/overview?rulesVersion=${version}`;
      return service.request('GET', `${path}&scenario=${encodeURIComponent(JSON.stringify(scenario))}`);
    };
    const errors = async (...given: Parameters<typeof put>): Promise<unknown> => (await put(...given)).at('errors');
    const pointer = '/scenario/changes/0/putObjects/objects/0/apiVersion';
    const noMatch = (kind: string, apiVersion: string): object[] => [
      { pointer, code: 'no-kind-match', message: `no matches for kind "${kind}" in version "${apiVersion}"` },
    ];
    const RULES = 'resource.k8s.io/v1beta2';
    const API = 'resource.k8s.io/v1';
    expect(await errors(RULES, 'DeviceTaintRule', '1.35')).toEqual(noMatch('DeviceTaintRule', RULES));
    expect(await errors(API, 'DeviceClass', '1.33')).toEqual(noMatch('DeviceClass', API));
    expect((await put(API, 'DeviceClass', '1.34')).status).toBe(200);
    const enabled = await put(RULES, 'DeviceTaintRule', '1.36');
    expect([enabled.status, enabled.headers.get('warning')]).toEqual([
      200,
      `299 - "Kubernetes v1.36 serves ${RULES} only where it is enabled (--runtime-config)"`,
    ]);
  });
});

describe('fieldValidation of the manifests in a scenario, and in events', () => {
  const misspelt = { ...POD, spec: { ...POD.spec, tolleration: [] } };
  const refused =
    'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.tolleration"';
  const WARNING = '299 - "unknown field \\"spec.tolleration\\""';
  const scenario = (more: object = {}): object => ({ changes: [{ addPods: { pod: misspelt } }], ...more });
  const asked = (more?: object): Promise<Answer> =>
    service.request('GET', `${C}/overview?scenario=${encodeURIComponent(JSON.stringify(scenario(more)))}`);

  it('is a member of the scenario, also where that is a query parameter', async () => {
    const strict = await asked({ fieldValidation: 'Strict' });
    expect([strict.status, strict.at('errors')]).toEqual([
      400,
      [{ pointer: '/scenario/changes/0/addPods/pod', code: 'strict-decoding', message: refused }],
    ]);
    const warned = await asked();
    expect([warned.status, warned.headers.get('warning')]).toEqual([200, WARNING]);
    const ignored = await asked({ fieldValidation: 'Ignore' });
    expect([ignored.status, ignored.headers.get('warning')]).toEqual([200, null]);
    // The scenario is the same, whatever is said about its manifests.
    expect(ignored.at('basis.scenario.hash')).toBe(warned.at('basis.scenario.hash'));
  });

  it('is that of the request if the scenario has none', async () => {
    const body = { pod: POD, admission: 'skip', scenario: scenario() };
    const strict = await service.request('POST', `${C}/placements`, { ...body, fieldValidation: 'Strict' });
    expect([strict.status, strict.at('detail')]).toEqual([400, refused]);
    const own = { ...body, scenario: scenario({ fieldValidation: 'Ignore' }), fieldValidation: 'Strict' };
    const ignored = await service.request('POST', `${C}/placements`, own);
    expect([ignored.status, ignored.headers.get('warning')]).toEqual([200, null]);
    const raw = await post(
      `${C}/placements?admission=skip&fieldValidation=Strict`,
      DEPLOYMENT.replace('- name: web', '- name: web\n        imagee: x'),
    );
    expect(raw.at('errors.0.code')).toBe('strict-decoding');
  });

  it('holds for both sides of a comparison', async () => {
    const body = { scenario: scenario(), against: { scenario: scenario({ fieldValidation: 'Strict' }) } };
    const { status, json } = await service.request('POST', `${C}/placement-comparisons`, body);
    expect([status, json]).toMatchObject([
      400,
      { errors: [{ pointer: '/against/scenario/changes/0/addPods/pod', message: refused }] },
    ]);
  });

  it('is checked on each side by its own version', async () => {
    // In Kubernetes since 1.34.
    const newer = { ...POD, spec: { ...POD.spec, hostnameOverride: 'a' } };
    const strict = { changes: [{ addPods: { pod: newer } }], fieldValidation: 'Strict' };
    const compared = (path: string, against: object): Promise<Answer> =>
      service.request('POST', `${C}/placement-comparisons?rulesVersion=${path}`, { against });
    const pointer = '/against/scenario/changes/0/addPods/pod';
    const refused = await compared('1.36', { rulesVersion: '1.33', scenario: strict });
    expect([refused.status, refused.at('errors.0.pointer')]).toEqual([400, pointer]);
    expect((await compared('1.33', { rulesVersion: '1.34', scenario: strict })).status).toBe(200);
    await store(service, 'old', SMALL_CLUSTER, '&apiServerVersion=v1.33.1');
    const diff = `/api/v1/clusters/old/diff?scenario=${encodeURIComponent(JSON.stringify(strict))}`;
    const query = `query ($scenario: ScenarioInput) { cluster(name: "old") { diff(scenario: $scenario) { to: basis { revision } } } }`;
    const message =
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.hostnameOverride"';
    expect((await service.request('GET', diff)).at('errors.0.message')).toBe(message);
    expect((await service.graphql(query, { scenario: strict })).at('errors.0.message')).toBe(message);
    await store(service, 'old', SMALL_CLUSTER, '&apiServerVersion=v1.34.1');
    expect((await service.request('GET', diff)).status).toBe(200);
    expect((await service.graphql(query, { scenario: strict })).at('errors')).toBeUndefined();
    await service.request('DELETE', '/api/v1/clusters/old');
  });

  it('holds for every manifest of a scenario', async () => {
    const changes = [
      { addNodes: { node: { metadata: { name: 'n' }, spec: { taint: [] } } } },
      {
        putObjects: {
          objects: [{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limit: [] } }],
        },
      },
    ];
    const { json } = await service.request('POST', `${C}/placements`, {
      pod: POD,
      scenario: { changes, fieldValidation: 'Strict' },
    });
    expect(json).toMatchObject({
      errors: [
        {
          pointer: '/scenario/changes/0/addNodes/node',
          message: expect.stringMatching(/^Node in version "v1" .* unknown field "spec.taint"$/),
        },
        {
          pointer: '/scenario/changes/1/putObjects/objects/0',
          message: expect.stringMatching(/^LimitRange in version "v1" .* unknown field "spec.limit"$/),
        },
      ],
    });
  });

  it('holds for pods that events of an eviction schedule create', async () => {
    const at = new Date(Date.now() + 60_000).toISOString();
    const events = [{ at, do: 'createPod', node: 'n1', manifest: misspelt }];
    const strict = await service.request('POST', `${C}/eviction-schedules`, { events, fieldValidation: 'Strict' });
    expect([strict.status, strict.at('errors')]).toMatchObject([
      400,
      [{ pointer: '/events/0/manifest', code: 'strict-decoding', message: refused }],
    ]);
  });

  it('warns of a manifest that is a member, too', async () => {
    const warned = await service.request('POST', `${C}/placements`, { pod: misspelt, admission: 'skip' });
    expect([warned.status, warned.headers.get('warning')]).toEqual([200, WARNING]);
  });
});

function deployment(): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '100m' } } }] },
      },
    },
  };
}
