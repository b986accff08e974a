import type { Schemas } from '../../api/service.js';

export const EVENTS = [
  'setTaints',
  'deleteNode',
  'setTolerations',
  'deletePod',
  'stopController',
  'startController',
] as const;

/** Something that happens, as it is typed. */
export interface AssumedEvent {
  /** Seconds after the start. */
  readonly after: number;
  readonly do: (typeof EVENTS)[number] | 'outage';
  /** A node, or a pod as `namespace/name`; for an outage, node names or a label selector. */
  readonly on: string;
  /** Taints as kubectl writes them, or tolerations as JSON; for an outage, how long in seconds. */
  readonly what: string;
}

export function readEvents(given: unknown): readonly AssumedEvent[] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, 100).flatMap((one: unknown): AssumedEvent[] => {
    if (typeof one !== 'object' || one === null) return [];
    const of = one as Readonly<Record<string, unknown>>;
    const kind = [...EVENTS, 'outage' as const].find((name) => name === of['do']);
    const after = Number(of['after']);
    if (kind === undefined || !Number.isFinite(after)) return [];
    const text = (value: unknown): string =>
      typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    return [{ after, do: kind, on: text(of['on']), what: text(of['what']) }];
  });
}

const at = (start: number, after: number): string => new Date(start + after * 1000).toISOString();
const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** As the service is asked. @param start ms */
export function happeningsOf(
  assumed: readonly AssumedEvent[],
  start: number,
): Pick<Schemas['EvictionScheduleRequest'], 'events' | 'outages'> {
  const events = assumed
    .filter(({ do: kind }) => kind !== 'outage')
    .sort((one, other) => one.after - other.after)
    .map((event) => eventOf(event, start));
  const outages = assumed.filter(({ do: kind }) => kind === 'outage').map((event) => outageOf(event, start));
  return { ...(events.length > 0 && { events }), ...(outages.length > 0 && { outages }) };
}

function eventOf(event: AssumedEvent, start: number): Schemas['EvictionEventRequest'] {
  const { after, on, what } = event;
  const kind = event.do as (typeof EVENTS)[number];
  return {
    at: at(start, after),
    do: kind,
    ...((kind === 'setTaints' || kind === 'deleteNode') && { node: on }),
    ...((kind === 'setTolerations' || kind === 'deletePod') && { pod: on }),
    ...(kind === 'setTaints' && { taints: words(what) }),
    ...(kind === 'setTolerations' && { tolerations: tolerationsIn(what) }),
  };
}

/** What is no JSON is sent as it is: the service says what is wrong. */
function tolerationsIn(text: string): Schemas['GivenToleration'][] {
  try {
    const read: unknown = JSON.parse(text === '' ? '[]' : text);
    return (Array.isArray(read) ? read : [read]) as Schemas['GivenToleration'][];
  } catch {
    return [text] as unknown as Schemas['GivenToleration'][];
  }
}

function outageOf({ after, on, what }: AssumedEvent, start: number): Schemas['NodeOutageRequest'] {
  const where: Schemas['NodeOutageRequest'] =
    on.trim() === '' ? { allNodes: true } : /[=!()]/.test(on) ? { labelSelector: on } : { nodes: words(on) };
  return { ...where, from: at(start, after), ...(what.trim() !== '' && { forSeconds: Number(what) }) };
}
