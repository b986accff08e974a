import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { NotificationEvent } from './notification-event.js';
import { renderEvent } from './render-event.js';

const NOW = new Date('2026-05-04T03:02:01.500Z');
const event = (more: Partial<NotificationEvent> = {}): NotificationEvent => ({
  id: 'c1-r2-quotaAtRisk-abc',
  kind: 'quotaAtRisk',
  severity: 'warning',
  status: 'active',
  cluster: 'prod',
  rule: 'oncall',
  subject: 'namespaces/shop/resourcequotas/q',
  happenedAt: '2026-05-04T03:00:00.000Z',
  overAt: null,
  summary: 'pods of ResourceQuota shop/q is used up',
  lines: ['one', 'two'],
  labels: { namespace: 'shop' },
  data: { quota: { hard: '10' } },
  ...more,
});
const bodyOf = (...given: Parameters<typeof renderEvent>): Record<string, unknown> =>
  JSON.parse(renderEvent(...given).body) as Record<string, unknown>;

describe('a CloudEvent', () => {
  it('has the attributes of CloudEvents 1.0, and is signed as Standard Webhooks are', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { headers, body } = renderEvent(event(), 'cloudevents', {
      now: NOW,
      secret,
      publicUrl: 'https://p.example/x',
    });
    expect(JSON.parse(body)).toEqual({
      specversion: '1.0',
      id: 'c1-r2-quotaAtRisk-abc',
      source: 'https://p.example/x/api/v1/clusters/prod',
      type: 'io.kube-placement.quota.at-risk.v1',
      dataschema: 'https://p.example/x/docs/events/io.kube-placement.quota.at-risk.v1.schema.json',
      subject: 'namespaces/shop/resourcequotas/q',
      time: '2026-05-04T03:00:00.000Z',
      datacontenttype: 'application/json',
      severity: 'warning',
      data: {
        cluster: 'prod',
        rule: 'oncall',
        status: 'active',
        summary: 'pods of ResourceQuota shop/q is used up',
        quota: { hard: '10' },
      },
    });
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const signed = `c1-r2-quotaAtRisk-abc.1777863721.${body}`;
    expect(headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': 'c1-r2-quotaAtRisk-abc',
      'webhook-timestamp': '1777863721',
      'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
      'webhook-request-origin': 'p.example',
    });
  });

  it('names the end of what lasted with another type, at its time', () => {
    const over = event({ status: 'over', overAt: '2026-05-04T03:01:00.000Z' });
    expect(bodyOf(over, 'cloudevents', { now: NOW })).toMatchObject({
      type: 'io.kube-placement.quota.recovered.v1',
      time: '2026-05-04T03:01:00.000Z',
      source: '/api/v1/clusters/prod',
    });
  });
});

describe('a message for Slack', () => {
  it('mentions nobody and links to nothing, whatever names and reasons say', () => {
    const hostile = '<!channel> <@U123> <https://evil.example|click> & @here\n*bold*\u0007';
    const message = renderEvent(event({ summary: hostile, lines: [hostile], rule: 'r' }), 'slack', { now: NOW }).body;
    expect(message).not.toMatch(/<[!@h]/);
    const { text, blocks } = JSON.parse(message) as { text: string; blocks: { text: { verbatim: boolean } }[] };
    expect(text).toBe('[prod] &lt;!channel&gt; &lt;@U123&gt; &lt;https://evil.example|click&gt; &amp; @here *bold* ');
    expect(blocks.slice(0, 2).map((block) => block.text.verbatim)).toEqual([true, true]);
  });

  it('stays within the limits of Slack, and cuts no entity in two', () => {
    const long = '&'.repeat(5000);
    const { text, blocks } = bodyOf(event({ summary: long, lines: Array<string>(50).fill(long) }), 'slack', {
      now: NOW,
    }) as { text: string; blocks: { text?: { text: string } }[] };
    expect(text.length).toBeLessThanOrEqual(1010);
    expect(text).toMatch(/^\[prod\] (&amp;)+…$/);
    for (const block of blocks) expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(3000);
  });
});

describe('an alert', () => {
  it('lasts while it is active, ends when it is over, and keeps its labels', () => {
    const active = bodyOf(event(), 'alertmanager', { now: NOW, publicUrl: 'https://p.example' }) as unknown as object[];
    const labels = {
      alertname: 'KubePlacementQuotaAtRisk',
      cluster: 'prod',
      severity: 'warning',
      rule: 'oncall',
      namespace: 'shop',
    };
    expect(active).toEqual([
      {
        labels,
        annotations: { summary: 'pods of ResourceQuota shop/q is used up', description: 'one\ntwo' },
        startsAt: '2026-05-04T03:00:00.000Z',
        endsAt: '2026-05-04T06:02:01.500Z',
        generatorURL: 'https://p.example/api/v1/clusters/prod',
      },
    ]);
    const overAt = '2026-05-04T03:01:00.000Z';
    const over = bodyOf(event({ status: 'over', overAt }), 'alertmanager', { now: NOW }) as unknown as object[];
    expect(over).toMatchObject([{ labels, startsAt: '2026-05-04T03:00:00.000Z', endsAt: overAt }]);
  });

  it('about a moment ends five minutes after it was sent, so that one that comes late is still told of', () => {
    const late = event({ status: 'happened', happenedAt: '2026-05-03T00:00:00.000Z' });
    expect(bodyOf(late, 'alertmanager', { now: NOW })).toMatchObject([{ endsAt: '2026-05-04T03:07:01.500Z' }]);
  });
});
