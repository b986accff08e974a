import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../json/json-value.js';
import { parseJson } from '../../json/lossless-json.js';
import type { ReadConfiguration } from '../configuration-reading.js';
import { readConfiguration } from '../read-configuration.js';

const POLICY = '{"kind": "Policy", "apiVersion": "v1", ';

function read(text: string, outOfTreePlugins?: 'keep' | 'leave-out'): ReadConfiguration {
  const reading = readConfiguration(parseJson(text), outOfTreePlugins === undefined ? {} : { outOfTreePlugins });
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return reading;
}

const codes = ({ warnings }: ReadConfiguration): readonly string[] => warnings.map(({ code }) => code);

describe('a legacy Policy', () => {
  it.each([
    ['with its version and kind', POLICY],
    ['without them', '{'],
    ['with its version alone', '{"apiVersion": "v1", '],
  ])('is read %s, and said to be removed', (_, begin) => {
    const reading = read(`${begin}"predicates": [{"name": "HostName"}], "priorities": []}`);
    expect(reading.source).toBe('Policy');
    expect(reading.profiles).toMatchObject([{ schedulerName: 'default-scheduler', scores: [] }]);
    expect(reading.warnings).toEqual([
      {
        code: 'PolicyRemoved',
        message: 'the scheduler Policy was removed in Kubernetes 1.23: it is interpreted as in Kubernetes 1.22',
        pointer: '',
      },
    ]);
  });

  it('maps predicates and priorities to their plugins', () => {
    const { profiles, mapping } = read(`${POLICY}
      "predicates": [{"name": "PodFitsResources"}, {"name": "PodToleratesNodeTaints"}],
      "priorities": [{"name": "LeastRequestedPriority", "weight": 1}, {"name": "TaintTolerationPriority", "weight": 3}]}`);
    expect(mapping).toEqual([
      {
        kind: 'predicate',
        name: 'PodFitsResources',
        given: true,
        plugins: ['NodeResourcesFit'],
        today: ['NodeResourcesFit'],
      },
      {
        kind: 'predicate',
        name: 'PodToleratesNodeTaints',
        given: true,
        plugins: ['TaintToleration'],
        today: ['TaintToleration'],
      },
      {
        kind: 'predicate',
        name: 'CheckNodeUnschedulable',
        given: false,
        plugins: ['NodeUnschedulable'],
        today: ['NodeUnschedulable'],
      },
      {
        kind: 'priority',
        name: 'LeastRequestedPriority',
        given: true,
        plugins: ['NodeResourcesLeastAllocated'],
        today: ['NodeResourcesFit'],
        weight: 1,
      },
      {
        kind: 'priority',
        name: 'TaintTolerationPriority',
        given: true,
        plugins: ['TaintToleration'],
        today: ['TaintToleration'],
        weight: 3,
      },
    ]);
    expect(profiles[0]).toMatchObject({
      filters: ['NodeUnschedulable', 'NodeResourcesFit', 'TaintToleration'],
      scores: [
        { name: 'NodeResourcesFit', weight: 1 },
        { name: 'TaintToleration', weight: 3 },
      ],
      outOfTree: [],
      enabled: { postFilter: ['DefaultPreemption'], queueSort: ['PrioritySort'], bind: ['DefaultBinder'] },
    });
  });

  it('expands GeneralPredicates in order, between the mandatory predicates', () => {
    const [profile] = read(`${POLICY} "predicates": [{"name": "GeneralPredicates"}], "priorities": []}`).profiles;
    expect(profile?.filters).toEqual([
      'NodeUnschedulable',
      'NodeResourcesFit',
      'NodeName',
      'NodePorts',
      'NodeAffinity',
      'TaintToleration',
    ]);
    expect(profile?.enabled.preFilter).toEqual(['NodeResourcesFit', 'NodePorts', 'NodeAffinity']);
  });

  it('keeps only mandatory predicates if its lists are empty', () => {
    const [profile] = read(`${POLICY} "predicates": [], "priorities": []}`).profiles;
    expect(profile).toMatchObject({ filters: ['NodeUnschedulable', 'TaintToleration'], scores: [] });
  });

  it('has the defaults of 1.22 if its lists are absent, with all volume limits in one plugin', () => {
    const { profiles } = read(`${POLICY} "extenders": []}`, 'leave-out');
    expect(profiles[0]).toMatchObject({
      filters: [
        'NodeUnschedulable',
        'NodeResourcesFit',
        'NodeName',
        'NodePorts',
        'NodeAffinity',
        'VolumeRestrictions',
        'TaintToleration',
        'NodeVolumeLimits',
        'VolumeBinding',
        'VolumeZone',
        'PodTopologySpread',
        'InterPodAffinity',
      ],
      scores: [
        { name: 'NodeResourcesBalancedAllocation', weight: 1 },
        { name: 'PodTopologySpread', weight: 2 },
        { name: 'ImageLocality', weight: 1 },
        { name: 'InterPodAffinity', weight: 1 },
        { name: 'NodeResourcesFit', weight: 1 },
        { name: 'NodeAffinity', weight: 1 },
        { name: 'TaintToleration', weight: 1 },
      ],
      args: { podTopologySpread: { defaultingType: 'System' } },
    });
  });

  // pkg/scheduler/apis/config/testing/compatibility_test.go of v1.22, "1.1", with today's plugins.
  it('multiplies the weights of priorities that are defined by arguments, and treats removed plugins as unknown', () => {
    const reading = read(`${POLICY}
      "predicates": [
        {"name": "MatchNodeSelector"}, {"name": "PodFitsPorts"}, {"name": "PodFitsResources"}, {"name": "NoDiskConflict"},
        {"name": "HostName"},
        {"name": "TestServiceAffinity", "argument": {"serviceAffinity": {"labels": ["region"]}}},
        {"name": "TestLabelsPresence", "argument": {"labelsPresence": {"labels": ["foo"], "presence": true}}}
      ],
      "priorities": [
        {"name": "EqualPriority", "weight": 2},
        {"name": "LeastRequestedPriority", "weight": 2},
        {"name": "BalancedResourceAllocation", "weight": 2},
        {"name": "SelectorSpreadPriority", "weight": 2},
        {"name": "TestServiceAntiAffinity1", "weight": 3, "argument": {"serviceAntiAffinity": {"label": "zone"}}},
        {"name": "TestServiceAntiAffinity2", "weight": 3, "argument": {"serviceAntiAffinity": {"label": "region"}}},
        {"name": "TestLabelPreference1", "weight": 4, "argument": {"labelPreference": {"label": "bar", "presence": true}}},
        {"name": "TestLabelPreference2", "weight": 4, "argument": {"labelPreference": {"label": "foo", "presence": false}}}
      ]}`);
    const [profile] = reading.profiles;
    expect(profile).toMatchObject({
      filters: [
        'NodeUnschedulable',
        'NodeName',
        'NodePorts',
        'NodeAffinity',
        'NodeResourcesFit',
        'VolumeRestrictions',
        'TaintToleration',
        'NodeLabel',
        'ServiceAffinity',
      ],
      scores: [
        { name: 'NodeResourcesBalancedAllocation', weight: 2 },
        { name: 'NodeResourcesFit', weight: 2 },
        { name: 'NodeLabel', weight: 8 },
        { name: 'PodTopologySpread', weight: 2 },
        { name: 'ServiceAffinity', weight: 6 },
      ],
      outOfTree: [
        { name: 'NodeLabel', former: true, points: ['filter', 'score'] },
        { name: 'ServiceAffinity', former: true, points: ['filter', 'score'] },
      ],
    });
    expect(profile?.written.get('ServiceAffinity')).toEqual({
      affinityLabels: ['region'],
      antiAffinityLabelsPreference: ['zone', 'region'],
    });
    expect(profile?.written.get('NodeLabel')).toEqual({
      presentLabels: ['foo'],
      absentLabels: [],
      presentLabelsPreference: ['bar'],
      absentLabelsPreference: ['foo'],
    });
    expect(codes(reading)).toEqual(['PolicyRemoved', 'PluginReplaced', 'FormerPlugin', 'FormerPlugin']);
  });

  it('scores resources by one strategy and treats a second one as unknown', () => {
    const { profiles } = read(`${POLICY} "predicates": [], "priorities": [
      {"name": "MostRequestedPriority", "weight": 2}, {"name": "LeastRequestedPriority", "weight": 1}]}`);
    expect(profiles[0]).toMatchObject({
      scores: [
        { name: 'NodeResourcesFit', weight: 1 },
        { name: 'NodeResourcesMostAllocated', weight: 2 },
      ],
      outOfTree: [{ name: 'NodeResourcesMostAllocated', former: true }],
      args: { nodeResourcesFit: { scoringStrategy: { type: 'LeastAllocated' } } },
    });
  });

  it('passes arguments to the plugins of today', () => {
    const reading = read(`${POLICY} "hardPodAffinitySymmetricWeight": 7, "alwaysCheckAllPredicates": true,
      "predicates": [],
      "priorities": [
        {"name": "InterPodAffinityPriority", "weight": 1},
        {"name": "EvenPodsSpreadPriority", "weight": 2},
        {"name": "Ratio", "weight": 5, "argument": {"requestedToCapacityRatioArguments": {
          "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}],
          "resources": [{"name": "nvidia.com/gpu", "weight": 3}]}}}
      ],
      "extenders": [{"urlPrefix": "http://extender", "prioritizeVerb": "p", "weight": 1, "enableHttps": true, "httpTimeout": 100000000}]}`);
    expect(reading.profiles[0]).toMatchObject({
      scores: [
        { name: 'PodTopologySpread', weight: 2 },
        { name: 'InterPodAffinity', weight: 1 },
        { name: 'NodeResourcesFit', weight: 5 },
      ],
      args: {
        interPodAffinity: { hardPodAffinityWeight: 7 },
        podTopologySpread: { defaultingType: 'List', defaultConstraints: [] },
        nodeResourcesFit: {
          scoringStrategy: {
            type: 'RequestedToCapacityRatio',
            resources: [{ name: 'nvidia.com/gpu', weight: 3 }],
            requestedToCapacityRatio: {
              shape: [
                { utilization: 0, score: 0 },
                { utilization: 100, score: 10 },
              ],
            },
          },
        },
      },
    });
    expect(codes(reading)).toEqual(['PolicyRemoved', 'PluginReplaced', 'NotModelled', 'ExtenderNotModelled']);
  });

  it('reports names that Kubernetes never had, and leaves their results unknown', () => {
    const text = `${POLICY} "predicates": [{"name": "MyPredicate"}, {"name": "HostName"}],
      "priorities": [{"name": "MyPriority", "weight": 2}, {"name": "ImageLocality", "weight": 4}]}`;
    const { profiles, warnings } = read(text);
    expect(profiles[0]).toMatchObject({
      filters: ['NodeUnschedulable', 'NodeName', 'TaintToleration', 'MyPredicate'],
      scores: [
        { name: 'ImageLocality', weight: 4 },
        { name: 'MyPriority', weight: 2 },
      ],
      outOfTree: [
        { name: 'MyPredicate', points: ['filter'] },
        { name: 'MyPriority', points: ['score'] },
      ],
    });
    expect(warnings.slice(1)).toEqual([
      {
        code: 'UnknownPredicate',
        message: 'predicate type not found for "MyPredicate"',
        pointer: '/predicates/0/name',
        plugin: 'MyPredicate',
      },
      {
        code: 'UnknownPriority',
        message: 'priority type not found for "MyPriority"',
        pointer: '/priorities/0/name',
        plugin: 'MyPriority',
      },
      {
        code: 'UnknownPriority',
        message: 'priority type not found for "ImageLocality": it is treated as the plugin of that name',
        pointer: '/priorities/1/name',
        plugin: 'ImageLocality',
      },
    ]);
    expect(readConfiguration(parseJson(text), { outOfTreePlugins: 'refuse' })).toMatchObject({
      outcome: 'refused',
      stage: 'building',
      message: 'predicate type not found for "MyPredicate"',
      faults: [{ pointer: '/predicates/0/name' }, { pointer: '/priorities/0/name' }, { pointer: '/priorities/1/name' }],
    });
  });

  it.each<[string, JsonValue, string, readonly string[]]>([
    [
      'fields that it does not have',
      { apiVersion: 'v1', kind: 'Policy', predicate: [], priorities: [{ name: 'X', wieght: 1 }] },
      'invalid policy: strict decoding error: unknown field "predicate", unknown field "priorities[0].wieght"',
      ['/predicate', '/priorities/0/wieght'],
    ],
    [
      'a weight that is no number',
      { priorities: [{ name: 'X', weight: '1' }] },
      'invalid policy: json: cannot unmarshal string into Go struct field PriorityPolicy.priorities.weight of type int64',
      ['/priorities/0/weight'],
    ],
    [
      'weights, arguments and numbers out of range, all at once',
      {
        hardPodAffinitySymmetricWeight: 101,
        predicates: [{ name: 'Both', argument: { serviceAffinity: { labels: [] }, labelsPresence: { labels: [] } } }],
        priorities: [
          { name: 'ImageLocalityPriority', weight: 0 },
          { name: 'A', weight: 1, argument: { labelPreference: { label: 'a' } } },
          { name: 'B', weight: 2, argument: { labelPreference: { label: 'b' } } },
          { name: 'C', weight: 1, argument: {} },
        ],
      },
      '[priority ImageLocalityPriority should have a positive weight applied to it or it has overflown, ' +
        'LabelPreference  priority "B" has a different weight with "A", no priority arguments set for priority C, ' +
        'hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100], ' +
        'exactly 1 predicate argument is required, numArgs: 2, predicate Both]',
      ['/priorities/0', '/priorities/2', '/priorities/3', '/hardPodAffinitySymmetricWeight', '/predicates/0/argument'],
    ],
  ])('is refused for %s', (_, document, message, pointers) => {
    const reading = readConfiguration(document);
    expect(reading).toMatchObject({ outcome: 'refused', message });
    if (reading.outcome === 'refused') expect(reading.faults.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});
