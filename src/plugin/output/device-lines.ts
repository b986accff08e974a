import type { placementReason } from '../../contract/placements/reason.js';
import type { Response } from '../../contract/schema.js';
import { formatTaint } from '../../core/kubernetes/taint.js';

type Reason = Response<typeof placementReason>;
type DeviceFacts = Extract<Reason, { readonly code: 'DevicesNotAllocatable' }>['facts'];
type Device = NonNullable<DeviceFacts['devices']>[number];

/** A fact in which the nodes of a group differ. */
interface Column {
  readonly reason: number;
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Devices, and pools, that are shown of one request. */
const MOST_SHOWN = 5;

/** Which request finds too few devices, and why it cannot have those that it selects. */
export function deviceLines(reasons: readonly Reason[], columns: readonly Column[]): readonly string[] {
  return reasons.flatMap((reason, index) => {
    if (reason.code !== 'DevicesNotAllocatable') return [];
    const { facts } = reason;
    const ofNodes = columns.filter((column) => column.reason === index);
    const all = <Item>(name: string, one: readonly Item[] | undefined): readonly Item[] =>
      one ?? ofNodes.filter((column) => column.name === name).flatMap(({ values }) => values.flat() as readonly Item[]);
    const devices = all<Device>('devices', facts.devices).map(deviceText);
    const missing = all<string>('incompletePools', facts.incompletePools).map(
      (pool) => `ResourceSlices of pool ${pool} are missing`,
    );
    const invalid = all<string>('invalidPools', facts.invalidPools).map((pool) => `pool ${pool} contradicts itself`);
    const obstacles = all<NonNullable<DeviceFacts['obstacles']>[number]>('obstacles', facts.obstacles).map(
      ({ kind, name }) => `without ${OBSTACLES[kind!]} ${name} they could be allocated`,
    );
    const found = devices.length === 0 ? ['no device matches'] : shortened(devices);
    return [
      `  request ${facts.request} of claim ${facts.claim}:`,
      ...[...found, ...shortened(missing), ...shortened(invalid), ...shortened(obstacles)].map((line) => `    ${line}`),
    ];
  });
}

/** Whether a column is about devices, which have lines of their own. */
export const isOfDevices = (reasons: readonly Reason[], { reason }: Column): boolean =>
  reasons[reason]?.code === 'DevicesNotAllocatable';

const OBSTACLES = {
  MatchAttribute: 'the constraint matchAttribute',
  DistinctAttribute: 'the constraint distinctAttribute',
  CounterSet: 'the counter set',
} as const;

function deviceText({ device, because, claim, taint, rule }: Device): string {
  switch (because) {
    case 'InUse':
      return `${device}: in use${claim === undefined ? '' : ` by claim ${claim}`}`;
    case 'Tainted': {
      const of = taint === undefined || taint === null ? 'tainted' : `tainted ${formatTaint(taint)}`;
      return `${device}: ${of}${rule === undefined ? '' : ` by DeviceTaintRule ${rule}`}`;
    }
    case 'Capacity':
      return `${device}: not enough capacity`;
    case 'GateOff':
      return `${device}: its feature gate is off`;
    default:
      return `${device}: not in use, but cannot be allocated`;
  }
}

function shortened(lines: readonly string[]): readonly string[] {
  const shown = [...new Set(lines)];
  const more = shown.length - MOST_SHOWN;
  return more > 0 ? [...shown.slice(0, MOST_SHOWN), `... and ${more} more`] : shown;
}
