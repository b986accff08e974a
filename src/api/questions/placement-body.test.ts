import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '../../core/json/lossless-json.js';
import { namesOf } from '../../app/placements/node-names.js';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import { lengthOf, writeParts } from '../../app/placements/json-parts.js';
import { placementBody, placementParts } from './placement-body.js';
import type { PlacementResponse } from '../../app/placements/render-placement.js';

const taint = { key: 'a"b', value: '', effect: 'NoSchedule', text: 'a"b:NoSchedule', implied: false, wellKnown: null };
const reason = {
  plugin: 'TaintToleration',
  code: 'UntoleratedTaint',
  first: true,
  status: 'UnschedulableAndUnresolvable',
  message: 'node(s) had untolerated taint(s)',
  facts: { taint },
  fields: [{ object: 'node', path: 'spec.taints[0]', pointer: '/spec/taints/0' }],
};
const shared = [reason];
const toleration = { index: 0, pointer: null, text: '', toleration: { tolerationSeconds: 9223372036854775807n } };
const refused = { verdict: 'infeasible', firstFail: 'TaintToleration', untoleratedTaints: [taint] } as const;

const state = ClusterState.build(
  ['b"', 'a', 'c'].map((name) => ({ apiVersion: 'v1' as const, kind: 'Node' as const, metadata: { name } })),
  ['Node'],
);
const groups = [
  { ...refused, reasons: shared, nodes: namesOf(state, [2, 0]), columns: [{ name: 'available', values: [1n, null] }] },
  { verdict: 'feasible', reasons: [], nodes: namesOf(state, [1]), columns: [] },
  { verdict: 'feasible', reasons: null, nodes: [] },
];

/** As much of an answer as has to be written in a way of its own. */
const answer = {
  summary: { nodes: 3, feasible: 1, infeasible: 2, unknown: 0 },
  message: 'line\nbreak \ud800',
  groups,
  items: [
    { node: 'a', ...refused, reasons: shared, toleratedTaints: [{ taint, toleration }], fixes: null },
    { node: 'b', ...refused, reasons: shared, toleratedTaints: [], fixes: { pod: null, node: null } },
    {
      node: 'c\u0001',
      verdict: 'feasible',
      firstFail: null,
      reasons: null,
      untoleratedTaints: null,
      toleratedTaints: null,
      fixes: null,
    },
  ],
  missingNodes: ['"'],
} as unknown as PlacementResponse;

