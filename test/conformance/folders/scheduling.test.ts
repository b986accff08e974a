import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { JsonObject } from '../../../src/core/json/json-value.js';
import { parseJson } from '../../../src/core/json/lossless-json.js';
import { judgeScheduling } from './scheduling.js';

const MADE_ROOM = 'preempt-success-grace30-stays-terminating';
const SCORED = 'taint-prefernoschedule-more-vs-fewer';
const STEPPED = 'pending-then-toleration-added';
const REFUSED = 'affinity-matchfields-name';
const OTHER = 'schedulername-unknown';

async function judged(name: string, edit: (text: string) => string = (text) => text): Promise<readonly string[]> {
  const text = await readFile(`test/conformance/recorded/scheduling/${name}.json`, 'utf8');
  return judgeScheduling(parseJson(edit(text)) as JsonObject);
}

/** The file with a change made to its parsed content. */
const changed = (change: (file: Recorded) => void) => (text: string) => {
  const file = JSON.parse(text) as Recorded;
  change(file);
  return JSON.stringify(file);
};

interface Recorded {
  readonly input: Record<string, unknown>;
  readonly observed: {
    readonly decisions: { nodeName?: string | null; nominatedNodeName?: string | null; podScheduled?: unknown }[];
    readonly steps?: { readonly step: { do: string }; readonly pods: { nodeName: string | null }[] }[];
    readonly deletedPods: string[];
    readonly podsAfter: { deletionTimestamp: string | null }[];
    readonly schedulerLogScores?: { weightedScore: number }[];
    readonly schedulerLogFirstUntoleratedTaint?: { taint: { key: string } }[];
  };
}

describe('judgeScheduling', () => {
  it.each([MADE_ROOM, SCORED, STEPPED, REFUSED, OTHER])('agrees with the recording %s', async (name) => {
    expect(await judged(name)).toEqual([]);
  });

  it.each([
    ['another message', MADE_ROOM, '1 Insufficient cpu.', '1 Insufficient memory.'],
    ['a tail that a successful preemption has not', MADE_ROOM, 'cpu.', 'cpu. no new claims to deallocate.'],
    ['another total', SCORED, '"score": 298', '"score": 299'],
    ['another code of a refusal', REFUSED, '"code": 422', '"code": 400'],
    ['other words of a refusal', REFUSED, 'must be only one value', 'must be one value'],
    ['a node that is not the best', SCORED, '"nodeName": "n2"', '"nodeName": "n3"'],
  ])('notices %s', async (_, name, from, to) => {
    const found = await judged(name, (text) => {
      expect(text).toContain(from);
      return text.replaceAll(from, to);
    });
    expect(found.length).toBeGreaterThan(0);
  });

  it.each<[string, string, (file: Recorded) => void]>([
    ['another nomination', MADE_ROOM, ({ observed }) => (observed.decisions[0]!.nominatedNodeName = null)],
    ['a victim that stayed', MADE_ROOM, ({ observed }) => (observed.podsAfter[0]!.deletionTimestamp = null)],
    ['a pod that went without need', SCORED, ({ observed }) => observed.deletedPods.push('p1')],
    ['a pod that went nowhere', SCORED, ({ observed }) => (observed.decisions[0]!.nodeName = null)],
    ['another score', SCORED, ({ observed }) => (observed.schedulerLogScores![0]!.weightedScore += 1)],
    ['a score that was not given', SCORED, ({ observed }) => observed.schedulerLogScores!.shift()],
    ['another taint', STEPPED, ({ observed }) => (observed.schedulerLogFirstUntoleratedTaint![0]!.taint.key = 'b')],
    ['another end of a step', STEPPED, ({ observed }) => (observed.steps![0]!.pods[0]!.nodeName = null)],
    ['a step that it does not know', STEPPED, ({ observed }) => (observed.steps![0]!.step.do = 'patchService')],
    ['a pod that nobody should have looked at', OTHER, ({ observed }) => (observed.decisions[0]!.podScheduled = {})],
    [
      'other weights in the configuration of the scheduler',
      SCORED,
      ({ input }) => {
        input['schedulerConfiguration'] = {
          apiVersion: 'kubescheduler.config.k8s.io/v1',
          kind: 'KubeSchedulerConfiguration',
          profiles: [
            {
              schedulerName: 'default-scheduler',
              plugins: { multiPoint: { enabled: [{ name: 'TaintToleration', weight: 5 }] } },
            },
          ],
        };
      },
    ],
    ['a pod without a decision', SCORED, ({ observed }) => observed.decisions.pop()],
  ])('notices %s', async (_, name, change) => {
    expect((await judged(name, changed(change))).length).toBeGreaterThan(0);
  });
});
