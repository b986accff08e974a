import { METRIC_FAMILY_NAMES, OPENMETRICS_END, stepKubeStateMetrics } from '../../core/metrics/kube-state-metrics.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import { valueMaskFor } from './value-mask.js';

export interface StateMetricsRequest {
  readonly cluster: string;
  readonly readAt: ReadAt;
  /** Names of families; all of them by default. */
  readonly families?: readonly string[] | undefined;
  /** Whether the page ends as OpenMetrics wants it. */
  readonly openMetrics: boolean;
}

export interface StateMetricsPage {
  readonly basis: Basis;
  /** Its text in pieces, each made when the one before has been taken. */
  readonly text: AsyncGenerator<string, void, undefined>;
}

/** Pieces of the page are put together to some so many characters, so that a page costs few writes. */
const PIECE = 64 * 1024;

/** The state of a cluster as kube-state-metrics would export it. */
export class WriteStateMetrics {
  constructor(private readonly readState: ReadState) {}

  /** @throws {InvalidRequestError} a family that is not known */
  async run(request: StateMetricsRequest, context: RequestContext): Promise<StateMetricsPage> {
    const { cluster, readAt, families, openMetrics } = request;
    const wanted = readFamilies(families);
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const pieces = stepKubeStateMetrics(state, { families: wanted, valueMask: valueMaskFor(cluster, context) });
    const slices = new TimeSlices({ signal: context.signal });
    return { basis, text: textOf(pieces, slices, openMetrics ? OPENMETRICS_END : '') };
  }

  /**
   * The page in one piece, as far as it is not too long for that.
   * @throws {InvalidRequestError} a family that is not known
   * @throws {ServiceError} `budget-exceeded` for a page of more than `mostCharacters`
   */
  async whole(
    request: Omit<StateMetricsRequest, 'openMetrics'>,
    context: RequestContext,
    mostCharacters = MOST_CHARACTERS,
  ): Promise<{ readonly basis: Basis; readonly text: string }> {
    const { basis, text } = await this.run({ ...request, openMetrics: true }, context);
    const pieces: string[] = [];
    let length = 0;
    for await (const piece of text) {
      length += piece.length;
      if (length > mostCharacters) {
        throw new ServiceError(
          'budget-exceeded',
          `The page has more than ${mostCharacters} characters; ask for fewer families, or read it as a stream at /api/v1/clusters/{cluster}/metrics.`,
        );
      }
      pieces.push(piece);
    }
    return { basis, text: pieces.join('') };
  }
}

/** As much as one answer of GraphQL holds of the page. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

async function* textOf(
  steps: Generator<string, undefined>,
  slices: TimeSlices,
  end: string,
): AsyncGenerator<string, void, undefined> {
  let piece = '';
  for (const step of steps) {
    piece += step;
    if (piece.length >= PIECE) {
      yield piece;
      piece = '';
    }
    if (slices.due()) await slices.pause();
  }
  if (piece !== '' || end !== '') yield piece + end;
}

function readFamilies(names: readonly string[] | undefined): ReadonlySet<string> | undefined {
  if (names === undefined) return undefined;
  const faults = names.flatMap((name, index) =>
    METRIC_FAMILY_NAMES.includes(name)
      ? []
      : [
          {
            pointer: `/families/${index}`,
            field: `families[${index}]`,
            code: 'unknown-family',
            message: `unknown family ${JSON.stringify(name)}; known are ${METRIC_FAMILY_NAMES.join(', ')}`,
          },
        ],
  );
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return new Set(names);
}
