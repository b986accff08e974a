import { describe, expect, it } from '@jest/globals';
import { secretPod } from '../../../test/support/dumps.js';
import { withholdSecrets } from './withhold-secrets.js';

const SECRET = 's3cr3t';

describe('a question that is kept', () => {
  it('has no value that may be a secret, and the same form', () => {
    const container = (value: string) => ({
      name: 'web',
      image: 'nginx',
      command: ['sh', value],
      args: ['--password', value],
      env: [
        { name: 'PASSWORD', value },
        { name: 'REF', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
      ],
      livenessProbe: {
        httpGet: { port: 80, httpHeaders: [{ name: 'Authorization', value }] },
        exec: { command: [value] },
      },
    });
    const question = (value: string) => ({
      objects: [
        { kind: 'Secret', metadata: { name: 'db' }, data: { password: value }, stringData: { other: value } },
        { kind: 'ConfigMap', data: { 'a.conf': value }, binaryData: { b: value } },
        {
          kind: 'Deployment',
          metadata: {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration': value,
              'container.apparmor.security.beta.kubernetes.io/web': 'unconfined',
              'scheduler.alpha.kubernetes.io/node-selector': 'a=b',
            },
          },
          spec: {
            template: {
              spec: {
                containers: [container(value)],
                initContainers: [container(value)],
                tolerations: [{ key: 'gpu', value: 'a100' }],
                volumes: [{ name: 'v', csi: { driver: 'd', volumeAttributes: { token: value } } }],
              },
            },
          },
        },
      ],
    });
    const kept = withholdSecrets(question(SECRET));
    expect(kept.question).toEqual(
      JSON.parse(JSON.stringify(question('withheld')).replaceAll(/"sh"|"--password"/g, '"withheld"')),
    );
    expect(JSON.stringify(kept.question)).not.toContain(SECRET);
    expect(kept.count).toBe(4 + 1 + 2 * 7 + 1);
    // Once replaced, nothing is left to replace.
    expect(withholdSecrets(kept.question)).toEqual({ question: kept.question, count: 0 });
  });

  it('has none of the secrets that a pod may hold', () => {
    const { question, count } = withholdSecrets({ pod: secretPod(SECRET) });
    expect(JSON.stringify(question)).not.toContain(SECRET);
    expect(question).toMatchObject({ pod: { metadata: { name: 'with-secrets' }, spec: { nodeName: 'a' } } });
    expect(count).toBeGreaterThan(20);
  });

  it('keeps parts of any form that are not what they should be', () => {
    const odd = { kind: 'Secret', data: 7, env: 'x', command: 'y', args: [1, null], annotations: null, items: [[]] };
    expect(withholdSecrets(odd)).toEqual({ question: odd, count: 0 });
  });
});
