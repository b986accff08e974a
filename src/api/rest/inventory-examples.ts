/** Answers as the documentation shows them. */
export const BASIS = {
  cluster: 'example',
  revision: 1,
  capturedAt: '2026-05-04T03:02:01.000Z',
  ageSeconds: 42,
  kubernetesVersion: 'v1.34.1',
  rulesVersion: 'v1.36.2',
  intents: { unconfirmedNodes: 0, included: true },
  scenario: null,
  decisionId: '1f0c1c5e-6a58-4f0e-9c39-5d5e3a8c1a11',
};

export const END = { continue: null, remainingItemCount: 0 };

export const MANIFEST = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'job' },
  spec: { containers: [{ name: 'main', image: 'busybox' }], tolerations: [{ operator: 'Exists' }] },
};

export const FINDING = {
  code: 'tolerates-everything',
  severity: 'warning',
  subject: { kind: 'Pod', namespace: 'default', name: 'job' },
  field: 'spec.tolerations[0]',
  pointer: '/spec/tolerations/0',
  message: 'Exists without a key and without an effect tolerates every taint there is and ever will be.',
  suggestions: [],
  occurrences: null,
};

export const COUNTS = { error: 0, warning: 1, info: 0 };
