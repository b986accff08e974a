import { missingForEvictions } from '../../core/eviction-schedule/device-evictions.js';
import { csvLine, type Cell } from '../csv-line.js';
import type { TimeSlices } from '../states/time-slices.js';
import type { PlannedSchedule } from './plan-schedule.js';
import { ScheduledPods, type ScheduledPodResponse } from './scheduled-pod.js';

const COLUMNS: readonly (readonly [name: string, cell: (pod: ScheduledPodResponse) => Cell])[] = [
  ['action', ({ action }) => action],
  ['earliest', ({ at }) => at?.earliest],
  ['latest', ({ at }) => at?.latest],
  ['namespace', ({ namespace }) => namespace],
  ['name', ({ name }) => name],
  ['node', ({ node }) => node],
  ['workloadKind', ({ workload }) => workload.kind],
  ['workload', ({ workload }) => workload.name],
  ['taint', (pod) => decidingTaint(pod)?.taint],
  ['toleration', ({ taints }) => taints.find(({ decides }) => decides)?.toleration],
  ['seconds', (pod) => secondsText(decidingTaint(pod)?.seconds)],
  ['baseEarliest', ({ base }) => base?.earliest],
  ['baseLatest', ({ base }) => base?.latest],
  ['baseKnown', ({ base }) => base?.known],
  ['gracePeriodSeconds', ({ departure }) => departure?.gracePeriodSeconds],
  ['gone', ({ departure }) => departure?.gone?.latest],
  ['because', ({ because }) => because],
];

/** That of a device, if one decides. */
const decidingTaint = ({ taints, devices }: ScheduledPodResponse) =>
  devices.find(({ decides }) => decides) ?? taints.find(({ decides }) => decides);

const secondsText = (seconds: number | bigint | null | undefined): Cell => (seconds == null ? null : String(seconds));

const NOT_LOADED = 'notLoaded';

/**
 * The pods as CSV with a header line, in chunks that are created on demand. Each line ends with the kinds that were never loaded; without
 * any pod, one line has nothing else: an empty table would say that nothing is evicted.
 */
export async function* scheduleCsv(plan: PlannedSchedule, slices: TimeSlices): AsyncGenerator<string, void, undefined> {
  const { rows } = plan;
  const pods = new ScheduledPods(plan);
  const notLoaded = missingForEvictions(plan.question.state).join('; ');
  yield csvLine([...COLUMNS.map(([name]) => name), NOT_LOADED]);
  if (rows.length === 0 && notLoaded !== '') yield csvLine([...COLUMNS.map(() => null), notLoaded]);
  for (let start = 0; start < rows.length; start += PIECE) {
    if (slices.due()) await slices.pause();
    const piece = Array.from(rows.subarray(start, start + PIECE), (row) => pods.of(row));
    yield piece.map((pod) => csvLine([...COLUMNS.map(([, cell]) => cell(pod)), notLoaded])).join('');
  }
}

const PIECE = 64;
