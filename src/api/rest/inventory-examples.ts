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
