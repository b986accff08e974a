import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kubernetes/objects/pod.js';
import { drainDecision, drainMessages, type DrainFilterOptions } from './drain-filters.js';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const owner = (kind: string, apiVersion = 'apps/v1', controller = true): object => ({
  ownerReferences: [{ apiVersion, kind, name: 'web', uid: 'u', controller }],
});

const pod = (metadata: object = {}, more: { readonly phase?: string; readonly emptyDir?: boolean } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'default', ...metadata },
  spec: { containers: [], nodeName: 'n', ...(more.emptyDir === true && { volumes: [{ name: 'v', emptyDir: {} }] }) },
  status: { phase: more.phase ?? 'Running' },
});

const decide = (subject: Pod, options: Partial<DrainFilterOptions> = {}, exists = true): string => {
  const decision = drainDecision(subject, {
    options: {
      force: false,
      ignoreDaemonSets: false,
      deleteEmptyDirData: false,
      skipWaitForDeleteTimeoutSeconds: 0,
      ...options,
    },
    now: NOW,
    daemonSetExists: () => exists,
  });
  return `${decision.delete ? 'delete' : 'keep'} ${decision.reason} ${decision.message}`.trim();
};

describe('drainDecision', () => {
  it.each<[string, string, string]>([
    ['a managed pod goes', decide(pod(owner('ReplicaSet'))), 'delete Okay'],
    [
      'a bare pod stops the drain',
      decide(pod()),
      'keep Error Pods that declare no controller (use --force to override)',
    ],
    [
      'with force it goes, with a warning',
      decide(pod(), { force: true }),
      'delete Warning deleting Pods that declare no controller',
    ],
    [
      'an owner that is no controller is none',
      decide(pod(owner('ReplicaSet', 'apps/v1', false))),
      'keep Error Pods that declare no controller (use --force to override)',
    ],
    [
      'a DaemonSet pod stops the drain',
      decide(pod(owner('DaemonSet'))),
      'keep Error DaemonSet-managed Pods (use --ignore-daemonsets to ignore)',
    ],
    [
      'or is ignored',
      decide(pod(owner('DaemonSet')), { ignoreDaemonSets: true }),
      'keep Warning ignoring DaemonSet-managed Pods',
    ],
    ['only apps/v1 is a DaemonSet', decide(pod(owner('DaemonSet', 'extensions/v1beta1'))), 'delete Okay'],
    [
      'a DaemonSet that is gone stops the drain, even when DaemonSets are ignored',
      decide(pod(owner('DaemonSet')), { ignoreDaemonSets: true }, false),
      'keep Error daemonsets.apps "web" not found',
    ],
    [
      'with force its pod goes, and the warning is lost',
      decide(pod(owner('DaemonSet')), { force: true }, false),
      'delete Okay',
    ],
    [
      'a mirror pod is skipped',
      decide(pod({ ...owner('Node', 'v1'), annotations: { 'kubernetes.io/config.mirror': 'x' } }, { emptyDir: true })),
      'keep Skip',
    ],
    [
      'an emptyDir stops the drain',
      decide(pod(owner('ReplicaSet'), { emptyDir: true })),
      'keep Error Pods with local storage (use --delete-emptydir-data to override)',
    ],
    [
      'or goes without a warning',
      decide(pod(owner('ReplicaSet'), { emptyDir: true }), { deleteEmptyDirData: true }),
      'delete Okay',
    ],
    ['a finished pod goes whatever it is', decide(pod({}, { phase: 'Failed', emptyDir: true })), 'delete Okay'],
    [
      'a pod that was deleted just as long ago as the flag says is not skipped yet',
      decide(pod({ deletionTimestamp: '2026-01-15T11:59:00Z' }), { skipWaitForDeleteTimeoutSeconds: 60, force: true }),
      'delete Warning deleting Pods that declare no controller',
    ],
    [
      'a second later it is',
      decide(pod({ deletionTimestamp: '2026-01-15T11:58:59Z' }), { skipWaitForDeleteTimeoutSeconds: 60 }),
      'keep Skip',
    ],
  ])('%s', (_, got, expected) => {
    expect(got).toBe(expected);
  });

  it('collects the pods of each message', () => {
    const refused = { delete: false, reason: 'Error', message: 'Pods with local storage' } as const;
    const warned = { delete: true, reason: 'Warning', message: 'deleting' } as const;
    expect(
      drainMessages([
        { pod: 'a/1', decision: refused },
        { pod: 'a/2', decision: warned },
        { pod: 'b/1', decision: refused },
      ]),
    ).toEqual({ warnings: ['deleting: a/2'], errors: ['cannot delete Pods with local storage: a/1, b/1'] });
  });
});