describe('a placement as text', () => {
  it('is the JSON of the response, with its groups and nodes at the end', () => {
    const { groups: ofAnswer, items, ...head } = answer;
    const text = placementBody(answer).toString();
    expect(parseJson(text)).toEqual(parseJson(stringifyJson({ ...head, groups: ofAnswer, items })));
    expect(Object.keys(parseJson(text) as object).slice(-2)).toEqual(['groups', 'items']);
  });

  it('is exactly what JSON.stringify writes, whatever members there are', () => {
    const more = {
      none: null,
      left: undefined,
      list: [1, 'two', { three: undefined }],
      nested: { 'a"b': [] },
      number: 0.5,
      off: false,
    };
    const node = { ...refused, ...more, node: 'a', fixes: { pod: null, node: { changes: [], remaining: shared } } };
    const nodes = [
      { ...node, reasons: [{ ...reason, ...more }, reason, reason], toleratedTaints: [{ taint, toleration: more }] },
      { ...node, node: 'b"', reasons: shared, toleratedTaints: [] },
      { ...node, node: 'c', verdict: 'un"known', firstFail: null, reasons: shared, toleratedTaints: null },
      { ...node, node: 'd', reasons: [] },
    ];
    const rich = { summary: answer.summary, groups: nodes.slice(1), items: nodes } as unknown as PlacementResponse;
    expect(placementBody(rich).toString()).toBe(JSON.stringify(rich));
  });

  it.each(['ASCII', 'Größe', 'ÿ', '語', '😀'])('is encoded in UTF-8: %s', (message) => {
    const spoken = { summary: message, groups: [{ message, nodes: [] }, { message }], items: [] };
    expect(placementBody(spoken as unknown as PlacementResponse)).toEqual(Buffer.from(JSON.stringify(spoken)));
  });

  it('keeps nodes apart that share their reasons and have more, fewer or other members', () => {
    const node = { node: 'a', ...refused, reasons: shared };
    const { firstFail, ...fewer } = node;
    const { verdict, ...last } = node;
    const items = [
      node,
      { ...node, node: 'b', fixes: null },
      { ...node, node: 'c' },
      { ...fewer, node: 'd' },
      { ...last, node: 'e', verdict },
      { ...node, node: 'f', firstFail: `${firstFail}2` },
      { ...node, node: 'g' },
    ];
    const given = { summary: answer.summary, groups: [], items } as unknown as PlacementResponse;
    expect(placementBody(given).toString()).toBe(JSON.stringify(given));
  });

  it('keeps nodes apart that differ in their lists of taints, and joins those that have none', () => {
    const others = Array.from({ length: 20 }, (_, index) => ({ ...taint, key: `taint-${index}` }));
    const items = [...others, ...others].flatMap((other, index) => [
      {
        node: `a${index}`,
        ...refused,
        untoleratedTaints: [],
        reasons: [{ ...reason, first: index % 2 === 0 }],
        fixes: null,
      },
      { node: `b${index}`, ...refused, untoleratedTaints: [other], reasons: shared, fixes: null },
      { node: `c${index}`, ...refused, untoleratedTaints: [], reasons: [], fixes: [] },
    ]);
    const given = { summary: answer.summary, groups: [], items } as unknown as PlacementResponse;
    expect(placementBody(given).toString()).toBe(JSON.stringify(given));
  });

  it('is the same for nodes without reasons, and for those whose name comes later', () => {
    const items = [{ node: 'a' }, { node: 'b' }, { reasons: shared, node: 'c' }, { reasons: [], node: 'd' }, {}];
    const given = { summary: answer.summary, groups: [], items } as unknown as PlacementResponse;
    expect(placementBody(given).toString()).toBe(JSON.stringify(given));
  });

  it('is complete without nodes', () => {
    const { items, groups: all, ...head } = answer;
    expect([items, all]).toMatchObject([{ length: 3 }, { length: 3 }]);
    expect(placementBody({ ...answer, groups: [], items: [] }).toString()).toBe(
      stringifyJson({ ...head, groups: [], items: [] }),
    );
  });

  it('has long lists of nodes in memory once, whatever answers have them', () => {
    const many = ClusterState.build(
      Array.from({ length: 100 }, (_, index) => `node-é-${index}`).map((name) => ({
        apiVersion: 'v1' as const,
        kind: 'Node' as const,
        metadata: { name },
      })),
      ['Node'],
    );
    const even = Array.from({ length: 50 }, (_, index) => 2 * index);
    const odd = even.map((node) => node + 1);
    const made = ['one', 'anothér'].map((message) => {
      const ofNodes = [even, [1], odd].map((nodes) => ({ ...groups[0]!, nodes: namesOf(many, [...nodes]) }));
      return { ...answer, message, groups: ofNodes } as unknown as PlacementResponse;
    });
    const parts = made.map((one) => placementParts(one));
    for (const [index, one] of parts.entries()) {
      const whole = Buffer.alloc(2 + lengthOf(one));
      writeParts(one, whole, 2);
      expect(whole.toString('utf8', 2)).toBe(placementBody(made[index]!).toString());
    }
    expect(parts[0]!.shared).toHaveLength(2);
    expect(parts[1]!.shared[0]).toBe(parts[0]!.shared[0]);
    expect(parts[1]!.shared[1]).toBe(parts[0]!.shared[1]);
  });
});
