import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json/json-value.js';
import { DEFAULT_RULES, withGates } from '../kubernetes/kubernetes-rules.js';
import type { Workload } from '../kubernetes/objects/workloads.js';
import { gatesOf } from '../kubernetes/toleration.js';
import { validateWorkload } from './validate-workload.js';
import { validateWorkloadUpdate } from './validate-workload-update.js';

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

const RULE = 'spec.podFailurePolicy.rules';
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
        `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
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

  it.each([
    ['Europe/Berlin', undefined],
    ['US/Pacific', undefined],
    ['Etc/GMT+7', undefined],
    ['UTC', undefined],
    ['europe/berlin', 'unknown time zone europe/berlin'],
    ['Europe/Bern', 'unknown time zone Europe/Bern'],
    ['PST', 'unknown time zone PST'],
    ['Europe//Berlin', 'unknown time zone Europe//Berlin'],
    ['', 'timeZone must be nil or non-empty string'],
  ])('of a CronJob in the time zone %j', (timeZone, fault) => {
    const expected = fault === undefined ? [] : [`spec.timeZone: Invalid value: "${timeZone}": ${fault}`];
    expect(faultsOf('CronJob', { timeZone }, NEVER)).toEqual(expected);
  });

  const ACTIONS = '"Count", "FailIndex", "FailJob", "Ignore"';
  it.each<[JsonObject, JsonObject, readonly string[]]>([
    [{ rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] }, NEVER, []],
    [
      { rules: [{ action: 'FailJob', onExitCodes: { containerName: 'app', operator: 'NotIn', values: [0, 42] } }] },
      NEVER,
      [],
    ],
    [
      { rules: [] },
      { restartPolicy: 'OnFailure' },
      [
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
      ],
    ],
    [
      { rules: [{ onExitCodes: { containerName: 'web', values: [0, 3, 1, 3] } }, { action: 'Stop' }] },
      NEVER,
      [
        `${RULE}[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`,
        `${RULE}[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`,
        `${RULE}[0].onExitCodes.containerName: Invalid value: "web": must be one of the container or initContainer names in the pod template`,
        `${RULE}[0].onExitCodes.values[3]: Duplicate value: 3`,
        `${RULE}[0].onExitCodes.values: Invalid value: [0,3,1,3]: must be ordered`,
        `${RULE}[1].action: Unsupported value: "Stop": supported values: ${ACTIONS}`,
        `${RULE}[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
      ],
    ],
    [
      {
        rules: [
          {
            action: 'FailIndex',
            onExitCodes: { operator: 'In', values: [0] },
            onPodConditions: [{ type: 'a b', status: 'Maybe' }],
          },
          { action: 'Count', onExitCodes: { operator: 'Eq', values: [] } },
        ],
      },
      NEVER,
      [
        `${RULE}[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`,
        `${RULE}[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`,
        `${RULE}[0].onPodConditions[0].type: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `${RULE}[0].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"`,
        `${RULE}[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`,
        `${RULE}[1].onExitCodes.operator: Unsupported value: "Eq": supported values: "In", "NotIn"`,
        `${RULE}[1].onExitCodes.values: Invalid value: []: at least one value is required`,
      ],
    ],
  ])('of a Job with the pod failure policy %j', (podFailurePolicy, pod, expected) => {
    expect(faultsOf('Job', { podFailurePolicy }, pod)).toEqual(expected);
  });

  const INDEXED = { completionMode: 'Indexed', completions: 10 };
  const INDEXES = 'spec.successPolicy.rules[0].succeededIndexes';
  const parsing = (indexes: string, why: string): readonly string[] => [
    `${INDEXES}: Invalid value: "${indexes}": error parsing succeededIndexes: ${why}`,
  ];
  it.each<[JsonObject, JsonObject, readonly string[]]>([
    [INDEXED, { succeededIndexes: '0,2-4,9', succeededCount: 5 }, []],
    [INDEXED, { succeededCount: 10 }, []],
    [
      INDEXED,
      {},
      [
        'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
      ],
    ],
    [
      {},
      { succeededIndexes: '0' },
      [
        'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":"0","SucceededCount":null}]}: requires indexed completion mode',
      ],
    ],
    [INDEXED, { succeededIndexes: '0-10' }, parsing('0-10', 'too large index: "10"')],
    [INDEXED, { succeededIndexes: '3,1' }, parsing('3,1', 'non-increasing order, previous: 3, current: 1')],
    [INDEXED, { succeededIndexes: '3-2' }, parsing('3-2', 'non-increasing order, previous: 3, current: 2')],
    [INDEXED, { succeededIndexes: 'a' }, parsing('a', 'cannot convert string to integer for index: "a"')],
    [
      INDEXED,
      { succeededIndexes: '1-2-3' },
      parsing(
        '1-2-3',
        `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
      ),
    ],
    [
      INDEXED,
      { succeededIndexes: '1-2', succeededCount: 11 },
      [
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 11: must be less than or equal to 10 (the number of specified completions)',
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 11: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
      ],
    ],
  ])('of a Job with %j and the success rule %j', (spec, rule, expected) => {
    expect(faultsOf('Job', { ...spec, successPolicy: { rules: [rule] } }, NEVER)).toEqual(expected);
  });

  it('of a Job include a success policy without rules', () => {
    expect(faultsOf('Job', { ...INDEXED, successPolicy: {} }, NEVER)).toEqual([
      'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
    ]);
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
      'spec.timeZone: Invalid value: "local": unknown time zone local',
      'spec.concurrencyPolicy: Unsupported value: "Wait": supported values: "Allow", "Forbid", "Replace"',
      `spec.failedJobsHistoryLimit: Invalid value: -1: ${NOT_NEGATIVE}`,
    ]);
  });
});

describe('the faults of a change to a CronJob', () => {
  const cronJob = (spec: JsonObject): Workload =>
    ({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'c', namespace: 'shop', resourceVersion: '1' },
      spec: {
        jobTemplate: { spec: { template: { spec: { ...POD, restartPolicy: 'Never', dnsPolicy: 'ClusterFirst' } } } },
        ...spec,
      },
    }) as unknown as Workload;
  const faults = (before: JsonObject, after: JsonObject): readonly string[] =>
    validateWorkloadUpdate(cronJob(before), cronJob(after), cronJob(after), gatesOf(DEFAULT_RULES)).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  it('do not include a time zone that it had before, in the schedule or beside it', () => {
    const old = { schedule: 'TZ=UTC 0 3 * * *' };
    expect(faults(old, { schedule: 'TZ=Asia/Tokyo 0 4 * * *' })).toEqual([]);
    expect(faults({ schedule: '0 3 * * *' }, old)).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 3 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ]);
    expect(faults(old, { ...old, timeZone: 'UTC' })).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 3 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ]);
    expect(faults(old, { schedule: 'TZ=Moon 0 3 * * *' })).toEqual([
      'spec.schedule: Invalid value: "TZ=Moon 0 3 * * *": provided bad location Moon: unknown time zone Moon',
    ]);
    const odd = { schedule: '0 3 * * *', timeZone: 'Moon' };
    expect(faults(odd, { ...odd, schedule: '0 4 * * *' })).toEqual([]);
    expect(faults({ ...odd, timeZone: 'UTC' }, odd)).toEqual([
      'spec.timeZone: Invalid value: "Moon": unknown time zone Moon',
    ]);
  });
});
