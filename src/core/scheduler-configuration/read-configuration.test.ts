import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { parseJson } from '../json/lossless-json.js';
import { DEFAULT_ARGUMENTS } from '../placement/plugin-arguments.js';
import { DEFAULT_FILTERS } from '../placement/profile.js';
import type { ConfigurationReading, ReadConfiguration, RefusedConfiguration } from './configuration-reading.js';
import { DEFAULT_PROFILE } from './default-profile.js';
import { readConfiguration, type ReadConfigurationOptions } from './read-configuration.js';

const configuration = (members: JsonObject): JsonObject => ({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  ...members,
});

function read(members: JsonObject, options?: ReadConfigurationOptions): ReadConfiguration {
  return wasRead(readConfiguration(configuration(members), options));
}

function wasRead(reading: ConfigurationReading): ReadConfiguration {
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return reading;
}

function refused(document: JsonValue): RefusedConfiguration {
  const reading = readConfiguration(document);
  if (reading.outcome !== 'refused') throw new Error('the configuration was read');
  return reading;
}

describe('the default profile', () => {
  it('filters and scores like a scheduler without a configuration file', () => {
    expect(DEFAULT_PROFILE.schedulerName).toBe('default-scheduler');
    expect(DEFAULT_PROFILE.filters).toEqual(DEFAULT_FILTERS.map(({ name }) => name));
    expect(DEFAULT_PROFILE.scores).toEqual([
      { name: 'TaintToleration', weight: 3 },
      { name: 'NodeAffinity', weight: 2 },
      { name: 'NodeResourcesFit', weight: 1 },
      { name: 'VolumeBinding', weight: 1 },
      { name: 'PodTopologySpread', weight: 2 },
      { name: 'InterPodAffinity', weight: 2 },
      { name: 'DynamicResources', weight: 2 },
      { name: 'NodeResourcesBalancedAllocation', weight: 1 },
      { name: 'ImageLocality', weight: 1 },
    ]);
    expect(DEFAULT_PROFILE.args).toMatchObject(DEFAULT_ARGUMENTS);
    expect(DEFAULT_PROFILE.args).toMatchObject({
      defaultPreemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
      volumeBinding: { bindTimeoutSeconds: 600 },
      dynamicResources: { filterTimeout: 10_000_000_000n, bindingTimeout: 600_000_000_000n },
    });
    expect(DEFAULT_PROFILE.enabled).toMatchObject({
      queueSort: ['PrioritySort'],
      postFilter: ['DynamicResources', 'DefaultPreemption'],
      bind: ['DefaultBinder'],
    });
  });
});

describe('typed arguments', () => {
  const fit = (args: JsonObject): JsonObject => ({ name: 'NodeResourcesFit', args });

  it('are those of the profile, with the empty fields of terms and constraints defaulted', () => {
    const pluginConfig = [
      fit({ scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 0 }] } }),
      {
        name: 'NodeAffinity',
        args: {
          addedAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }],
            },
          },
        },
      },
      {
        name: 'PodTopologySpread',
        args: {
          defaultingType: 'List',
          defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
        },
      },
      { name: 'InterPodAffinity', args: { hardPodAffinityWeight: 0 } },
    ];
    expect(read({ profiles: [{ pluginConfig }] }).profiles[0]?.args).toMatchObject({
      nodeResourcesFit: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
      nodeAffinity: {
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }],
          },
        },
      },
      podTopologySpread: {
        defaultingType: 'List',
        defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
      },
      interPodAffinity: { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: false },
    });
  });

  it('ignore the resources that extenders manage, instead of those that the plugin was told to ignore', () => {
    const managedResources = [{ name: 'example.com/foo', ignoredByScheduler: true }, { name: 'example.com/bar' }];
    const { profiles, warnings } = read({
      extenders: [{ urlPrefix: 'http://extender/', filterVerb: 'filter', managedResources }],
      profiles: [{ pluginConfig: [fit({ ignoredResources: ['example.com/own'] })] }],
    });
    expect(profiles[0]?.args.nodeResourcesFit.ignoredResources).toEqual(['example.com/foo']);
    expect(profiles[0]?.written.get('NodeResourcesFit')).toMatchObject({ ignoredResources: ['example.com/own'] });
    expect(warnings).toMatchObject([{ code: 'ExtenderNotModelled', pointer: '/extenders/0' }]);
  });
});

