import { type Background, Slices } from '../../event-loop/slices.js';
import { traced } from '../../tracing/tracing.js';
import { ServiceError } from '../errors/service-error.js';

/** Who may stop waiting for a response, such as a `RequestContext`, which makes its signal when that is read. */
export interface Asker {
  readonly signal: AbortSignal;
}

export interface TimeSlicesOptions {
  /** How long a slice may block the event loop, in milliseconds. */
  readonly sliceMs?: number;
  /** Maximum duration of the whole computation, including pauses, in milliseconds. */
  readonly budgetMs?: number;
  /** Aborted when nobody waits for the response. */
  readonly signal?: AbortSignal | undefined;
  /** In place of `signal`: its signal is made only if there is a pause, as most answers have none. */
  readonly asker?: Asker;
  /** For what nobody waits for. */
  readonly background?: Background;
  /** The name of the spans of computations, `evaluate` by default. */
  readonly span?: string;
}

/** For loading the state of a revision. */
export const LOADING: TimeSlicesOptions = { span: 'load state' };

/** The time slices of a request, which end when its budget is used up or its caller disconnects. */
export class TimeSlices extends Slices {
  private readonly started = performance.now();

  constructor(private readonly options: TimeSlicesOptions = {}) {
    super(options.sliceMs, options.background);
  }

  /** @param span the name of its span, if not that of the slices */
  override run<Result>(steps: Generator<undefined, Result>, span = this.options.span ?? 'evaluate'): Promise<Result> {
    return traced(span, () => super.run(steps), { onlyWithin: true });
  }

  /** As `run`, without a span: for what is part of an answer's text. */
  render<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    return super.run(steps);
  }

  /**
   * Yields to other work.
   * @throws {ServiceError} `cancelled` if the caller has disconnected, `budget-exceeded` if the computation took too
   *   long
   */
  override async pause(): Promise<void> {
    const { budgetMs, asker, signal = asker?.signal } = this.options;
    if (budgetMs !== undefined && performance.now() - this.started > budgetMs) {
      throw new ServiceError(
        'budget-exceeded',
        `The request exceeded its budget of ${budgetMs} ms. Narrow it, or raise its budget if it has one.`,
      );
    }
    await super.pause();
    if (signal?.aborted === true) throw new ServiceError('cancelled', 'The caller stopped waiting for the response.');
  }
}
