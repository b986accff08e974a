import { describe, expect, it } from '@jest/globals';
import { maskText } from '../../api/masking/mask-text.js';
import type { HistoryPage, HistoryRecord } from '../../storage/cluster-history.js';
import { endedDraft, startedDraft } from '../applying/application-drafts.js';
import { historyNews, type NewsView } from './history-news.js';
import { activeRules, type ToldRule } from './told-rule.js';

const CHANGE = '6f1f2b7c-0000-4000-8000-000000000001';
const AT = new Date('2026-05-04T03:02:01Z');
const BY = { name: 'ada', kind: 'token', groups: [], issuer: null } as const;
const VIEW: NewsView = { news: ({ news }) => news, text: maskText };

const rule = (more: object = {}): ToldRule => {
  const details = {
    clusterSelector: null,
    nodeSelector: null,
    format: 'slack',
    kinds: ['applicationFinished'],
    namespaces: [],
    taintKeys: ['other'],
    effects: [],
    minSeverity: 'info',
    staleAfter: '1h',
    disabled: false,
    ...more,
  };
  const start = { revision: 0, sequence: 1, turn: 0 };
  const stored = {
    id: 1,
    name: 'r',
    start,
    since: AT,
    changedAt: AT,
    stoppedAt: null,
    details: JSON.stringify(details),
  };
  const scope = { cluster: { id: 1, name: 'c', labels: {} }, rules: [stored] };
  return activeRules(scope as unknown as Parameters<typeof activeRules>[0])[0]!;
};
const record = (sequence: number, { kind, body }: { readonly kind: string; readonly body: object }): HistoryRecord => ({
  sequence,
  kind,
  revision: null,
  channel: 'api',
  change: CHANGE,
  node: null,
  author: 'ada',
  happenedFrom: null,
  happenedAt: AT.toISOString(),
  content: JSON.stringify({ kind, ...body }),
});
const counts = (more: object) =>
  ({
    waiting: 0,
    writing: 0,
    written: 0,
    unchanged: 0,
    refused: 0,
    failed: 0,
    unknown: 0,
    skipped: 0,
    ...more,
  }) as never;
const told = (of: ToldRule, records: readonly HistoryRecord[]) => {
  const page: HistoryPage = { revisions: [], records, moreRevisions: false, moreRecords: false };
  return historyNews(of, page, { labelsOf: () => undefined, view: VIEW });
};

describe('the end of an application', () => {
  const started = record(2, startedDraft(CHANGE, { by: BY, options: {} } as never, AT));
  const done = record(3, endedDraft(CHANGE, BY, AT, { event: 'done', nodes: counts({ written: 3 }) }));
  const nodes = counts({ written: 1, failed: 1 });
  const stopped = record(4, endedDraft(CHANGE, BY, AT, { event: 'stopped', nodes, message: 'too many failures' }));

  it('is told with what became of the nodes, whatever taints the rule is about, and its beginning is not', () => {
    expect(told(rule(), [started, done, stopped])).toMatchObject([
      { key: '3', severity: 'info', summary: 'The application of a taint change is done (written: 3)' },
      {
        key: '4',
        severity: 'warning',
        summary: 'The application of a taint change is stopped (written: 1, failed: 1): too many failures',
        subject: `taint-changes/${CHANGE}`,
        data: { application: { change: CHANGE, event: 'stopped', by: 'ada' } },
      },
    ]);
  });

  it('is told only by rules that tell of it, from their beginning on, and not if the record was tampered with', () => {
    expect(told(rule({ kinds: ['approvalNeeded', 'taintChanged'] }), [done])).toEqual([]);
    expect(told(rule(), [{ ...done, sequence: 1 }])).toEqual([]);
    expect(told(rule(), [{ ...done, content: '{' }])).toEqual([]);
  });
});

describe('a change of taints', () => {
  const added = { added: [{ key: 'k', value: 'v', effect: 'NoExecute' }], removed: [], changed: [] };
  const changed = (sequence: number, subject: string): HistoryRecord => ({
    ...record(sequence, { kind: 'change', body: { node: subject, difference: added } }),
    node: subject,
  });
  const taints = rule({ kinds: ['taintChanged'], taintKeys: [] });

  it('is told of the node, of the DeviceTaintRule, or of how many there are', () => {
    expect(told(taints, [changed(2, 'n1')])).toMatchObject([
      { subject: 'nodes/n1', labels: { node: 'n1' }, summary: 'Taints changed on n1: added k=v:NoExecute, by ada' },
    ]);
    expect(told(taints, [changed(2, 'n1'), changed(3, 'n2')])).toMatchObject([
      { subject: null, labels: {}, summary: 'Taints changed on 2 nodes: added k=v:NoExecute, by ada' },
    ]);
    expect(told(taints, [changed(2, 'devicetaintrules/broken')])).toMatchObject([
      {
        subject: 'devicetaintrules/broken',
        labels: { deviceTaintRule: 'broken' },
        severity: 'warning',
        summary: 'Taints changed on DeviceTaintRule broken: added k=v:NoExecute, by ada',
        data: { taintChangeRecorded: { nodes: [], deviceTaintRules: ['broken'] } },
      },
    ]);
  });
});