describe('warnings', () => {
  it.each<[string, JsonObject, object[]]>([
    [
      'percentageOfNodesToScore of all and of one is not applied',
      { percentageOfNodesToScore: 50, profiles: [{ percentageOfNodesToScore: 5 }] },
      [
        { code: 'PercentageOfNodesNotApplied', pointer: '/percentageOfNodesToScore' },
        { code: 'PercentageOfNodesNotApplied', pointer: '/profiles/0/percentageOfNodesToScore' },
      ],
    ],
    [
      'a weight of 0 counts as 1',
      { profiles: [{ plugins: { score: { enabled: [{ name: 'ImageLocality', weight: 0 }] } } }] },
      [{ code: 'WeightCountsAsOne', message: 'ImageLocality: a weight of 0 counts as 1' }],
    ],
    [
      'a plugin without a weight loses its default',
      { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'TaintToleration' }] } } }] },
      [
        {
          code: 'WeightCountsAsOne',
          message: 'TaintToleration: a plugin without a weight counts as 1, not as its default of 3',
          pointer: '/profiles/0/plugins/multiPoint/enabled/0',
        },
      ],
    ],
    [
      'a plugin that no default has cannot be disabled',
      { profiles: [{ plugins: { filter: { disabled: [{ name: 'nodeName' }] } } }] },
      [{ code: 'NothingToDisable', plugin: 'nodeName', pointer: '/profiles/0/plugins/filter/disabled/0' }],
    ],
    [
      'arguments of a plugin that is not enabled',
      { profiles: [{ pluginConfig: [{ name: 'Coscheduling', args: { permitWaitingTimeSeconds: 10 } }] }] },
      [{ code: 'ArgumentsUnused', plugin: 'Coscheduling', pointer: '/profiles/0/pluginConfig/0' }],
    ],
    [
      'a plugin that Kubernetes had once',
      { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'EBSLimits' }] } } }] },
      [{ code: 'FormerPlugin', plugin: 'EBSLimits' }],
    ],
    ['none if the profiles have no problem', { profiles: [{ schedulerName: 'a' }, { schedulerName: 'b' }] }, []],
  ])('%s', (_, members, expected) => {
    expect(read(members).warnings).toMatchObject(expected);
    expect(read(members).warnings).toHaveLength(expected.length);
  });
});

describe('out-of-tree plugins', () => {
  const everywhere = { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'MyPlugin', weight: 7 }] } } }] };

  it('are assumed to be at every point except queue sort and bind if they are enabled for all points', () => {
    const [profile] = read(everywhere).profiles;
    expect(profile?.filters.at(-1)).toBe('MyPlugin');
    expect(profile?.scores.at(-1)).toEqual({ name: 'MyPlugin', weight: 7 });
    expect(profile?.outOfTree).toMatchObject([{ name: 'MyPlugin', former: false }]);
    expect(profile?.outOfTree[0]?.points).not.toContain('bind');
    expect(profile?.enabled.queueSort).toEqual(['PrioritySort']);
  });

  it('are left out of every point if the options say so', () => {
    const [profile] = read(everywhere, { outOfTreePlugins: 'leave-out' }).profiles;
    expect(profile).toMatchObject({ filters: DEFAULT_PROFILE.filters, scores: DEFAULT_PROFILE.scores, outOfTree: [] });
    expect(profile?.enabled).toEqual(DEFAULT_PROFILE.enabled);
  });
});

