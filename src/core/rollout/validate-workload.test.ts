import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json-value.js';
import { DEFAULT_RULES, withGates } from '../kubernetes/kubernetes-rules.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { validateWorkload } from './validate-workload.js';

const POD = { containers: [{ name: 'app', image: 'i', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }] };

function faultsOf(kind: string, spec: JsonObject, pod: JsonObject = {}, gates = {}, name = 'name'): readonly string[] {
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', ...POD, ...pod },
  };
  const isJob = kind === 'Job' || kind === 'CronJob';
  const whole = isJob ? { ...spec, template } : { selector: { matchLabels: { app: 'a' } }, ...spec, template };
  const workload = {
    apiVersion: isJob ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop' },
    spec: kind === 'CronJob' ? { schedule: '0 3 * * *', ...spec, jobTemplate: { spec: { template } } } : whole,
  } as unknown as Workload;
  return validateWorkload(workload, gatesOf(withGates(DEFAULT_RULES, gates))).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const NOT_NEGATIVE = 'must be greater than or equal to 0';
const PERCENT = `a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`;

describe('the faults of a new workload', () => {
  it.each([
    ['Deployment', {}, []],
    [
      'Deployment',
      { minReadySeconds: 600, progressDeadlineSeconds: 600 },
      ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    ],
    [
      'Deployment',
      { revisionHistoryLimit: -1, minReadySeconds: -2 },
      [
        `spec.minReadySeconds: Invalid value: -2: ${NOT_NEGATIVE}`,
        `spec.revisionHistoryLimit: Invalid value: -1: ${NOT_NEGATIVE}`,
      ],
    ],
    [
      'Deployment',
      { strategy: { rollingUpdate: { maxSurge: '10', maxUnavailable: '101%' } } },
      [
        `spec.strategy.rollingUpdate.maxSurge: Invalid value: "10": ${PERCENT}`,
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      ],
    ],
    ['Deployment', { strategy: { rollingUpdate: { maxSurge: '200%' } } }, []],
    [
      'DaemonSet',
      { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
    ],
    [
      'DaemonSet',
      { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
      ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
    ],
    ['DaemonSet', { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } } }, []],
    [
      'DaemonSet',
      { updateStrategy: { type: 'Recreate' } },
      [
        'spec.updateStrategy: Unsupported value: {"Type":"Recreate","RollingUpdate":null}: supported values: "OnDelete", "RollingUpdate"',
      ],
    ],
    [
      'StatefulSet',
      { podManagementPolicy: 'Ordered' },
      [`spec.podManagementPolicy: Invalid value: "Ordered": must be 'OrderedReady' or 'Parallel'`],
    ],
    [
      'StatefulSet',
      { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
      [
        `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1}: only allowed for updateStrategy 'RollingUpdate'`,
      ],
    ],
    [
      'StatefulSet',
      { ordinals: { start: -1 }, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep' } },
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Delete", "Retain"',
        `spec.ordinals.start: Invalid value: -1: ${NOT_NEGATIVE}`,
      ],
    ],
  ])('of a %s with %j', (kind, spec, expected) => {
    expect(faultsOf(kind, spec)).toEqual(expected);
  });

  it('include maxUnavailable of a StatefulSet only where the API server reads it', () => {
    const spec = { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } };
    expect(faultsOf('StatefulSet', spec)).toEqual([]);
    expect(faultsOf('StatefulSet', spec, {}, { MaxUnavailableStatefulSet: true })).toEqual([
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0',
    ]);
  });

  const NEVER = { restartPolicy: 'Never' };
  it.each([
    [{}, []],
    [
      { backoffLimit: -1, ttlSecondsAfterFinished: -1 },
      [
        `spec.backoffLimit: Invalid value: -1: ${NOT_NEGATIVE}`,
        `spec.ttlSecondsAfterFinished: Invalid value: -1: ${NOT_NEGATIVE}`,
      ],
    ],
    [{ completionMode: 'Indexed' }, ['spec.completions: Required value: when completion mode is Indexed']],
    [{ backoffLimitPerIndex: 1 }, ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode']],
    [
      { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1, maxFailedIndexes: 3 },
      ['spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions'],
    ],
    [
      { completionMode: 'Indexed', completions: 200_000, parallelism: 20_000, backoffLimitPerIndex: 1 },
      [
        'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
        'spec.parallelism: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      ],
    ],
    [
      { podReplacementPolicy: 'TerminatingOrFailed', podFailurePolicy: { rules: [] } },
      ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    ],
    [{ manualSelector: true }, ['spec.selector: Required value']],
    [
      { manualSelector: true, selector: { matchLabels: { app: 'other' } } },
      ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
    ],
    [
      { selector: { matchLabels: { 'controller-uid': 'of-another-job' } } },
      [
        'spec.selector: Invalid value: {"matchLabels":{"controller-uid":"of-another-job"}}: `selector` not auto-generated',
      ],
    ],
  ])('of a Job with %j', (spec, expected) => {
    expect(faultsOf('Job', spec, NEVER)).toEqual(expected);
  });

  it.each([
    ['*/15 0-5,7 1 jan-mar mon', undefined],
    ['@hourly', undefined],
    ['@every 1h30m', undefined],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
    ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    [
      '9223372036854775808 * * * *',
      'failed to parse int from 9223372036854775808: strconv.Atoi: parsing "9223372036854775808": value out of range',
    ],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ])('of a CronJob with the schedule %s', (schedule, fault) => {
    const expected = fault === undefined ? [] : [`spec.schedule: Invalid value: "${schedule}": ${fault}`];
    expect(faultsOf('CronJob', { schedule }, NEVER)).toEqual(expected);
  });

  it('include a name that is too long for the names of its pods and Jobs', () => {
    const long = 'n'.repeat(60);
    const faults = (kind: string, spec: JsonObject): readonly string[] => faultsOf(kind, spec, NEVER, {}, long);
    expect(faults('Job', { completionMode: 'Indexed', completions: 101 })).toEqual([
      `metadata.name: Invalid value: "${long}": will not able to create pod with invalid DNS label: ${long}-100`,
    ]);
    expect(faults('Job', { completionMode: 'Indexed', completions: 100 })).toEqual([]);
    expect(faults('CronJob', {})).toEqual([
      `metadata.name: Invalid value: "${long}": must be no more than 52 characters`,
    ]);
  });

  it('of a CronJob include its time zone and policies', () => {
    expect(
      faultsOf(
        'CronJob',
        { schedule: 'TZ=UTC 0 3 * * *', timeZone: 'local', concurrencyPolicy: 'Wait', failedJobsHistoryLimit: -1 },
        NEVER,
      ),
    ).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 3 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.concurrencyPolicy: Unsupported value: "Wait": supported values: "Allow", "Forbid", "Replace"',
      `spec.failedJobsHistoryLimit: Invalid value: -1: ${NOT_NEGATIVE}`,
    ]);
  });
});
