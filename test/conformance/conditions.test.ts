import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../src/core/json/json-value.js';
import { parseJson } from '../../src/core/json/lossless-json.js';
import {
  DEFAULT_LIFECYCLE_PARAMETERS,
  type LifecycleParameters,
} from '../../src/core/node-lifecycle/lifecycle-parameters.js';
import { judgeConditions } from './folders/conditions.js';

const textOf = (name: string): Promise<string> => readFile(`test/conformance/recorded/conditions/${name}.json`, 'utf8');

async function judged(name: string, change: (text: string) => string = (text) => text): Promise<readonly string[]> {
  const text = await textOf(name);
  const changed = change(text);
  return judgeConditions(parseJson(changed) as JsonObject);
}

describe('judgeConditions', () => {
  it.each<[string, string, Partial<LifecycleParameters>]>([
    ['a rate that is too high', 'zone-rate-5-of-12-nodes', { nodeEvictionRate: 0.12 }],
    ['a rate that is too low', 'zone-full-disruption-4-of-4', { nodeEvictionRate: 0.085 }],
    ['a wrong second rate', 'zone-large-partial-disruption-secondary-rate', { secondaryNodeEvictionRate: 0.02 }],
    ['another size of a large zone', 'zone-large-partial-disruption-secondary-rate', { largeClusterSizeThreshold: 56 }],
    ['another threshold', 'zone-rate-5-of-12-nodes', { unhealthyZoneThreshold: 0.4 }],
    ['a shorter grace period', 'heartbeat-lost-while-memory-pressure', { nodeMonitorGracePeriodSeconds: 30 }],
    ['a longer grace period', 'heartbeat-lost-while-memory-pressure', { nodeMonitorGracePeriodSeconds: 65 }],
    ['another grace period for a new node', 'no-status-ever-posted', { nodeStartupGracePeriodSeconds: 65 }],
    ['another period', 'ready-false-then-unknown-then-true', { nodeMonitorPeriodSeconds: 3 }],
  ])('notices %s', async (_name, file, parameters) => {
    const recording = parseJson(await textOf(file)) as JsonObject;
    expect(judgeConditions(recording)).toEqual([]);
    expect(judgeConditions(recording, { ...DEFAULT_LIFECYCLE_PARAMETERS, ...parameters })).toHaveLength(1);
  });

  it.each<[string, string, (text: string) => string]>([
    ['a taint that comes on no pass', 'ready-false', (text) => text.replace('6.679', '9.979')],
    ['a NoSchedule taint that comes late', 'cond-diskpressure', (text) => text.replace('2.021', '3.921')],
    [
      'another taint',
      'cond-diskpressure',
      (text) => text.replaceAll('node.kubernetes.io/disk-pressure', 'node.kubernetes.io/pid-pressure'),
    ],
    ['another cause', 'ready-unknown-set-by-status', (text) => text.replaceAll('"Unknown"', '"False"')],
    [
      'a condition that stayed',
      'heartbeat-lost-other-conditions-become-unknown',
      (text) =>
        text
          .replaceAll('"NetworkUnavailable": "False"', '"NetworkUnavailable": "Unknown"')
          .replaceAll('"NetworkUnavailable":"False"', '"NetworkUnavailable":"Unknown"'),
    ],
  ])('notices %s', async (_name, file, change) => {
    const text = await textOf(file);
    expect(change(text)).not.toBe(text);
    expect(await judged(file, change)).toHaveLength(1);
  });

  it('fails on an unknown step', async () => {
    await expect(
      judged('ready-false', (text) =>
        text.replaceAll('"do": "conditions"', '"do": "reboot"').replaceAll('"do":"conditions"', '"do":"reboot"'),
      ),
    ).rejects.toThrow('a step that is not known: reboot');
  });

  it('takes the order of the nodes in a zone from the recording, not their distance', async () => {
    const file = 'zone-rate-5-of-12-nodes';
    expect(await judged(file, (text) => text.replace('26.796', '26.795').replace('36.896', '36.795'))).toEqual([]);
    expect(await judged(file, (text) => text.replace('26.796', '24.296'))).toHaveLength(1);
  });
});