describe('refusals', () => {
  it('report every unknown field and every other fault, although kube-scheduler reports only the fields', () => {
    const { stage, message, faults } = refused(
      configuration({ parallelism: 0, profile: [], profiles: [{ plugins: { score: { enable: [] } } }] }),
    );
    expect(stage).toBe('decoding');
    expect(message).toBe(
      'strict decoding error: unknown field "profile", unknown field "profiles[0].plugins.score.enable"',
    );
    expect(faults).toEqual([
      { message: 'unknown field "profile"', pointer: '/profile' },
      { message: 'unknown field "profiles[0].plugins.score.enable"', pointer: '/profiles/0/plugins/score/enable' },
      {
        message: 'parallelism: Invalid value: 0: should be an integer value greater than zero',
        pointer: '/parallelism',
      },
    ]);
  });

  it('report every value of a wrong type, although kube-scheduler reports only the first', () => {
    const enabled = [{ name: 'NodeName', weight: 'heavy' }];
    const { message, faults } = refused(
      configuration({ parallelism: 'many', profiles: [{ plugins: { filter: { enabled } } }] }),
    );
    expect(message).toBe(
      'json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.parallelism of type int32',
    );
    expect(faults.map(({ pointer }) => pointer)).toEqual([
      '/parallelism',
      '/profiles/0/plugins/filter/enabled/0/weight',
    ]);
    expect(faults[1]?.message).toBe(
      'json: cannot unmarshal string into Go struct field Plugin.profiles.plugins.filter.enabled.weight of type int32',
    );
  });

  it.each<[string, JsonValue, string]>([
    ['no document', null, "Object 'Kind' is missing in 'null'"],
    [
      'a list',
      [],
      String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
    ],
    [
      'a kind that is no string',
      { kind: 1 },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    ['a version with too many parts', { apiVersion: 'a/b/c', kind: 'X' }, 'unexpected GroupVersion string: a/b/c'],
    [
      'a Policy of another version',
      { apiVersion: 'v2', kind: 'Policy' },
      'no kind "Policy" is registered for version "v2"',
    ],
    [
      'arguments alone',
      { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'NodeAffinityArgs' },
      "couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, Kind=NodeAffinityArgs: ",
    ],
    [
      'a span that is none, which ends decoding',
      configuration({ parallelism: 'many', leaderElection: { leaseDuration: null } }),
      'time: invalid duration ""',
    ],
    [
      'a span that is a number',
      configuration({ leaderElection: { leaseDuration: 15 } }),
      'json: cannot unmarshal number into Go struct field LeaderElectionConfiguration.leaderElection.leaseDuration of type string',
    ],
    [
      'arguments that are a string',
      configuration({ profiles: [{ pluginConfig: [{ name: 'NodeAffinity', args: 'none' }] }] }),
      String.raw`decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeAffinity: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
    ],
  ])('of %s are in the words of upstream', (_, document, message) => {
    expect(refused(document)).toMatchObject({ stage: 'decoding', message });
  });

  it('of validation report every error with its pointer', () => {
    const profiles = [
      { schedulerName: 'a', pluginConfig: [{ name: 'InterPodAffinity', args: { hardPodAffinityWeight: 101 } }] },
      { schedulerName: 'a' },
    ];
    const { stage, faults } = refused(configuration({ percentageOfNodesToScore: 101, profiles }));
    expect(stage).toBe('validation');
    expect(faults).toEqual([
      {
        message:
          'profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]',
        pointer: '/profiles/0/pluginConfig/0/args/hardPodAffinityWeight',
      },
      { message: 'profiles[1].schedulerName: Duplicate value: {}', pointer: '/profiles/1/schedulerName' },
      {
        message: 'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]',
        pointer: '/percentageOfNodesToScore',
      },
    ]);
  });

  it('include a configuration with more than 1000 profiles', () => {
    const profiles = Array.from({ length: 100_000 }, () => ({}));
    expect(refused(configuration({ profiles }))).toMatchObject({
      stage: 'validation',
      message: 'profiles: Too many: 100000: must have at most 1000 items',
    });
  });

  it('include queue sorts with different arguments in two profiles', () => {
    const sorted = (args: JsonValue): JsonObject => ({ pluginConfig: [{ name: 'PrioritySort', args }] });
    const profiles = [
      { schedulerName: 'a', ...sorted({ by: 1 }) },
      { schedulerName: 'b', ...sorted({ by: 2 }) },
    ];
    expect(refused(configuration({ profiles }))).toMatchObject({
      stage: 'building',
      message: 'initializing profiles: different queue sort plugin args',
      faults: [{ pointer: '/profiles/1' }],
    });
  });

  it('does not confuse names of Object with fields or plugins', () => {
    const document = parseJson(
      '{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","__proto__":{},"constructor":1}',
    );
    expect(refused(document).message).toBe(
      'strict decoding error: unknown field "__proto__", unknown field "constructor"',
    );
    const pluginConfig = [{ name: 'constructor', args: {} }, { name: 'toString' }];
    expect(read({ profiles: [{ pluginConfig }] }).profiles[0]?.written.get('constructor')).toEqual({});
  });
});
