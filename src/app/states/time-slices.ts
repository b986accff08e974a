import { Slices } from '../../event-loop/slices.js';
import { ServiceError } from '../errors/service-error.js';

export interface TimeSlicesOptions {
  /** How long one slice holds the event loop, in milliseconds. */
  readonly sliceMs?: number;
  /** How long the whole work may take, pauses included, in milliseconds. */
  readonly budgetMs?: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** The slices of a caller's question: they end when its budget is used up, or the caller has gone. */
export class TimeSlices extends Slices {
  private readonly started = performance.now();

  constructor(private readonly options: TimeSlicesOptions = {}) {
    super(options.sliceMs);
  }

  /**
   * Lets others run.
   * @throws {ServiceError} `cancelled` when the caller has gone, `budget-exceeded` when the work took too long
   */
  override async pause(): Promise<void> {
    const { budgetMs, signal } = this.options;
    if (budgetMs !== undefined && performance.now() - this.started > budgetMs) {
      throw new ServiceError('budget-exceeded', `The question took longer than its budget of ${budgetMs} ms.`);
    }
    await super.pause();
    if (signal?.aborted === true) throw new ServiceError('cancelled', 'The caller stopped waiting for the answer.');
  }
}
