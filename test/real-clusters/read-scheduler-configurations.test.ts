import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonValue } from '../../src/core/json/json-value.js';
import { DEFAULT_PROFILE } from '../../src/core/scheduler-configuration/default-profile.js';
import type { ReadConfiguration } from '../../src/core/scheduler-configuration/configuration-reading.js';
import { configurationTexts } from '../../src/core/scheduler-configuration/configuration-texts.js';
import {
  readConfiguration,
  type ReadConfigurationOptions,
} from '../../src/core/scheduler-configuration/read-configuration.js';

const FOLDER = 'test/real-clusters/scheduler-config';

function documentIn(file: string): JsonValue {
  const document = parse(readFileSync(join(FOLDER, file), 'utf8')) as JsonValue;
  const [first] = configurationTexts(document) ?? [];
  return first === undefined ? document : (parse(first.text) as JsonValue);
}

function read(file: string, options?: ReadConfigurationOptions): ReadConfiguration {
  const reading = readConfiguration(documentIn(file), options);
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return reading;
}

describe('configurations of real schedulers', () => {
  it('of OpenShift pack nodes by one score with a weight of 5', () => {
    const { profiles, warnings } = read('high-node-utilization.yaml', { outOfTreePlugins: 'refuse' });
    expect(warnings).toEqual([]);
    expect(profiles).toHaveLength(1);
    const [profile] = profiles;
    expect(profile).toMatchObject({
      schedulerName: 'default-scheduler',
      filters: DEFAULT_PROFILE.filters,
      outOfTree: [],
      args: { nodeResourcesFit: { scoringStrategy: { type: 'MostAllocated' } } },
    });
    expect(profile?.scores).toEqual([
      { name: 'NodeResourcesFit', weight: 5 },
      { name: 'TaintToleration', weight: 3 },
      { name: 'NodeAffinity', weight: 2 },
      { name: 'VolumeBinding', weight: 1 },
      { name: 'PodTopologySpread', weight: 2 },
      { name: 'InterPodAffinity', weight: 2 },
      { name: 'DynamicResources', weight: 2 },
      { name: 'ImageLocality', weight: 1 },
    ]);
  });

  it('name every plugin of Koordinator that is not in-tree, in its place', () => {
    const { profiles, warnings } = read('koordinator.yaml');
    const [profile] = profiles;
    const strangers = ['LoadAwareScheduling', 'NodeNUMAResource', 'DeviceShare', 'Reservation'];
    expect(profile?.schedulerName).toBe('koord-scheduler');
    expect(profile?.filters).toEqual([...DEFAULT_PROFILE.filters, ...strangers]);
    expect(profile?.scores.slice(-5)).toEqual([
      { name: 'LoadAwareScheduling', weight: 1 },
      { name: 'NodeNUMAResource', weight: 1 },
      { name: 'DeviceShare', weight: 1 },
      { name: 'Reservation', weight: 5000 },
      { name: 'Coscheduling', weight: 1 },
    ]);
    const outOfTree = [...strangers, 'SchedulingHint', 'Coscheduling', 'ElasticQuota', 'DefaultPreBind'].sort();
    expect(profile?.outOfTree.map(({ name }) => name).sort()).toEqual(outOfTree);
    expect(warnings.map(({ code }) => code)).toEqual(outOfTree.map(() => 'OutOfTreePlugin'));
    expect(profile?.args.nodeResourcesFit.scoringStrategy.resources.map(({ name }) => name)).toEqual([
      'cpu',
      'memory',
      'kubernetes.io/batch-cpu',
      'kubernetes.io/batch-memory',
    ]);
    expect(profile?.written.get('ElasticQuota')).toMatchObject({ quotaGroupNamespace: 'koordinator-system' });
  });

  it('equal the default profile except for one argument, without the plugins of Koordinator', () => {
    const [profile] = read('koordinator.yaml', { outOfTreePlugins: 'leave-out' }).profiles;
    expect(profile).toMatchObject({
      filters: DEFAULT_PROFILE.filters,
      scores: DEFAULT_PROFILE.scores,
      outOfTree: [],
      enabled: { postFilter: ['DefaultPreemption'], bind: ['DefaultBinder'] },
    });
  });

  it('of Koordinator are refused by a kube-scheduler without its plugins', () => {
    expect(readConfiguration(documentIn('koordinator.yaml'), { outOfTreePlugins: 'refuse' })).toMatchObject({
      outcome: 'refused',
      stage: 'building',
      message:
        'initializing profiles: creating profile for scheduler name koord-scheduler: PreFilterPlugin "SchedulingHint" does not exist',
      faults: [{ pointer: '/profiles/0' }],
    });
  });
});
