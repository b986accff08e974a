import { ADMISSION } from '../common/admission-mode.js';
import { READ_ERRORS } from '../errors.js';
import { question } from '../question.js';
import { preemption, preemptionInput } from './preemption.js';

export const explainPreemption = question({
  id: 'preemptions.preemption',
  summary: 'Ask whom the scheduler would take away for a pod that fits nowhere',
  description:
    "Every node where removing pods of a lower priority may help is tried, with every filter: which pods would go, which of them a budget protects, which node is chosen and by what; and the pod's message, complete and to the letter. Nothing is stored, and nobody goes.",
  method: 'POST',
  path: 'clusters/{cluster}/preemptions',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  restQuery: { admission: ADMISSION },
  body: { type: preemptionInput, description: 'Which pod.' },
  response: preemption,
  statuses: { 200: 'Who would go.' },
  errors: [...READ_ERRORS, 'invalid-object', 'object-not-found', 'admission-refused'],
  examples: {
    parameters: { cluster: 'example' },
    body: {
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'urgent', namespace: 'default' },
        spec: {
          priority: 1000,
          containers: [{ name: 'main', image: 'main:1', resources: { requests: { cpu: '100' } } }],
        },
      },
      admission: 'skip',
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'preemption',
    description: 'Whom the scheduler would take away for a pod that fits nowhere, and from which node.',
    input: { argument: 'question', description: 'Which pod.' },
  },
});
