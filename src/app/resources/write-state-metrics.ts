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
  /** Names of metric families; by default all. */
  readonly families?: readonly string[] | undefined;
  /** Whether the page ends as OpenMetrics requires. */
  readonly openMetrics: boolean;
}

export interface StateMetricsPage {
  readonly basis: Basis;
  /** The text in chunks that are created on demand. */
  readonly text: AsyncGenerator<string, void, undefined>;
}

/** Approximate characters of a chunk; larger chunks need fewer writes. */
const PIECE = 64 * 1024;

/** Exports the state of a cluster in the format of kube-state-metrics. */
export class WriteStateMetrics {
  constructor(private readonly readState: ReadState) {}

  /** @throws {InvalidRequestError} for an unknown family */
  async run(request: StateMetricsRequest, context: RequestContext): Promise<StateMetricsPage> {
    const { cluster, readAt, families, openMetrics } = request;
    const wanted = readFamilies(families);
    const { basis, state } = await this.readState.run(cluster, readAt, context);
    const pieces = stepKubeStateMetrics(state, { families: wanted, valueMask: valueMaskFor(cluster, context) });
    const slices = new TimeSlices({ signal: context.signal });
    return { basis, text: textOf(pieces, slices, openMetrics ? OPENMETRICS_END : '') };
  }

  /**
   * Returns the whole page as one string.
   * @throws {InvalidRequestError} for an unknown family
   * @throws {ServiceError} `budget-exceeded` for a page of more than `mostCharacters`
   */
  async whole(
    request: Omit<StateMetricsRequest, 'openMetrics'>,
    context: RequestContext,
    mostCharacters = MAX_CHARACTERS,
  ): Promise<{ readonly basis: Basis; readonly text: string }> {
    const { basis, text } = await this.run({ ...request, openMetrics: true }, context);
    const pieces: string[] = [];
    let length = 0;
    for await (const piece of text) {
      length += piece.length;
      if (length > mostCharacters) {
        throw new ServiceError(
          'budget-exceeded',
          `The page has more than ${mostCharacters} characters; request fewer families, or read it as a stream at /api/v1/clusters/{cluster}/metrics.`,
        );
      }
      pieces.push(piece);
    }
    return { basis, text: pieces.join('') };
  }
}

/** Maximum characters of a page in a GraphQL response. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

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
            message: `unknown family ${JSON.stringify(name)}; known families are ${METRIC_FAMILY_NAMES.join(', ')}`,
          },
        ],
  );
  if (faults.length > 0) throw new InvalidRequestError(faults);
  return new Set(names);
}
