import type { scheduleEvictions } from '../../contract/evictions/questions.js';
import { ServiceError } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { TimeSlices } from '../states/time-slices.js';
import { planLandings } from './plan-landings.js';
import { planSchedule } from './plan-schedule.js';
import { presentSchedule } from './present-schedule.js';
import { scheduleCsv } from './schedule-csv.js';
import { ScheduleReader } from './schedule-reader.js';
import { scheduleRequestOf } from './schedule-request.js';
import type { ScheduleResponse } from './schedule-response.js';

const BUDGET_MS = 60_000;

/** Predicts which pods NoExecute taints evict, when and why, and where their replacements go. */
export class ScheduleEvictions {
  constructor(private readonly reader: ScheduleReader) {}

  /** @throws {InvalidRequestError} with every error in the request; {ServiceError} `budget-exceeded`, `cancelled` */
  async run(given: RequestOf<typeof scheduleEvictions>, context: RequestContext): Promise<ScheduleResponse> {
    const request = scheduleRequestOf(given);
    const reading = await this.reader.run(request, context);
    const slices = new TimeSlices({ budgetMs: BUDGET_MS, signal: context.signal });
    const plan = await planSchedule(reading, slices);
    const landing = request.landing ? await planLandings(plan, slices) : null;
    return presentSchedule(plan, landing, slices);
  }

  /**
   * Exports all requested pods as CSV, in chunks; ignores the page of the request.
   * @throws {ServiceError} as `run`; `forbidden` if the caller may not see taint values
   */
  async export(
    given: RequestOf<typeof scheduleEvictions>,
    context: RequestContext,
  ): Promise<AsyncGenerator<string, void, undefined>> {
    const { cluster } = given;
    if (!context.access.seesTaintValues(cluster)) {
      throw new ServiceError(
        'forbidden',
        `You may not see the taint values of cluster ${JSON.stringify(cluster)}, which CSV cannot mask; request JSON instead.`,
      );
    }
    const { signal } = context;
    const reading = await this.reader.run(scheduleRequestOf(given), context);
    const plan = await planSchedule(reading, new TimeSlices({ budgetMs: BUDGET_MS, signal }));
    // However slowly the client reads it.
    return scheduleCsv(plan, new TimeSlices({ signal }));
  }
}
