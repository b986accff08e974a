import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../errors/service-error.js';

export interface TimeSlicesOptions {
  /** How long one slice holds the event loop, in milliseconds. */
  readonly sliceMs?: number;
  /** How long the whole work may take, pauses included, in milliseconds. */
  readonly budgetMs?: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

const SLICE_MS = 8;

/**
 * Cuts long work on the event loop into slices, so that short requests keep their latency beside it:
 *
 *     for (const row of rows) {
 *       if (slices.due()) await slices.pause();
 *       work(row);
 *     }
 */
export class TimeSlices {
  private readonly started = performance.now();
  private sliceEnds: number;
  private readonly sliceMs: number;

  constructor(private readonly options: TimeSlicesOptions = {}) {
    this.sliceMs = options.sliceMs ?? SLICE_MS;
    this.sliceEnds = this.started + this.sliceMs;
  }

  /** Whether this slice is used up. */
  due(): boolean {
    return performance.now() >= this.sliceEnds;
  }

  /**
   * Lets others run.
   * @throws {ServiceError} `cancelled` when the caller has gone, `budget-exceeded` when the work took too long
   */
  async pause(): Promise<void> {
    const { budgetMs, signal } = this.options;
    if (budgetMs !== undefined && performance.now() - this.started > budgetMs) {
      throw new ServiceError('budget-exceeded', `The question took longer than its budget of ${budgetMs} ms.`);
    }
    await nextTurn();
    if (signal?.aborted === true) throw new ServiceError('cancelled', 'The caller stopped waiting for the answer.');
    this.sliceEnds = performance.now() + this.sliceMs;
  }
}
